import { quoteGo } from '../../domain/quote.ts';
import { type HtmlPlace, type HtmlState, refuse, type Step, UNSAFE } from './place.ts';

const ESCAPE = /\\(?:([\da-fA-F]{1,6})(?:\r\n|[\t\n\f\r ])?|(.)|$)/gsu;

/** Decodes the escapes of CSS; a final backslash is dropped. */
export function decodeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text
    .replace(ESCAPE, (match: string, hex: string | undefined, char: string | undefined) => {
      if (hex === undefined) return char ?? '';
      const point = Number.parseInt(hex, 16);
      if (point <= 0x10_ffff) return String.fromCodePoint(point);
      // A digit beyond the maximum belongs to the text after it.
      return String.fromCodePoint(Number.parseInt(hex.slice(0, 5), 16)) + match.slice(6);
    })
    .toWellFormed();
}

const REPLACED: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\t': '\\9',
  '\n': '\\a',
  '\f': '\\c',
  '\r': '\\d',
  '"': '\\22',
  '&': '\\26',
  "'": '\\27',
  '(': '\\28',
  ')': '\\29',
  '+': '\\2b',
  '/': '\\2f',
  ':': '\\3a',
  ';': '\\3b',
  '<': '\\3c',
  '>': '\\3e',
  '\\': '\\\\',
  '{': '\\7b',
  '}': '\\7d',
};

/** Escapes a text for a CSS string. */
export function escapeCss(text: string): string {
  return text.replace(/[\0\t\n\f\r"&'()+/:;<>\\{}]/g, (char, at: number) => {
    const replaced = REPLACED[char] as string;
    const next = text[at + 1];
    const runsOn = next === undefined || /[\da-fA-F\t\n\f\r ]/.test(next);
    return char !== '\\' && runsOn ? `${replaced} ` : replaced;
  });
}

/** A CSS value unchanged, unless it could be more than one value or run code. */
export function filterCssValue(text: string): string {
  const value = decodeCss(text);
  if (/[\0"'()/;@[\\\]`{}<>]|--/.test(value)) return UNSAFE;
  const letters = value.replace(/[^\w-]/g, '').toLowerCase();
  return letters.includes('expression') || letters.includes('mozbinding') ? UNSAFE : value;
}

/** The place after a piece of a URL, which also quotes in CSS are taken for. */
export function afterUrl(place: HtmlPlace, text: string): HtmlPlace {
  if (/[#?]/.test(text)) return { ...place, urlPart: 'query' };
  return place.urlPart === 'none' && /[^\t\n\f\r ]/.test(text) ? { ...place, urlPart: 'path' } : place;
}

/** The parenthesis of `url(` with the quote that may follow, a comment's or a string's beginning. */
const CSS_TOKEN =
  /(?<![\w\u0080-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}-])url[\t\n\f\r ]*\([\t\n\f\r ]*(["']?)|\/\/|\/\*|["']/iu;

const STATE_OF_TOKEN: Readonly<Record<string, HtmlState>> = {
  '//': 'cssLineComment',
  '/*': 'cssBlockComment',
  '"': 'cssDoubleQuoted',
  "'": 'cssSingleQuoted',
};

/** The place after the next token that matters in CSS. */
export function stepCss(place: HtmlPlace, text: string): Step {
  const match = CSS_TOKEN.exec(text);
  if (!match) return [place, text.length];
  const [token, quote] = match;
  const urlState = quote === '"' ? 'cssDoubleQuotedUrl' : quote === "'" ? 'cssSingleQuotedUrl' : 'cssUrl';
  return [{ ...place, state: STATE_OF_TOKEN[token] ?? urlState }, match.index + token.length];
}

/** The end of a CSS string or URL; without quotes, blanks end it as well. */
const ENDS: Partial<Record<HtmlState, RegExp>> = {
  cssDoubleQuoted: /[\\"]/g,
  cssDoubleQuotedUrl: /[\\"]/g,
  cssSingleQuoted: /[\\']/g,
  cssSingleQuotedUrl: /[\\']/g,
  cssUrl: /[\\\t\n\f\r )]/g,
};

/** The place after a CSS string or URL, or after the available part of it. */
export function stepCssString(place: HtmlPlace, text: string): Step {
  let current = place;
  let from = 0;
  for (const match of text.matchAll(ENDS[place.state] as RegExp)) {
    if (match.index < from) continue;
    if (match[0] !== '\\') return [{ ...current, state: 'css' }, match.index + 1];
    if (match.index + 1 === text.length) refuse(`unfinished escape sequence in CSS string: ${quoteGo(text)}`);
    from = match.index + 2;
    current = afterUrl(current, decodeCss(text.slice(0, from)));
  }
  return [afterUrl(current, decodeCss(text.slice(from))), text.length];
}
