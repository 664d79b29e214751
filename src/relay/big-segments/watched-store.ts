import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { BigSegmentPatch, BigSegmentStore, ListedSegments } from './store.ts';

export interface WatchedStoreParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a check succeeds after a failed one. */
  readonly onRecovery: () => void;
}

/** As in LaunchDarkly's SDKs. */
const CHECK_EVERY_MS = 5000;
/** While the store is down. */
const CHECK_AGAIN_MS = 500;

/** A store that is available as long as its operations succeed; its last synchronisation is polled. */
export class WatchedStore implements BigSegmentStore {
  readonly #store: BigSegmentStore;
  readonly #parts: WatchedStoreParts;
  readonly #stopChecks: () => void;
  #isAvailable: boolean | undefined;
  #isDown = false;
  #synchronizedOn: number | undefined;
  #check: Promise<void> | undefined;
  #cancelCheck: CancelTimer = () => {};
  #isClosed = false;
  #lastFailure: string | undefined;

  constructor(store: BigSegmentStore, parts: WatchedStoreParts) {
    this.#store = store;
    this.#parts = parts;
    this.#stopChecks = parts.clock.every(CHECK_EVERY_MS, () => void this.check());
  }

  /** Whether the last operation succeeded; undefined before the first one. */
  get isAvailable(): boolean | undefined {
    return this.#isAvailable;
  }

  /** Whether the last check failed. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** The last known time of a complete synchronisation in epoch milliseconds; undefined without any. */
  get lastSynchronizedOn(): number | undefined {
    return this.#synchronizedOn;
  }

  /** Asks for the last synchronisation; never rejects. */
  check(): Promise<void> {
    this.#check ??= this.#runCheck().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  async #runCheck(): Promise<void> {
    const wasDown = this.#isDown;
    try {
      this.#synchronizedOn = await this.synchronizedOn();
      this.#isDown = false;
    } catch {
      this.#isDown = true;
      this.#cancelCheck();
      if (!this.#isClosed) this.#cancelCheck = this.#parts.clock.after(CHECK_AGAIN_MS, () => void this.check());
    }
    if (!wasDown || this.#isDown) return;
    this.#lastFailure = undefined;
    this.#parts.log.info('the store of big segments is available again');
    this.#parts.onRecovery();
  }

  cursor(): Promise<string> {
    return this.#watch(this.#store.cursor());
  }

  applyPatch(patch: BigSegmentPatch): Promise<boolean> {
    return this.#watch(this.#store.applyPatch(patch));
  }

  async setSynchronizedOn(ms: number): Promise<void> {
    await this.#watch(this.#store.setSynchronizedOn(ms));
    this.#synchronizedOn = ms;
  }

  synchronizedOn(): Promise<number | undefined> {
    return this.#watch(this.#store.synchronizedOn());
  }

  listedSegments(hash: string): Promise<ListedSegments> {
    return this.#watch(this.#store.listedSegments(hash));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopChecks();
    this.#cancelCheck();
    return this.#store.close();
  }

  async #watch<T>(operation: Promise<T>): Promise<T> {
    try {
      const result = await operation;
      this.#isAvailable = true;
      return result;
    } catch (error) {
      this.#isAvailable = false;
      this.#report(messageOf(error) || (systemCodeOf(error) ?? 'unknown'));
      // Does nothing if this was the check.
      void this.check();
      throw error;
    }
  }

  #report(error: string): void {
    const level = error === this.#lastFailure ? 'debug' : 'error';
    this.#lastFailure = error;
    this.#parts.log[level]('the store of big segments failed', { error });
  }
}
