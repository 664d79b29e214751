import { tallyAssigned } from '../breakdown.ts';
import type { SourceIndex } from '../event/source-index.ts';
import { lowerBound, upperBound } from '../row-order.ts';
import type { Buckets, MarkerView, Sums, TimeSpan, ViewQuery } from '../view.ts';
import { appliesTo, countOverlaps, type MarkerInterval, type ProjectMarker } from './marker.ts';

export interface MarkerViewInput {
  readonly index: SourceIndex;
  readonly query: ViewQuery;
  readonly intervals: readonly MarkerInterval[];
  readonly categories: ReadonlyMap<ProjectMarker, string | undefined>;
  readonly buckets: Buckets;
  /** The selection, by time, and where it ends. */
  readonly rows: Uint32Array;
  readonly filterEnd: number;
}

/** The markers of the user filter: their place among the buckets, and their sums. */
export function markerViews(input: MarkerViewInput): readonly MarkerView[] {
  const { index, query, intervals, categories } = input;
  if (intervals.length === 0) return [];
  const overlaps = countOverlaps(intervals);
  const assigned = assignedSums(input);
  const placeOf = input.buckets.granularity === 'event' ? eventPlaces(input) : timePlaces(input);
  return intervals.flatMap((interval, number) => {
    const { marker, from, to, isOpen } = interval;
    if (!appliesTo(marker, query.user)) return [];
    // The filter includes its end, so that the newest event counts.
    const end = to === Number.POSITIVE_INFINITY ? input.filterEnd + 1 : to;
    const user = query.user === 'all' ? marker.user : query.user;
    const raw = index.sumsOf(user, query.costBasis, from, Math.max(from, end));
    const category = categories.get(marker);
    const place = placeOf(interval);
    const own = assigned[number] ?? NOTHING;
    return [{ marker, category, from, to, isOpen, place, raw, assigned: own, overlaps: overlaps[number] ?? 0 }];
  });
}

const NOTHING: Sums = { requests: 0, tokens: 0, cost: 0 };

function assignedSums({ index, query, intervals, filterEnd }: MarkerViewInput): readonly Sums[] {
  const { columns, names, set } = index;
  const cost = index.costOf(query.costBasis);
  const assigned = index.assignedTo(intervals);
  const rows = index.rowsOf(query.user);
  const sums = [...tallyAssigned({ columns, rows, cost }, assigned, intervals.length, names.projects.size)];
  const filtered = rows.subarray(0, upperBound(rows, set.at, filterEnd));
  if (filtered.length === rows.length) return sums;
  const upToEnd = tallyAssigned({ columns, rows: filtered, cost }, assigned, intervals.length, names.projects.size);
  for (const [number, { to }] of intervals.entries()) {
    if (to === Number.POSITIVE_INFINITY) sums[number] = upToEnd[number] ?? NOTHING;
  }
  return sums;
}

type PlaceOf = (interval: MarkerInterval) => MarkerView['place'];

/** First and last bucket that an interval overlaps. */
function timePlaces({ buckets }: MarkerViewInput): PlaceOf {
  const { starts, ends, length } = buckets;
  return ({ from, to }) => {
    const first = countWhere(length, (bucket) => (ends[bucket] as number) <= from);
    const last = countWhere(length, (bucket) => (starts[bucket] as number) < to) - 1;
    return first < length && first <= last ? { first, last } : undefined;
  };
}

/** In buckets of single events: the first and last event that the marker applies to. */
function eventPlaces({ index, query, buckets, rows }: MarkerViewInput): PlaceOf {
  const shown = rowsInView(rows, index.set.at, query.visible);
  const byUser = new Map<string, { readonly places: Uint32Array; readonly rows: Uint32Array }>();
  return ({ marker, from, to }) => {
    let known = byUser.get(marker.user);
    if (!known) {
      const places = index.placesOf(shown, marker);
      known = { places, rows: places.map((place) => shown[place] as number) };
      byUser.set(marker.user, known);
    }
    const { places } = known;
    const low = lowerBound(known.rows, index.set.at, from);
    const high = lowerBound(known.rows, index.set.at, to);
    if (low >= high) return undefined;
    const bucketOf = (place: number) => Math.floor((places[place] as number) / buckets.merged);
    return { first: bucketOf(low), last: bucketOf(high - 1) };
  };
}

function rowsInView(rows: Uint32Array, at: Float64Array, visible: TimeSpan | undefined): Uint32Array {
  if (!visible) return rows;
  return rows.subarray(lowerBound(rows, at, visible.from), upperBound(rows, at, visible.to));
}

/** The number of leading integers from 0 that satisfy a monotonic condition. */
function countWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
