import { quoteGo } from '../../domain/quote.ts';
import { decodeReferences } from './entity.ts';
import { type Delimiter, type HtmlPlace, IN_TEXT, isComment, isScriptLiteral, refuse, type Step } from './place.ts';
import { stepToEndTag, stepWithin } from './step.ts';

export const VALUE_ENDS: Readonly<Record<Exclude<Delimiter, ''>, RegExp>> = {
  '"': /"/,
  "'": /'/,
  ' ': /[ \t\n\f\r>]/,
};

const JS_TYPES: ReadonlySet<string> = new Set(
  `
  application/ecmascript application/javascript application/json application/ld+json application/x-ecmascript
  application/x-javascript module text/ecmascript text/javascript text/javascript1.0 text/javascript1.1
  text/javascript1.2 text/javascript1.3 text/javascript1.4 text/javascript1.5 text/jscript text/livescript
  text/x-ecmascript text/x-javascript
  `
    .trim()
    .split(/\s+/)
    .concat(''),
);

const isJsType = (type: string): boolean => JS_TYPES.has((type.split(';')[0] as string).toLowerCase().trim());

/** The place within a value that continues after the text. */
function withinValue(place: HtmlPlace, text: string): HtmlPlace {
  let current = place;
  let rest = decodeReferences(text);
  while (rest !== '') {
    const [next, taken] = stepWithin(current.state, current, rest);
    current = next;
    rest = rest.slice(taken);
  }
  return current;
}

/** The place after the next token of a template's literal text. */
export function stepLiteral(place: HtmlPlace, text: string): Step {
  const { delimiter, element } = place;
  if (delimiter === '') {
    const [ended, end] = stepToEndTag(place, text);
    return end === 0 ? [ended, 0] : stepWithin(place.state, place, text.slice(0, end));
  }
  const found = text.search(VALUE_ENDS[delimiter]);
  const end = found < 0 ? text.length : found;
  const odd = delimiter === ' ' ? /["'<=`]/.exec(text.slice(0, end)) : undefined;
  if (odd) refuse(`${quoteGo(odd[0])} in unquoted attr: ${quoteGo(text.slice(0, end))}`);
  if (found < 0) return [withinValue(place, text), text.length];
  const isData = place.attribute === 'scriptType' && place.state === 'attribute' && !isJsType(text.slice(0, end));
  const next: HtmlPlace = { ...IN_TEXT, state: 'tag', element: isData && element === 'script' ? 'plain' : element };
  return [next, delimiter === ' ' ? end : end + 1];
}

const COMMENT_STARTS: Readonly<Record<string, number>> = { htmlComment: 4, jsOpeningComment: 4, jsClosingComment: 3 };

/** Writes text or raw text, with escapes for characters that only look like a tag. */
function writeText(piece: string, leavesText: boolean): string {
  const tagAt = leavesText ? piece.lastIndexOf('<') : -1;
  const end = tagAt < 0 ? piece.length : tagAt;
  return piece.slice(0, end).replace(/<(?!!doctype)/gi, '&lt;') + piece.slice(end);
}

/** Comments are replaced by what separates the tokens around them. */
function writeComment(state: HtmlPlace['state'], piece: string): string {
  if (state === 'jsBlockComment') return /[\n\r\u2028\u2029]/.test(piece) ? '\n' : ' ';
  return state === 'cssBlockComment' ? ' ' : '';
}

/**
 * Writes literal text of a template from a place on, like Go's html/template: without comments, and with tags escaped
 * where none can be. Throws a TemplateError where markup is ambiguous.
 */
export function writeLiteral(start: HtmlPlace, text: string): { readonly place: HtmlPlace; readonly written: string } {
  let place = start;
  let written = '';
  let at = 0;
  while (at < text.length) {
    const rest = at === 0 ? text : text.slice(at);
    const [next, taken] = stepLiteral(place, rest);
    const beginsComment = next.state !== place.state && isComment(next.state) && next.delimiter === '';
    const kept = beginsComment ? taken - (COMMENT_STARTS[next.state] ?? 2) : taken;
    const piece = rest.slice(0, kept);
    if (place.state === 'text' || place.state === 'rawText') {
      written += writeText(piece, next.state !== place.state && !beginsComment);
    } else if (isComment(place.state) && place.delimiter === '') {
      written += at + taken === 0 ? '' : writeComment(place.state, piece);
    } else if (isScriptLiteral(place.state)) {
      written += piece.replace(/<(script|\/script|!--)/gi, '\\x3C$1');
    } else {
      written += piece;
    }
    place = next;
    at += taken;
  }
  return { place, written };
}
