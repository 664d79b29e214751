import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { compileAnchored, type Pattern } from '../../kernel/regexp/regexp.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import { type MatcherMode, type ParseWarning, parseMatcher } from '../domain/matcher/parse.ts';

/** The matcher syntax, and the listener for input that the two parsers read differently. */
export interface MatcherReading {
  readonly mode: MatcherMode;
  readonly onWarning: (warning: ParseWarning) => void;
}

const TRUE_WORDS = new Set(['true', '1', 'yes', 'ok', 'y', 'on', 'selected', 'checked', 't', 'enabled']);

/** The parameters of a URL; each may repeat. */
export interface QueryParameters {
  getAll(name: string): readonly string[];
}

const NONE: readonly string[] = [];

/**
 * Reads the parameters of a URL like Go's url.ParseQuery: a pair with a semicolon or a broken escape is left out. A byte
 * that is not UTF-8 becomes a lone surrogate, which matchers and regular expressions refuse. Hono's reader keeps them in
 * a plain object, where `__proto__` is special.
 */
export function readParameters(url: string): QueryParameters {
  const values = new Map<string, string[]>();
  const start = url.indexOf('?');
  for (const pair of start < 0 ? NONE : url.slice(start + 1).split('&')) {
    if (pair === '' || /;|%(?![\da-f]{2})/i.test(pair)) continue;
    const [name, ...rest] = pair.split('=').map(decodeParameter);
    const known = values.get(name as string);
    const value = rest.join('=');
    if (known) known.push(value);
    else values.set(name as string, [value]);
  }
  return { getAll: (name) => values.get(name) ?? NONE };
}

function decodeParameter(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    const bytes = Buffer.from(
      spaced.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    );
    return bytes.toString('utf8').replaceAll('\ufffd', '\udcff');
  }
}

/**
 * Reads a boolean parameter like go-openapi: the last occurrence counts, an absent or empty one is `fallback`, and any
 * text but the words for true is false.
 */
export function readFlag(values: readonly string[], fallback = true): boolean {
  const last = values.at(-1);
  return last ? TRUE_WORDS.has(last.toLowerCase()) : fallback;
}

/** Reads a repeated parameter of matchers, which must all match. */
export function readMatchers(
  values: readonly string[],
  { mode, onWarning }: MatcherReading,
): Outcome<readonly Matcher[]> {
  const matchers: Matcher[] = [];
  for (const value of values) {
    const matcher = parseMatcher(value, mode, onWarning);
    if (!matcher.ok) return refused(matcher.reason.toWellFormed());
    matchers.push(matcher.value);
  }
  return accepted(matchers);
}

/** Reads `receiver_matchers`; its error has a text of its own in Alertmanager. */
export function readReceiverMatchers(values: readonly string[], reading: MatcherReading): Outcome<readonly Matcher[]> {
  const matchers = readMatchers(values, reading);
  return matchers.ok ? matchers : refused(`failed to parse receiver_matchers param: ${matchers.reason}`);
}

/** Reads `receiver`, a regular expression for the whole name; undefined when absent or empty. */
export function readReceiver(values: readonly string[]): Outcome<Pattern | undefined> {
  const last = values.at(-1);
  if (!last) return accepted(undefined);
  const compiled = compileAnchored(last);
  if (compiled.ok) return accepted(compiled.pattern);
  return refused(`failed to parse receiver param: ${compiled.reason}`.toWellFormed());
}
