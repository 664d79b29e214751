import { sortRows } from '../row-order.ts';
import type { Zone } from '../zone.ts';
import { type EventColumns, type EventNames, IS_DATE_ONLY } from './columns.ts';
import { dropFinerTwins, findDuplicates } from './deduplication.ts';

/** Rows [start, end) of the columns with one origin: a file, or a user's live events. */
export interface Segment {
  readonly kind: 'csv' | 'live';
  readonly start: number;
  readonly end: number;
  /** Whether its instants are whole seconds only. */
  readonly isCoarse: boolean;
}

/** The events of one source. */
export interface SourceSet {
  /** By time, then by place in the lists. */
  readonly rows: Uint32Array;
  /** The instant of every row of the columns. */
  readonly at: Float64Array;
  readonly duplicatesRemoved: number;
}

/** Joins lists in their order, keeps the last of equal events, and sorts by time. */
export function joinSegments(
  columns: EventColumns,
  names: EventNames,
  at: Float64Array,
  segments: readonly Segment[],
): SourceSet {
  const count = segments.reduce((sum, { start, end }) => sum + end - start, 0);
  const rows = new Uint32Array(count);
  let place = 0;
  for (const { start, end } of segments) for (let row = start; row < end; row++) rows[place++] = row;
  const keys = { columns, at, modelKeys: names.modelKeys() };
  const dropped = findDuplicates(keys, rows);
  if (segments.some(({ isCoarse }) => isCoarse)) dropFinerTwins(keys, rows, dropped, placesOf(segments, dropped));
  const kept = keepRows(rows, dropped);
  return { rows: sortByTime(kept, at), at, duplicatesRemoved: count - kept.length };
}

/** The places of live events, and of events with whole seconds that they may equal. */
function placesOf(
  segments: readonly Segment[],
  dropped: Uint8Array,
): { readonly fine: readonly number[]; readonly coarse: readonly number[] } {
  const fine: number[] = [];
  const coarse: number[] = [];
  let place = 0;
  for (const { kind, start, end, isCoarse } of segments) {
    const places = kind === 'live' ? fine : isCoarse ? coarse : undefined;
    for (let row = start; row < end; row++, place++) if (!dropped[place]) places?.push(place);
  }
  return { fine, coarse };
}

function keepRows(rows: Uint32Array, dropped: Uint8Array): Uint32Array {
  let kept = 0;
  for (let place = 0; place < rows.length; place++) if (!dropped[place]) rows[kept++] = rows[place] as number;
  return kept === rows.length ? rows : rows.slice(0, kept);
}

export function sortByTime(rows: Uint32Array, at: Float64Array): Uint32Array {
  const keys = new Float64Array(rows.length);
  // Exports begin with the newest event: read backwards, many are sorted already.
  let isDescending = true;
  for (let place = 0; place < rows.length; place++) {
    keys[place] = at[rows[place] as number] as number;
    if (place > 0 && (keys[place] as number) >= (keys[place - 1] as number)) isDescending = false;
  }
  return isDescending ? rows.slice().reverse() : sortRows(rows, keys);
}

/** Whether a segment's instants are whole seconds, every one: an export without milliseconds. */
export function isCoarse(columns: EventColumns, start: number, end: number): boolean {
  for (let row = start; row < end; row++) {
    if ((columns.at[row] as number) % 1000 !== 0 || ((columns.flags[row] as number) & IS_DATE_ONLY) !== 0) return false;
  }
  return end > start;
}

/** The instants in a zone: dates without a time begin at its midnight. The columns' own array if there are none. */
export function instantsIn(columns: EventColumns, zone: Zone): Float64Array {
  const { flags, length } = columns;
  let at: Float64Array | undefined;
  for (let row = 0; row < length; row++) {
    if (((flags[row] as number) & IS_DATE_ONLY) === 0) continue;
    at ??= columns.at.slice(0, length);
    at[row] = zone.instantOf(columns.at[row] as number);
  }
  return at ?? columns.at;
}
