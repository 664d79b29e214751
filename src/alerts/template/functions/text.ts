import { trimSpace } from '../../domain/matcher/lexer.ts';
import { quoteGo } from '../../domain/quote.ts';
import { CallError, type ParameterType, type TemplateFunction } from '../callable.ts';
import { SafeText } from '../html-escape/safe-text.ts';
import { GoList, type GoValue } from '../value.ts';

/** Letter by letter: Go keeps a letter whose other case has several letters. */
function mapLetters(text: string, map: (letter: string) => string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return map(text);
  let mapped = '';
  for (const letter of text) {
    const other = map(letter);
    mapped += [...other].length === 1 ? other : other === 'i\u0307' ? 'i' : letter;
  }
  return mapped;
}

export const upperCase = (text: string): string => mapLetters(text, (letter) => letter.toUpperCase());
export const lowerCase = (text: string): string => mapLetters(text, (letter) => letter.toLowerCase());

/** Title-case forms of digraph letters, which JavaScript lacks. */
const CAPITAL_DIGRAPHS: Readonly<Record<string, string>> = {
  ǆ: 'ǅ',
  Ǆ: 'ǅ',
  ǉ: 'ǈ',
  Ǉ: 'ǈ',
  ǌ: 'ǋ',
  Ǌ: 'ǋ',
  ǳ: 'ǲ',
  Ǳ: 'ǲ',
};

function capitalOf(letter: string): string {
  if (/\p{Script=Georgian}/u.test(letter)) return letter;
  const [first = '', ...rest] = CAPITAL_DIGRAPHS[letter] ?? letter.toUpperCase();
  return first + rest.join('').toLowerCase();
}

/** Whether a sigma ends a word, where it has a form of its own; `end` is the end of the letter in the text. */
function smallOf(letter: string, text: string, end: number): string {
  if (letter !== 'Σ') return letter.toLowerCase();
  CASED_NEXT.lastIndex = end;
  return CASED_NEXT.test(text) ? 'σ' : 'ς';
}

const CASED_NEXT = /\p{Case_Ignorable}*\p{Cased}/uy;

/** Characters that may occur singly within a word: `don't`, `example.org`. */
const IN_THE_MIDDLE = /[':.\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a]/u;
const CASED = /\p{Cased}/u;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const OF_WORD = /[\p{Alphabetic}\p{N}\p{M}\p{Cf}\p{Pc}]/u;

const endsWord = (char: string) => !IN_THE_MIDDLE.test(char) && (!OF_WORD.test(char) || UNSPACED.test(char));

/** Title case, with other letters in lower case. Word boundaries are those of golang.org/x/text/cases. */
export function titleCase(text: string): string {
  let titled = '';
  let isInside = false;
  let wasMiddle = false;
  let at = 0;
  for (const char of text) {
    at += char.length;
    const isMiddle = IN_THE_MIDDLE.test(char);
    if (isMiddle && wasMiddle) isInside = false;
    wasMiddle = isMiddle;
    const isCased = CASED.test(char);
    titled += isCased ? (isInside ? smallOf(char, text, at) : capitalOf(char)) : char;
    if (isCased || endsWord(char)) isInside = isCased;
  }
  return titled;
}

/** Bytes that are not UTF-8 become U+FFFD, as in JSON. */
function decodeBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

export function escapeQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

export function unescapeQuery(text: string): string {
  const bad = /%(?![\da-fA-F]{2})/.exec(text);
  if (bad) throw new CallError(`invalid URL escape ${quoteGo([...text.slice(bad.index)].slice(0, 3).join(''))}`);
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  const bytes = Buffer.from(spaced.replace(/[^%\s\x21-\x7e]+/gu, (chars) => encodeURIComponent(chars.toWellFormed())));
  const decoded: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x25) {
      decoded.push(Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else {
      decoded.push(bytes[at] as number);
    }
  }
  return decodeBytes(Uint8Array.from(decoded));
}

const encodeBase64 = (text: string): string =>
  Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

/** The position of the first error in padded base64, in bytes; undefined if it is valid. */
function base64Mistake(text: string): number | undefined {
  const bytes = Buffer.from(text);
  const places: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const char = String.fromCharCode(bytes[at] as number);
    if (char === '\n' || char === '\r') continue;
    if (/[\w-]/.test(char)) {
      places.push(at);
      continue;
    }
    const inGroup = places.length % 4;
    if (char !== '=' || inGroup < 2) return at;
    return paddingMistake(bytes, at, inGroup);
  }
  return places.length % 4 === 0 ? undefined : bytes.length - lineEnds(bytes, bytes.length) - (places.length % 4);
}

function lineEnds(bytes: Buffer, end: number): number {
  let count = 0;
  while (count < end && (bytes[end - 1 - count] === 0x0a || bytes[end - 1 - count] === 0x0d)) count++;
  return count;
}

function skipLineEnds(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}

function paddingMistake(bytes: Buffer, at: number, inGroup: number): number | undefined {
  let next = skipLineEnds(bytes, at + 1);
  if (inGroup === 2) {
    if (next >= bytes.length) return bytes.length;
    if (bytes[next] !== 0x3d) return next - 1;
    next = skipLineEnds(bytes, next + 1);
  }
  return next < bytes.length ? next : undefined;
}

function decodeBase64(text: string): string {
  const mistake = base64Mistake(text);
  if (mistake !== undefined) throw new CallError(`illegal base64 data at input byte ${mistake}`);
  return decodeBytes(Buffer.from(text, 'base64url'));
}

function ofText(call: (text: string) => GoValue): TemplateFunction {
  return { parameters: ['string'], call: ([text]) => call(text as string) };
}

const joined: readonly ParameterType[] = ['string', '[]string'];

export const TEXT_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  toUpper: ofText(upperCase),
  toLower: ofText(lowerCase),
  // Letter by letter is slower than other work.
  title: {
    parameters: ['string'],
    call([text], context) {
      context.spend((text as string).length >> 1);
      return titleCase(text as string);
    },
  },
  trimSpace: ofText((text) => trimSpace(text)),
  join: {
    parameters: joined,
    prints: true,
    call: ([separator, list]) => (list as GoList).items.join(separator as string),
  },
  stringSlice: { parameters: [], variadic: 'string', call: (args) => new GoList('[]string', args) },
  safeHtml: ofText((text) => new SafeText('html', text)),
  safeUrl: ofText((text) => new SafeText('url', text)),
  urlUnescape: ofText(unescapeQuery),
  base64encode: ofText(encodeBase64),
  base64decode: ofText(decodeBase64),
};
