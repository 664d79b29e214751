import { quoteGo } from '../../domain/quote.ts';
import { kindOfAttribute } from './attribute.ts';
import { afterUrl, stepCss, stepCssString } from './css.ts';
import { stepJs, stepJsDelimited, stepJsTemplate } from './js.ts';
import {
  type AttributeKind,
  type ElementKind,
  type HtmlPlace,
  type HtmlState,
  IN_TEXT,
  isComment,
  isScriptLiteral,
  refuse,
  STATE_OF_ATTRIBUTE,
  STATE_OF_ELEMENT,
  type Step,
} from './place.ts';

/** The beginning of a comment, or of a tag with its name. */
const MARKUP = /<(?:!--|(\/?)([a-z](?:[a-z0-9]|[:-](?=[a-z0-9]))*))/i;

const ELEMENTS: Readonly<Record<string, ElementKind>> = {
  script: 'script',
  style: 'style',
  textarea: 'textarea',
  title: 'title',
  meta: 'meta',
};

const elementNamed = (name: string): ElementKind =>
  Object.hasOwn(ELEMENTS, name) ? (ELEMENTS[name] as ElementKind) : 'plain';

const blanksAt = (text: string): number => (/^[ \t\n\f\r]*/.exec(text) as RegExpExecArray)[0].length;

function stepText(place: HtmlPlace, text: string): Step {
  const match = MARKUP.exec(text);
  if (!match) return [place, text.length];
  const [token, closing, name] = match;
  const taken = match.index + token.length;
  if (name === undefined) return [{ ...IN_TEXT, state: 'htmlComment' }, taken];
  const element = closing === '/' ? 'plain' : elementNamed(name.toLowerCase());
  return [{ ...IN_TEXT, state: 'tag', element }, taken];
}

/** The end of the attribute's name that begins at `start`. */
function nameEnd(text: string, start: number): number {
  const length = text.slice(start).search(/[ \t\n\f\r=>'"<]/);
  if (length < 0) return text.length;
  const end = text[start + length] as string;
  if (/['"<]/.test(end)) refuse(`${quoteGo(end)} in attribute name: ${quoteGo([...text].slice(0, 32).join(''))}`);
  return start + length;
}

function attributeNamed(name: string, element: ElementKind): AttributeKind {
  if (element === 'script' && name === 'type') return 'scriptType';
  if (element === 'meta' && name === 'content') return 'metaContent';
  const kind = kindOfAttribute(name);
  return kind === 'html' || kind === 'unsafe' ? 'plain' : kind;
}

function stepTag(place: HtmlPlace, text: string): Step {
  const start = blanksAt(text);
  if (start === text.length) return [place, text.length];
  const { element } = place;
  if (text[start] === '>') {
    return [
      { ...IN_TEXT, state: STATE_OF_ELEMENT[element], element: element === 'meta' ? 'plain' : element },
      start + 1,
    ];
  }
  const end = nameEnd(text, start);
  if (end === start) refuse(`expected space, attr name, or end of tag, but got ${quoteGo(text.slice(start))}`);
  const attribute = attributeNamed(text.slice(start, end).toLowerCase(), element);
  return [{ ...IN_TEXT, state: end === text.length ? 'attributeName' : 'afterName', element, attribute }, end];
}

function stepAttributeName(place: HtmlPlace, text: string): Step {
  const end = nameEnd(text, 0);
  return [end === text.length ? place : { ...place, state: 'afterName' }, end];
}

function stepAfterName(place: HtmlPlace, text: string): Step {
  const start = blanksAt(text);
  if (start === text.length) return [place, text.length];
  return text[start] === '=' ? [{ ...place, state: 'beforeValue' }, start + 1] : [{ ...place, state: 'tag' }, start];
}

function stepBeforeValue(place: HtmlPlace, text: string): Step {
  const start = blanksAt(text);
  if (start === text.length) return [place, text.length];
  const quote = text[start];
  const state = STATE_OF_ATTRIBUTE[place.attribute];
  if (quote === '"' || quote === "'") return [{ ...place, state, delimiter: quote }, start + 1];
  return [{ ...place, state, delimiter: ' ' }, start];
}

function stepHtmlComment(place: HtmlPlace, text: string): Step {
  const end = text.indexOf('-->');
  return end < 0 ? [place, text.length] : [IN_TEXT, end + 3];
}

function stepBlockComment(place: HtmlPlace, text: string): Step {
  const end = text.indexOf('*/');
  if (end < 0) return [place, text.length];
  return [{ ...place, state: place.state === 'cssBlockComment' ? 'css' : 'js' }, end + 2];
}

/** The line end is not part of the comment. */
function stepLineComment(place: HtmlPlace, text: string): Step {
  const isCss = place.state === 'cssLineComment';
  const end = text.search(isCss ? /[\n\f\r]/ : /[\n\r\u2028\u2029]/);
  return end < 0 ? [place, text.length] : [{ ...place, state: isCss ? 'css' : 'js' }, end];
}

function stepMetaContent(place: HtmlPlace, text: string): Step {
  const match = /url[ \t\n\f\r]*=/i.exec(text);
  return match ? [{ ...place, state: 'metaUrl' }, match.index + match[0].length] : [place, text.length];
}

function stepMetaUrl(place: HtmlPlace, text: string): Step {
  const end = text.indexOf(';');
  return end < 0 ? [place, text.length] : [{ ...place, state: 'metaContent' }, end + 1];
}

const stay = (place: HtmlPlace, text: string): Step => [place, text.length];
const stepUrl = (place: HtmlPlace, text: string): Step => [afterUrl(place, text), text.length];

const STEPS: Readonly<Record<HtmlState, (place: HtmlPlace, text: string) => Step>> = {
  text: stepText,
  tag: stepTag,
  attributeName: stepAttributeName,
  afterName: stepAfterName,
  beforeValue: stepBeforeValue,
  htmlComment: stepHtmlComment,
  rawText: stepToEndTag,
  attribute: stay,
  url: stepUrl,
  srcset: stepUrl,
  metaContent: stepMetaContent,
  metaUrl: stepMetaUrl,
  js: stepJs,
  jsDoubleQuoted: stepJsDelimited,
  jsSingleQuoted: stepJsDelimited,
  jsTemplate: stepJsTemplate,
  jsRegexp: stepJsDelimited,
  jsBlockComment: stepBlockComment,
  jsLineComment: stepLineComment,
  jsOpeningComment: stepLineComment,
  jsClosingComment: stepLineComment,
  css: stepCss,
  cssDoubleQuoted: stepCssString,
  cssSingleQuoted: stepCssString,
  cssDoubleQuotedUrl: stepCssString,
  cssSingleQuotedUrl: stepCssString,
  cssUrl: stepCssString,
  cssBlockComment: stepBlockComment,
  cssLineComment: stepLineComment,
};

const END_TAGS: Readonly<Record<Exclude<ElementKind, 'plain'>, RegExp>> = {
  script: /<\/script(?=[> \t\n\f/])/i,
  style: /<\/style(?=[> \t\n\f/])/i,
  textarea: /<\/textarea(?=[> \t\n\f/])/i,
  title: /<\/title(?=[> \t\n\f/])/i,
  meta: /<\/(?=[> \t\n\f/])/,
};

/** The place before the closing tag of an element whose text is no markup, or after all the text. */
export function stepToEndTag(place: HtmlPlace, text: string): Step {
  const { element, state } = place;
  if (element === 'plain') return [place, text.length];
  // Within literals the end of a script is escaped.
  if (element === 'script' && (isScriptLiteral(state) || isComment(state))) return [place, text.length];
  const end = text.search(END_TAGS[element]);
  return end < 0 ? [place, text.length] : [IN_TEXT, end];
}

/** The place after the next token that matters in a state, without regard to delimiters of attributes. */
export const stepWithin = (state: HtmlState, place: HtmlPlace, text: string): Step => STEPS[state](place, text);
