import { type Outcome, refused } from '../../../kernel/outcome.ts';
import { type Matcher, printMatcher, sameMatcher } from './matcher.ts';
import { parseClassicMatcher, parseClassicMatchers } from './parse-classic.ts';
import { parseUtf8Matcher, parseUtf8Matchers } from './parse-utf8.ts';

/**
 * The matcher syntax. `fallback`: the UTF-8 one, unless only the classic one reads the input, or reads it differently;
 * then the classic reading counts.
 */
export type MatcherMode = 'fallback' | 'utf8-strict' | 'classic';

/** An input that will change its meaning or become invalid without the classic syntax; fields for the log. */
export interface ParseWarning {
  readonly message: string;
  readonly input: string;
  /** Why the UTF-8 parser refuses the input; absent when it reads it differently. */
  readonly reason?: string;
  /** The same matchers in a form on which both parsers agree. */
  readonly suggestion: string;
}

type WarningSink = (warning: ParseWarning) => void;

/** Chooses between the readings of both parsers. */
function reconcile<T>(
  input: string,
  utf8: Outcome<T>,
  classic: Outcome<T>,
  listOf: (value: T) => readonly Matcher[],
  onWarning: WarningSink | undefined,
): Outcome<T> {
  if (!classic.ok) return utf8.ok ? utf8 : classic;
  const matchers = listOf(classic.value);
  const suggestion = matchers.map(printMatcher).join(',');
  if (!utf8.ok) {
    const message =
      'only the classic matcher syntax allows this input: put values and regular expressions in double quotes, double their backslashes';
    onWarning?.({ message, input, reason: utf8.reason, suggestion });
    return classic;
  }
  const others = listOf(utf8.value);
  const isSame = matchers.length === others.length && matchers.every((m, i) => sameMatcher(m, others[i] as Matcher));
  if (isSame) return utf8;
  onWarning?.({ message: 'the classic and the UTF-8 matcher syntax differ on this input', input, suggestion });
  return classic;
}

/** Parses one matcher, such as a filter of the API. `onWarning` is called for input that needs `fallback`. */
export function parseMatcher(input: string, mode: MatcherMode, onWarning?: WarningSink): Outcome<Matcher> {
  if (mode === 'classic') return parseClassicMatcher(input);
  if (input.startsWith('{') || input.endsWith('}')) return refused(`unexpected open or close brace: ${input}`);
  const utf8 = parseUtf8Matcher(input);
  if (mode === 'utf8-strict') return utf8;
  return reconcile(input, utf8, parseClassicMatcher(input), (matcher) => [matcher], onWarning);
}

/** Parses a list of matchers, such as `{a="b",c=~"d"}`, which may be empty. */
export function parseMatchers(input: string, mode: MatcherMode, onWarning?: WarningSink): Outcome<readonly Matcher[]> {
  if (mode === 'classic') return parseClassicMatchers(input);
  const utf8 = parseUtf8Matchers(input);
  if (mode === 'utf8-strict') return utf8;
  return reconcile(input, utf8, parseClassicMatchers(input), (matchers) => matchers, onWarning);
}
