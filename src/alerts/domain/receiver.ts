import { filterMatches, type Matcher } from './matcher.ts';
import type { Pairs } from './notification.ts';

/** Whether every matcher holds for the labels of a receiver, among which its name always is. */
export function receiverMatches(labels: Pairs, matchers: readonly Matcher[]): boolean {
  return matchers.every((matcher) =>
    filterMatches(matcher, Object.hasOwn(labels, matcher.name) ? labels[matcher.name] : undefined),
  );
}
