import { TemplateError } from '../template-error.ts';

export type HtmlState =
  | 'text'
  | 'tag'
  | 'attributeName'
  | 'afterName'
  | 'beforeValue'
  | 'htmlComment'
  /** The text of `<title>` and `<textarea>`. */
  | 'rawText'
  | 'attribute'
  | 'url'
  | 'srcset'
  | 'metaContent'
  | 'metaUrl'
  | 'js'
  | 'jsDoubleQuoted'
  | 'jsSingleQuoted'
  | 'jsTemplate'
  | 'jsRegexp'
  | 'jsBlockComment'
  | 'jsLineComment'
  | 'jsOpeningComment'
  | 'jsClosingComment'
  | 'css'
  | 'cssDoubleQuoted'
  | 'cssSingleQuoted'
  | 'cssDoubleQuotedUrl'
  | 'cssSingleQuotedUrl'
  | 'cssUrl'
  | 'cssBlockComment'
  | 'cssLineComment';

/** The end of an attribute's value: a quote, or a blank without quotes; empty outside of a value. */
export type Delimiter = '' | '"' | "'" | ' ';

export type AttributeKind = 'plain' | 'script' | 'scriptType' | 'style' | 'url' | 'srcset' | 'metaContent';

export type ElementKind = 'plain' | 'script' | 'style' | 'textarea' | 'title' | 'meta';

/** The position in a document. */
export interface HtmlPlace {
  readonly state: HtmlState;
  readonly delimiter: Delimiter;
  /** Before the URL has begun, before its query, or in query or fragment. */
  readonly urlPart: 'none' | 'path' | 'query';
  /** What a slash would begin in JavaScript. */
  readonly slash: 'regexp' | 'division';
  /** The open braces in each enclosing `${…}`, innermost last. */
  readonly braces: readonly number[];
  readonly attribute: AttributeKind;
  readonly element: ElementKind;
}

/** The place after some text, and the length of the text taken. */
export type Step = readonly [place: HtmlPlace, taken: number];

export const IN_TEXT: HtmlPlace = {
  state: 'text',
  delimiter: '',
  urlPart: 'none',
  slash: 'regexp',
  braces: [],
  attribute: 'plain',
  element: 'plain',
};

/** Replaces unsafe values, and can be searched for. */
export const UNSAFE = 'ZgotmplZ';

/** Throws for an ambiguous document, with the text of Go's html/template. */
export function refuse(reason: string): never {
  throw new TemplateError(`html/template: ${reason}`);
}

const COMMENTS: ReadonlySet<HtmlState> = new Set([
  'htmlComment',
  'jsBlockComment',
  'jsLineComment',
  'jsOpeningComment',
  'jsClosingComment',
  'cssBlockComment',
  'cssLineComment',
]);

export const isComment = (state: HtmlState): boolean => COMMENTS.has(state);

const SCRIPT_LITERALS: ReadonlySet<HtmlState> = new Set(['jsDoubleQuoted', 'jsSingleQuoted', 'jsTemplate', 'jsRegexp']);

export const isScriptLiteral = (state: HtmlState): boolean => SCRIPT_LITERALS.has(state);

const TAG_PARTS: ReadonlySet<HtmlState> = new Set(['tag', 'attributeName', 'afterName', 'beforeValue', 'attribute']);

export const isWithinTag = (state: HtmlState): boolean => TAG_PARTS.has(state);

/** The state at the beginning of a value. */
export const STATE_OF_ATTRIBUTE: Readonly<Record<AttributeKind, HtmlState>> = {
  plain: 'attribute',
  script: 'js',
  scriptType: 'attribute',
  style: 'css',
  url: 'url',
  srcset: 'srcset',
  metaContent: 'metaContent',
};

/** The state between an element's opening and closing tag. */
export const STATE_OF_ELEMENT: Readonly<Record<ElementKind, HtmlState>> = {
  plain: 'text',
  script: 'js',
  style: 'css',
  textarea: 'rawText',
  title: 'rawText',
  meta: 'text',
};
