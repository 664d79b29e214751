import type { Pattern } from '../../kernel/regexp/regexp.ts';
import type { StateSelection } from '../domain/alert-status.ts';
import { type LabelSet, labelValue } from '../domain/label-set.ts';
import { filterMatches, type Matcher } from '../domain/matcher/matcher.ts';
import type { Pairs } from '../domain/notification.ts';
import { receiverMatches } from '../domain/receiver.ts';
import type { Route } from '../domain/route.ts';
import type { AlertGroup } from '../store/group.ts';

/** The wanted alerts. */
export interface AlertQuery {
  /** All must match the labels of an alert. */
  readonly filter: readonly Matcher[];
  /** Some receiver of the alert must match. */
  readonly receiver: Pattern | undefined;
  /** All must match the labels of one receiver of the alert. */
  readonly receiverMatchers: readonly Matcher[];
  readonly states: StateSelection;
  /** Whether muted groups are wanted. */
  readonly muted: boolean;
}

/** Receivers and routes of the configuration in force. */
export interface RoutingNames {
  /** Always with its name. */
  receiverLabels(name: string): Pairs;
  routeLabels(group: AlertGroup): Pairs;
}

export function takesAllStates({ active, silenced, inhibited, unprocessed }: StateSelection): boolean {
  return active && silenced && inhibited && unprocessed;
}

export function takesAllReceivers({ receiver, receiverMatchers }: AlertQuery): boolean {
  return !receiver && receiverMatchers.length === 0;
}

/** The same for equal queries. */
export function keyOfQuery({ filter, receiver, receiverMatchers, states, muted }: AlertQuery): string {
  const { active, silenced, inhibited, unprocessed } = states;
  const words = (matchers: readonly Matcher[]) => matchers.map(({ name, operator, value }) => [name, operator, value]);
  const flags = [active, silenced, inhibited, unprocessed, muted];
  return JSON.stringify([flags, words(filter), receiver?.source ?? null, words(receiverMatchers)]);
}

/** Alerts of one rule share their label names, so a label's place is looked up once for all of them. */
export function filterTest(filter: readonly Matcher[]): (labels: LabelSet) => boolean {
  const tests = filter.map((matcher) => {
    let known: readonly string[] = [];
    let place = -1;
    return ({ names, values }: LabelSet) => {
      if (names !== known) place = names.indexOf(matcher.name);
      known = names;
      return filterMatches(matcher, place < 0 ? undefined : values[place]);
    };
  });
  return (labels) => tests.every((test) => test(labels));
}

/**
 * The part of a filter that must be tested on each alert of a group, as the group's labels decide the rest; undefined when
 * no alert can pass.
 */
export function openFilter(filter: readonly Matcher[], { route, labels }: AlertGroup): readonly Matcher[] | undefined {
  const { groupBy } = route;
  const open: Matcher[] = [];
  for (const matcher of filter) {
    if (groupBy !== 'all' && !groupBy.has(matcher.name)) open.push(matcher);
    else if (!filterMatches(matcher, labelValue(labels, matcher.name))) return undefined;
  }
  return open;
}

/** Tests each receiver once, however many alerts it has. */
export function receiverTest(query: AlertQuery, names: RoutingNames): (route: Route) => boolean {
  if (takesAllReceivers(query)) return () => true;
  const { receiver, receiverMatchers } = query;
  const known = new Map<string, boolean>();
  const test = (name: string) =>
    (receiver?.test(name) ?? true) && receiverMatches(names.receiverLabels(name), receiverMatchers);
  return (route) => {
    const wanted = known.get(route.receiver) ?? test(route.receiver);
    known.set(route.receiver, wanted);
    return wanted;
  };
}
