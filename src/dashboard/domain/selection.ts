import { lowerBound, newestFirst, upperBound } from './row-order.ts';
import type { IntervalNote, ResolvedInterval, Selection, TimeSpan } from './view.ts';
import { DAY_MS, HOUR_MS, readLocalTime, type Zone } from './zone.ts';

export const MIN_COUNT = 10;
export const MAX_COUNT = 1000;

export interface Selected {
  /** By time. */
  readonly rows: Uint32Array;
  readonly span: TimeSpan | undefined;
  readonly endsBy: ResolvedInterval['endsBy'];
  readonly notes: readonly IntervalNote[];
  /** The filter's length in days, at least 1. */
  readonly days: number;
  /** The previous window of equal length; undefined if there can be none. */
  readonly previous: TimeSpan | undefined;
}

export interface SelectionInput {
  /** Of the user filter, by time. */
  readonly rows: Uint32Array;
  readonly at: Float64Array;
  readonly zone: Zone;
  readonly now: number;
  /** Whether a selection of hours ends now rather than at the newest event: live data are current. */
  readonly endsNow: boolean;
}

/** Whether a selection counts requests instead of hours. */
export function isCountMode(selection: Selection): boolean {
  return selection.mode === 'count' || selection.mode === 'rank';
}

export function select(selection: Selection, input: SelectionInput): Selected {
  switch (selection.mode) {
    case 'hours':
      return selectHours(selection.hours, input);
    case 'custom':
      return selectCustom(selection.from, selection.to, input);
    case 'all':
      return { ...selectRows(input.rows, input, 'newest-event'), notes: [] };
    case 'count':
      return selectCount(selection.count, input);
    case 'rank':
      return selectRanks(selection.from, selection.to, input);
  }
}

function selectHours(hours: number, input: SelectionInput): Selected {
  const { rows, at, now, endsNow } = input;
  const newest = rows.at(-1);
  const to = endsNow || newest === undefined ? now : (at[newest] as number);
  const length = (hours > 0 ? hours : 24) * HOUR_MS;
  const span = { from: to - length, to };
  const endsBy = endsNow || newest === undefined ? 'now' : 'newest-event';
  return { ...inSpan(span, input), endsBy, notes: [], days: daysOf(length) };
}

export interface CustomRange extends TimeSpan {
  readonly isSwapped: boolean;
}

/** First to last millisecond of the typed times, swapped if necessary; undefined if one is invalid. */
export function readCustomRange(zone: Zone, from: string, to: string): CustomRange | undefined {
  const [a, b] = [readLocalTime(zone, from), readLocalTime(zone, to)];
  if (!a || !b) return undefined;
  const isSwapped = a.first > b.first;
  return isSwapped ? { from: b.first, to: a.last, isSwapped } : { from: a.first, to: b.last, isSwapped };
}

function selectCustom(from: string, to: string, input: SelectionInput): Selected {
  const range = readCustomRange(input.zone, from, to);
  if (!range) {
    const notes: readonly IntervalNote[] = ['invalid-custom'];
    return { rows: new Uint32Array(0), span: undefined, endsBy: 'custom', notes, days: 1, previous: undefined };
  }
  const span = { from: range.from, to: range.to };
  const days = daysOf(span.to - span.from + 1);
  return { ...inSpan(span, input), endsBy: 'custom', notes: range.isSwapped ? ['swapped'] : [], days };
}

function inSpan(span: TimeSpan, { rows, at }: SelectionInput): Pick<Selected, 'rows' | 'span' | 'previous'> {
  const selected = rows.subarray(lowerBound(rows, at, span.from), upperBound(rows, at, span.to));
  const previous = { from: span.from - (span.to - span.from), to: span.from - 1 };
  return { rows: selected, span, previous };
}

function selectCount(count: number | 'all', input: SelectionInput): Selected {
  if (count === 'all') return { ...selectRows(input.rows, input, 'rank'), notes: [] };
  const clamped = clampCount(count);
  const rows = byRank(input.rows, input.at, 1, clamped);
  return { ...selectRows(rows, input, 'rank'), notes: clamped === count ? [] : ['clamped'] };
}

/** The number of requests, clamped to a whole number from 10 to 1000. */
export function clampCount(count: number): number {
  return Math.min(MAX_COUNT, Math.max(MIN_COUNT, Math.round(Number.isFinite(count) ? count : MIN_COUNT)));
}

function selectRanks(from: number, to: number, input: SelectionInput): Selected {
  const notes: IntervalNote[] = [];
  const total = input.rows.length;
  let [first, last] = [Math.max(1, Math.round(from) || 1), Math.max(1, Math.round(to) || 1)];
  if (first !== from || last !== to) notes.push('clamped');
  if (first > last) {
    [first, last] = [last, first];
    notes.push('swapped');
  }
  if (first > total) notes.push('beyond-loaded');
  else if (last > total) notes.push('clamped');
  const rows = byRank(input.rows, input.at, first, Math.min(last, total));
  return { ...selectRows(rows, input, 'rank'), notes: [...new Set(notes)] };
}

/**
 * The events of the ranks, both included, by time. Rank 1 is the newest; within one instant, the first in the lists.
 */
function byRank(rows: Uint32Array, at: Float64Array, first: number, last: number): Uint32Array {
  if (first > rows.length) return new Uint32Array(0);
  // Only the instants at the ends can be split.
  const low = lowerBound(rows, at, at[rows[Math.max(0, rows.length - last)] as number] as number);
  const ranked = newestFirst(rows.subarray(low), at).subarray(first - 1, last);
  return newestFirst(ranked, at);
}

/** For selections without a window: from the first event to the last. */
function selectRows(
  rows: Uint32Array,
  { at }: SelectionInput,
  endsBy: ResolvedInterval['endsBy'],
): Omit<Selected, 'notes'> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return { rows, span: undefined, endsBy, days: 1, previous: undefined };
  const span = { from: at[first] as number, to: at[last] as number };
  return { rows, span, endsBy, days: daysOf(span.to - span.from), previous: undefined };
}

function daysOf(lengthMs: number): number {
  return Math.max(1, lengthMs / DAY_MS);
}

/**
 * Hours that a live fetch goes back for this number of requests; undefined: without bounds. If it finds too few,
 * `widenWindow` doubles them.
 */
export function windowForCount(count: number | 'all'): number | undefined {
  if (count === 'all') return undefined;
  const days = WINDOW_DAYS.find(([upTo]) => count <= upTo)?.[1] ?? MAX_WINDOW_DAYS;
  return days * 24;
}

const MAX_WINDOW_DAYS = 365;
const WINDOW_DAYS: readonly (readonly [upTo: number, days: number])[] = [
  [10, 2],
  [25, 5],
  [50, 7],
  [100, 14],
  [250, 30],
  [500, 90],
  [1000, 180],
];

/** The next window in hours after one with too few requests, at most three times and up to a year; undefined: stop. */
export function widenWindow(hours: number, widened: number): number | undefined {
  return widened >= 3 || hours >= MAX_WINDOW_DAYS * 24 ? undefined : hours * 2;
}
