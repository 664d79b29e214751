import { type LabelSet, labelValue } from '../label-set.ts';
import type { Matcher } from './matcher.ts';

/** An item with matchers for alerts: a silence, a route, a side of an inhibition rule. */
export interface Matching {
  readonly matchers: readonly Matcher[];
}

/**
 * Finds the items that match a label set. An item that requires an exact value is indexed by that label and value, so that
 * a thousand silences of a thousand alert names cost one look-up per alert and not a thousand tests.
 */
export class MatcherIndex<T extends Matching> {
  readonly #byValue = new Map<string, Map<string, Set<T>>>();
  /** Items that require no exact value. */
  readonly #others = new Set<T>();
  #size = 0;

  constructor(items: Iterable<T> = []) {
    for (const item of items) this.add(item);
  }

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    this.#size++;
    const exact = exactMatcher(item);
    if (!exact) {
      this.#others.add(item);
      return;
    }
    const byValue = this.#byValue.get(exact.name) ?? new Map<string, Set<T>>();
    this.#byValue.set(exact.name, byValue);
    const place = byValue.get(exact.value);
    if (place) place.add(item);
    else byValue.set(exact.value, new Set([item]));
  }

  /** Removes the same object that was added. */
  delete(item: T): void {
    const exact = exactMatcher(item);
    const byValue = exact && this.#byValue.get(exact.name);
    const place = exact ? byValue?.get(exact.value) : this.#others;
    if (!place?.delete(item)) return;
    this.#size--;
    if (!exact || !byValue || place.size > 0) return;
    byValue.delete(exact.value);
    if (byValue.size === 0) this.#byValue.delete(exact.name);
  }

  /** The items whose matchers all match, in no particular order. */
  *matching(labels: LabelSet): Generator<T, void> {
    if (this.#size === 0) return;
    for (const [name, byValue] of this.#byValue) {
      const value = labelValue(labels, name);
      const candidates = value === undefined ? undefined : byValue.get(value);
      if (candidates) yield* allMatching(candidates, labels);
    }
    yield* allMatching(this.#others, labels);
  }
}

function exactMatcher(item: Matching): Matcher | undefined {
  return item.matchers.find(({ operator, value }) => operator === '=' && value !== '');
}

function* allMatching<T extends Matching>(items: Iterable<T>, labels: LabelSet): Generator<T, void> {
  for (const item of items) if (matchesAll(item.matchers, labels)) yield item;
}

/** Whether every matcher accepts its label; an absent label counts as the empty text. */
export function matchesAll(matchers: readonly Matcher[], labels: LabelSet): boolean {
  for (const matcher of matchers) if (!matcher.matches(labelValue(labels, matcher.name) ?? '')) return false;
  return true;
}
