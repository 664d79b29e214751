import { type Matcher, RE2JS } from 're2js';
import { compileUnanchored, type Pattern } from '../../../kernel/regexp/regexp.ts';
import { type CallContext, CallError, MAX_CHARACTERS, type TemplateFunction } from '../callable.ts';

interface Compiled {
  readonly pattern: Pattern;
  /** Made at the first replacement. */
  automaton?: RE2JS;
}

/** Cached patterns; templates have few. */
const MAX_PATTERNS = 200;
const known = new Map<string, Compiled>();

function compile(source: string): Compiled | string {
  const found = known.get(source);
  if (found) return found;
  const result = compileUnanchored(source);
  if (!result.ok) return result.reason;
  if (known.size >= MAX_PATTERNS) known.clear();
  const compiled: Compiled = { pattern: result.pattern };
  known.set(source, compiled);
  return compiled;
}

/** `$1`, `${1}`, `$name`, `${name}` and `$$`; a name without braces is as long as it can be. */
const REFERENCE = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

function groupText(matcher: Matcher, name: string, names: Readonly<Record<string, number>>): string {
  const isNumber = /^(?:0|[1-9]\d*)$/.test(name);
  const index = isNumber ? Number(name) : Object.hasOwn(names, name) ? (names[name] as number) : -1;
  return index < 0 || index > matcher.groupCount() ? '' : (matcher.group(index) ?? '');
}

/** Replaces every match like Go: an empty match right after another does not count. */
function replaceAll(automaton: RE2JS, replacement: string, text: string): string {
  const matcher = automaton.matcher(text);
  const names = automaton.namedGroups() as Record<string, number>;
  const parts: string[] = [];
  let end = 0;
  let length = 0;
  let isFirst = true;
  while (matcher.find()) {
    const start = matcher.start();
    if (!isFirst && matcher.end() === start && start === end) continue;
    isFirst = false;
    const expanded = replacement.replace(REFERENCE, (reference, braced?: string, plain?: string) =>
      reference === '$$' ? '$' : groupText(matcher, (braced ?? plain) as string, names),
    );
    parts.push(text.slice(end, start), expanded);
    length += expanded.length;
    if (length > MAX_CHARACTERS) throw new CallError('the text grows too long');
    end = matcher.end();
  }
  return parts.join('') + text.slice(end);
}

/** Steps per character: a match takes much more time than other work. */
const spendOnMatch = (context: CallContext, text: string) => context.spend(text.length >> 1);

export const REGEXP_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  match: {
    parameters: ['string', 'string'],
    call([source, text], context) {
      const compiled = compile(source as string);
      if (typeof compiled === 'string') throw new CallError(compiled);
      spendOnMatch(context, text as string);
      return compiled.pattern.test(text as string);
    },
  },
  reReplaceAll: {
    parameters: ['string', 'string', 'string'],
    call([source, replacement, text], context) {
      const compiled = compile(source as string);
      if (typeof compiled === 'string') throw new CallError(`regexp: Compile(\`${source}\`): ${compiled}`);
      compiled.automaton ??= RE2JS.compile(source as string);
      spendOnMatch(context, text as string);
      return replaceAll(compiled.automaton, replacement as string, text as string);
    },
  },
};
