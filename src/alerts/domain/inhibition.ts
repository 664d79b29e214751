import { type LabelSet, labelValue } from './label-set.ts';
import type { Matcher } from './matcher/matcher.ts';

/** While a source fires, targets with the same values of the `equal` labels are inhibited. */
export interface InhibitionRule {
  /** Empty where the configuration gives none. */
  readonly name: string;
  readonly sourceMatchers: readonly Matcher[];
  readonly targetMatchers: readonly Matcher[];
  /** Labels whose values must be equal on both sides; an absent label counts as ''. */
  readonly equal: readonly string[];
}

/** The same for a source and a target whose `equal` labels agree, and for no others. */
export function equalKey({ equal }: InhibitionRule, labels: LabelSet): string {
  if (equal.length === 0) return '';
  if (equal.length === 1) return labelValue(labels, equal[0] as string) ?? '';
  return JSON.stringify(equal.map((name) => labelValue(labels, name) ?? ''));
}
