import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { quoteGo, unquoteGo } from '../domain/quote.ts';
import type { NumberNode } from './syntax/syntax.ts';

const WHOLE = /^([+-]?)(?:0[xX]((?:_?[\da-fA-F])+)|0[bB]((?:_?[01])+)|0[oO]?((?:_?[0-7])+)|(0|[1-9](?:_?\d)*))$/;
const DECIMAL = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?$/;
const HEXADECIMAL = /^([+-]?)0[xX]((?:_?[\da-fA-F])*)\.?([\da-fA-F_]*)[pP]([+-]?\d+)$/;

const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

function readWhole(text: string): bigint | undefined {
  const match = WHOLE.exec(text);
  if (!match) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const digits = hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : (decimal as string);
  const value = BigInt(digits.replaceAll('_', ''));
  return sign === '-' ? -value : value;
}

function readFloat(text: string): number | undefined {
  const hex = HEXADECIMAL.exec(text);
  if (hex) {
    const [, sign, whole = '', fraction = '', power] = hex;
    const digits = (whole + fraction).replaceAll('_', '');
    const scale = Number(power) - 4 * fraction.replaceAll('_', '').length;
    return digits ? Number(`${sign}1`) * Number(`0x${digits}`) * 2 ** scale : undefined;
  }
  const value = DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : undefined;
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

type Value = Pick<NumberNode, 'int' | 'float' | 'ideal'>;

/** Parses a number like Go's template package: integers first, so that `0x1e3` is one. */
export function readNumber(text: string): Outcome<Value> {
  const whole = readWhole(text);
  if (whole !== undefined && whole >= -MAX_INT - 1n && whole <= MAX_INT) {
    return accepted({ int: whole, float: Number(whole), ideal: whole });
  }
  if (whole !== undefined && whole >= 0n && whole <= MAX_UINT && !text.startsWith('+')) {
    return accepted({ int: undefined, float: Number(whole), ideal: undefined });
  }
  const float = readFloat(text);
  if (float === undefined && whole === undefined) return refused(`illegal number syntax: ${quoteGo(text)}`);
  if (float === undefined || !/[.eEpP]/.test(text)) return refused(`integer overflow: ${quoteGo(text)}`);
  const isInt = Number.isInteger(float) && float >= -(2 ** 63) && float < 2 ** 63;
  return accepted({ int: isInt ? BigInt(float) : undefined, float, ideal: float });
}

const CODE_ESCAPE = /^\\(?:x([\da-fA-F]{2})|([0-3][0-7]{2}))$/;

function readCharacterCode(body: string): number | undefined {
  const code = CODE_ESCAPE.exec(body);
  if (code) return code[1] ? Number.parseInt(code[1], 16) : Number.parseInt(code[2] as string, 8);
  if (body === "\\'" || body === '"') return body.charCodeAt(body.length - 1);
  return body === '\\"' ? undefined : unquoteGo(`"${body}"`)?.codePointAt(0);
}

const ONE_CHARACTER = /^(?:\\(?:x..|[0-7]{3}|u.{4}|U.{8}|.)|[^\\])/u;

/** Parses `'x'`: a character is the integer of its code point. */
export function readCharacter(text: string): Outcome<Value> {
  const body = text.slice(1, -1);
  const first = ONE_CHARACTER.exec(body)?.[0];
  const code = first === undefined ? undefined : readCharacterCode(first);
  if (code === undefined) return refused('invalid syntax');
  if (first !== body) return refused(`malformed character constant: ${text}`);
  return accepted({ int: BigInt(code), float: code, ideal: BigInt(code) });
}

/** Reads a string in double quotes or backquotes. */
export function readString(quoted: string): Outcome<string> {
  if (quoted.startsWith('`')) return accepted(quoted.slice(1, -1).replaceAll('\r', ''));
  const text = unquoteGo(quoted);
  return text === undefined ? refused('invalid syntax') : accepted(text);
}
