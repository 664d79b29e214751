import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Change, NumberedChange } from './change.ts';

/** The time between two looks for a change that is numbered, but not yet posted. */
const POSTING_MS = 1;

/** Applies the changes of a feed in a worker. */
export class ChangeReader {
  readonly #port: MessagePort;
  readonly #newest: Int32Array<SharedArrayBuffer>;
  readonly #apply: (change: Change) => void;
  /** Nothing ever wakes its waiters. */
  readonly #pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #applied: number;

  /** Begins with the state that `attach` has posted to the port; `newest` is that of the feed. */
  constructor(port: MessagePort, newest: Int32Array<SharedArrayBuffer>, apply: (change: Change) => void) {
    this.#port = port;
    this.#newest = newest;
    this.#apply = apply;
    this.#applied = Atomics.load(newest, 0);
    while (this.#takeOne());
    port.on('message', (numbered: NumberedChange) => this.#take(numbered));
  }

  /** Applies all changes up to the newest, without waiting for the turn of the port. */
  catchUp(): void {
    if (Atomics.load(this.#newest, 0) !== this.#applied) this.#applyUpTo(Atomics.load(this.#newest, 0));
  }

  #applyUpTo(number: number): void {
    while (((number - this.#applied) | 0) > 0) if (!this.#takeOne()) Atomics.wait(this.#pause, 0, 0, POSTING_MS);
  }

  #takeOne(): boolean {
    const received = receiveMessageOnPort(this.#port);
    if (received) this.#take(received.message);
    return received !== undefined;
  }

  #take({ number, change }: NumberedChange): void {
    this.#applied = number;
    this.#apply(change);
  }
}
