import { type LabelSet, labelValue } from './label-set.ts';
import type { Matcher } from './matcher.ts';
import type { Silence } from './silence.ts';

/**
 * Finds the silences that match a label set. A silence that demands one exact value waits under that label and value,
 * so that a thousand silences of a thousand alert names cost an alert one look-up and not a thousand tests.
 */
export class SilenceIndex {
  readonly #byValue = new Map<string, Map<string, Set<Silence>>>();
  /** Silences that demand no exact value. */
  readonly #others = new Set<Silence>();
  #size = 0;

  constructor(silences: Iterable<Silence> = []) {
    for (const silence of silences) this.add(silence);
  }

  get size(): number {
    return this.#size;
  }

  add(silence: Silence): void {
    this.#size++;
    const exact = exactMatcher(silence);
    if (!exact) {
      this.#others.add(silence);
      return;
    }
    const byValue = this.#byValue.get(exact.name) ?? new Map<string, Set<Silence>>();
    this.#byValue.set(exact.name, byValue);
    const place = byValue.get(exact.value);
    if (place) place.add(silence);
    else byValue.set(exact.value, new Set([silence]));
  }

  /** Takes out the very object that was added. */
  delete(silence: Silence): void {
    const exact = exactMatcher(silence);
    const byValue = exact && this.#byValue.get(exact.name);
    const place = exact ? byValue?.get(exact.value) : this.#others;
    if (!place?.delete(silence)) return;
    this.#size--;
    if (!exact || !byValue || place.size > 0) return;
    byValue.delete(exact.value);
    if (byValue.size === 0) this.#byValue.delete(exact.name);
  }

  /** Every silence all of whose matchers match. */
  *matching(labels: LabelSet): Generator<Silence, void> {
    if (this.#size === 0) return;
    for (const [name, byValue] of this.#byValue) {
      const value = labelValue(labels, name);
      const candidates = value === undefined ? undefined : byValue.get(value);
      if (candidates) yield* allMatching(candidates, labels);
    }
    yield* allMatching(this.#others, labels);
  }
}

function exactMatcher(silence: Silence): Matcher | undefined {
  return silence.matchers.find(({ operator, value }) => operator === '=' && value !== '');
}

function* allMatching(silences: Iterable<Silence>, labels: LabelSet): Generator<Silence, void> {
  for (const silence of silences) if (matchesAll(silence.matchers, labels)) yield silence;
}

/** Whether every matcher accepts its label; an absent label counts as the empty text. */
export function matchesAll(matchers: readonly Matcher[], labels: LabelSet): boolean {
  for (const matcher of matchers) if (!matcher.matches(labelValue(labels, matcher.name) ?? '')) return false;
  return true;
}
