import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { compileAnchored, compileUnanchored } from '../../../kernel/regexp/regexp.ts';
import { compareUtf8 } from '../label-set.ts';
import { quoteGo } from '../quote.ts';
import { hasReservedCharacter } from './lexer.ts';

export type MatchOperator = '=' | '!=' | '=~' | '!~';

/** A condition on the value of one label. */
export interface Matcher {
  readonly name: string;
  readonly operator: MatchOperator;
  /** The value to compare with, or the source of the regular expression that must match the whole value. */
  readonly value: string;
  /** Whether a label's value satisfies the matcher; an absent label counts as ''. */
  matches(value: string): boolean;
}

/** Creates a matcher. Refused only for an invalid regular expression, with Go's text. */
export function createMatcher(name: string, operator: MatchOperator, value: string): Outcome<Matcher> {
  switch (operator) {
    case '=':
      return accepted({ name, operator, value, matches: (text) => text === value });
    case '!=':
      return accepted({ name, operator, value, matches: (text) => text !== value });
  }
  const compiled = compileAnchored(value);
  if (!compiled.ok) return refused(compiled.reason);
  const { pattern } = compiled;
  const matches = operator === '=~' ? pattern.test : (text: string) => !pattern.test(text);
  return accepted({ name, operator, value, matches });
}

/**
 * Creates a matcher of a silence: there a regular expression must also be valid without the frame `^(?:…)$`, and a refusal
 * quotes it so.
 */
export function createSilenceMatcher(name: string, operator: MatchOperator, value: string): Outcome<Matcher> {
  if (operator === '=~' || operator === '!~') {
    const compiled = compileUnanchored(value);
    if (!compiled.ok) return refused(compiled.reason);
  }
  return createMatcher(name, operator, value);
}

const OPERATOR_ORDER: Readonly<Record<MatchOperator, number>> = { '=': 0, '!=': 1, '=~': 2, '!~': 3 };

/** Orders matchers by name, value (both by their UTF-8 bytes) and operator: `=`, `!=`, `=~`, `!~`. */
export function compareMatchers(a: Matcher, b: Matcher): number {
  return (
    compareUtf8(a.name, b.name) ||
    compareUtf8(a.value, b.value) ||
    OPERATOR_ORDER[a.operator] - OPERATOR_ORDER[b.operator]
  );
}

/** Whether two matchers have the same form. */
export function sameMatcher(a: Matcher, b: Matcher): boolean {
  return a.name === b.name && a.operator === b.operator && a.value === b.value;
}

/**
 * Formats a matcher so that both parsers read it: `severity=~"a|b"`. A name that only the UTF-8 parser can read is quoted,
 * and then the value has that parser's form as well.
 */
export function printMatcher({ name, operator, value }: Matcher): string {
  if (hasReservedCharacter(name)) return `${quoteGo(name)}${operator}${quoteGo(value)}`;
  return `${name}${operator}"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** `{a="b",c=~"d"}` */
export function printMatchers(matchers: readonly Matcher[]): string {
  return `{${matchers.map(printMatcher).join(',')}}`;
}

/**
 * Whether a matcher accepts an absent label; a silence must not consist of such matchers only. Negative ones never count.
 * An empty text can match at one place only, so anchoring makes no difference.
 */
export function matchesEmpty(matcher: Matcher): boolean {
  return matcher.operator === '=' ? matcher.value === '' : matcher.operator === '=~' && matcher.matches('');
}

/**
 * Whether an alert passes a filter of the API; `value` is undefined without the label. An empty filter value tests the
 * label's presence: `=` and `=~` pass when it is absent, `!=` and `!~` when it is present. Source: Alertmanager api/v2.
 */
export function filterMatches(matcher: Matcher, value: string | undefined): boolean {
  if (matcher.value === '') {
    const isPositive = matcher.operator === '=' || matcher.operator === '=~';
    if (isPositive === (value === undefined)) return true;
  }
  return matcher.matches(value ?? '');
}
