import type { Log } from '../kernel/log.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { AlertLimit } from './alert-limit.ts';
import type { AlertStore } from './alert-store.ts';
import { type Alert, type AlertRules, acceptAlert, type PostedAlert } from './domain/alert.ts';

/** What is counted of posted alerts. */
export interface IntakeCounts {
  received(status: 'firing' | 'resolved'): void;
  invalid(): void;
  limited(): void;
}

export interface AlertIntakeParts {
  readonly store: AlertStore;
  readonly limit: AlertLimit;
  readonly rules: () => AlertRules;
  readonly counts: IntakeCounts;
  readonly log: Log;
}

/** Takes posted alerts into the store. Good ones are taken in whatever stands beside them. */
export class AlertIntake {
  readonly #parts: AlertIntakeParts;

  constructor(parts: AlertIntakeParts) {
    this.#parts = parts;
  }

  /** Returns why alerts were not taken in, a line for each of them. */
  receive(posted: readonly Outcome<PostedAlert>[], now: number): readonly string[] {
    const { store, counts, log } = this.#parts;
    const rules = this.#parts.rules();
    const reasons: string[] = [];
    const alerts: Alert[] = [];
    for (const read of posted) {
      const accepted = read.ok ? this.#accept(read.value, now, rules) : read;
      if (!accepted.ok) {
        counts.invalid();
        reasons.push(accepted.reason);
      } else if (this.#admit(accepted.value, now)) alerts.push(accepted.value);
    }
    if (alerts.length > 0) store.put(alerts);
    if (log.debugging) log.debug('alerts received', { taken: alerts.length, refused: reasons.length });
    return reasons;
  }

  #accept(posted: PostedAlert, now: number, rules: AlertRules): Outcome<Alert> {
    const resolved = posted.endsAt !== undefined && posted.endsAt <= now;
    this.#parts.counts.received(resolved ? 'resolved' : 'firing');
    return acceptAlert(posted, now, rules);
  }

  /** A held-back alert is not the sender's mistake: the post is answered as if it had been taken in. */
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
