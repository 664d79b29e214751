interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Passes calls on together: those of one turn of the event loop, and those that come while a batch runs. */
export class Batches<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #maxSize: number;
  #waiting: Waiting<T, R>[] = [];
  #isRunning = false;

  /** `run` resolves with a result for each item, in their order; a rejection is that of all its items. */
  constructor(run: (items: readonly T[]) => Promise<readonly R[]>, maxSize: number) {
    this.#run = run;
    this.#maxSize = maxSize;
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxSize);
      try {
        const results = await this.#run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
