import type { CancelTimer, Clock } from '../clock.ts';
import { formatDuration } from '../duration.ts';
import type { Log } from '../log.ts';
import type { AwakeTime } from './awake-time.ts';

/** Awake time from the first question without an answer until the database counts as away. */
const AWAY_MS = 2_000;

export interface AvailabilityOptions {
  readonly awake: AwakeTime;
  readonly clock: Clock;
  readonly log: Log;
  /** `host:port/database`. */
  readonly place: string;
}

/**
 * Whether the database can be used. Away is decided by time without an answer, never by one error; back by a heartbeat alone,
 * whose commit shows more than an answered read.
 */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #listeners = new Set<(isUp: boolean) => void>();
  #awaySince: number | undefined;
  #reason = 'no answer';
  /** A heartbeat or a write has failed: until the next good heartbeat, answers to reads prove nothing. */
  #isDoubted = false;
  /** Ends the time for an answer that is awaited. */
  #cancelAway: CancelTimer | undefined;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    options.awake.onWake(() => {
      if (!this.#cancelAway) return;
      this.#settle();
      this.asked();
    });
  }

  get isUp(): boolean {
    return this.#awaySince === undefined;
  }

  /** Milliseconds since the Unix epoch; undefined while it is up. */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /** Why it is away, or the last failure before. */
  get reason(): string {
    return this.#reason;
  }

  /** Calls `listener` at each change; the returned function ends that. */
  subscribe(listener: (isUp: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** An answer is awaited from now on, unless one was already. */
  asked(): void {
    if (this.isUp) this.#cancelAway ??= this.#options.awake.after(AWAY_MS, () => this.#goAway());
  }

  /** A statement was answered. */
  answered(): void {
    if (!this.#isDoubted) this.#settle();
  }

  /** A statement was not answered; `isDoubted` if nothing but a heartbeat can disprove that. */
  failed(reason: string, isDoubted: boolean): void {
    this.#reason = reason;
    this.#isDoubted ||= isDoubted;
    this.asked();
  }

  /** A heartbeat was answered. */
  confirmed(): void {
    this.#isDoubted = false;
    this.#settle();
    if (this.#awaySince === undefined) return;
    const { clock, log, place } = this.#options;
    const away = formatDuration(clock.now() - this.#awaySince);
    this.#awaySince = undefined;
    log.info('PostgreSQL is back', { database: place, away });
    this.#notify();
  }

  #goAway(): void {
    const { clock, log, place } = this.#options;
    this.#settle();
    this.#awaySince = clock.now();
    log.warn('PostgreSQL is away', { database: place, reason: this.#reason });
    this.#notify();
  }

  #settle(): void {
    this.#cancelAway?.();
    this.#cancelAway = undefined;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.isUp);
  }
}
