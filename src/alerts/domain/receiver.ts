import { filterMatches, type Matcher } from './matcher/matcher.ts';
import type { Pairs } from './notification.ts';

/** Whether all matchers match the labels of a receiver, which always include its name. */
export function receiverMatches(labels: Pairs, matchers: readonly Matcher[]): boolean {
  return matchers.every((matcher) =>
    filterMatches(matcher, Object.hasOwn(labels, matcher.name) ? labels[matcher.name] : undefined),
  );
}
