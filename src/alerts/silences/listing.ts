import { monotonicSeconds } from '../../kernel/clock.ts';
import { Distribution, REQUEST_BOUNDS_S } from '../../kernel/metrics/distribution.ts';
import { printSilence } from '../contract/gettable.ts';
import { type Matcher, sameMatcher } from '../domain/matcher/matcher.ts';
import { compareSilences, type Silence, type SilenceState, silenceStateAt } from '../domain/silence.ts';

interface Entry {
  readonly silence: Silence;
  readonly state: SilenceState;
  readonly json: string;
}

/** The silences as listed, rebuilt only when one changes, begins or ends. */
export class SilenceListing {
  readonly #silences: () => Iterable<Silence>;
  #entries: readonly Entry[] = [];
  /** The next instant at which a state changes. */
  #validUntil = Number.NEGATIVE_INFINITY;
  /** Durations of selections. */
  readonly queries = new Distribution(REQUEST_BOUNDS_S);
  /** The number of silences that all selections have tested. */
  scanned = 0;

  constructor(silences: () => Iterable<Silence>) {
    this.#silences = silences;
  }

  /** Call it when any silence has changed. */
  invalidate(): void {
    this.#validUntil = Number.NEGATIVE_INFINITY;
  }

  /** The silences of the wanted states that contain every filter matcher, each as JSON. */
  select(filter: readonly Matcher[], states: Readonly<Record<SilenceState, boolean>>, now: number): readonly string[] {
    const startedAt = monotonicSeconds();
    if (now >= this.#validUntil) this.#rebuild(now);
    const selected: string[] = [];
    for (const { silence, state, json } of this.#entries) {
      if (states[state] && containsAll(silence.matchers, filter)) selected.push(json);
    }
    this.scanned += this.#entries.length;
    this.queries.add(monotonicSeconds() - startedAt);
    return selected;
  }

  #rebuild(now: number): void {
    const known = new Map(this.#entries.map((entry) => [entry.silence, entry]));
    let validUntil = Number.POSITIVE_INFINITY;
    this.#entries = [...this.#silences()]
      .sort((a, b) => compareSilences(a, b, now))
      .map((silence) => {
        const state = silenceStateAt(silence, now);
        if (state !== 'expired')
          validUntil = Math.min(validUntil, state === 'active' ? silence.endsAt : silence.startsAt);
        const entry = known.get(silence);
        return entry?.state === state ? entry : { silence, state, json: printSilence(silence, state) };
      });
    this.#validUntil = validUntil;
  }
}

/** Upstream compares matchers by their form: `a="b"` does not find a silence on `a=~"b|c"`. */
function containsAll(matchers: readonly Matcher[], filter: readonly Matcher[]): boolean {
  return filter.every((wanted) => matchers.some((matcher) => sameMatcher(matcher, wanted)));
}
