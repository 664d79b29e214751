/** A read that callers share: those of one turn of the event loop share one; those that call while it runs share the next. */
export class SharedRead {
  readonly #read: () => Promise<void>;
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  /** Resolves, or rejects, with a read that began after this call. */
  run(): Promise<void> {
    this.#next ??= this.#readAfter(this.#running);
    return this.#next;
  }

  /** Resolves when the last read has ended, however. */
  ended(): Promise<void> {
    return this.#running;
  }

  #readAfter(earlier: Promise<void>): Promise<void> {
    const read = earlier
      .then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      .then(() => {
        // From here on a caller needs another read.
        this.#next = undefined;
        return this.#read();
      });
    this.#running = read.catch(() => {});
    return read;
  }
}
