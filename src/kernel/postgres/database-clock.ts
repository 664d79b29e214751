import type { CancelTimer, Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** An answer of the database with its time; all in milliseconds. */
export interface TimeSample {
  /** The database's time, since the Unix epoch. */
  readonly databaseTime: number;
  /** Monotonic time of request and answer. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

interface Measured {
  readonly roundTrip: number;
  /** Database time minus monotonic time. */
  readonly offset: number;
}

const MAX_SAMPLES = 10;
/** Beyond this the machine's clock is reported. */
const MAX_SKEW_MS = 1_000;

/**
 * The time of the database, so that all nodes agree on what has ended: the time of an answer plus the monotonic time since then.
 * Of the last answers the fastest counts. Timers are those of the machine.
 */
export class DatabaseClock implements Clock {
  readonly #base: Clock;
  readonly #log: Log;
  #samples: Measured[] = [];
  /** Database time minus monotonic time. */
  #offset: number;
  /** Database time minus the machine's, at the last answer. */
  #ahead = 0;
  #isReported = false;

  /** Until the first answer it is the machine's clock. */
  constructor(base: Clock, log: Log) {
    this.#base = base;
    this.#log = log;
    this.#offset = base.now() - base.monotonic();
  }

  now(): number {
    return Math.floor(this.#base.monotonic() + this.#offset);
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  after(ms: number, action: () => void): CancelTimer {
    return this.#base.after(ms, action);
  }

  every(ms: number, action: () => void): CancelTimer {
    return this.#base.every(ms, action);
  }

  /** The machine's clock minus the database's, in milliseconds: positive if the machine is ahead. */
  get skewMs(): number {
    return this.#base.now() - this.now();
  }

  take({ databaseTime, sentAt, receivedAt }: TimeSample): void {
    const measured = { roundTrip: receivedAt - sentAt, offset: databaseTime - (sentAt + receivedAt) / 2 };
    this.#samples = [...this.#samples.slice(1 - MAX_SAMPLES), measured];
    this.#offset = this.#samples.reduce((best, sample) => (sample.roundTrip < best.roundTrip ? sample : best)).offset;
    this.#ahead = -this.skewMs;
    this.#reportSkew();
  }

  /** After a suspension of the machine, during which monotonic time may have stood still, the wall clock bridges to the next answer. */
  woke(): void {
    this.#samples = [];
    this.#offset = this.#base.now() + this.#ahead - this.#base.monotonic();
  }

  #reportSkew(): void {
    const isSkewed = Math.abs(this.skewMs) > MAX_SKEW_MS;
    if (isSkewed && !this.#isReported) {
      const seconds = (Math.abs(this.skewMs) / 1000).toFixed(1);
      const direction = this.skewMs > 0 ? 'ahead of' : 'behind';
      this.#log.warn(
        `the clock of this machine is ${seconds} s ${direction} that of PostgreSQL, which is used: check NTP`,
      );
    }
    this.#isReported = isSkewed;
  }
}
