import { UNSAFE } from './place.ts';

/** All but what RFC 3986 leaves unreserved. */
const RESERVED = /[^\w.~-]/gu;

/** All that a URL cannot hold as it is, and quotes and parentheses, which could end what the URL stands in. */
const UNFIT = /%(?![\da-fA-F]{2})|[^\w.~!#$&*+,/:;=?@[\]%-]/gu;

function percent(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Writes a text as a part of a URL that means nothing but itself. */
export const escapeUrl = (text: string): string => text.toWellFormed().replace(RESERVED, percent);

/** Writes a URL so that it can stand in an attribute or in CSS; what is escaped already stays. */
export const normalizeUrl = (text: string): string => text.toWellFormed().replace(UNFIT, percent);

/** Whether a URL has no scheme, or one that runs no code. */
export function isSafeUrl(url: string): boolean {
  const colon = url.indexOf(':');
  if (colon < 0) return true;
  const scheme = url.slice(0, colon);
  return scheme.includes('/') || /^(?:https?|mailto)$/i.test(scheme);
}

export const filterUrl = (url: string): string => (isSafeUrl(url) ? url : `#${UNSAFE}`);

/** One image of a `srcset`: its URL and, after a blank, for which widths or densities it is. */
function filterImage(image: string): string {
  const [, before = '', url = '', rest = ''] = /^([\t\n\f\r ]*)([^\t\n\f\r ]*)(.*)$/s.exec(image) ?? [];
  if (!isSafeUrl(url) || !/^[\t\n\f\r A-Za-z0-9]*$/.test(rest)) return `#${UNSAFE}`;
  return before + normalizeUrl(url) + rest;
}

export const filterSrcset = (text: string): string => text.split(',').map(filterImage).join(',');

/** A vouched-for URL within a `srcset`, where blanks and commas would end it. */
export const vouchedSrcset = (url: string): string => normalizeUrl(url).replaceAll(',', '%2c');
