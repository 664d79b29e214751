import { monotonicSeconds } from '../../kernel/clock.ts';
import { Distribution } from '../../kernel/metrics/distribution.ts';

/** A store that has to be relieved from time to time. */
export interface Maintained {
  /** Forgets what has had its time. */
  collectGarbage(now: number): Promise<unknown>;
  /** How many bytes the entries of the store have on disk. */
  countBytes(): Promise<number>;
}

/** Maintains one store, and counts how that went. */
export class Upkeep {
  readonly #store: Maintained;
  /** How long it took to forget what had had its time. */
  readonly collections = new Distribution();
  runs = 0;
  failures = 0;
  failedCollections = 0;
  /** What the store had on disk after the last run. */
  storedBytes = 0;

  constructor(store: Maintained) {
    this.#store = store;
  }

  /** Rejects when it could not be done; the next run tries again. */
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
