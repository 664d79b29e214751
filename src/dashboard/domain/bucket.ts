import type { Granularity, TimeSpan } from './view.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type OffsetSpan, spanAt, type Zone } from './zone.ts';

export type TimeGranularity = Exclude<Granularity, 'event'>;

const STEP_MS = { quarter: 15 * MINUTE_MS, hour: HOUR_MS } as const;

/** Days since 1970-01-01 of the first Monday. */
const FIRST_MONDAY = 4;

/**
 * The starts of the buckets that cover both instants without a gap, in order, and the end of the last. Hours and
 * quarters follow the wall clock and end where clocks change; days, weeks (from Monday) and months follow the zone's
 * calendar, whatever their length.
 */
export function bucketEdges(zone: Zone, granularity: TimeGranularity, from: number, to: number): Float64Array {
  if (granularity === 'quarter' || granularity === 'hour') return clockEdges(zone, STEP_MS[granularity], from, to);
  return calendarEdges(zone, granularity, from, to);
}

function clockEdges(zone: Zone, step: number, from: number, to: number): Float64Array {
  const spans = zone.spans(from, to + step);
  const edges: number[] = [];
  let span = spanAt(spans, from);
  let edge = Math.max(floorLocal(from, step, span), span.from);
  for (;;) {
    edges.push(edge);
    if (edge > to) break;
    const next = floorLocal(edge, step, span) + step;
    if (next < span.to) edge = next;
    else {
      edge = span.to;
      span = spanAt(spans, edge);
    }
  }
  return Float64Array.from(edges);
}

function floorLocal(at: number, step: number, { offsetMs }: OffsetSpan): number {
  return Math.floor((at + offsetMs) / step) * step - offsetMs;
}

function calendarEdges(zone: Zone, granularity: 'day' | 'week' | 'month', from: number, to: number): Float64Array {
  const edges: number[] = [];
  let date = firstDate(granularity, zone.localOf(from));
  for (;;) {
    const edge = zone.instantOf(date);
    // If a zone skips a whole day, two dates begin at one instant.
    if (edge !== edges.at(-1)) edges.push(edge);
    if (edge > to) break;
    date = nextDate(granularity, date);
  }
  return Float64Array.from(edges);
}

function firstDate(granularity: 'day' | 'week' | 'month', local: number): number {
  const day = Math.floor(local / DAY_MS);
  if (granularity === 'day') return day * DAY_MS;
  if (granularity === 'week') return (day - ((((day - FIRST_MONDAY) % 7) + 7) % 7)) * DAY_MS;
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function nextDate(granularity: 'day' | 'week' | 'month', date: number): number {
  if (granularity === 'day') return date + DAY_MS;
  if (granularity === 'week') return date + 7 * DAY_MS;
  const month = new Date(date);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1);
}

/** Keeps every k-th edge and the last, so that at most `cap` buckets remain. */
export function mergeEdges(
  edges: Float64Array,
  cap: number,
): { readonly edges: Float64Array; readonly merged: number } {
  const count = edges.length - 1;
  const merged = Math.max(1, Math.ceil(count / Math.max(1, cap)));
  if (merged === 1) return { edges, merged };
  const kept: number[] = [];
  for (let at = 0; at < count; at += merged) kept.push(edges[at] as number);
  kept.push(edges[count] as number);
  return { edges: Float64Array.from(kept), merged };
}

/** 1 for each instant whose wall-clock time occurs twice in the zone. */
export function findRepeated(zone: Zone, starts: Float64Array): Uint8Array {
  const repeated = new Uint8Array(starts.length);
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return repeated;
  const spans = zone.spans(first - DAY_MS, last + DAY_MS);
  for (const [index, span] of spans.entries()) {
    const before = spans[index - 1];
    const overlap = before ? before.offsetMs - span.offsetMs : 0;
    if (overlap <= 0) continue;
    for (let at = 0; at < starts.length; at++) {
      const start = starts[at] as number;
      if (start >= span.from - overlap && start < span.from + overlap) repeated[at] = 1;
    }
  }
  return repeated;
}

const MAX_MS: readonly (readonly [granularity: TimeGranularity, upTo: number])[] = [
  ['quarter', 6 * HOUR_MS],
  ['hour', 4 * DAY_MS],
  ['day', 92 * DAY_MS],
  ['week', 366 * DAY_MS],
  ['month', Number.POSITIVE_INFINITY],
];

const TYPICAL_MS: Readonly<Record<TimeGranularity, number>> = {
  quarter: STEP_MS.quarter,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

const MAX_SENSIBLE = 2000;

/** A better granularity for a span, if the requested one makes fewer than two columns or thousands. */
export function suggestGranularity(
  granularity: Granularity,
  span: TimeSpan | undefined,
  events: number,
): Granularity | undefined {
  if (!span || events === 0) return undefined;
  const length = span.to - span.from;
  const columns = granularity === 'event' ? events : length / TYPICAL_MS[granularity];
  const isSensible = columns <= MAX_SENSIBLE && (columns >= 2 || granularity === 'event');
  if (isSensible) return undefined;
  const better = MAX_MS.find(([, upTo]) => length <= upTo)?.[0];
  return better === granularity ? undefined : better;
}
