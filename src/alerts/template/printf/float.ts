import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { quoteGo } from '../../domain/quote.ts';

/** The digits of a number and its decimal point: 0.DIGITS times ten to the power of `point`. Zero has no digits. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

interface Binary {
  readonly mantissa: bigint;
  /** The value is the mantissa times two to this power. */
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

/** The parts of a finite number, without its sign. */
function binaryOf(value: number): Binary {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function trimmed(digits: string, point: number): Decimal {
  const kept = digits.replace(/0+$/, '');
  return { digits: kept, point: kept === '' ? 0 : point };
}

/** All digits of a number. */
function exactDecimal(value: number): Decimal {
  const { mantissa, exponent } = binaryOf(value);
  if (mantissa === 0n) return { digits: '', point: 0 };
  if (exponent >= 0) {
    const digits = String(mantissa << BigInt(exponent));
    return trimmed(digits, digits.length);
  }
  const digits = String(mantissa * 5n ** BigInt(-exponent));
  return trimmed(digits, digits.length + exponent);
}

/** The fewest digits that identify the number. */
function shortestDecimal(value: number): Decimal {
  const [mantissa = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  return trimmed(mantissa.replace('.', ''), Number(exponent) + 1);
}

/** Rounds to `count` digits, halves to even, like Go. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: '', point: 0 };
  if (count >= digits.length) return { digits, point };
  const kept = digits.slice(0, count);
  const next = digits[count] as string;
  const isHalf = next === '5' && digits.length === count + 1;
  const lastIsOdd = count > 0 && Number(kept[count - 1]) % 2 === 1;
  if (isHalf ? !lastIsOdd : next < '5') return trimmed(kept, point);
  const up = String(BigInt(`0${kept}`) + 1n).padStart(count, '0');
  return trimmed(up, point + up.length - count);
}

function exponentForm({ digits, point }: Decimal, decimals: number, letter: string): string {
  const first = digits[0] ?? '0';
  const rest = decimals > 0 ? `.${digits.slice(1, 1 + decimals).padEnd(decimals, '0')}` : '';
  const exponent = digits === '' ? 0 : point - 1;
  return `${first}${rest}${letter}${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function plainForm({ digits, point }: Decimal, decimals: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (decimals <= 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, decimals)) + digits;
  return `${whole}.${fraction.slice(0, decimals).padEnd(decimals, '0')}`;
}

function generalForm(value: number, precision: number, letter: string): string {
  const shortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const decimal = shortest ? shortestDecimal(value) : rounded(exactDecimal(value), wanted);
  const { digits, point } = decimal;
  const limit = shortest ? 6 : wanted > digits.length && digits.length >= point ? digits.length : wanted;
  const exponent = digits === '' ? -1 : point - 1;
  if (digits !== '' && (exponent < -4 || exponent >= limit)) {
    return exponentForm(decimal, digits.length - 1, letter);
  }
  return plainForm(decimal, Math.max(digits.length - point, 0));
}

/** `1.8p+01`: a mantissa in hexadecimal with its exponent of two. */
function hexadecimalForm(value: number, precision: number): string {
  let { mantissa, exponent } = binaryOf(value);
  if (mantissa === 0n) return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`;
  const shift = 53 - mantissa.toString(2).length;
  mantissa <<= BigInt(shift);
  exponent += 52 - shift;
  if (precision >= 0 && precision < 13) {
    const dropped = BigInt(52 - precision * 4);
    const rest = mantissa & ((1n << dropped) - 1n);
    const half = 1n << (dropped - 1n);
    mantissa >>= dropped;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= dropped;
    if (mantissa >> 53n) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const hex = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  const fraction = precision < 0 ? hex.replace(/0+$/, '') : hex.slice(0, precision).padEnd(precision, '0');
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `0x1${fraction === '' ? '' : `.${fraction}`}p${exponent < 0 ? '-' : '+'}${power}`;
}

function unsignedForm(value: number, format: string, precision: number): string {
  const shortest = precision < 0;
  switch (format) {
    case 'e':
    case 'E': {
      const decimal = shortest ? shortestDecimal(value) : rounded(exactDecimal(value), precision + 1);
      return exponentForm(decimal, shortest ? decimal.digits.length - 1 : precision, format);
    }
    case 'f': {
      if (shortest) {
        const decimal = shortestDecimal(value);
        return plainForm(decimal, Math.max(decimal.digits.length - decimal.point, 0));
      }
      const exact = exactDecimal(value);
      return plainForm(rounded(exact, exact.point + precision), precision);
    }
    case 'b': {
      const { mantissa, exponent } = binaryOf(value);
      return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
    }
    case 'x':
      return hexadecimalForm(value, precision);
    case 'X':
      return hexadecimalForm(value, precision).toUpperCase();
    default:
      return generalForm(value, precision, format === 'G' ? 'E' : 'e');
  }
}

/**
 * Writes a float64 as Go's strconv.FormatFloat does, in one of the formats `e E f g G b x X`; a negative precision stands
 * for as few digits as are needed.
 */
export function formatFloat(value: number, format: string, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + unsignedForm(value, format, precision);
}

const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const HEXADECIMAL = /^([-+]?)0x([\da-f]*)(?:\.([\da-f]*))?p([-+]?\d+)$/i;

/** Underscores are allowed between digits and after the hexadecimal prefix. */
function withoutUnderscores(text: string): string {
  const stray = /^[-+]?0x/i.test(text) ? /(?<![\da-fx])_|_(?![\da-f])/i : /(?<!\d)_|_(?!\d)/;
  return stray.test(text) ? text : text.replaceAll('_', '');
}

function numberOf(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinity = /^([-+]?)inf(?:inity)?$/i.exec(text);
  if (infinity) return infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const match = HEXADECIMAL.exec(text);
  if (!match) return undefined;
  const whole = match[2] as string;
  const fraction = match[3] ?? '';
  if (whole + fraction === '' || text.length > 100) return undefined;
  const size = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(match[4]) - fraction.length * 4);
  return match[1] === '-' ? -size : size;
}

/** Reads a float64 as Go's strconv.ParseFloat does; the refusals are Go's. */
export function parseFloatText(text: string): Outcome<number> {
  const value = numberOf(text.includes('_') ? withoutUnderscores(text) : text);
  if (value === undefined) return refused(`strconv.ParseFloat: parsing ${quoteGo(text)}: invalid syntax`);
  if (!Number.isFinite(value) && /\d/.test(text)) {
    return refused(`strconv.ParseFloat: parsing ${quoteGo(text)}: value out of range`);
  }
  return accepted(value);
}
