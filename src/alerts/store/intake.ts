import { monotonicSeconds } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import { type Alert, type AlertRules, acceptAlert, type PostedAlert } from '../domain/alert.ts';
import type { AlertLimit } from './limit.ts';
import type { AlertStore } from './store.ts';

/** Counters of posted alerts. */
export interface IntakeCounts {
  received(status: 'firing' | 'resolved'): void;
  invalid(): void;
  limited(): void;
  /** The number of alerts stored together, and the seconds that it took with all listeners. */
  processed(count: number, seconds: number): void;
}

export interface AlertIntakeParts {
  readonly store: AlertStore;
  readonly limit: AlertLimit;
  readonly rules: () => AlertRules;
  readonly counts: IntakeCounts;
  readonly log: Log;
}

/** A post that is read in steps, with other work in between. */
export type PostReading = Iterator<undefined, Outcome<readonly (readonly Outcome<PostedAlert>[])[]>>;

/** Stores posted alerts. Valid alerts are stored whatever is in the same post. */
export class AlertIntake {
  readonly #parts: AlertIntakeParts;
  /** Resolves when the last waiting post is stored; undefined: none waits. */
  #last: Promise<unknown> | undefined;

  constructor(parts: AlertIntakeParts) {
    this.#parts = parts;
  }

  /**
   * Reads and stores posts in the order of their arrival; a small one at once, unless another waits. Returns the reasons
   * for refused alerts, one line each. A post that cannot be read is refused and changes nothing.
   */
  receivePost(
    reading: PostReading,
    now: () => number,
  ): Outcome<readonly string[]> | Promise<Outcome<readonly string[]>> {
    if (this.#last) return this.#queue(this.#last.then(() => this.#receiveSlices(reading, reading.next(), now)));
    const read = reading.next();
    if (!read.done) return this.#queue(this.#receiveSlices(reading, read, now));
    if (!read.value.ok) return read.value;
    const [slice = [], ...others] = read.value.value;
    if (others.length > 0) return this.#queue(this.#receiveSlices(reading, read, now));
    return accepted(this.receive(slice, now()));
  }

  #queue<T>(received: Promise<T>): Promise<T> {
    const last = received
      .catch(() => {})
      .then(() => {
        if (this.#last === last) this.#last = undefined;
      });
    this.#last = last;
    return received;
  }

  async #receiveSlices(
    reading: PostReading,
    first: ReturnType<PostReading['next']>,
    now: () => number,
  ): Promise<Outcome<readonly string[]>> {
    let read = first;
    for (; !read.done; read = reading.next()) await nextTurn();
    if (!read.value.ok) return read.value;
    const at = now();
    const reasons: string[] = [];
    for (const [index, slice] of read.value.value.entries()) {
      if (index > 0) await nextTurn();
      for (const reason of this.receive(slice, at)) reasons.push(reason);
    }
    return accepted(reasons);
  }

  /** Returns the reasons for refused alerts, one line each. */
  receive(posted: readonly Outcome<PostedAlert>[], now: number): readonly string[] {
    const { counts, log } = this.#parts;
    const rules = this.#parts.rules();
    const reasons: string[] = [];
    const alerts: Alert[] = [];
    for (const read of posted) {
      const alert = read.ok ? this.#accept(read.value, now, rules) : read;
      if (!alert.ok) {
        counts.invalid();
        reasons.push(alert.reason);
      } else if (this.#admit(alert.value, now)) alerts.push(alert.value);
    }
    if (alerts.length > 0) this.#put(alerts);
    if (log.debugging) log.debug('alerts received', { taken: alerts.length, refused: reasons.length });
    return reasons;
  }

  #put(alerts: readonly Alert[]): void {
    const { store, counts } = this.#parts;
    const startedAt = monotonicSeconds();
    store.put(alerts);
    counts.processed(alerts.length, monotonicSeconds() - startedAt);
  }

  #accept(posted: PostedAlert, now: number, rules: AlertRules): Outcome<Alert> {
    const resolved = posted.endsAt !== undefined && posted.endsAt <= now;
    this.#parts.counts.received(resolved ? 'resolved' : 'firing');
    return acceptAlert(posted, now, rules);
  }

  /** An alert above the limit is not the sender's fault: the post is answered as if it had been stored. */
  #admit(alert: Alert, now: number): boolean {
    const { limit, counts, log } = this.#parts;
    if (limit.admit(alert, now)) return true;
    counts.limited();
    log.warn('an alert was dropped: its alert name has as many alerts as --alerts.per-alertname-limit allows', {
      fingerprint: alert.fingerprint,
    });
    return false;
  }
}

/** Yields to everything that has come in by now. */
function nextTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
