import { encodeJson } from '../printf/json.ts';
import { sprint, stringMethod } from '../printf/printf.ts';
import { TemplateError } from '../template-error.ts';
import { GoPointer, GoTime, type GoValue, GoZone } from '../value.ts';
import { kindOfAttribute } from './attribute.ts';
import { VALUE_ENDS } from './literal.ts';
import { type HtmlPlace, IN_TEXT, isWithinTag, UNSAFE } from './place.ts';
import { SafeText } from './safe-text.ts';
import { stepToEndTag, stepWithin } from './step.ts';

/** A text for the document, and what the template marked it safe for; the result of an escaper is not marked. */
export interface Fragment {
  readonly text: string;
  readonly vouched: SafeText['kind'] | undefined;
}

/** A value as text; empty without a value. */
export function fragmentOf(value: GoValue): Fragment {
  if (value instanceof SafeText) return { text: value.text, vouched: value.kind };
  if (value === undefined || value === null) return { text: '', vouched: undefined };
  if (typeof value === 'string') return { text: value, vouched: undefined };
  return { text: sprint([value instanceof GoPointer ? value.target : value]), vouched: undefined };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  '&': '&amp;',
  "'": '&#39;',
  '+': '&#43;',
  '<': '&lt;',
  '>': '&gt;',
};

const entityOf = (char: string): string => ENTITIES[char] as string;

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: HTML forbids them, so they are escaped
const escapeAll = (text: string): string => text.replace(/[\0"&'+<>]/g, entityOf);

/** Leaves ampersands, which begin character references. */
const escapeMarkup = (text: string): string => text.replace(/[\0"'+<>]/g, entityOf);

const CHARACTERS: Readonly<Record<string, string>> = {
  '&#34;': '"',
  '&#39;': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
};

/** Undoes the function `html`. */
export const unescapeHtml = (text: string): string =>
  text.replace(/&(?:#34|#39|amp|lt|gt);/g, (entity) => CHARACTERS[entity] as string);

/** Characters that could end an unquoted value, and non-characters. */
const ENDS_BARE = /[\0\t\n\v\f\r "&'+<=>`\ufdd0-\ufdef\ufff0-\uffff]/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above

const BARE_ENTITIES: Readonly<Record<string, string>> = { ...ENTITIES, '\0': '&#xfffd;' };

function bareEntityOf(char: string): string {
  const known = BARE_ENTITIES[char];
  if (known !== undefined) return known;
  const point = char.charCodeAt(0);
  return point < 0x80 ? `&#${point};` : `&#x${point.toString(16)};`;
}

/** Without a tag or comment that begins at the end. */
function beforeMarkup(piece: string): string {
  const at = piece.lastIndexOf('<');
  return at < 0 ? piece : piece.slice(0, at);
}

function textWithoutTags(html: string): string {
  let text = '';
  let place = IN_TEXT;
  let rest = html;
  while (rest !== '') {
    if (place.delimiter !== '') {
      const end = rest.search(VALUE_ENDS[place.delimiter]);
      if (end < 0) return text;
      rest = rest.slice(place.delimiter === ' ' ? end : end + 1);
      place = { ...IN_TEXT, state: 'tag', element: place.element };
      continue;
    }
    const isRaw = place.element !== 'plain' && !isWithinTag(place.state);
    const [next, taken]: readonly [HtmlPlace, number] = isRaw
      ? stepToEndTag(place, rest)
      : stepWithin(place.state, place, rest);
    if (place.state === 'text' || place.state === 'rawText') {
      const piece = rest.slice(0, taken);
      text += next.state === place.state ? piece : beforeMarkup(piece);
    }
    place = next;
    rest = rest.slice(taken);
  }
  return text;
}

/** HTML without tags and comments, for attributes; character references stay. */
function stripTags(html: string): string {
  if (!html.includes('<')) return html;
  try {
    return textWithoutTags(html);
  } catch (error) {
    if (error instanceof TemplateError) return UNSAFE;
    throw error;
  }
}

export const toText = ({ text, vouched }: Fragment): string => (vouched === 'html' ? text : escapeAll(text));

export const toRawText = ({ text, vouched }: Fragment): string =>
  vouched === 'html' ? escapeMarkup(text) : escapeAll(text);

export const toQuotedAttribute = ({ text, vouched }: Fragment): string =>
  vouched === 'html' ? escapeMarkup(stripTags(text)) : escapeAll(text);

export function toBareAttribute({ text, vouched }: Fragment): string {
  if (text === '') return UNSAFE;
  if (vouched !== 'html') return text.replace(ENDS_BARE, bareEntityOf);
  return stripTags(text).replace(ENDS_BARE, (char) => (char === '&' ? char : bareEntityOf(char)));
}

/** A value as an attribute's name, if it is one that values may set. */
export function toName({ text }: Fragment): string {
  const name = text.toLowerCase();
  return /^[a-z0-9]+$/.test(name) && kindOfAttribute(name) === 'plain' ? name : UNSAFE;
}

/** A value as JavaScript, separated from the tokens around it. */
export function toJsValue(value: GoValue): string {
  const text = value instanceof GoTime || value instanceof GoZone ? undefined : stringMethod(value);
  const encoded = encodeJson(text ?? value);
  if (!encoded.ok) return ` /* ${encoded.reason.replaceAll('*/', '* /')} */null `;
  const isWord = /^[\w$]|[\w$]$/.test(encoded.value);
  return isWord ? ` ${encoded.value} ` : encoded.value;
}

const hex4 = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const JS_SHORT: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '/': '\\/',
  '\\': '\\\\',
};

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are among what is escaped
export const toJsString = (text: string): string =>
  text.replace(/[\0-\x1f"&'+/<>\\`\u2028\u2029]/g, (char) => JS_SHORT[char] ?? hex4(char));

export const toJsTemplate = (text: string): string =>
  text.replace(/[\0-\x1f"&'+/<>\\`${}\u2028\u2029]/g, (char) => JS_SHORT[char] ?? hex4(char));

/** An empty value would turn the two slashes around it into a comment. */
export function toJsRegexp(text: string): string {
  const escaped = text.replace(/[\0-\x1f"&'+<>\u2028\u2029]|([$()*./?[\\\]^{|}-])/g, (char, special?: string) => {
    return special === undefined ? (JS_SHORT[char] ?? hex4(char)) : `\\${char}`;
  });
  return escaped === '' ? '(?:)' : escaped;
}
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above
