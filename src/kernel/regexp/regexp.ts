import { RE2JS, RE2JSSyntaxException } from 're2js';
import { messageOf } from '../errors.ts';
import { estimateProgramSize, renameGroups } from './scan.ts';
import { anchoredShape, unanchoredShape } from './shape.ts';

/** A regular expression that users supplied. It means what Go's regexp (RE2) means and runs in linear time. */
export interface Pattern {
  /** As the user wrote it. */
  readonly source: string;
  test(text: string): boolean;
}

export type PatternResult =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly reason: string };

/** The longest source that is compiled, in UTF-16 code units. */
export const MAX_SOURCE = 10_000;

/** The largest program, in instructions: Go allows 1.4 million, which would take seconds and 400 MB here. */
const MAX_PROGRAM = 20_000;

/** Maximum bytes of an automaton's cache of states; beyond it the cache is cleared or not used. */
const AUTOMATON_BYTES = 256 * 1024;

const DUPLICATE_NAME = 'duplicate capture group name';
const TOO_LARGE = 'expression too large';

/** In these errors Go quotes the whole pattern; re2js quotes nothing in the last two. */
const QUOTING_WHOLE = new Set(['missing closing )', 'unexpected )', 'expression nests too deeply', TOO_LARGE]);

const refusal = (description: string, quoted: string): PatternResult => ({
  ok: false,
  reason: `error parsing regexp: ${description}: \`${quoted}\``,
});

function refusalOf(error: unknown, expression: string): PatternResult {
  if (!(error instanceof RE2JSSyntaxException)) return refusal(messageOf(error), expression);
  const description = error.getDescription();
  return refusal(description, QUOTING_WHOLE.has(description) ? expression : (error.getPattern() ?? ''));
}

/** Go, unlike re2js, allows two groups of one name; a test needs no names. */
function compileAutomaton(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException && error.getDescription() === DUPLICATE_NAME)) throw error;
    return RE2JS.compile(renameGroups(expression));
  }
}

function boundMemory(automaton: RE2JS): void {
  const engine = automaton.re2();
  if (engine.onepass !== null || engine.prefixComplete) return;
  engine.dfa.stateBudget = AUTOMATON_BYTES;
  engine.dfa.memBudget = AUTOMATON_BYTES;
}

function automatonTest(automaton: RE2JS): (text: string) => boolean {
  let bounded = false;
  return (text) => {
    if (!bounded) {
      boundMemory(automaton);
      bounded = true;
    }
    return automaton.test(text);
  };
}

/** Compiled patterns in use, by expression: thousands of silences may hold the same one, of some kilobytes each. */
const compiled = new Map<string, WeakRef<Pattern>>();
const unused = new FinalizationRegistry<string>((expression) => {
  if (!compiled.get(expression)?.deref()) compiled.delete(expression);
});

function compile(source: string, expression: string): PatternResult {
  const known = compiled.get(expression)?.deref();
  // An anchored pattern may have the expression of an unanchored one.
  if (known?.source === source) return { ok: true, pattern: known };
  try {
    if (estimateProgramSize(expression) > MAX_PROGRAM) return refusal(TOO_LARGE, expression);
    const pattern: Pattern = { source, test: automatonTest(compileAutomaton(expression)) };
    compiled.set(expression, new WeakRef(pattern));
    unused.register(pattern, expression);
    return { ok: true, pattern };
  } catch (error) {
    return refusalOf(error, expression);
  }
}

function unfit(source: string): PatternResult | undefined {
  if (source.length > MAX_SOURCE) {
    return { ok: false, reason: `regular expression too long: ${source.length} characters (limit: ${MAX_SOURCE})` };
  }
  return /\p{Surrogate}/u.test(source) ? refusal('invalid UTF-8', source) : undefined;
}

/**
 * Compiles a source that must match a text as a whole, as `^(?:source)$`. The reason of a refusal is Go's, and quotes
 * that expression. Never throws.
 */
export function compileAnchored(source: string): PatternResult {
  const refused = unfit(source);
  if (refused) return refused;
  const test = anchoredShape(source);
  return test ? { ok: true, pattern: { source, test } } : compile(source, `^(?:${source})$`);
}

/** Compiles a source that may match anywhere in a text. The reason of a refusal is Go's. Never throws. */
export function compileUnanchored(source: string): PatternResult {
  const refused = unfit(source);
  if (refused) return refused;
  const test = unanchoredShape(source);
  return test ? { ok: true, pattern: { source, test } } : compile(source, source);
}

/** Characters that a search for matches may still read; counted down. */
export interface SearchBudget {
  chars: number;
}

export interface Replacer {
  /**
   * The text with a replacement for every match. Finding all may take the square of its length: when the budget is used up,
   * a text that has a match is replaced as a whole.
   */
  replace(text: string, by: string, budget: SearchBudget): string;
}

export type ReplacerResult =
  | { readonly ok: true; readonly replacer: Replacer }
  | { readonly ok: false; readonly reason: string };

/** Compiles a source whose every match in a text is to be replaced. Refuses as compileUnanchored. Never throws. */
export function compileReplacer(source: string): ReplacerResult {
  const result = compileUnanchored(source);
  if (!result.ok) return result;
  const { test } = result.pattern;
  const automaton = compileAutomaton(source);
  return {
    ok: true,
    replacer: { replace: (text, by, budget) => (test(text) ? replaceMatches(automaton, text, by, budget) : text) },
  };
}

function replaceMatches(automaton: RE2JS, text: string, by: string, budget: SearchBudget): string {
  const matcher = automaton.matcher(text);
  let rest = '';
  let from = 0;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    budget.chars -= text.length - start;
    if (budget.chars < 0) return by;
    if (end === start) continue;
    rest += text.slice(from, start) + by;
    from = end;
  }
  return rest + text.slice(from);
}
