import type { Clock } from '../../../kernel/clock.ts';

/** Before an append. */
const MAX_PAUSE_MS = 20;
/** Of the time until the appends of other nodes end; the rest covers the way to PostgreSQL. */
const PAUSED_SHARE = 0.8;
/** A shorter wait for the lock of the log means that no other node was appending. */
const MIN_WAIT_MS = 0.5;

/**
 * Decides when a node sends its next append. An append waits in PostgreSQL for those of other nodes, and a change submitted
 * meanwhile waits for the next append. So a node sends an append only when its turn is near: then it contains all these changes.
 */
export class AppendTurns {
  readonly #clock: Clock;
  #pauseMs = 0;
  #sentAt = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when an append sent now would wait little for those of other nodes. */
  async next(): Promise<void> {
    const waitMs = this.#endedAt + this.#pauseMs - this.#clock.monotonic();
    if (waitMs > 0) await new Promise<void>((done) => this.#clock.after(waitMs, done));
  }

  sent(): void {
    this.#sentAt = this.#clock.monotonic();
  }

  /** `waitedMs`: the time for which other nodes went first. `isNext`: now they wait for this one. */
  ended(waitedMs: number, isNext = false): void {
    const pausedMs = Math.min(this.#sentAt - this.#endedAt, this.#pauseMs);
    const untilFree = waitedMs < MIN_WAIT_MS ? pausedMs / 2 : pausedMs + waitedMs;
    this.#pauseMs = isNext ? 0 : Math.min(untilFree * PAUSED_SHARE, MAX_PAUSE_MS);
    this.#endedAt = this.#clock.monotonic();
  }
}
