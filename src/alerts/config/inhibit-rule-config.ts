import type { Matcher } from '../domain/matcher/matcher.ts';
import { quoteGo } from '../domain/quote.ts';
import { type Kind, type Located, list, located, object, optional, refined, text, withDefault } from './kind.ts';
import {
  equalities,
  expressions,
  isLabelName,
  joinMatchers,
  type MatcherReading,
  matcherList,
} from './matcher-config.ts';

/** While an alert that matches the source fires, alerts that match the target are not sent. */
export interface InhibitRuleConfig {
  /** Empty unless given. */
  readonly name: string;
  readonly sourceMatchers: readonly Matcher[];
  readonly targetMatchers: readonly Matcher[];
  /** Labels whose values must be equal in source and target. */
  readonly equal: readonly string[];
}

/** A rule as the file has it. */
export interface RawInhibitRule {
  readonly name: string;
  readonly sourceMatch: Located<Readonly<Record<string, string>>> | undefined;
  readonly sourceMatchRe: Located<Readonly<Record<string, Matcher>>> | undefined;
  readonly sourceMatchers: readonly Matcher[] | undefined;
  readonly targetMatch: Located<Readonly<Record<string, string>>> | undefined;
  readonly targetMatchRe: Located<Readonly<Record<string, Matcher>>> | undefined;
  readonly targetMatchers: readonly Matcher[] | undefined;
  readonly equal: readonly string[];
}

export function inhibitRuleKind(reading: MatcherReading): Kind<Located<RawInhibitRule>> {
  const checkEqual = (names: readonly string[]) => {
    const wrong = names.find((name) => !isLabelName(name, reading.mode));
    return wrong === undefined ? undefined : `invalid label name ${quoteGo(wrong)} in equal list`;
  };
  return located(
    object({
      name: withDefault(text, ''),
      source_match: equalities,
      source_match_re: expressions,
      source_matchers: optional(matcherList(reading)),
      target_match: equalities,
      target_match_re: expressions,
      target_matchers: optional(matcherList(reading)),
      equal: withDefault(refined(list(text), checkEqual), []),
    }),
  );
}

export function resolveInhibitRule(raw: RawInhibitRule): InhibitRuleConfig {
  return {
    name: raw.name,
    sourceMatchers: joinMatchers({ equalities: raw.sourceMatch, expressions: raw.sourceMatchRe }, raw.sourceMatchers),
    targetMatchers: joinMatchers({ equalities: raw.targetMatch, expressions: raw.targetMatchRe }, raw.targetMatchers),
    equal: raw.equal,
  };
}
