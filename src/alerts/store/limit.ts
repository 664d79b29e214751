import type { Alert } from '../domain/alert.ts';
import { labelValue } from '../domain/label-set.ts';

/**
 * Limits a runaway rule to `limit` alerts per alert name. A place is free again when the alert that ends first has ended.
 */
export class AlertLimit {
  /** 0 or less: no limit. */
  readonly limit: number;
  /** End of each admitted alert, by alert name and fingerprint. */
  readonly #endsAt = new Map<string, Map<string, number>>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether the alert is admitted; if so, it takes a place. */
  admit(alert: Alert, now: number): boolean {
    if (this.limit <= 0) return true;
    const name = labelValue(alert.labels, 'alertname') ?? '';
    const places = this.#endsAt.get(name) ?? new Map<string, number>();
    this.#endsAt.set(name, places);
    if (places.size >= this.limit && !places.has(alert.fingerprint)) {
      const [first, endsAt] = [...places].reduce((earliest, place) => (place[1] < earliest[1] ? place : earliest));
      if (endsAt > now) return false;
      places.delete(first);
    }
    places.set(alert.fingerprint, alert.endsAt);
    return true;
  }

  /** Frees the place of an alert that is no longer held. */
  release(alert: Alert): void {
    const name = labelValue(alert.labels, 'alertname') ?? '';
    const places = this.#endsAt.get(name);
    places?.delete(alert.fingerprint);
    if (places?.size === 0) this.#endsAt.delete(name);
  }
}
