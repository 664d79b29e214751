import { monotonicSeconds } from '../../kernel/clock.ts';
import { Distribution } from '../../kernel/metrics/distribution.ts';

/** A store with periodic garbage collection. */
export interface Maintained {
  /** Deletes expired entries. */
  collectGarbage(now: number): Promise<unknown>;
  /** The size of the entries on disk, in bytes. */
  countBytes(): Promise<number>;
}

/** Maintains one store and counts the runs. */
export class Upkeep {
  readonly #store: Maintained;
  /** Durations of garbage collections. */
  readonly collections = new Distribution();
  runs = 0;
  failures = 0;
  failedCollections = 0;
  /** The size on disk after the last run. */
  storedBytes = 0;

  constructor(store: Maintained) {
    this.#store = store;
  }

  /** Rejects when it fails; the next run retries. */
  async run(now: number): Promise<void> {
    this.runs++;
    try {
      await this.#collectGarbage(now);
      this.storedBytes = await this.#store.countBytes();
    } catch (error) {
      this.failures++;
      throw error;
    }
  }

  async #collectGarbage(now: number): Promise<void> {
    const startedAt = monotonicSeconds();
    try {
      await this.#store.collectGarbage(now);
    } catch (error) {
      this.failedCollections++;
      throw error;
    } finally {
      this.collections.add(monotonicSeconds() - startedAt);
    }
  }
}
