import { type FormatSpec, pad, padding } from './spec.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** The characters that Go prints unescaped: letters, marks, numbers, punctuation, symbols and the plain space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

export const isPrintable = (char: string): boolean => PRINTABLE.test(char);

function escaped(char: string, quote: string, asciiOnly: boolean): string {
  if (char === quote) return `\\${quote}`;
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  const point = char.codePointAt(0) as number;
  if (isPrintable(char) && (!asciiOnly || point < 0x80)) return char;
  if (point < 0x20 || point === 0x7f) return `\\x${point.toString(16).padStart(2, '0')}`;
  if (point < 0x1_0000) return `\\u${point.toString(16).padStart(4, '0')}`;
  return `\\U${point.toString(16).padStart(8, '0')}`;
}

/** Quotes a text like Go's strconv.Quote or strconv.QuoteToASCII. */
export function quoted(text: string, quote: '"' | "'", asciiOnly: boolean): string {
  return quote + [...text.toWellFormed()].map((char) => escaped(char, quote, asciiOnly)).join('') + quote;
}

/** Whether Go can write a text between backquotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what cannot be written
const canBackquote = (text: string): boolean => !/[\0-\x08\x0a-\x1f\x7f`\ufeff]/.test(text) && text.isWellFormed();

function truncated(text: string, spec: FormatSpec): string {
  if (spec.precision === undefined || text.length <= spec.precision) return text;
  return [...text].slice(0, spec.precision).join('');
}

/** `%s` and `%v` of a text. */
export const formatText = (text: string, spec: FormatSpec): string => pad(truncated(text, spec), spec);

/** `%q` of a text. */
export function formatQuoted(text: string, spec: FormatSpec): string {
  const kept = truncated(text, spec);
  if (spec.sharp && canBackquote(kept)) return pad(`\`${kept}\``, spec);
  return pad(quoted(kept, '"', spec.plus), spec);
}

/** `%x` and `%X` of a text: its bytes in UTF-8. */
export function formatBytes(text: string, spec: FormatSpec, upper: boolean): string {
  const bytes = Buffer.from(text).subarray(0, spec.precision);
  const prefix = spec.sharp ? '0x' : '';
  let written = bytes.toString('hex');
  if (written === '') return padding(spec.width ?? 0, spec);
  if (spec.space) written = (written.match(/../g) as string[]).map((pair) => prefix + pair).join(' ');
  else written = prefix + written;
  return pad(upper ? written.toUpperCase() : written, spec);
}
