import { monotonicSeconds } from '../../kernel/clock.ts';
import { Distribution, REQUEST_BOUNDS_S } from '../../kernel/metrics/distribution.ts';
import { printSilence } from '../contract/gettable.ts';
import { type Matcher, sameMatcher } from '../domain/matcher.ts';
import { compareSilences, type Silence, type SilenceState, silenceStateAt } from '../domain/silence.ts';

interface Entry {
  readonly silence: Silence;
  readonly state: SilenceState;
  readonly json: string;
}

/** The silences in the order and form in which they are listed, made anew only when one of them changes or its time comes. */
export class SilenceListing {
  readonly #silences: () => Iterable<Silence>;
  #entries: readonly Entry[] = [];
  /** The first instant at which a state will be another one. */
  #validUntil = Number.NEGATIVE_INFINITY;
  /** How long selections took. */
  readonly queries = new Distribution(REQUEST_BOUNDS_S);
  /** How many silences all selections have looked at. */
  scanned = 0;

  constructor(silences: () => Iterable<Silence>) {
    this.#silences = silences;
  }

  /** To be called when any silence has changed. */
  invalidate(): void {
    this.#validUntil = Number.NEGATIVE_INFINITY;
  }

  /** The silences that contain every filter matcher, of the wanted states, each as JSON. */
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
