import { type Alert, acceptAlert, type PostedAlert } from '../domain/alert.ts';
import { createMatcher, type Matcher, type MatchOperator } from '../domain/matcher/matcher.ts';
import type { RouteSettings } from '../domain/route.ts';
import type { PostedSilence, Silence } from '../domain/silence.ts';
import type { AlertSlot } from '../store/slot.ts';

/** 2026-01-01T00:00:00Z, the default of a FakeClock. */
export const START = 1_767_225_600_000;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** A matcher that is known to be a good one. */
export function matcherOf(name: string, operator: MatchOperator, value: string): Matcher {
  const created = createMatcher(name, operator, value);
  if (!created.ok) throw new Error(created.reason);
  return created.value;
}

/** A posted alert with the given labels and nothing else. */
export function postedAlert(labels: Record<string, string>, rest: Partial<PostedAlert> = {}): PostedAlert {
  return { labels, annotations: {}, generatorURL: '', startsAt: undefined, endsAt: undefined, ...rest };
}

/** An accepted alert that fires from START on for five minutes; `rest` replaces fields of it. */
export function alertOf(labels: Record<string, string>, rest: Partial<Alert> = {}): Alert {
  const outcome = acceptAlert(postedAlert(labels), START, { resolveTimeoutMs: 5 * MINUTE, classicNames: false });
  if (!outcome.ok) throw new Error(outcome.reason);
  return { ...outcome.value, ...rest };
}

/** A silence on a="b", active from START on for an hour; `rest` replaces fields of it. */
export function silenceOf(rest: Partial<Silence> = {}): Silence {
  return {
    id: '11111111-1111-4111-8111-111111111111',
    matchers: [matcherOf('a', '=', 'b')],
    startsAt: START,
    endsAt: START + HOUR,
    updatedAt: START,
    createdBy: 'ann',
    comment: 'works',
    annotations: {},
    ...rest,
  };
}

/** A posted silence on `a="b"` for an hour from START on. */
export function postedSilence(rest: Partial<PostedSilence> = {}): PostedSilence & { readonly endsAt: number } {
  return {
    id: '',
    matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: true }],
    startsAt: START,
    createdBy: 'ann',
    comment: 'works',
    annotations: {},
    ...rest,
    endsAt: rest.endsAt ?? START + HOUR,
  };
}

/** For {@link postedSilence}: on another value of the same label. */
export const onLabelA = (value: string) => ({ matchers: [{ name: 'a', value, isRegex: false, isEqual: true }] });

/** A route to `default` that takes every alert into one group; `rest` replaces settings of it. */
export function routeSettings(rest: Partial<RouteSettings> = {}): RouteSettings {
  return {
    receiver: 'default',
    matchers: [],
    continue: false,
    groupBy: [],
    groupWaitMs: 30 * SECOND,
    groupIntervalMs: 5 * MINUTE,
    repeatIntervalMs: 4 * HOUR,
    muteTimeIntervals: [],
    activeTimeIntervals: [],
    labels: {},
    routes: [],
    ...rest,
  };
}

/** Where an alert with these labels lies, as the store would have it; `rest` replaces fields of the alert. */
export function slotOf(labels: Record<string, string>, rest: Partial<Alert> = {}): AlertSlot {
  return {
    id: 1,
    alert: alertOf(labels, rest),
    hasNewContent: true,
    isSettled: false,
    isAnnounced: false,
    isInDoubt: false,
  };
}
