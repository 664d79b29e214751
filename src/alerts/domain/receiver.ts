import { filterMatches, type Matcher } from './matcher.ts';

/** Whether every matcher holds for the labels of a receiver, of which there is one: its name. */
export function receiverMatches(name: string, matchers: readonly Matcher[]): boolean {
  return matchers.every((matcher) => filterMatches(matcher, matcher.name === 'name' ? name : undefined));
}
