import type { ChartModel, Series } from '../model.ts';
import type { Window } from '../plot/zoom-window.ts';

// Chart.js keeps an object per bar and point and creates them anew for every view: with more than a thousand columns
// that blocks the page too long. From many columns on it draws the axes only, and this code the series.

/** Beyond this number columns are too narrow for round corners. */
export const ROUND_UP_TO = 200;

/** Patterns need outlines, which only Chart.js draws. */
export function isDense({ time, length }: ChartModel, theme: { readonly forcedColours: boolean }): boolean {
  return time !== undefined && length > ROUND_UP_TO && !theme.forcedColours;
}

/** The range of an axis' values in a window, stacked ones added up; always includes 0. */
export function extentOf(
  { series, length }: Pick<ChartModel, 'series' | 'length'>,
  axis: Series['axis'],
  window: Window,
): { readonly least: number; readonly most: number } {
  const mine = series.filter((one) => one.axis === axis);
  let least = 0;
  let most = 0;
  const last = Math.min(length - 1, window.max);
  for (let index = Math.max(0, window.min); index <= last; index++) {
    let stacked = 0;
    for (const { form, values } of mine) {
      const value = values[index] ?? 0;
      if (form === 'bar') stacked += Math.max(0, value);
      most = Math.max(most, value, stacked);
      least = Math.min(least, value);
    }
  }
  return { least, most };
}

/**
 * Stacks the bars of a series on the previous ones: calls `draw` with the ends of each in the window, and adds them to
 * `sums`, one per column of the window.
 */
export function stackBars(
  values: ArrayLike<number>,
  { min, max }: Window,
  sums: Float64Array,
  draw: (index: number, from: number, to: number) => void,
): void {
  for (let index = min; index <= max; index++) {
    const value = values[index] ?? 0;
    if (!(value > 0)) continue;
    const from = sums[index - min] ?? 0;
    sums[index - min] = from + value;
    draw(index, from, from + value);
  }
}
