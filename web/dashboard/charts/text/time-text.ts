import type { Buckets, Granularity } from '../../../../src/dashboard/domain/view.ts';
import type { ModelContext } from '../model.ts';
import type { ChartFormat } from './terms.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The wall time at a bucket's start as if it were UTC: parsed without Intl. */
export function localStart(buckets: Pick<Buckets, 'starts' | 'offsets'>, index: number): number {
  return (buckets.starts[index] ?? 0) + (buckets.offsets[index] ?? 0) * MINUTE_MS;
}

/** A bucket's full name: its instant, its hours with their day, or its days. */
export function bucketName(buckets: Buckets, index: number, format: ChartFormat, zone: string): string {
  const from = buckets.starts[index] ?? 0;
  const to = buckets.ends[index] ?? from;
  const { granularity, merged } = buckets;
  if (granularity === 'event')
    return merged > 1 ? format.dateRange(from, to, zone, 'second') : format.date(from, zone, 'second');
  if (granularity === 'month')
    return merged > 1 ? format.dateRange(from, to - 1, zone, 'month') : format.date(from, zone, 'month');
  if (granularity === 'day' && merged === 1) return format.date(from, zone, 'day');
  if (granularity === 'day' || granularity === 'week') return format.dateRange(from, to - 1, zone, 'day');
  if (buckets.repeated[index])
    return `${format.date(from, zone, 'day')}, ${format.date(from, zone, 'zonedTime')} – ${format.date(to, zone, 'zonedTime')}`;
  return format.dateRange(from, to, zone, 'minute');
}

/** The spans of ticks, finest first: a column that begins a new span has a tick. */
const CELLS: readonly ((local: number) => number)[] = [
  ...[15, 30, 60, 120, 180, 360, 720].map((minutes) => (local: number) => Math.floor(local / (minutes * MINUTE_MS))),
  ...[1, 2].map((days) => (local: number) => Math.floor(local / (days * DAY_MS))),
  // Monday is the fifth day after the epoch's Thursday.
  ...[1, 2].map((weeks) => (local: number) => Math.floor((local / DAY_MS - 4) / (7 * weeks))),
  ...[1, 2, 3, 6, 12, 24, 60].map((months) => (local: number) => Math.floor(monthOf(local) / months)),
];

function monthOf(local: number): number {
  const date = new Date(local);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The columns from `min` to `max` with a tick: at round times of the zone, at most `most`. */
export function pickTicks(buckets: Buckets, min: number, max: number, most: number): readonly number[] {
  const limit = Math.max(2, most);
  const first = Math.max(0, min);
  const last = Math.min(buckets.length - 1, max);
  const count = last - first + 1;
  if (buckets.granularity === 'event' || count <= 2) {
    const step = Math.max(1, Math.ceil(count / limit));
    return Array.from({ length: Math.max(0, Math.ceil(count / step)) }, (_, nth) => first + nth * step);
  }
  let finer: readonly number[] = [];
  for (const cell of CELLS) {
    const picked = columnsBeginning(buckets, first, last, cell);
    if (picked.length > limit) {
      finer = picked;
      continue;
    }
    // Between days and weeks: every n-th day, since Mondays alone would be too few.
    const thinned = everyNth(finer, limit);
    return picked.length > thinned.length / 2 ? picked : thinned;
  }
  return everyNth(finer, limit);
}

function everyNth(columns: readonly number[], limit: number): readonly number[] {
  const step = Math.max(1, Math.ceil(columns.length / limit));
  return columns.filter((_, nth) => nth % step === 0);
}

function columnsBeginning(
  buckets: Buckets,
  first: number,
  last: number,
  cell: (local: number) => number,
): readonly number[] {
  const picked: number[] = [];
  let before = cell(first > 0 ? localStart(buckets, first - 1) : localStart(buckets, 0) - 1);
  for (let index = first; index <= last; index++) {
    const own = cell(localStart(buckets, index));
    if (own !== before) picked.push(index);
    before = own;
  }
  return picked;
}

/** A tick's text: the finest unit on the first line, its context on the second. */
export function tickText(buckets: Buckets, index: number, format: ChartFormat, zone: string): string[] {
  const at = buckets.starts[index] ?? 0;
  switch (buckets.granularity) {
    case 'month':
      return [format.date(at, zone, 'shortMonth'), String(new Date(localStart(buckets, index)).getUTCFullYear())];
    case 'week':
    case 'day':
      return [format.date(at, zone, 'dayOfMonth')];
    default:
      return [
        format.date(at, zone, buckets.repeated[index] ? 'zonedTime' : 'time'),
        format.date(at, zone, 'dayOfMonth'),
      ];
  }
}

/** The second line is shown only where it changes. */
export function underOnce(text: string | string[], before: string | string[] | undefined): string | string[] {
  if (typeof text === 'string' || text[1] === undefined) return text;
  return Array.isArray(before) && before[1] === text[1] ? [text[0] ?? '', ''] : text;
}

const MINUTES: Readonly<Partial<Record<Granularity, number>>> = { quarter: 15, hour: 60 };

/** The span of merged columns: `4 h per column`. */
export function mergedNote(buckets: Buckets, { translate, format }: ModelContext): string | undefined {
  const { merged, granularity } = buckets;
  if (merged <= 1) return undefined;
  if (granularity === 'event') return translate('chart.mergedEvents', { count: format.count(merged) });
  const minutes = MINUTES[granularity];
  const span = minutes
    ? minutesText(minutes * merged, { translate, format })
    : translate(`chart.${granularity as 'day' | 'week' | 'month'}s`, { count: merged });
  return translate('chart.merged', { span });
}

function minutesText(minutes: number, { translate, format }: Pick<ModelContext, 'translate' | 'format'>): string {
  if (minutes < 60) return translate('chart.minutes', { count: minutes });
  if (minutes % 1440 === 0 && minutes > 1440) return translate('chart.days', { count: minutes / 1440 });
  return translate('chart.hours', { count: format.decimal(minutes / 60) });
}
