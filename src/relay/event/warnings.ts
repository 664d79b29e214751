import type { Clock } from '../../kernel/clock.ts';
import type { Log, LogFields } from '../../kernel/log.ts';

const EVERY_MS = 60_000;

/** Warnings that clients can cause in any number: each is logged at most once a minute. */
export class EventWarnings {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Time of the last line in epoch milliseconds. */
  readonly #writtenAt = new Map<string, number>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  warn(message: string, fields: LogFields = {}): void {
    const now = this.#clock.now();
    const writtenAt = this.#writtenAt.get(message);
    if (writtenAt !== undefined && now - writtenAt < EVERY_MS) return;
    this.#writtenAt.set(message, now);
    this.#log.warn(message, fields);
  }
}
