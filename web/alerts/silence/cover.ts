import type { Alert, LabelSet, Matcher } from '../../../src/alerts/contract/wire.ts';
import { createMatcher, escapeRegExp, formatMatchers, matchersOfLabels } from '../parts/matcher-text.ts';

type Labelled = Pick<Alert, 'fingerprint' | 'labels'>;
/** The matchers of one silence. */
export type MatcherSet = readonly Matcher[];

/** The number of values up to which a regular expression is preferred that names each of them. */
const MAX_READABLE = 30;

/**
 * Few silences that match the selected alerts and no other one of `all`: one if possible, else one per value of a label, else
 * one per alert.
 */
export function coverAlerts(selected: readonly Labelled[], all: readonly Labelled[]): MatcherSet[] {
  const chosen = new Set(selected.map(({ fingerprint }) => fingerprint));
  const others = all.filter(({ fingerprint }) => !chosen.has(fingerprint)).map(({ labels }) => labels);
  const labels = selected.map((alert) => alert.labels);
  const one = coverOnce(labels, others);
  if (one) return [one];
  const names = new Set(labels.flatMap((set) => Object.keys(set)));
  let best = labels.map(matchersOfLabels);
  for (const name of names) {
    const parts = [...partition(labels, name)];
    if (parts.length >= best.length) continue;
    const sets = parts.map((part) => coverOnce(part, others));
    if (sets.every((set) => set !== undefined)) best = sets as Matcher[][];
  }
  return best;
}

/** One set of matchers for all of these label sets and none of the others; the narrowest that has few matchers. */
function coverOnce(part: readonly LabelSet[], others: readonly LabelSet[]): Matcher[] | undefined {
  const [first = {}] = part;
  if (part.length === 1) return matchersOfLabels(first);
  const inAll = Object.keys(first).filter((name) => part.every((labels) => labels[name] !== undefined));
  const isCommon = (name: string) => part.every((labels) => labels[name] === first[name]);
  const common = matchersOfLabels(Object.fromEntries(inAll.filter(isCommon).map((name) => [name, first[name] ?? ''])));
  const near = others.filter((labels) => common.every(({ name, value }) => (labels[name] ?? '') === value));
  const varying = inAll
    .filter((name) => !isCommon(name))
    .map((name) => anyOf(name, part))
    .sort((a, b) => preferenceOf(b) - preferenceOf(a));
  const isExact = (added: readonly Alternatives[]) =>
    !near.some((labels) => added.every(({ name, values }) => values.has(labels[name] ?? '')));
  const choices = [...varying.map((one) => [one]), ...(varying.length > 1 ? [varying] : []), []];
  const exact = choices.find((added) => added.length + common.length > 0 && isExact(added));
  return exact && [...common, ...exact.map(matcherOf)];
}

/** More values leave fewer later alerts silenced; too many are unreadable. */
function preferenceOf({ values }: Alternatives): number {
  return values.size <= MAX_READABLE ? values.size : -values.size;
}

interface Alternatives {
  readonly name: string;
  readonly values: ReadonlySet<string>;
}

function anyOf(name: string, part: readonly LabelSet[]): Alternatives {
  return { name, values: new Set(part.map((labels) => labels[name] ?? '')) };
}

function matcherOf({ name, values }: Alternatives): Matcher {
  return createMatcher(name, '=~', [...values].sort().map(escapeRegExp).join('|'));
}

function partition(labels: readonly LabelSet[], name: string): Iterable<readonly LabelSet[]> {
  const parts = new Map<string | undefined, LabelSet[]>();
  for (const set of labels) parts.set(set[name], [...(parts.get(set[name]) ?? []), set]);
  return parts.values();
}

/** Several sets as the filter of a link: `{a="b"},{c="d"}`. */
export function formatMatcherSets(sets: readonly MatcherSet[]): string {
  return sets.map(formatMatchers).join(',');
}

/** The sets of such a filter; any other text is one. */
export function splitMatcherSets(filter: string): string[] {
  const sets = filter.match(/\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}/gs) ?? [];
  return sets.length > 1 && sets.join(',') === filter ? sets : [filter];
}
