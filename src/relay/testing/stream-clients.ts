import { connect, type Socket } from 'node:net';

/** Must occur once in each counted event and nowhere else, so that clients count events without parsing. */
export const MARK = '~';
const MARK_BYTE = MARK.charCodeAt(0);
/** Concurrent connection attempts of `connect`. */
const CONCURRENCY = 200;
const READ_BYTES = 64 * 1024;

/** Times of performance.now() in milliseconds. */
export interface EventTimes {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Many raw sockets that send one request each, then count marked events. */
export class StreamClients {
  readonly #sockets: Socket[] = [];
  readonly #port: number;
  readonly #request: string;
  #received = 0;
  #expected = Number.POSITIVE_INFINITY;
  #firstAt = 0;
  #resolve: (times: EventTimes) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(port: number, request: string) {
    this.#port = port;
    this.#request = request;
  }

  /** Opens streams; resolves when each has received one event. */
  async connect(count: number): Promise<void> {
    for (let left = count; left > 0; left -= CONCURRENCY) await this.connectAtOnce(Math.min(left, CONCURRENCY));
  }

  /** The same, with all connection attempts at once. */
  connectAtOnce(count: number): Promise<EventTimes> {
    const received = this.receive(count);
    for (let index = 0; index < count; index++) this.#open();
    return received;
  }

  /** Resolves when this many further events have been received; by default one per client. */
  receive(events = this.#sockets.length): Promise<EventTimes> {
    this.#received = 0;
    this.#firstAt = 0;
    this.#expected = events;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(): void {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (length: number) => {
      this.#count(buffer.subarray(0, length));
      return true;
    };
    const socket = connect({ port: this.#port, host: '127.0.0.1', onread: { buffer, callback } }, () =>
      socket.write(this.#request),
    );
    this.#sockets.push(socket);
    socket.on('error', (error) => this.#reject(error));
  }

  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(MARK_BYTE); at !== -1; at = chunk.indexOf(MARK_BYTE, at + 1)) {
      if (this.#firstAt === 0) this.#firstAt = performance.now();
      this.#received++;
    }
    if (this.#received >= this.#expected) this.#resolve({ firstAt: this.#firstAt, lastAt: performance.now() });
  }
}
