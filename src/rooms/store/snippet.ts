import type { SearchTerm } from './store.ts';
import { type Token, tokensOf } from './words.ts';

/** In UTF-16 units. */
const MAX_LENGTH = 200;
/** Characters shown before the first match. */
const LEAD = 60;

export interface Snippet {
  readonly snippet: string;
  readonly offsets: readonly (readonly [number, number])[];
}

/** The part of a text with the first match, and the matches in it. */
export function cutSnippet(body: string, terms: readonly SearchTerm[]): Snippet {
  const tokens = tokensOf(body);
  const found = mergeSpans(terms.filter(({ not }) => !not).flatMap((term) => findTerm(tokens, term)));
  const [start, end] = windowOf(body, tokens, found[0]?.[0] ?? 0);
  const offsets = found
    .filter(([from, to]) => from >= start && to <= end)
    .map(([from, to]) => [from - start, to - start] as const);
  return { snippet: body.slice(start, end), offsets };
}

/** Whether a text holds the terms, and none of those that must not be there. */
export function matchesTerms(body: string, terms: readonly SearchTerm[]): boolean {
  const tokens = tokensOf(body);
  const isWord = ({ words }: SearchTerm) => tokensOf(words.join(' ')).length > 0;
  return terms.filter(isWord).every((term) => findTerm(tokens, term).length > 0 !== term.not);
}

function findTerm(tokens: readonly Token[], { words, prefix }: SearchTerm): readonly (readonly [number, number])[] {
  const wanted = tokensOf(words.join(' ')).map(({ word }) => word);
  if (wanted.length === 0) return [];
  const isThere = (word: string, offset: number, from: number) => {
    const there = tokens[from + offset]?.word;
    return there !== undefined && (prefix && offset === wanted.length - 1 ? there.startsWith(word) : there === word);
  };
  return tokens.flatMap(({ start }, from) => {
    if (!wanted.every((word, offset) => isThere(word, offset, from))) return [];
    return [[start, tokens[from + wanted.length - 1]?.end ?? start] as const];
  });
}

/** In the text's order, with overlapping ones merged. */
function mergeSpans(spans: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const merged: [number, number][] = [];
  for (const [start, end] of [...spans].sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Begins with a word, and does not split a character. */
function windowOf(body: string, tokens: readonly Token[], first: number): readonly [number, number] {
  if (body.length <= MAX_LENGTH) return [0, body.length];
  const lead = Math.min(first - LEAD, body.length - MAX_LENGTH);
  const start = lead <= 0 ? 0 : (tokens.find((token) => token.start >= lead)?.start ?? first);
  let end = Math.min(body.length, start + MAX_LENGTH);
  if (isSecondHalf(body, end)) end--;
  return [start, end];
}

const isSecondHalf = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit < 0xe000;
};
