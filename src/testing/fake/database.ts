import type { Database, SqlRow, Statement } from '../../kernel/storage/database.ts';

/** A database without rows that records writes; a test decides when and how they settle. */
export class FakeDatabase implements Database {
  /** Committed transactions. */
  readonly committed: (readonly Statement[])[] = [];
  /** Number of writes, including failed ones. */
  writes = 0;
  /** If set, every write is rejected with it. */
  failure: Error | undefined;
  #held: (() => void)[] | undefined;

  /** Holds further writes until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  /**
   * Settles held writes in order, according to the current `failure`, and resolves after their callers have run. With
   * `count` only the first ones are settled; the others stay held.
   */
  async release(count = Number.POSITIVE_INFINITY): Promise<void> {
    const held = this.#held?.splice(0, count) ?? [];
    if (count === Number.POSITIVE_INFINITY) this.#held = undefined;
    for (const settle of held) settle();
    await new Promise((done) => setImmediate(done));
  }

  write(statements: readonly Statement[]): Promise<void> {
    this.writes++;
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
