import type { Database, SqlRow, Statement } from '../kernel/storage/database.ts';

/** A database that keeps no rows; a test sees what is written to it, and says when a write settles and how. */
export class FakeDatabase implements Database {
  /** The transactions that were committed. */
  readonly committed: (readonly Statement[])[] = [];
  /** How many writes were asked for, whatever became of them. */
  asked = 0;
  /** While set, every write is rejected with it. */
  failure: Error | undefined;
  #held: (() => void)[] | undefined;

  /** Lets no further write settle until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  /**
   * Settles the held writes in their order, each by `failure` as it then is, and resolves when they have been heard of.
   * `count` settles only the first ones and goes on holding the others.
   */
  async release(count = Number.POSITIVE_INFINITY): Promise<void> {
    const held = this.#held?.splice(0, count) ?? [];
    if (count === Number.POSITIVE_INFINITY) this.#held = undefined;
    for (const settle of held) settle();
    await new Promise((done) => setImmediate(done));
  }

  write(statements: readonly Statement[]): Promise<void> {
    this.asked++;
    return new Promise((resolve, reject) => {
      const settle = () => {
        if (this.failure) return reject(this.failure);
        this.committed.push(statements);
        resolve();
      };
      if (this.#held) this.#held.push(settle);
      else settle();
    });
  }

  writeNow(statements: readonly Statement[]): Promise<void> {
    return this.write(statements);
  }

  query(): Promise<readonly SqlRow[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
