import { escapeHtml } from '../functions/escape.ts';
import type { GoValue } from '../value.ts';
import { escapeCss, filterCssValue } from './css.ts';
import { writeLiteral } from './literal.ts';
import { type HtmlPlace, IN_TEXT, isComment, STATE_OF_ATTRIBUTE } from './place.ts';
import { escapeUrl, filterSrcset, filterUrl, normalizeUrl, vouchedSrcset } from './url.ts';
import {
  type Fragment,
  fragmentOf,
  toBareAttribute,
  toJsRegexp,
  toJsString,
  toJsTemplate,
  toJsValue,
  toName,
  toQuotedAttribute,
  toRawText,
  toText,
  unescapeHtml,
} from './value.ts';

/** The escaping function at the end of a pipeline; it is not applied twice. */
export type NamedEscaper = 'html' | 'urlquery';

/** The place of a value, moved to the beginning of an attribute's name or value where one could begin. */
function placeOfValue(place: HtmlPlace): HtmlPlace {
  if (place.state === 'tag') return { ...place, state: 'attributeName' };
  if (place.state === 'afterName') return { ...place, state: 'attributeName', attribute: 'plain' };
  if (place.state !== 'beforeValue') return place;
  return { ...place, state: STATE_OF_ATTRIBUTE[place.attribute], delimiter: ' ', attribute: 'plain' };
}

const plain = (text: string): Fragment => ({ text, vouched: undefined });

function toUrl(place: HtmlPlace, fragment: Fragment, escaper: NamedEscaper | undefined): string {
  const { text, vouched } = fragment;
  if (place.urlPart === 'query') {
    if (escaper === 'urlquery') return text;
    return vouched === 'url' ? normalizeUrl(text) : escapeUrl(text);
  }
  const filtered = place.urlPart === 'none' && vouched !== 'url' ? filterUrl(text) : text;
  if (place.state === 'cssDoubleQuoted' || place.state === 'cssSingleQuoted') return escapeCss(filtered);
  return escaper === 'urlquery' ? filtered : normalizeUrl(filtered);
}

function toSrcset({ text, vouched }: Fragment): string {
  return vouched === 'url' ? vouchedSrcset(text) : filterSrcset(text);
}

/** The escaping that a state requires; undefined if it depends on the attribute. */
function escapeForState(place: HtmlPlace, value: GoValue, escaper: NamedEscaper | undefined): string | undefined {
  const fragment = fragmentOf(value);
  switch (place.state) {
    case 'text':
      return escaper === 'html' ? fragment.text : toText(fragment);
    case 'rawText':
      return escaper === 'html' ? fragment.text : toRawText(fragment);
    case 'attribute':
    case 'metaContent':
      return undefined;
    case 'attributeName':
      return toName(fragment);
    case 'url':
    case 'cssDoubleQuoted':
    case 'cssSingleQuoted':
    case 'cssDoubleQuotedUrl':
    case 'cssSingleQuotedUrl':
    case 'cssUrl':
      return toUrl(place, fragment, escaper);
    case 'metaUrl':
      return fragment.vouched === 'url' ? fragment.text : filterUrl(fragment.text);
    case 'srcset':
      return toSrcset(fragment);
    case 'js':
      return toJsValue(value);
    case 'jsDoubleQuoted':
    case 'jsSingleQuoted':
      return toJsString(fragment.text);
    case 'jsTemplate':
      return toJsTemplate(fragment.text);
    case 'jsRegexp':
      return toJsRegexp(fragment.text);
    case 'css':
      return filterCssValue(fragment.text);
    default:
      // Left out together with the comment.
      return isComment(place.state) ? '' : toBareAttribute(fragment);
  }
}

/**
 * In a quoted value Go applies `html` last, wherever the template has it; so it is undone first and done at the end.
 */
function escapeLast(place: HtmlPlace, value: GoValue): string {
  const { text } = fragmentOf(value);
  const escaped = escapeForState(place, unescapeHtml(text), undefined);
  return escaped === undefined ? text : escapeHtml(escaped);
}

/**
 * Follows an HTML document while a template writes it, and escapes every value for its context, like Go's html/template.
 * Literal text is trusted.
 */
export class HtmlContext {
  #place: HtmlPlace = IN_TEXT;
  /** A cache: loops write the same literals from the same place. */
  readonly #known = new Map<string, KnownLiteral>();

  /** Whether the document could end here: outside of tags, comments, scripts and styles. */
  get isInText(): boolean {
    return this.#place.state === 'text';
  }

  /** The output for literal text of the template. Throws a TemplateError for HTML that cannot be followed. */
  text(literal: string): string {
    const start = this.#place;
    let known = this.#known.get(literal);
    if (!known || !isSamePlace(known.start, start)) {
      known = { start, ...writeLiteral(start, literal) };
      this.#known.set(literal, known);
    }
    this.#place = known.place;
    return known.written;
  }

  /** The output for a value, which has passed through `escaper` if that ended the pipeline. */
  print(value: GoValue, escaper?: NamedEscaper): string {
    const place = placeOfValue(this.#place);
    this.#place = place.state === 'js' ? { ...place, slash: 'division' } : place;
    if (escaper === 'html' && (place.delimiter === '"' || place.delimiter === "'")) return escapeLast(place, value);
    const escaped = escapeForState(place, value, escaper);
    const fragment = escaped === undefined ? fragmentOf(value) : plain(escaped);
    if (place.delimiter === '') return fragment.text;
    return place.delimiter === ' ' ? toBareAttribute(fragment) : toQuotedAttribute(fragment);
  }
}

interface KnownLiteral {
  readonly start: HtmlPlace;
  readonly place: HtmlPlace;
  readonly written: string;
}

function isSamePlace(a: HtmlPlace, b: HtmlPlace): boolean {
  if (a === b) return true;
  if (a.braces.length + b.braces.length > 0) return false;
  return (
    a.state === b.state &&
    a.delimiter === b.delimiter &&
    a.urlPart === b.urlPart &&
    a.slash === b.slash &&
    a.attribute === b.attribute &&
    a.element === b.element
  );
}
