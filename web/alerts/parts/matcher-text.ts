import type { Matcher } from '../../../src/alerts/contract/wire.ts';
import { t } from '../text.ts';
export const OPERATORS = ['=', '!=', '=~', '!~'] as const;
export type Operator = (typeof OPERATORS)[number];

export type ParsedMatchers = { readonly matchers: readonly Matcher[] } | { readonly problem: string };

export function createMatcher(name: string, operator: Operator, value: string): Matcher {
  return { name, value, isRegex: operator.endsWith('~'), isEqual: !operator.startsWith('!') };
}

export function operatorOf({ isRegex, isEqual }: Matcher): Operator {
  if (isRegex) return isEqual ? '=~' : '!~';
  return isEqual ? '=' : '!=';
}

const RESERVED = /[\s{}!=~,\\"'`]/;

function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Formats a matcher like Alertmanager: `name="value"`, the name quoted if necessary. */
export function formatMatcher(matcher: Matcher): string {
  const name = matcher.name === '' || RESERVED.test(matcher.name) ? quote(matcher.name) : matcher.name;
  return `${name}${operatorOf(matcher)}${quote(matcher.value)}`;
}

/** Formats a list of matchers for links: `{a="b",c=~"d"}`. */
export function formatMatchers(matchers: readonly Matcher[]): string {
  return `{${matchers.map(formatMatcher).join(',')}}`;
}

/** The equality matchers of a label set, `alertname` first and the others by name. */
export function matchersOfLabels(labels: Readonly<Record<string, string>>): Matcher[] {
  const names = Object.keys(labels).sort();
  const ordered = [...names.filter((name) => name === 'alertname'), ...names.filter((name) => name !== 'alertname')];
  return ordered.map((name) => createMatcher(name, '=', labels[name] ?? ''));
}

/** Thrown only inside the scanner; the public functions return the text. */
class SyntaxProblem extends Error {}

/**
 * Parses typed matchers and those of links: `{a="b", c=~"d|e"}`, also without braces or quotes. Inside quotes `\n`, `\"`
 * and `\\` are escapes; any other backslash stands for itself, so that `\d` can be typed as it is.
 */
export function parseMatchers(text: string): ParsedMatchers {
  const trimmed = text.trim();
  if (trimmed.startsWith('{') && !trimmed.endsWith('}')) return { problem: t('filter.no-brace') };
  const scanner = new Scanner(trimmed.startsWith('{') ? trimmed.slice(1, -1) : trimmed);
  try {
    return { matchers: scanner.list() };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { problem: error.message };
    throw error;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  list(): Matcher[] {
    const matchers: Matcher[] = [];
    for (this.#skipSpace(); this.#at < this.#text.length; this.#skipSpace()) {
      matchers.push(this.#matcher());
      this.#skipSpace();
      if (this.#at < this.#text.length && !this.#take(/,/y)) {
        throw new SyntaxProblem(t('filter.no-comma', { rest: this.#rest() }));
      }
    }
    return matchers;
  }

  #matcher(): Matcher {
    const name = this.#quoted() ?? this.#take(/[^\s{}!=~,\\"'`]+/y);
    if (name === undefined) throw new SyntaxProblem(t('filter.no-name', { rest: this.#rest() }));
    this.#skipSpace();
    const operator = this.#take(/=~|!~|!=|=/y) as Operator | undefined;
    if (!operator) throw new SyntaxProblem(t('filter.no-operator', { name }));
    this.#skipSpace();
    return createMatcher(name, operator, this.#quoted() ?? this.#bareValue());
  }

  #bareValue(): string {
    const value = (this.#take(/[^,]+/y) ?? '').trim();
    if (value.includes('"')) throw new SyntaxProblem(t('filter.bare-quote', { value }));
    return value;
  }

  #quoted(): string | undefined {
    if (this.#text[this.#at] !== '"') return undefined;
    const literal = this.#take(/"(?:[^"\\]|\\.)*"/sy);
    if (literal === undefined) throw new SyntaxProblem(t('filter.no-quote', { rest: this.#rest() }));
    return literal.slice(1, -1).replace(/\\([n"\\])/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }

  #skipSpace(): void {
    this.#take(/\s+/y);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #rest(): string {
    return this.#text.slice(this.#at) || 'the end';
  }
}

/**
 * Parses the text of a filter box: matchers, or a bare word, which matches alert names that contain it, ignoring case.
 */
export function parseFilterInput(text: string): ParsedMatchers {
  const word = text.trim();
  if (word && !RESERVED.test(word)) {
    return { matchers: [createMatcher('alertname', '=~', `(?i).*${escapeRegExp(word)}.*`)] };
  }
  return parseMatchers(word);
}

/** A regular expression that matches exactly this text, in RE2 as in JavaScript. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const ANY_VALUE = /^\^?(\(\?[is]+\))?(\.\*|\(\.\*\)|\(\?:\.\*\))\$?$/;
const SOME_VALUE = /^\^?(\(\?[is]+\))?(\.\+|\(\.\+\)|\(\?:\.\+\))\$?$/;

/** Whether the matchers match every alert. */
export function matchesEverything(matchers: readonly Matcher[]): boolean {
  return matchers.length > 0 && matchers.every(acceptsEveryAlert);
}

function acceptsEveryAlert({ name, value, isRegex, isEqual }: Matcher): boolean {
  if (isEqual && isRegex && ANY_VALUE.test(value)) return true;
  // Every alert has a name, so requiring one excludes nothing.
  if (name !== 'alertname') return false;
  return isEqual ? isRegex && SOME_VALUE.test(value) : value === '' || (isRegex && value === '^$');
}
