import { isClassicLabelName, isUtf8LabelName } from '../domain/label-name.ts';
import {
  compareMatchers,
  createMatcher,
  type Matcher,
  type MatchOperator,
  printMatcher,
} from '../domain/matcher/matcher.ts';
import { type MatcherMode, type ParseWarning, parseMatchers } from '../domain/matcher/parse.ts';
import { quoteGo } from '../domain/quote.ts';
import { type Kind, list, located, map, optional, readAll, refined, text } from './kind.ts';

/** The syntax of matchers and label names, and the listener for input that only the classic parser can read. */
export interface MatcherReading {
  readonly mode: MatcherMode;
  onWarning(line: number | undefined, warning: ParseWarning): void;
}

export function isLabelName(name: string, mode: MatcherMode): boolean {
  return mode === 'classic' ? isClassicLabelName(name) : isUtf8LabelName(name);
}

/** A list of texts, each with any number of matchers; sorted. */
export function matcherList({ mode, onWarning }: MatcherReading): Kind<readonly Matcher[]> {
  // Large files repeat matchers.
  const known = new Map<string, readonly Matcher[]>();
  const matchers: Kind<readonly Matcher[]> = {
    read(node) {
      const input = node.text();
      const before = known.get(input);
      if (before) return before;
      let hasWarning = false;
      const parsed = parseMatchers(input, mode, (warning) => {
        hasWarning = true;
        onWarning(node.line, warning);
      });
      if (!parsed.ok) throw node.fault(parsed.reason);
      if (!hasWarning) known.set(input, parsed.value);
      return parsed.value;
    },
    print: (values) => (values.length > 0 ? values.map(printMatcher) : undefined),
  };
  const lists = list(matchers);
  return {
    read: (node) => lists.read(node).flat().sort(compareMatchers),
    print: matchers.print,
  };
}

const classicNames = (values: Readonly<Record<string, unknown>>) => {
  const wrong = Object.keys(values).find((name) => !isClassicLabelName(name));
  return wrong === undefined ? undefined : `invalid label name ${quoteGo(wrong)}`;
};

/** The old form of `=`: label and value. */
export const equalities = optional(located(refined(map(text), classicNames)));

/** The old form of `=~`: label and expression. */
const expression: Kind<Matcher> = {
  read(node) {
    const made = createMatcher('', '=~', node.text());
    if (!made.ok) throw node.fault(made.reason);
    return made.value;
  },
  print: ({ value }) => value,
};

const namedExpressions = refined(map(expression), classicNames);

export const expressions = optional(
  located<Readonly<Record<string, Matcher>>>({
    read(node) {
      readAll(
        node.entries().map(([name, value]) => () => {
          if (value.isNothing) throw value.fault(`invalid regexp value for ${quoteGo(name.written())}`);
        }),
      );
      return namedExpressions.read(node);
    },
    print: namedExpressions.print,
  }),
);

interface OldMatchers {
  readonly equalities: { readonly value: Readonly<Record<string, string>> } | undefined;
  readonly expressions: { readonly value: Readonly<Record<string, Matcher>> } | undefined;
}

/** The matchers of the old forms and the new one; sorted. */
export function joinMatchers(old: OldMatchers, matchers: readonly Matcher[] | undefined): readonly Matcher[] {
  const equal = Object.entries(old.equalities?.value ?? {}).map(([name, value]) => matcherOf(name, '=', value));
  // Alertmanager keeps the anchored expression and uses it in group keys.
  const like = Object.entries(old.expressions?.value ?? {}).map(([name, matcher]) => ({
    ...matcher,
    name,
    value: `^(?:${matcher.value})$`,
  }));
  return [...equal, ...like, ...(matchers ?? [])].sort(compareMatchers);
}

function matcherOf(name: string, operator: MatchOperator, value: string): Matcher {
  const made = createMatcher(name, operator, value);
  if (!made.ok) throw new Error(made.reason);
  return made.value;
}
