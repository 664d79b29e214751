import { isClassicLabelName, isUtf8LabelName } from '../domain/label-name.ts';
import { compareMatchers, createMatcher, type Matcher, type MatchOperator, printMatcher } from '../domain/matcher.ts';
import { type MatcherMode, type ParseWarning, parseMatchers } from '../domain/matcher-parse.ts';
import { quoteGo } from '../domain/quote.ts';
import { type Kind, list, located, map, optional, readAll, refined, text } from './kind.ts';

/** How matchers and the names of labels are read, and who hears of input that only the classic parser can read. */
export interface MatcherReading {
  readonly mode: MatcherMode;
  onWarning(line: number | undefined, warning: ParseWarning): void;
}

export function isLabelName(name: string, mode: MatcherMode): boolean {
  return mode === 'classic' ? isClassicLabelName(name) : isUtf8LabelName(name);
}

/** A list of texts, each of which holds any number of matchers; sorted. */
export function matcherList({ mode, onWarning }: MatcherReading): Kind<readonly Matcher[]> {
  // Large files say the same again and again.
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

/** The old way to write `=`: label and value. */
export const equalities = optional(located(refined(map(text), classicNames)));

/** The old way to write `=~`: label and expression. */
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

/** What the old ways and the new one say together; sorted. */
export function joinMatchers(old: OldMatchers, matchers: readonly Matcher[] | undefined): readonly Matcher[] {
  const equal = Object.entries(old.equalities?.value ?? {}).map(([name, value]) => matcherOf(name, '=', value));
  // Upstream hands on the anchored expression, and names groups by it.
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
