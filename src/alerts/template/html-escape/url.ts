import { UNSAFE } from './place.ts';

/** All but the unreserved characters of RFC 3986. */
const RESERVED = /[^\w.~-]/gu;

/** All characters that a URL cannot contain, and quotes and parentheses, which could end its context. */
const UNFIT = /%(?![\da-fA-F]{2})|[^\w.~!#$&*+,/:;=?@[\]%-]/gu;

function percent(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Escapes a text as a literal part of a URL. */
export const escapeUrl = (text: string): string => text.toWellFormed().replace(RESERVED, percent);

/** Escapes a URL for an attribute or CSS; existing escapes stay. */
export const normalizeUrl = (text: string): string => text.toWellFormed().replace(UNFIT, percent);

/** Whether a URL has no scheme, or a safe one. */
export function isSafeUrl(url: string): boolean {
  const colon = url.indexOf(':');
  if (colon < 0) return true;
  const scheme = url.slice(0, colon);
  return scheme.includes('/') || /^(?:https?|mailto)$/i.test(scheme);
}

export const filterUrl = (url: string): string => (isSafeUrl(url) ? url : `#${UNSAFE}`);

/** One image of a `srcset`: its URL and, after a blank, its width or density. */
function filterImage(image: string): string {
  const [, before = '', url = '', rest = ''] = /^([\t\n\f\r ]*)([^\t\n\f\r ]*)(.*)$/s.exec(image) ?? [];
  if (!isSafeUrl(url) || !/^[\t\n\f\r A-Za-z0-9]*$/.test(rest)) return `#${UNSAFE}`;
  return before + normalizeUrl(url) + rest;
}

export const filterSrcset = (text: string): string => text.split(',').map(filterImage).join(',');

/** A safe URL within a `srcset`, where blanks and commas would end it. */
export const vouchedSrcset = (url: string): string => normalizeUrl(url).replaceAll(',', '%2c');
