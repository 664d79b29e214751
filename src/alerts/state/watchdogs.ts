import type { Condition } from '../../kernel/conditions.ts';
import { isResolvedAt } from '../domain/alert.ts';
import { type LabelSet, printLabelSet } from '../domain/label-set.ts';
import { matchesAll } from '../domain/matcher/index.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import type { AlertSlot } from '../store/slot.ts';
import type { AlertListener } from '../store/store.ts';

const MAX_WATCHDOGS = 100;

/**
 * Alerts that must always fire, as proof that their source works and reaches this server. One that has been seen and then
 * stopped is missing until it fires again, or is silenced. A restart forgets those that were removed before it.
 */
export class Watchdogs implements AlertListener {
  readonly #matchers: readonly Matcher[];
  readonly #slots = new Map<string, AlertSlot>();

  /** Without matchers nothing is a watchdog. */
  constructor(matchers: readonly Matcher[]) {
    this.#matchers = matchers;
  }

  put(slot: AlertSlot, isNew: boolean): void {
    if (!isNew || this.#matchers.length === 0 || !matchesAll(this.#matchers, slot.alert.labels)) return;
    const { fingerprint } = slot.alert;
    if (this.#slots.size < MAX_WATCHDOGS || this.#slots.has(fingerprint)) this.#slots.set(fingerprint, slot);
  }

  /** A removed one is missing all the more. */
  removed(): void {}

  /** The missing ones. */
  missing(now: number, isSilenced: (labels: LabelSet) => boolean): readonly Condition[] {
    return [...this.#slots.values()]
      .map(({ alert }) => alert)
      .filter((alert) => isResolvedAt(alert, now) && !isSilenced(alert.labels))
      .map(({ labels, endsAt }) => {
        const since = new Date(endsAt).toISOString();
        const watchdog = printLabelSet(labels);
        const text = `the watchdog ${watchdog} has not fired since ${since}: its source, or the way from there, may be down`;
        return { code: 'watchdog_missing', text, values: { watchdog, since } };
      });
  }
}
