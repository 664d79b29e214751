import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { isWellFormed } from '../quote.ts';
import { trimSpace } from './lexer.ts';
import { createMatcher, type Matcher, type MatchOperator } from './matcher.ts';

/** `\s` in Go, which is less than in JavaScript. */
const SPACE = '\t\n\f\r ';
const HEAD = /^[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)/;

const PIECE = /[^\\"]+|\\([\s\S])|\\$|"/gy;

/** The value of a text; undefined for an unescaped quote. */
function readValue(raw: string): string | undefined {
  const isQuoted = raw.startsWith('"');
  const text = isQuoted ? raw.slice(1) : raw;
  let value = '';
  let closed = !isQuoted;
  for (const [piece, escaped] of text.matchAll(PIECE)) {
    if (closed && isQuoted) return undefined;
    if (piece === '"') {
      if (!isQuoted) return undefined;
      closed = true;
    } else if (escaped === 'n') value += '\n';
    else if (escaped === '"' || escaped === '\\') value += escaped;
    // Any other backslash stands for itself.
    else value += piece;
  }
  return closed ? value : undefined;
}

/** Parses one matcher in the classic syntax. Source: prometheus/alertmanager pkg/labels. */
export function parseClassicMatcher(input: string): Outcome<Matcher> {
  const head = HEAD.exec(input);
  if (!head) return refused(`bad matcher format: ${input}`);
  const [taken, name, operator] = head;
  const raw = trimSpace(input.slice(taken.length), SPACE);
  if (!isWellFormed(raw)) return refused(`matcher value not valid UTF-8: ${raw}`);
  const value = readValue(raw);
  if (value === undefined) return refused(`matcher value contains unescaped double quote: ${raw}`);
  return createMatcher(name as string, operator as MatchOperator, value);
}

/** Splits a list at commas outside double quotes, except after a backslash. */
function splitList(list: string): string[] {
  const items: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isEscaped = false;
  for (let at = 0; at < list.length; at++) {
    switch (list[at]) {
      case ',':
        if (isQuoted) break;
        items.push(list.slice(start, at));
        start = at + 1;
        break;
      case '"':
        if (!isEscaped) isQuoted = !isQuoted;
        isEscaped = false;
        break;
      case '\\':
        isEscaped = !isEscaped;
        break;
      default:
        isEscaped = false;
    }
  }
  const last = trimSpace(list.slice(start));
  return last === '' ? items : [...items, last];
}

/** Parses a list in the classic syntax; each outer brace is optional. */
export function parseClassicMatchers(input: string): Outcome<readonly Matcher[]> {
  const start = input.startsWith('{') ? 1 : 0;
  const end = input.length > start && input.endsWith('}') ? input.length - 1 : input.length;
  const matchers: Matcher[] = [];
  for (const item of splitList(input.slice(start, end))) {
    const parsed = parseClassicMatcher(item);
    if (!parsed.ok) return parsed;
    matchers.push(parsed.value);
  }
  return accepted(matchers);
}
