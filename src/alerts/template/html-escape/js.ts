import { quoteGo } from '../../domain/quote.ts';
import { type HtmlPlace, type HtmlState, refuse, type Step } from './place.ts';

const BEFORE_REGEXP: ReadonlySet<string> = new Set([
  'break',
  'case',
  'continue',
  'delete',
  'do',
  'else',
  'finally',
  'in',
  'instanceof',
  'return',
  'throw',
  'try',
  'typeof',
  'void',
]);

const MAX_WORD = 'instanceof'.length;

function repeatedAtEnd(text: string, char: string): number {
  let count = 0;
  while (text.at(-1 - count) === char) count++;
  return count;
}

/** What a slash would begin after JavaScript without strings, comments or regular expressions. */
function slashAfter(code: string, before: HtmlPlace['slash']): HtmlPlace['slash'] {
  const text = code.trimEnd();
  const last = text.at(-1);
  if (last === undefined) return before;
  if (last === '+' || last === '-') return repeatedAtEnd(text, last) % 2 === 1 ? 'regexp' : 'division';
  if (last === '.') return /\d/.test(text.at(-2) ?? '') ? 'division' : 'regexp';
  if (',<>=*%&|^?!~([:;{}'.includes(last)) return 'regexp';
  const [word] = /[$\w]*$/.exec(text.slice(-MAX_WORD - 1)) as RegExpExecArray;
  return BEFORE_REGEXP.has(word) ? 'regexp' : 'division';
}

const JS_TOKEN = /["'`{}]|\/\/|\/\*|\/|<!--|-->|#!|[<\-#]/;

const STATE_OF_TOKEN: Readonly<Record<string, HtmlState>> = {
  '"': 'jsDoubleQuoted',
  "'": 'jsSingleQuoted',
  '`': 'jsTemplate',
  '//': 'jsLineComment',
  '#!': 'jsLineComment',
  '/*': 'jsBlockComment',
  '<!--': 'jsOpeningComment',
  '-->': 'jsClosingComment',
};

/** Braces count only within the `${…}` of a template literal, which the last one ends. */
function stepBrace(place: HtmlPlace, brace: string): HtmlPlace {
  const slash = slashAfter(brace, place.slash);
  const depth = place.braces.at(-1);
  if (depth === undefined) return { ...place, slash };
  const outer = place.braces.slice(0, -1);
  if (brace === '{') return { ...place, slash, braces: [...outer, depth + 1] };
  return depth > 0
    ? { ...place, slash, braces: [...outer, depth - 1] }
    : { ...place, state: 'jsTemplate', braces: outer };
}

/** The place after the next token that matters in JavaScript. */
export function stepJs(place: HtmlPlace, text: string): Step {
  const match = JS_TOKEN.exec(text);
  if (!match) return [{ ...place, slash: slashAfter(text, place.slash) }, text.length];
  const [token] = match;
  const taken = match.index + token.length;
  const here = { ...place, slash: slashAfter(text.slice(0, match.index), place.slash) };
  if (token === '{' || token === '}') return [stepBrace(here, token), taken];
  if (token === '/') {
    return here.slash === 'regexp' ? [{ ...here, state: 'jsRegexp' }, taken] : [{ ...here, slash: 'regexp' }, taken];
  }
  const state = STATE_OF_TOKEN[token];
  if (!state) return [here, taken];
  return [{ ...here, state, slash: /["'`]/.test(token) ? 'regexp' : here.slash }, taken];
}

/** The place after a template literal, the beginning of a `${…}` in it, or the available part of it. */
export function stepJsTemplate(place: HtmlPlace, text: string): Step {
  for (const { 0: token, index } of text.matchAll(/\\.?|\$\{|`/gs)) {
    const taken = index + token.length;
    if (token === '`') return [{ ...place, state: 'js' }, taken];
    if (token === '${') return [{ ...place, state: 'js', braces: [...place.braces, 0] }, taken];
    if (token === '\\') refuse(`unfinished escape sequence in JS string: ${quoteGo(text)}`);
  }
  return [place, text.length];
}

const SPECIALS: Partial<Record<HtmlState, RegExp>> = {
  jsDoubleQuoted: /[\\"]/g,
  jsSingleQuoted: /[\\']/g,
  jsRegexp: /[\\/[\]]/g,
};

/** The place after a JavaScript string or regular expression, or after the available part of it. */
export function stepJsDelimited(place: HtmlPlace, text: string): Step {
  let inSet = false;
  let from = 0;
  for (const { 0: char, index } of text.matchAll(SPECIALS[place.state] as RegExp)) {
    if (index < from) continue;
    if (char === '\\') {
      if (index + 1 === text.length) refuse(`unfinished escape sequence in JS string: ${quoteGo(text)}`);
      from = index + 2;
    } else if (char === '[' || char === ']') {
      inSet = char === '[';
    } else if (char === '/' && /^<\/script$/i.test(text.slice(Math.max(0, index - 1), index + 7))) {
      // Escaped on output, so that it ends neither the script nor the expression.
      from = index + 2;
    } else if (!inSet) {
      return [{ ...place, state: 'js', slash: 'division' }, index + 1];
    }
  }
  if (inSet) refuse(`unfinished JS regexp charset: ${quoteGo(text)}`);
  return [place, text.length];
}
