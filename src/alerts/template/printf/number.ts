import { formatFloat } from './float.ts';
import { type FormatSpec, pad, padding, padWithSpaces } from './spec.ts';
import { isPrintable, quoted } from './text.ts';

const MAX_POINT = 0x10_ffffn;

/** As a character, Go reads a number as 64 unsigned bits. */
const pointOf = (value: bigint): bigint => BigInt.asUintN(64, value);

const isCharacter = (point: bigint): boolean => point <= MAX_POINT && (point < 0xd800n || point >= 0xe000n);

function characterOf(value: bigint): string {
  const point = pointOf(value);
  return isCharacter(point) ? String.fromCodePoint(Number(point)) : '\ufffd';
}

/** `U+0041`, and `U+0041 'A'` with a sharp. */
function formatUnicode(value: bigint, spec: FormatSpec): string {
  const point = pointOf(value);
  const digits = point
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, spec.precision ?? 0), '0');
  const char = characterOf(value);
  const isShown = spec.sharp && isCharacter(point) && isPrintable(char);
  return padWithSpaces(`U+${digits}${isShown ? ` '${char}'` : ''}`, spec);
}

function prefixOf(base: number, verb: string, digits: string, spec: FormatSpec): string {
  if (verb === 'O') return '0o';
  if (!spec.sharp) return '';
  if (base === 2) return '0b';
  if (base === 16) return verb === 'X' ? '0X' : '0x';
  return base === 8 && !digits.startsWith('0') ? '0' : '';
}

function formatInBase(value: bigint, base: number, verb: string, spec: FormatSpec): string {
  const negative = value < 0n;
  const size = negative ? -value : value;
  if (spec.precision === 0 && size === 0n) return padding(spec.width ?? 0, { ...spec, zero: false });
  const sign = negative ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
  const zeros = spec.zero && !spec.minus && spec.width !== undefined ? spec.width - sign.length : 0;
  let digits = size.toString(base).padStart(spec.precision ?? zeros, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  // The `O` verb prefixes octal numbers with 0o, which replaces the 0 of the sharp flag.
  const octalSharp = verb === 'O' && spec.sharp && !digits.startsWith('0') ? '0' : '';
  return padWithSpaces(sign + prefixOf(base, verb, digits, spec) + octalSharp + digits, spec);
}

const BASES: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

/** An integer by a verb of printf; undefined for a verb of other types. */
export function formatInteger(value: bigint, verb: string, spec: FormatSpec, unsigned = false): string | undefined {
  if (verb === 'c') return pad(characterOf(value), spec);
  if (verb === 'q') return pad(quoted(characterOf(value), "'", spec.plus), spec);
  if (verb === 'U') return formatUnicode(value, spec);
  if (verb === 'v' && spec.sharpV && unsigned) return formatInBase(value, 16, 'v', { ...spec, sharp: true });
  const base = BASES[verb];
  return base === undefined ? undefined : formatInBase(value, base, verb, spec);
}

/** The sharp flag keeps the point and trailing zeros, up to the precision, which is 6 by default. */
function withPoint(text: string, verb: string, precision: number): string {
  const isHexadecimal = verb === 'x' || verb === 'X';
  const tailAt = text.search(isHexadecimal ? /p/i : /[ep]/i);
  let body = tailAt < 0 ? text : text.slice(0, tailAt);
  const tail = tailAt < 0 ? '' : text.slice(tailAt);
  let missing = 'vgGx'.includes(verb) ? (precision < 0 ? 6 : precision) : 0;
  const significant = body.replace(/^[0.]+/, '').replace('.', '').length;
  missing -= significant;
  if (!body.includes('.')) {
    if (body === '0') missing -= 1;
    body += '.';
  }
  return body + '0'.repeat(Math.max(0, missing)) + tail;
}

const DEFAULT_PRECISION: Readonly<Record<string, number>> = {
  v: -1,
  b: -1,
  g: -1,
  G: -1,
  x: -1,
  X: -1,
  f: 6,
  F: 6,
  e: 6,
  E: 6,
};

/** A float64 by a verb of printf; undefined for a verb of other types. */
export function formatReal(value: number, verb: string, spec: FormatSpec): string | undefined {
  const usual = DEFAULT_PRECISION[verb];
  if (usual === undefined) return undefined;
  const precision = spec.precision ?? usual;
  const format = verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb;
  const written = formatFloat(value, format, precision);
  const negative = written.startsWith('-');
  const bare = written.replace(/^[-+]/, '');
  const sign = negative ? '-' : spec.plus ? '+' : spec.space ? ' ' : '';
  if (!Number.isFinite(value)) {
    const always = Number.isNaN(value) || sign !== '' ? sign : '+';
    return padWithSpaces(always + bare, spec);
  }
  const body = spec.sharp && verb !== 'b' ? withPoint(bare, format, precision) : bare;
  const width = spec.width ?? 0;
  if (spec.zero && !spec.minus && sign !== '') return sign + pad(body, { ...spec, width: Math.max(0, width - 1) });
  return pad(sign + body, spec);
}
