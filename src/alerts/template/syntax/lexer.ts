import { quoteGo } from '../../domain/quote.ts';

/** The kind of a token. `keyword` are the reserved words and the single dot. */
export type TokenType =
  | 'text'
  | 'left'
  | 'right'
  | 'space'
  | 'field'
  | 'variable'
  | 'identifier'
  | 'keyword'
  | 'bool'
  | 'number'
  | 'char'
  | 'string'
  | 'raw'
  | 'pipe'
  | 'open'
  | 'close'
  | 'declare'
  | 'assign'
  | 'other'
  | 'error'
  | 'end';

export interface Token {
  readonly type: TokenType;
  /** As written; for an error, its text. */
  readonly text: string;
  /** Its start, in UTF-16 code units. */
  readonly at: number;
  /** The line of its start, from 1. */
  readonly line: number;
}

const KEYWORDS = new Set([
  '.',
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
]);

const LINE_FEED = 0x0a;

const SPACE = /[ \t\r\n]+/y;
const LEFT = /\{\{(-(?=[ \t\r\n]))?/y;
const LEFT_COMMENT = /\{\{(?:-[ \t\r\n])?\/\*/y;
const RIGHT = /(?:([ \t\r\n])-)?\}\}/y;
const WORD = /[\p{L}\p{Nd}_]*/uy;
/** Characters that may follow a word; others are typical mistakes, such as `$x+2`. */
const TERMINATOR = /[ \t\r\n.,|:()]|\}\}|$/y;
const QUOTED = /"(?:\\[^\n]|[^\\"\n])*"/uy;
const RAW = /`[^`]*`/y;
const CHARACTER = /'(?:\\[^\n]|[^\\'\n])*'/uy;
/** Wider than Go's numbers; the parser checks them. */
const NUMBER =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;
const SIMPLE: Readonly<Record<string, TokenType>> = { '=': 'assign', '|': 'pipe', '(': 'open', ')': 'close' };

/** Go's `%#U`: `U+0040 '@'` */
function describeCharacter(character: string): string {
  const point = character.codePointAt(0);
  if (point === undefined) return 'U+FFFFFFFFFFFFFFFF';
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  return /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character) ? `${code} '${character}'` : code;
}

/** Returns a token at each call; after an error or the end, only ends. */
export class Lexer {
  readonly #source: string;
  #at = 0;
  #line = 1;
  #inAction = false;
  #openParentheses = 0;
  #failed = false;

  constructor(source: string) {
    this.#source = source;
  }

  next(): Token {
    if (this.#failed) return this.#token('end', this.#at);
    return this.#inAction ? this.#inside() : this.#outside();
  }

  #match(pattern: RegExp, at = this.#at): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(this.#source);
  }

  #skipTo(end: number): void {
    for (let at = this.#at; at < end; at++) if (this.#source.charCodeAt(at) === LINE_FEED) this.#line++;
    this.#at = end;
  }

  #token(type: TokenType, end: number, text = this.#source.slice(this.#at, end)): Token {
    const token: Token = { type, text: type === 'end' ? 'EOF' : text, at: this.#at, line: this.#line };
    this.#skipTo(end);
    return token;
  }

  #error(reason: string): Token {
    this.#failed = true;
    return { type: 'error', text: reason, at: this.#at, line: this.#line };
  }

  /** Text up to the next action, without comments and the space that a `-` beside an action trims. */
  #outside(): Token {
    for (;;) {
      const found = this.#source.indexOf('{{', this.#at);
      if (found < 0) return this.#rest();
      const trims = this.#match(LEFT, found)?.[1] !== undefined;
      const end = trims ? this.#endOfWords(found) : found;
      const text = end > this.#at ? this.#token('text', end) : undefined;
      this.#skipTo(found);
      if (text) return text;
      const comment = this.#match(LEFT_COMMENT);
      if (!comment) return this.#left(trims);
      const error = this.#skipComment(found + comment[0].length);
      if (error) return error;
    }
  }

  #rest(): Token {
    const { length } = this.#source;
    return this.#token(this.#at < length ? 'text' : 'end', length);
  }

  #endOfWords(end: number): number {
    let last = end;
    while (last > this.#at && ' \t\r\n'.includes(this.#source[last - 1] as string)) last--;
    return last;
  }

  #left(trims: boolean): Token {
    const left = this.#token('left', this.#at + 2);
    if (trims) this.#skipTo(this.#at + 2);
    this.#inAction = true;
    this.#openParentheses = 0;
    return left;
  }

  #skipComment(start: number): Token | undefined {
    this.#skipTo(start - 2);
    const close = this.#source.indexOf('*/', start);
    if (close < 0) return this.#error('unclosed comment');
    const right = this.#match(RIGHT, close + 2);
    if (!right) return this.#error('comment ends before closing delimiter');
    this.#leaveAction(right, close + 2);
    return undefined;
  }

  #leaveAction(right: RegExpExecArray, at: number): void {
    this.#skipTo(at + right[0].length);
    if (right[1] !== undefined) this.#skipTo(this.#at + (this.#match(SPACE)?.[0].length ?? 0));
    this.#inAction = false;
  }

  #inside(): Token {
    const right = this.#match(RIGHT);
    if (right) return this.#right(right);
    const first = this.#source[this.#at];
    if (first === undefined) return this.#error('unclosed action');
    switch (first) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        return this.#space();
      case '"':
        return this.#delimited('string', QUOTED, 'unterminated quoted string');
      case '`':
        return this.#delimited('raw', RAW, 'unterminated raw quoted string');
      case "'":
        return this.#delimited('char', CHARACTER, 'unterminated character constant');
      case ':':
        if (this.#source[this.#at + 1] !== '=') return this.#error('expected :=');
        return this.#token('declare', this.#at + 2);
      case '$':
        return this.#name('variable', this.#at + 1);
      case '(':
        this.#openParentheses++;
        break;
      case ')':
        if (--this.#openParentheses < 0) return this.#error('unexpected right paren');
    }
    return this.#word(first);
  }

  #word(first: string): Token {
    const simple = SIMPLE[first];
    if (simple) return this.#token(simple, this.#at + 1);
    const second = this.#source[this.#at + 1];
    if (first === '.' && second !== undefined && (second < '0' || second > '9')) {
      return this.#name('field', this.#at + 1);
    }
    if (/[.+\-\d]/.test(first)) return this.#number();
    if (this.#match(WORD)?.[0]) return this.#name('identifier', this.#at);
    if (/[!-~]/.test(first)) return this.#token('other', this.#at + 1);
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) as number);
    return this.#error(`unrecognized character in action: ${describeCharacter(character)}`);
  }

  #right(right: RegExpExecArray): Token {
    if (this.#openParentheses > 0) return this.#error('unclosed left paren');
    if (right[1] !== undefined) this.#skipTo(this.#at + 2);
    const token: Token = { type: 'right', text: '}}', at: this.#at, line: this.#line };
    this.#leaveAction(right, this.#at - (right[1] === undefined ? 0 : 2));
    return token;
  }

  /** The last space before `-}}` belongs to it. */
  #space(): Token {
    const end = this.#at + (this.#match(SPACE) as RegExpExecArray)[0].length;
    return this.#token('space', this.#match(RIGHT, end - 1)?.[1] === undefined ? end : end - 1);
  }

  #delimited(type: TokenType, pattern: RegExp, reason: string): Token {
    const found = this.#match(pattern);
    return found ? this.#token(type, this.#at + found[0].length) : this.#error(reason);
  }

  #number(): Token {
    const end = this.#at + (this.#match(NUMBER) as RegExpExecArray)[0].length;
    const tail = /^(?:[+-][\w.]*|[\p{L}\p{Nd}_])/u.exec(this.#source.slice(end, end + 40))?.[0];
    if (tail) return this.#error(`bad number syntax: ${quoteGo(this.#source.slice(this.#at, end) + tail)}`);
    return this.#token('number', end);
  }

  #name(type: 'field' | 'variable' | 'identifier', start: number): Token {
    const end = start + (this.#match(WORD, start)?.[0].length ?? 0);
    if (!this.#match(TERMINATOR, end)) {
      const character = String.fromCodePoint(this.#source.codePointAt(end) as number);
      return this.#error(`bad character ${describeCharacter(character)}`);
    }
    const text = this.#source.slice(this.#at, end);
    if (type !== 'variable' && KEYWORDS.has(text)) return this.#token('keyword', end);
    return this.#token(text === 'true' || text === 'false' ? 'bool' : type, end);
  }
}
