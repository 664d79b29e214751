/** Go's unicode.IsSpace; `\s` includes U+FEFF and lacks U+0085. */
const SPACE =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';
const RESERVED = `${SPACE}{}!=~,\\\\"'\``;

const RESERVED_CHARACTER = new RegExp(`[${RESERVED}]`);
const UNRESERVED = new RegExp(`[^${RESERVED}]+`, 'uy');

/** Whether a name must be quoted, so that the UTF-8 parser reads it as one token. */
export function hasReservedCharacter(text: string): boolean {
  return RESERVED_CHARACTER.test(text);
}

/** Trims the characters of `space` from both ends; by default like Go's strings.TrimSpace. */
export function trimSpace(text: string, space = SPACE): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.includes(text[start] as string)) start++;
  while (end > start && space.includes(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

export type TokenKind = '{' | '}' | ',' | '=' | '!=' | '=~' | '!~' | 'quoted' | 'unquoted' | 'end' | 'fault';

export interface Token {
  readonly kind: TokenKind;
  /** The token as written; for a fault, its text and position. */
  readonly text: string;
  /** Columns count characters (code points) from 0. */
  readonly start: number;
  /** The column after the last character. */
  readonly end: number;
}

type Lexeme = readonly [kind: TokenKind, text: string];

/** The token from the opening quote at `at`, or the rest of the input without a closing quote. */
function readQuoted(input: string, at: number): Lexeme {
  for (let i = at + 1; i < input.length; i++) {
    if (input[i] === '\\') i++;
    else if (input[i] === '"') return ['quoted', input.slice(at, i + 1)];
  }
  return ['fault', input.slice(at)];
}

function readLexeme(input: string, at: number): Lexeme {
  const first = input[at] as string;
  const second = input[at + 1];
  switch (first) {
    case '{':
    case '}':
    case ',':
      return [first, first];
    case '=':
      return second === '~' ? ['=~', '=~'] : ['=', '='];
    case '!':
      if (second === '=') return ['!=', '!='];
      return second === '~' ? ['!~', '!~'] : ['fault', '!'];
    case '"':
      return readQuoted(input, at);
  }
  UNRESERVED.lastIndex = at;
  const run = UNRESERVED.exec(input);
  return run ? ['unquoted', run[0]] : ['fault', first];
}

function describeFault(text: string, start: number, end: number, isLast: boolean): string {
  if (text.startsWith('"')) return `${start}:${end}: ${text}: missing end "`;
  if (text !== '!') return `${start}:${end}: ${text}: invalid input`;
  return `${start}:${end}: ${isLast ? 'unexpected end of input,' : '!:'} expected one of '=~'`;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/**
 * Splits an input into the tokens of the UTF-8 matcher syntax. The last is `end`, or a `fault`, after which nothing is
 * read. Source: prometheus/alertmanager matcher/parse.
 */
export function readTokens(input: string): readonly Token[] {
  const tokens: Token[] = [];
  let column = 0;
  for (let at = 0; at < input.length; ) {
    if (SPACE.includes(input[at] as string)) {
      at++;
      column++;
      continue;
    }
    const [kind, text] = readLexeme(input, at);
    at += text.length;
    const start = column;
    column += countCharacters(text);
    if (kind === 'fault') {
      const fault = describeFault(text, start, column, at === input.length);
      return [...tokens, { kind, text: fault, start, end: column }];
    }
    tokens.push({ kind, text, start, end: column });
  }
  return [...tokens, { kind: 'end', text: '', start: column, end: column }];
}
