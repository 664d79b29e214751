import type { Clock } from '../../../kernel/clock.ts';

/** The longest pause before an append, in milliseconds. */
const MAX_PAUSE_MS = 20;
/** Of the time until the others are through: what is left covers the way to PostgreSQL. */
const SHARE = 0.8;
/** A shorter wait for the log is none. */
const SHORT_MS = 0.5;

/**
 * When a node sends its next append. Each append waits for those of other nodes; what is submitted while it waits has to wait for
 * the one after it. So a node sends it when its turn is near, and one append takes all of that.
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
    const untilFree = waitedMs < SHORT_MS ? pausedMs / 2 : pausedMs + waitedMs;
    this.#pauseMs = isNext ? 0 : Math.min(untilFree * SHARE, MAX_PAUSE_MS);
    this.#endedAt = this.#clock.monotonic();
  }
}
