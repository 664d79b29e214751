import type { Outcome } from '../../../kernel/outcome.ts';
import { quoteGo } from '../../domain/quote.ts';
import { TemplateError } from '../template-error.ts';
import { Lexer, type Token } from './lexer.ts';
import type { Source } from './syntax.ts';

/** The state of parsing one template, or one definition in it. */
export interface Scope {
  readonly name: string;
  variables: string[];
  actionLine: number;
  loops: number;
  parentheses: number;
}

export const openScope = (name: string): Scope => ({ name, variables: ['$'], actionLine: 0, loops: 0, parentheses: 0 });

function describeToken({ type, text }: Token): string {
  if (type === 'end' || type === 'error') return text;
  if (type === 'keyword') return `<${text}>`;
  if (Buffer.byteLength(text) <= 10) return quoteGo(text);
  return `${quoteGo([...text].slice(0, 10).join(''))}...`;
}

export const isKeyword = ({ type, text }: Token, word: string): boolean => type === 'keyword' && text === word;

/** The tokens of a source, with unlimited look-ahead and errors. */
export class TokenReader {
  scope: Scope;
  readonly #source: Source;
  readonly #lexer: Lexer;
  readonly #tokens: Token[] = [];
  #index = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#lexer = new Lexer(source.text);
    this.scope = openScope(source.name);
  }

  /** The number of tokens taken, for `returnTo`. */
  get taken(): number {
    return this.#index;
  }

  returnTo(taken: number): void {
    this.#index = taken;
  }

  back(): void {
    this.#index--;
  }

  /** Of the last token looked at. */
  get line(): number {
    return this.#tokens[this.#tokens.length - 1]?.line ?? 0;
  }

  next(): Token {
    if (this.#index === this.#tokens.length) this.#tokens.push(this.#lexer.next());
    return this.#tokens[this.#index++] as Token;
  }

  peek(): Token {
    const token = this.next();
    this.#index--;
    return token;
  }

  nextWord(): Token {
    let token = this.next();
    while (token.type === 'space') token = this.next();
    return token;
  }

  peekWord(): Token {
    const token = this.nextWord();
    this.#index--;
    return token;
  }

  /** The line is that of the last token looked at, as in Go. */
  fail(reason: string, line = this.line): never {
    throw new TemplateError(`template: ${this.#source.name}:${line}: ${reason}`);
  }

  unwrap<T>(outcome: Outcome<T>): T {
    return outcome.ok ? outcome.value : this.fail(outcome.reason);
  }

  unexpected(token: Token, context: string): never {
    if (token.type !== 'error') this.fail(`unexpected ${describeToken(token)} in ${context}`);
    const { actionLine } = this.scope;
    if (actionLine === 0 || actionLine === token.line) this.fail(token.text);
    const started = `started at ${this.#source.name}:${actionLine}`;
    this.fail(`${token.text}${token.text.endsWith(' action') ? '' : ' in action'} ${started}`);
  }

  expectRight(context: string): Token {
    const token = this.nextWord();
    return token.type === 'right' ? token : this.unexpected(token, context);
  }
}
