import { CallError, MAX_CHARACTERS } from '../callable.ts';
import { SafeText } from '../html-escape/safe-text.ts';
import { GoInt, type GoValue, typeNameOf } from '../value.ts';
import { type FormatSpec, plainSpec } from './spec.ts';
import { formatValue, printArgument } from './value.ts';

export { formatValue, stringMethod } from './value.ts';

/** Maximum width, precision or argument number, as in Go. */
const MAX_COUNT = 1_000_000;

const FLAGS: Readonly<Record<string, 'plus' | 'minus' | 'sharp' | 'space' | 'zero'>> = {
  '+': 'plus',
  '-': 'minus',
  '#': 'sharp',
  ' ': 'space',
  '0': 'zero',
};

/** The state of parsing a format. */
interface Cursor {
  readonly format: string;
  readonly args: readonly GoValue[];
  at: number;
  /** The index of the next argument. */
  argument: number;
  /** After an index such as `[2]`. */
  afterIndex: boolean;
  /** Whether the indexes of the current verb were valid. */
  goodIndex: boolean;
  /** Whether any index was used: then surplus arguments are not reported. */
  reordered: boolean;
}

/** Reads digits; undefined without any. A number beyond the maximum ends the format, as in Go. */
function takeNumber(cursor: Cursor, end = cursor.format.length): number | undefined {
  let value: number | undefined;
  for (; cursor.at < end; cursor.at++) {
    const digit = cursor.format.charCodeAt(cursor.at) - 48;
    if (digit < 0 || digit > 9) break;
    if ((value ?? 0) > MAX_COUNT) {
      cursor.at = end;
      return undefined;
    }
    value = (value ?? 0) * 10 + digit;
  }
  return value;
}

/** Reads an index such as `[2]`. */
function takeIndex(cursor: Cursor): void {
  cursor.afterIndex = false;
  if (cursor.format[cursor.at] !== '[') return;
  cursor.reordered = true;
  const close = cursor.format.indexOf(']', cursor.at);
  // Go ignores an end within the last two characters.
  if (close < 0 || cursor.format.length - cursor.at < 3) {
    cursor.at += 1;
    cursor.goodIndex = false;
    return;
  }
  cursor.at += 1;
  const index = takeNumber(cursor, close);
  const isNumber = index !== undefined && cursor.at === close;
  cursor.at = close + 1;
  cursor.afterIndex = isNumber;
  if (isNumber && index >= 1 && index <= cursor.args.length) cursor.argument = index - 1;
  else cursor.goodIndex = false;
}

/** Takes the argument of a `*`; undefined unless it is an integer within the maximum. */
function takeStar(cursor: Cursor): number | undefined {
  cursor.at += 1;
  cursor.afterIndex = false;
  if (cursor.argument >= cursor.args.length) return undefined;
  const value = cursor.args[cursor.argument++];
  const count = typeof value === 'bigint' ? value : value instanceof GoInt ? value.value : undefined;
  if (count === undefined || count > MAX_COUNT || count < -MAX_COUNT) return undefined;
  return Number(count);
}

function readFlags(cursor: Cursor, spec: FormatSpec): void {
  for (;;) {
    const flag = FLAGS[cursor.format[cursor.at] ?? ''];
    if (!flag) return;
    spec[flag] = true;
    cursor.at += 1;
  }
}

/** Reads a width; returns the text to print when it is invalid. */
function readWidth(cursor: Cursor, spec: FormatSpec): string {
  if (cursor.format[cursor.at] !== '*') {
    spec.width = takeNumber(cursor);
    if (cursor.afterIndex && spec.width !== undefined) cursor.goodIndex = false;
    return '';
  }
  const width = takeStar(cursor);
  spec.width = width === undefined ? undefined : Math.abs(width);
  if (width !== undefined && width < 0) {
    spec.minus = true;
    spec.zero = false;
  }
  return width === undefined ? '%!(BADWIDTH)' : '';
}

/** Reads a precision; returns the text to print when it is invalid. */
function readPrecision(cursor: Cursor, spec: FormatSpec): string {
  if (cursor.format[cursor.at] !== '.' || cursor.at + 1 >= cursor.format.length) return '';
  cursor.at += 1;
  if (cursor.afterIndex) cursor.goodIndex = false;
  takeIndex(cursor);
  if (cursor.format[cursor.at] !== '*') {
    spec.precision = takeNumber(cursor) ?? 0;
    return '';
  }
  const precision = takeStar(cursor);
  spec.precision = precision !== undefined && precision >= 0 ? precision : undefined;
  return spec.precision === undefined ? '%!(BADPREC)' : '';
}

function printVerb(cursor: Cursor, spec: FormatSpec): string {
  if (cursor.at >= cursor.format.length) return '%!(NOVERB)';
  const verb = String.fromCodePoint(cursor.format.codePointAt(cursor.at) as number);
  cursor.at += verb.length;
  if (verb === '%') return '%';
  if (!cursor.goodIndex) return `%!${verb}(BADINDEX)`;
  if (cursor.argument >= cursor.args.length) return `%!${verb}(MISSING)`;
  if (verb === 'v' || verb === 'w') {
    spec.sharpV = spec.sharp;
    spec.plusV = spec.plus;
    spec.sharp = false;
    spec.plus = false;
  }
  return printArgument(cursor.args[cursor.argument++], verb, spec);
}

function printNext(cursor: Cursor): string {
  cursor.goodIndex = true;
  cursor.at += 1;
  const spec = plainSpec();
  readFlags(cursor, spec);
  takeIndex(cursor);
  const complaints = readWidth(cursor, spec) + readPrecision(cursor, spec);
  if (!cursor.afterIndex) takeIndex(cursor);
  return complaints + printVerb(cursor, spec);
}

function surplus(args: readonly GoValue[]): string {
  const shown = args.map((arg) => {
    return arg === undefined || arg === null ? '<nil>' : `${typeNameOf(arg)}=${formatValue(arg)}`;
  });
  return `%!(EXTRA ${shown.join(', ')})`;
}

/**
 * Go's fmt.Sprintf. Mismatches are part of the text, `%!d(string=hi)`. Throws a CallError only for a text that widths make
 * too long.
 */
export function sprintf(format: string, args: readonly GoValue[]): string {
  const cursor: Cursor = { format, args, at: 0, argument: 0, afterIndex: false, goodIndex: true, reordered: false };
  let text = '';
  while (cursor.at < format.length) {
    const percent = format.indexOf('%', cursor.at);
    const end = percent < 0 ? format.length : percent;
    text += format.slice(cursor.at, end);
    cursor.at = end;
    if (end < format.length) text += printNext(cursor);
    if (text.length > MAX_CHARACTERS) throw new CallError('the text grows too long');
  }
  const isShort = !cursor.reordered && cursor.argument < args.length;
  return isShort ? text + surplus(args.slice(cursor.argument)) : text;
}

const isText = (value: GoValue): boolean => typeof value === 'string' || value instanceof SafeText;

/** Go's fmt.Sprint: spaces only between two arguments of which none is a text. */
export function sprint(args: readonly GoValue[]): string {
  return args
    .map((arg, index) => {
      const space = index > 0 && !isText(arg) && !isText(args[index - 1]);
      return (space ? ' ' : '') + formatValue(arg);
    })
    .join('');
}

/** Go's fmt.Sprintln: spaces between all arguments, a newline at the end. */
export function sprintln(args: readonly GoValue[]): string {
  return `${args.map((arg) => formatValue(arg)).join(' ')}\n`;
}
