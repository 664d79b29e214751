import { connect, type Socket } from 'node:net';
import { MARK } from './bench-events.ts';

/** Clients that connect at the same time. */
const AT_ONCE = 200;
const MARK_BYTE = MARK.charCodeAt(0);
const READ_BYTES = 8 * 1024;

/** Readers, each with its own user, that note the arrival of marked events and keep nothing. */
export class Readers {
  readonly #sockets: Socket[] = [];
  readonly #ports: readonly number[];
  readonly #path: string;
  #arrivals: number[] = [];
  #expected = Number.POSITIVE_INFINITY;
  #heardAll = () => {};

  /** Each connects to one of the ports, in turn. */
  constructor(ports: readonly number[], path: string) {
    this.#ports = ports;
    this.#path = path;
  }

  /** Resolves when that many more streams are open; each receives `events` first. */
  async join(count: number, events = 1): Promise<void> {
    for (let left = count; left > 0; left -= AT_ONCE) {
      const some = Math.min(left, AT_ONCE);
      const heard = this.hear(some * events);
      for (let index = 0; index < some; index++) this.#connect();
      await heard;
    }
  }

  /** Resolves with the arrival times of that many events, ascending, in milliseconds of performance.now(). */
  async hear(events = this.#sockets.length): Promise<readonly number[]> {
    this.#arrivals = [];
    this.#expected = events;
    await new Promise<void>((resolve) => {
      this.#heardAll = resolve;
    });
    return this.#arrivals;
  }

  leave(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }

  #connect(): void {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (length: number) => {
      this.#listen(buffer, length);
      return true;
    };
    const user = `reader-${this.#sockets.length}`;
    const port = this.#ports[this.#sockets.length % this.#ports.length] ?? 0;
    const head = `GET ${this.#path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Opsdeck-User: ${user}\r\n\r\n`;
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } }, () => socket.write(head));
    socket.on('error', (error) => {
      throw error;
    });
    this.#sockets.push(socket);
  }

  #listen(buffer: Buffer, length: number): void {
    for (let at = buffer.indexOf(MARK_BYTE); at !== -1 && at < length; at = buffer.indexOf(MARK_BYTE, at + 1))
      this.#arrivals.push(performance.now());
    if (this.#arrivals.length >= this.#expected) this.#heardAll();
  }
}
