import type { Matcher } from '../domain/matcher/matcher.ts';
import { quoteGo } from '../domain/quote.ts';
import type { RouteSettings } from '../domain/route.ts';
import {
  bool,
  duration,
  type Kind,
  type Located,
  lazy,
  list,
  located,
  map,
  object,
  optional,
  refined,
  text,
  withDefault,
} from './kind.ts';
import {
  equalities,
  expressions,
  isLabelName,
  joinMatchers,
  type MatcherReading,
  matcherList,
} from './matcher-config.ts';

/** A route as in the file; undefined values are inherited. */
export interface RawRoute {
  readonly receiver: Located<string> | undefined;
  readonly groupBy: readonly string[] | undefined;
  readonly match: Located<Readonly<Record<string, string>>> | undefined;
  readonly matchRe: Located<Readonly<Record<string, Matcher>>> | undefined;
  readonly matchers: Located<readonly Matcher[]> | undefined;
  readonly muteTimeIntervals: readonly Located<string>[];
  readonly activeTimeIntervals: readonly Located<string>[];
  readonly continue: Located<boolean>;
  readonly routes: readonly Located<RawRoute>[];
  readonly groupWait: number | undefined;
  readonly groupInterval: Located<number> | undefined;
  readonly repeatInterval: Located<number> | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

const notZero = (field: string) =>
  located(refined(duration, (ms) => (ms === 0 ? `${field} cannot be zero` : undefined)));

const FALSE: Located<boolean> = { value: false, line: undefined };

/** Routes with their descendants. */
export function routeKind(reading: MatcherReading): Kind<Located<RawRoute>> {
  const names = (check: (names: readonly string[]) => string | undefined) => refined(list(text), check);
  const route: Kind<RawRoute> = object({
    receiver: optional(located(text)),
    group_by: optional(names((labels) => checkGroupBy(labels, reading))),
    match: equalities,
    match_re: expressions,
    matchers: optional(located(matcherList(reading))),
    mute_time_intervals: withDefault(list(located(text)), []),
    active_time_intervals: withDefault(list(located(text)), []),
    continue: withDefault(located(bool), FALSE),
    routes: withDefault(
      list(
        lazy(() => located(route)),
        'missing route',
      ),
      [],
    ),
    group_wait: optional(duration),
    group_interval: optional(notZero('group_interval')),
    repeat_interval: optional(notZero('repeat_interval')),
    labels: optional(refined(map(text), (labels) => checkLabels(labels, reading))),
  });
  return located(route);
}

function checkLabels(labels: Readonly<Record<string, string>>, { mode }: MatcherReading): string | undefined {
  const wrong = Object.keys(labels).find((name) => !isLabelName(name, mode));
  return wrong === undefined ? undefined : `invalid label name ${quoteGo(wrong)} in route labels`;
}

function checkGroupBy(names: readonly string[], { mode }: MatcherReading): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '...') continue;
    if (!isLabelName(name, mode)) return `invalid label name ${quoteGo(name)} in group_by list`;
    if (seen.has(name)) return `duplicated label ${quoteGo(name)} in group_by`;
    seen.add(name);
  }
  if (seen.size > 0 && names.includes('...')) {
    return 'cannot have wildcard group_by (`...`) and other labels at the same time';
  }
  return undefined;
}

type Inherited = Pick<
  RouteSettings,
  'receiver' | 'groupBy' | 'groupWaitMs' | 'groupIntervalMs' | 'repeatIntervalMs' | 'labels'
>;

/** The defaults of the root route. */
const ROOT: Inherited = {
  receiver: '',
  groupBy: [],
  groupWaitMs: 30_000,
  groupIntervalMs: 300_000,
  repeatIntervalMs: 14_400_000,
  labels: {},
};

/** Fills in inherited values. */
export function inheritRoutes(raw: RawRoute, parent: Inherited = ROOT): RouteSettings {
  const own: Inherited = {
    receiver: raw.receiver?.value || parent.receiver,
    groupBy: raw.groupBy?.includes('...') ? 'all' : (raw.groupBy ?? parent.groupBy),
    groupWaitMs: raw.groupWait ?? parent.groupWaitMs,
    groupIntervalMs: raw.groupInterval?.value ?? parent.groupIntervalMs,
    repeatIntervalMs: raw.repeatInterval?.value ?? parent.repeatIntervalMs,
    labels: raw.labels ? { ...parent.labels, ...raw.labels } : parent.labels,
  };
  return {
    ...own,
    matchers: joinMatchers({ equalities: raw.match, expressions: raw.matchRe }, raw.matchers?.value),
    continue: raw.continue.value,
    muteTimeIntervals: raw.muteTimeIntervals.map(({ value }) => value),
    activeTimeIntervals: raw.activeTimeIntervals.map(({ value }) => value),
    routes: raw.routes.map(({ value }) => inheritRoutes(value, own)),
  };
}

/** Visits a route and its descendants, in the order of the file. */
export function eachRoute(route: Located<RawRoute>, visit: (route: Located<RawRoute>) => void): void {
  visit(route);
  for (const child of route.value.routes) eachRoute(child, visit);
}
