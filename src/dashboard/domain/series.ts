import { bucketEdges, findRepeated, mergeEdges, type TimeGranularity } from './bucket.ts';
import { lowerBound, upperBound } from './row-order.ts';
import type { TallyInput } from './tally.ts';
import type { Buckets, Granularity, TimeSpan } from './view.ts';
import { MINUTE_MS, type Zone } from './zone.ts';

export interface SeriesInput extends TallyInput {
  readonly granularity: Granularity;
  readonly zone: Zone;
  /** The span to cover without events, so that the axes remain. */
  readonly window: TimeSpan | undefined;
  readonly visible: TimeSpan | undefined;
  readonly columnCap: number;
  /** The events and the start of the previous window, whose running cost is overlaid. */
  readonly previous: { readonly rows: Uint32Array; readonly shiftMs: number } | undefined;
  readonly models: readonly string[];
}

/** The edges, and the events between the first and the last. */
interface Frame {
  readonly edges: Float64Array;
  readonly merged: number;
  readonly low: number;
  readonly high: number;
  readonly full: TimeSpan | undefined;
}

/** Sums per bucket over the events in view; empty buckets between the first and the last event are zeros. */
export function buildBuckets(input: SeriesInput): Buckets {
  return input.granularity === 'event' ? buildEventBuckets(input) : buildTimeBuckets(input, input.granularity);
}

function buildTimeBuckets(input: SeriesInput, granularity: TimeGranularity): Buckets {
  const { rows, at } = input;
  const frame = frameTime(input, granularity);
  const series = createSeries(frame.edges.length - 1);
  let bucket = 0;
  for (let place = frame.low; place < frame.high; place++) {
    const instant = at[rows[place] as number] as number;
    while (instant >= (frame.edges[bucket + 1] as number)) bucket++;
    addEvent(series, input, rows[place] as number, bucket);
  }
  return finishBuckets(input, frame, series);
}

function frameTime({ rows, at, zone, window, visible, columnCap }: SeriesInput, granularity: TimeGranularity): Frame {
  const covered = spanOf(rows, at) ?? window;
  if (!covered) return { edges: new Float64Array(1), merged: 1, low: 0, high: 0, full: undefined };
  const from = Math.max(covered.from, visible?.from ?? covered.from);
  const to = Math.max(from, Math.min(covered.to, visible?.to ?? covered.to));
  const { edges, merged } = mergeEdges(bucketEdges(zone, granularity, from, to), columnCap);
  const [first, last] = [edges[0] as number, edges[edges.length - 1] as number];
  const [firstOfAll] = bucketEdges(zone, granularity, covered.from, covered.from);
  const endOfAll = bucketEdges(zone, granularity, covered.to, covered.to).at(-1);
  const full = { from: firstOfAll ?? covered.from, to: endOfAll ?? covered.to };
  return { edges, merged, low: lowerBound(rows, at, first), high: lowerBound(rows, at, last), full };
}

function spanOf(rows: Uint32Array, at: Float64Array): TimeSpan | undefined {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  return first === undefined || last === undefined ? undefined : { from: at[first] as number, to: at[last] as number };
}

function buildEventBuckets(input: SeriesInput): Buckets {
  const { rows, at, visible, columnCap, columns, models } = input;
  const full = spanOf(rows, at);
  const low = visible ? lowerBound(rows, at, visible.from) : 0;
  const high = visible ? Math.max(low, upperBound(rows, at, visible.to)) : rows.length;
  const merged = Math.max(1, Math.ceil((high - low) / Math.max(1, columnCap)));
  const count = Math.ceil((high - low) / merged);
  const edges = new Float64Array(count + 1);
  const series = createSeries(count);
  for (let place = low; place < high; place++) {
    const row = rows[place] as number;
    const bucket = Math.floor((place - low) / merged);
    if ((place - low) % merged === 0) edges[bucket] = at[row] as number;
    addEvent(series, input, row, bucket);
  }
  edges[count] = count > 0 ? (at[rows[high - 1] as number] as number) : 0;
  const buckets = finishBuckets(input, { edges, merged, low, high, full }, series);
  if (merged > 1) return buckets;
  const eventModels = Uint32Array.from(rows.subarray(low, high), (row) => columns.model[row] as number);
  return { ...buckets, eventModels, modelNames: models };
}

interface Series {
  readonly input: Float64Array;
  readonly cacheWrite: Float64Array;
  readonly cacheRead: Float64Array;
  readonly output: Float64Array;
  readonly total: Float64Array;
  readonly cost: Float64Array;
  readonly requests: Uint32Array;
}

function createSeries(count: number): Series {
  const create = () => new Float64Array(count);
  const requests = new Uint32Array(count);
  return {
    input: create(),
    cacheWrite: create(),
    cacheRead: create(),
    output: create(),
    total: create(),
    cost: create(),
    requests,
  };
}

function addEvent(series: Series, { columns, cost }: TallyInput, row: number, bucket: number): void {
  (series.input[bucket] as number) += columns.input[row] as number;
  (series.cacheWrite[bucket] as number) += columns.cacheWrite[row] as number;
  (series.cacheRead[bucket] as number) += columns.cacheRead[row] as number;
  (series.output[bucket] as number) += columns.output[row] as number;
  (series.total[bucket] as number) += columns.total[row] as number;
  (series.cost[bucket] as number) += cost[row] as number;
  (series.requests[bucket] as number)++;
}

function finishBuckets(input: SeriesInput, frame: Frame, series: Series): Buckets {
  const { zone, granularity, cost, rows } = input;
  const length = frame.edges.length - 1;
  const starts = frame.edges.slice(0, length);
  const ends = frame.edges.slice(1);
  const cumulativeCost = new Float64Array(length);
  let sum = 0;
  for (let place = 0; place < frame.low; place++) sum += cost[rows[place] as number] as number;
  for (let bucket = 0; bucket < length; bucket++) {
    sum += series.cost[bucket] as number;
    cumulativeCost[bucket] = sum;
  }
  const offsets = Int16Array.from(starts, (start) => Math.round(zone.offsetAt(start) / MINUTE_MS));
  return {
    granularity,
    merged: frame.merged,
    length,
    starts,
    ends,
    offsets,
    repeated: granularity === 'event' ? new Uint8Array(length) : findRepeated(zone, starts),
    ...series,
    cumulativeCost,
    previousCumulative: input.previous && layPrevious(input, ends),
    eventModels: undefined,
    modelNames: [],
    full: frame.full,
  };
}

/** The running cost of the previous window at the end of each bucket, at equal distance from its own start. */
function layPrevious({ previous, at, cost, granularity }: SeriesInput, ends: Float64Array): Float64Array {
  const laid = new Float64Array(ends.length);
  const rows = previous?.rows ?? new Uint32Array(0);
  const shiftMs = previous?.shiftMs ?? 0;
  let sum = 0;
  let place = 0;
  for (let bucket = 0; bucket < ends.length; bucket++) {
    const isWholeRest = bucket === ends.length - 1 && granularity === 'event';
    const end = isWholeRest ? Number.POSITIVE_INFINITY : (ends[bucket] as number);
    for (; place < rows.length; place++) {
      const row = rows[place] as number;
      if ((at[row] as number) + shiftMs >= end) break;
      sum += cost[row] as number;
    }
    laid[bucket] = sum;
  }
  return laid;
}
