import type { Buckets, TimeSpan } from '../../../../src/dashboard/domain/view.ts';

/** The visible columns, both ends included. Whole numbers; below 0 or beyond the last if columns are not loaded yet. */
export interface Window {
  readonly min: number;
  readonly max: number;
}

/** The limits of windows. */
export interface WindowLimits {
  readonly min: number;
  readonly max: number;
  readonly least: number;
}

export const widthOf = ({ min, max }: Window): number => max - min + 1;

/** The window made `factor` times as wide (below 1 zooms in), so that `anchor` stays where it is. */
export function zoomWindow(window: Window, factor: number, anchor: number, limits: WindowLimits): Window {
  const whole = limits.max - limits.min + 1;
  const width = widthOf(window);
  // A step changes at least one whole column.
  const asked =
    factor < 1 ? Math.min(width - 1, Math.round(width * factor)) : Math.max(width + 1, Math.round(width * factor));
  const next = Math.min(whole, Math.max(Math.min(limits.least, whole), asked));
  const place = Math.min(1, Math.max(0, (anchor + 0.5 - window.min) / width));
  return slide(Math.round(anchor + 0.5 - place * next), next, limits);
}

/** The window scaled by `factor` under two fingers: the point at `from` of its width (0 to 1) moves to `to`. */
export function pinchWindow(window: Window, factor: number, from: number, to: number, limits: WindowLimits): Window {
  const width = widthOf(window);
  const whole = limits.max - limits.min + 1;
  const next = Math.min(whole, Math.max(Math.min(limits.least, whole), Math.round(width * factor)));
  return slide(Math.round(window.min + from * width - to * next), next, limits);
}

export function panWindow(window: Window, columns: number, limits: WindowLimits): Window {
  return slide(window.min + Math.round(columns), widthOf(window), limits);
}

/** The columns of a drag, widened to the minimum width. */
export function dragWindow(from: number, to: number, limits: WindowLimits): Window {
  const min = Math.min(from, to);
  const width = Math.max(Math.abs(to - from) + 1, Math.min(limits.least, limits.max - limits.min + 1));
  return slide(min, width, limits);
}

function slide(min: number, width: number, limits: WindowLimits): Window {
  const start = Math.max(limits.min, Math.min(min, limits.max - width + 1));
  return { min: start, max: start + width - 1 };
}

export const isWhole = (window: Window, limits: WindowLimits): boolean =>
  window.min <= limits.min && window.max >= limits.max;

/** The mean width of the loaded columns in milliseconds. */
function meanWidth({ starts, ends, length }: Pick<Buckets, 'starts' | 'ends' | 'length'>): number {
  return length > 0 ? ((ends[length - 1] ?? 0) - (starts[0] ?? 0)) / length : 0;
}

/** How far the selection extends beyond the loaded columns, in columns of their mean width. */
export function timeLimits(buckets: Pick<Buckets, 'starts' | 'ends' | 'length' | 'full' | 'merged'>): WindowLimits {
  const { full, length, starts, ends } = buckets;
  const mean = meanWidth(buckets);
  // A single merged column can be zoomed into.
  const least = buckets.merged > 1 ? 1 : 2;
  if (!full || length === 0 || mean <= 0) return { min: 0, max: Math.max(0, length - 1), least };
  const before = Math.max(0, Math.round(((starts[0] ?? 0) - full.from) / mean));
  const after = Math.max(0, Math.round((full.to - (ends[length - 1] ?? 0)) / mean));
  return { min: 0 - before, max: length - 1 + after, least };
}

/**
 * The time span of a window, end exclusive: beyond the loaded columns at their mean width, never beyond the selection.
 */
export function spanOfWindow(buckets: SpanBuckets, window: Window): TimeSpan {
  const { starts, ends, length, full, granularity } = buckets;
  const mean = meanWidth(buckets);
  // The last event ends at its own instant: a span that contains it ends after that.
  const grace = granularity === 'event' ? 1 : 0;
  const endOf = (index: number) => (ends[index] ?? 0) + (index === length - 1 ? grace : 0);
  // After a long move both ends may be beyond the loaded columns.
  const before = (columns: number) => (starts[0] ?? 0) - columns * mean;
  const behind = (columns: number) => endOf(length - 1) + columns * mean;
  const { min, max } = window;
  const from = min < 0 ? before(-min) : min < length ? (starts[min] ?? 0) : behind(min - length);
  const to = max < 0 ? before(-max - 1) : max < length ? endOf(max) : behind(max - length + 1);
  const least = (starts[Math.min(max, length - 1)] ?? from) + 1;
  if (!full) return { from, to: Math.max(to, least) };
  return { from: Math.max(full.from, from), to: Math.max(Math.min(full.to + grace, to), least) };
}

type SpanBuckets = Pick<Buckets, 'starts' | 'ends' | 'length' | 'full' | 'granularity'>;

/** The loaded columns that a span (end exclusive) touches; undefined: none. */
export function windowOfSpan(buckets: Pick<Buckets, 'starts' | 'ends' | 'length'>, span: TimeSpan): Window | undefined {
  const { starts, ends, length } = buckets;
  let min = 0;
  while (min < length && (ends[min] ?? 0) <= span.from && (starts[min] ?? 0) < span.from) min++;
  let max = length - 1;
  while (max >= min && (starts[max] ?? 0) >= span.to && (starts[max] ?? 0) > span.from) max--;
  return max >= min ? { min, max } : undefined;
}
