import type { PageState } from '../data/state.ts';

/** Time until a user's live events are fetched again. */
export const LIVE_TTL_MS = 5 * 60_000;
/** Overlap of a later fetch with the previous one. */
export const OVERLAP_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const MAX_HOURS = 365 * DAY_HOURS;
const DOUBLINGS = 3;

/** Epoch milliseconds; `from` undefined: without bound, `to` undefined: now. */
export interface LiveRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Of an assistant: only if something has changed after this version of its requests. */
  readonly changedAfter?: number | undefined;
}

/** The cached range of a user. */
export interface LiveCoverage {
  readonly from: number | undefined;
  readonly to: number;
  readonly fetchedAt: number;
  readonly newestAt: number | undefined;
  /** Of an assistant: the version that its requests have at least. */
  readonly version?: number | undefined;
}

/** The requests that complete the wanted range; none if the cache is fresh and reaches far enough. */
export function planFetches(
  cached: LiveCoverage | undefined,
  from: number | undefined,
  now: number,
  refresh: boolean,
): readonly LiveRange[] {
  const start = from === undefined ? undefined : Math.floor(from / MINUTE_MS) * MINUTE_MS;
  if (!cached) return [{ from: start, to: undefined }];
  const plan: LiveRange[] = [];
  if (cached.from !== undefined && (start === undefined || start < cached.from)) {
    plan.push({ from: start, to: cached.from + OVERLAP_MS });
  }
  if (refresh || now - cached.fetchedAt >= LIVE_TTL_MS) {
    const since = (cached.newestAt ?? cached.to) - OVERLAP_MS;
    plan.push({ from: Math.floor(since / MINUTE_MS) * MINUTE_MS, to: undefined });
  }
  return plan;
}

/** The same for an assistant, whose server knows what has changed. */
export function planAgentFetches(cached: LiveCoverage | undefined, from: number | undefined): readonly LiveRange[] {
  const start = from === undefined ? undefined : Math.floor(from / MINUTE_MS) * MINUTE_MS;
  if (!cached) return [{ from: start, to: undefined }];
  const changes = { from: cached.from, to: undefined, changedAfter: cached.version };
  const isEnough = cached.from === undefined || (start !== undefined && start >= cached.from);
  return isEnough ? [changes] : [changes, { from: start, to: cached.from - 1 }];
}

/** Hours that likely hold the newest `count` requests; undefined: without bounds. */
export function windowHours(count: number | 'all'): number | undefined {
  if (count === 'all') return undefined;
  const [, days] = WINDOW_DAYS.find(([most]) => count <= most) ?? [0, 365];
  return days * DAY_HOURS;
}
const WINDOW_DAYS = [
  [10, 2],
  [25, 5],
  [50, 7],
  [100, 14],
  [250, 30],
  [500, 90],
  [1000, 180],
] as const;

/** The next wider window after one with too few requests; undefined: stop. */
export function widerHours(hours: number, tries: number): number | undefined {
  return tries >= DOUBLINGS || hours >= MAX_HOURS ? undefined : Math.min(MAX_HOURS, hours * 2);
}

/** The first instant of live data that the selection needs; undefined: all. */
export function wantedFrom(state: PageState, customFrom: number | undefined, now: number): number | undefined {
  if (state.mode === 'count') {
    const { mode, count, to } = state.count;
    const hours = windowHours(mode === 'all' ? 'all' : mode === 'rank' ? to : count);
    return hours === undefined ? undefined : now - hours * HOUR_MS;
  }
  if (state.time.mode === 'hours') return now - state.time.hours * HOUR_MS;
  return state.time.mode === 'custom' ? customFrom : undefined;
}
