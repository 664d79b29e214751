import { accepted, type Outcome } from '../refusal.ts';
import { type LabelMatcher, readMatcher } from './matcher.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7, w: 6.048e8 };
/** A year and a day: the longest time that a command may name. */
export const MAX_LENGTH_MS = 366 * 8.64e7;

/** A length such as `2h` or `1d12h` in milliseconds. */
export function readLength(word: string): number | undefined {
  if (!/^(\d+[smhdw])+$/.test(word)) return undefined;
  let ms = 0;
  for (const [, count = '', unit = ''] of word.matchAll(/(\d+)([smhdw])/g)) ms += Number(count) * (UNIT_MS[unit] ?? 0);
  return ms;
}

/**
 * Words are separated by spaces, and by commas as in `{a="b", c="d"}`; quotes hold them together. An open quote holds the
 * rest: otherwise each quote of a long text would search all that follows for the other one.
 */
export function splitWords(text: string): string[] {
  const inner = text.trim().replace(/(^|\s)\{([\s\S]*)\}$/, '$1$2');
  return inner.match(/(?:"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[^\s,"])+/g) ?? [];
}

export function readMatchers(words: readonly string[]): Outcome<readonly LabelMatcher[]> {
  const matchers: LabelMatcher[] = [];
  for (const word of words) {
    const matcher = readMatcher(word);
    if (!matcher.ok) return matcher;
    matchers.push(matcher.value);
  }
  return accepted(matchers);
}
