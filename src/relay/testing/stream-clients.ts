import { connect, type Socket } from 'node:net';

/** Stands once in each event that is counted and nowhere else, so that a client hears without parsing. */
export const MARK = '~';
const MARK_BYTE = MARK.charCodeAt(0);
/** How many connect at the same time where nobody asks for a storm. */
const AT_ONCE = 200;

export interface Received_ {
  /** Milliseconds of performance.now(). */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Many raw sockets that send one request each, then count marked events and keep nothing. */
export class StreamClients {
  readonly #sockets: Socket[] = [];
  readonly #port: number;
  readonly #request: string;
  #heard = 0;
  #expected = Number.POSITIVE_INFINITY;
  #firstAt = 0;
  #resolve: (heard: Received_) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(url: string, request: string) {
    this.#port = Number(new URL(url).port);
    this.#request = request;
  }

  /** Lets more listen; resolves when each has heard one event. */
  async join(count: number): Promise<void> {
    for (let left = count; left > 0; left -= AT_ONCE) await this.storm(Math.min(left, AT_ONCE));
  }

  /** The same, with all of them at once. */
  storm(count: number): Promise<Received_> {
    const heard = this.hear(count);
    for (let index = 0; index < count; index++) this.#connect();
    return heard;
  }

  /** Resolves when so many events have been heard from now on; one for each that listens unless told. */
  hear(events = this.#sockets.length): Promise<Received_> {
    this.#heard = 0;
    this.#firstAt = 0;
    this.#expected = events;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): void {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (length: number) => {
      this.#listen(buffer.subarray(0, length));
      return true;
    };
    const socket = connect({ port: this.#port, host: '127.0.0.1', onread: { buffer, callback } }, () =>
      socket.write(this.#request),
    );
    this.#sockets.push(socket);
    socket.on('error', (error) => this.#reject(error));
  }

  #listen(chunk: Buffer): void {
    for (let at = chunk.indexOf(MARK_BYTE); at !== -1; at = chunk.indexOf(MARK_BYTE, at + 1)) {
      if (this.#firstAt === 0) this.#firstAt = performance.now();
      this.#heard++;
    }
    if (this.#heard >= this.#expected) this.#resolve({ firstAt: this.#firstAt, lastAt: performance.now() });
  }
}

const READ_BYTES = 64 * 1024;
