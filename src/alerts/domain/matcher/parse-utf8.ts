import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { isWellFormed, unquoteGo } from '../quote.ts';
import { readTokens, type Token } from './lexer.ts';
import { createMatcher, type Matcher, type MatchOperator } from './matcher.ts';

const EXPECTED = {
  name: 'expected label name',
  operator: "expected an operator such as '=', '!=', '=~' or '!~'",
  value: 'expected label value',
  next: 'expected a comma or close brace',
  afterComma: 'expected a matcher or close brace after comma',
  openBrace: 'expected opening brace',
  closeBrace: 'expected close brace',
  end: 'expected end of input',
} as const;

function unexpected(token: Token, expected: string): Outcome<never> {
  if (token.kind === 'end') return refused(`end of input: ${expected}`);
  if (token.kind === 'fault') return refused(`${token.text}: ${expected}`);
  return refused(`${token.start}:${token.end}: unexpected ${token.text}: ${expected}`);
}

const isWord = (token: Token) => token.kind === 'quoted' || token.kind === 'unquoted';
const isOperator = ({ kind }: Token) => kind === '=' || kind === '!=' || kind === '=~' || kind === '!~';

/** The value of a word; undefined when it is not valid UTF-8 or not quoted like in Go. */
function textOf(word: Token): string | undefined {
  if (word.kind === 'quoted') return unquoteGo(word.text);
  return isWellFormed(word.text) ? word.text : undefined;
}

/** Reads tokens up to the last, which is the end of the input or a fault. */
class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** The column after the last token taken. */
  get column(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }

  take(): Token {
    const token = this.next;
    if (this.#at < this.#tokens.length - 1) this.#at++;
    return token;
  }
}

function parseOne(cursor: Cursor): Outcome<Matcher> {
  if (!isWord(cursor.next)) return unexpected(cursor.next, EXPECTED.name);
  const nameToken = cursor.take();
  const name = textOf(nameToken);
  if (name === undefined) return invalid(nameToken);
  if (!isOperator(cursor.next)) return unexpected(cursor.next, EXPECTED.operator);
  const operator = cursor.take().kind as MatchOperator;
  if (!isWord(cursor.next)) return unexpected(cursor.next, EXPECTED.value);
  const valueToken = cursor.take();
  const value = textOf(valueToken);
  if (value === undefined) return invalid(valueToken);
  const matcher = createMatcher(name, operator, value);
  return matcher.ok ? matcher : refused(`failed to create matcher: ${matcher.reason}`);
}

function invalid({ start, end, text }: Token): Outcome<never> {
  return refused(`${start}:${end}: ${text}: invalid input`);
}

/** The matchers between the braces, up to the closing one or the end of the input. */
function parseList(cursor: Cursor): Outcome<readonly Matcher[]> {
  const matchers: Matcher[] = [];
  for (;;) {
    const matcher = parseOne(cursor);
    if (!matcher.ok) return matcher;
    matchers.push(matcher.value);
    const after = cursor.next.kind;
    if (after === 'end' || after === '}') return accepted(matchers);
    if (after !== ',') return unexpected(cursor.next, EXPECTED.next);
    cursor.take();
    const behind = cursor.next;
    if (behind.kind === 'end' || behind.kind === '}') return accepted(matchers);
    if (!isWord(behind)) return unexpected(behind, EXPECTED.afterComma);
  }
}

/**
 * Parses any number of matchers in the UTF-8 syntax: an optional pair of braces, commas between the matchers and after
 * the last if wanted, names and values with or without double quotes. Source: prometheus/alertmanager matcher/parse.
 */
export function parseUtf8Matchers(input: string): Outcome<readonly Matcher[]> {
  const cursor = new Cursor(readTokens(input));
  if (cursor.next.kind === 'end') return accepted([]);
  const hasOpenBrace = cursor.next.kind === '{';
  if (hasOpenBrace) cursor.take();
  const first = cursor.next;
  if (first.kind === 'fault') return refused(first.text);
  const list = first.kind === '}' || first.kind === 'end' ? accepted([]) : parseList(cursor);
  if (!list.ok) return list;
  const hasCloseBrace = cursor.next.kind === '}';
  if (hasCloseBrace) cursor.take();
  if (hasOpenBrace && !hasCloseBrace) return refused(`0:${cursor.column}: end of input: ${EXPECTED.closeBrace}`);
  if (hasCloseBrace && !hasOpenBrace) return refused(`0:${cursor.column}: }: ${EXPECTED.openBrace}`);
  const last = cursor.next;
  if (last.kind === 'end') return list;
  if (last.kind === 'fault') return unexpected(last, EXPECTED.end);
  return refused(`${last.start}:${last.end}: ${last.text}: ${EXPECTED.end}`);
}

/** Parses exactly one matcher. */
export function parseUtf8Matcher(input: string): Outcome<Matcher> {
  const list = parseUtf8Matchers(input);
  if (!list.ok) return list;
  const [only, another] = list.value;
  if (!only) return refused('no matchers');
  return another ? refused(`expected 1 matcher, found ${list.value.length}`) : accepted(only);
}
