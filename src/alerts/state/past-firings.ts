import type { Alert } from '../domain/alert.ts';

/** From its start to its end; epoch milliseconds. */
export interface Firing {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** How far back firings are kept. */
export const TIMELINE_MS = 24 * 3_600_000;
const MAX_FIRINGS = 50;
const MAX_ALERTS = 20_000;

/**
 * The firings of the last day that the alerts themselves no longer show: those before the latest, and those of removed
 * alerts. In memory only: a restart forgets them. An alert that fires once costs nothing.
 */
export class PastFirings {
  /** By fingerprint, the alert that ended last at the end: starts and ends in turn. */
  readonly #firings = new Map<string, readonly number[]>();

  get size(): number {
    return this.#firings.size;
  }

  /** Oldest first. */
  of(fingerprint: string): readonly Firing[] {
    const times = this.#firings.get(fingerprint) ?? [];
    return Array.from({ length: times.length / 2 }, (_, index) => ({
      startsAt: times[2 * index] as number,
      endsAt: times[2 * index + 1] as number,
    }));
  }

  /** The alert has a new version: the old one is over unless both are the same firing. */
  replaced(before: Alert, after: Alert): void {
    if (before.endsAt <= after.startsAt && before.startsAt < after.startsAt) this.removed(before);
  }

  /** The alert is resolved and removed. */
  removed({ fingerprint, startsAt, endsAt }: Alert): void {
    const known = this.#firings.get(fingerprint) ?? [];
    this.#firings.delete(fingerprint);
    this.#firings.set(fingerprint, [...known, startsAt, endsAt].slice(-2 * MAX_FIRINGS));
    const [oldest] = this.#firings.keys();
    if (this.#firings.size > MAX_ALERTS && oldest !== undefined) this.#firings.delete(oldest);
  }

  forgetOld(now: number): void {
    for (const [fingerprint, times] of this.#firings) {
      if ((times.at(-1) ?? 0) < now - TIMELINE_MS) this.#firings.delete(fingerprint);
    }
  }
}
