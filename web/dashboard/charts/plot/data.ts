import type { ChartDataset, ScriptableContext } from 'chart.js';
import { ROUND_UP_TO } from '../dense/columns.ts';
import type { ChartModel, Series } from '../model.ts';
import type { Theme } from '../theme.ts';
import { stripes, withAlpha } from '../theme.ts';

export type PlotDataset = ChartDataset<'bar' | 'line' | 'doughnut', number[]>;

/** The scales of Chart.js by a series' axis. */
export const SCALES = { first: 'value', second: 'second', row: 'row' } as const;

/** Share of the room that a column over time fills, and its maximum width. */
export const COLUMN_SHARE = 0.92;
export const MAX_COLUMN_PX = 56;
/** Below this column width lines are thin. */
const CROWDED_PX = 2.5;

/** A model's series for Chart.js; typed arrays are passed as they are. */
export function plotDatasets(model: ChartModel, theme: Theme): PlotDataset[] {
  if (model.shape === 'ring') return [ringDataset(model, theme)];
  return model.series.map((series, nth) =>
    series.form === 'bar' ? barDataset(model, series, nth, theme) : lineDataset(model, series, theme),
  );
}

/** Chart.js only reads by index, so typed arrays work. */
const asNumbers = (values: ArrayLike<number>): number[] => values as number[];

function fillOf(color: string, nth: number, theme: Theme): string | CanvasPattern {
  return theme.forcedColours ? stripes(color, theme.color('--chart-surface'), nth) : color;
}

function barDataset(model: ChartModel, series: Series, nth: number, theme: Theme): PlotDataset {
  const color = theme.color(series.color);
  const fill = model.parts
    ? model.parts.map((part, index) => fillOf(theme.color(part.color), part.nth ?? index, theme))
    : fillOf(color, series.nth ?? nth, theme);
  const isDense = model.time !== undefined;
  const end = model.shape === 'rows' ? ['topRight', 'bottomRight'] : ['topLeft', 'topRight'];
  const rounded = Object.fromEntries(end.map((corner) => [corner, 2]));
  return {
    type: 'bar',
    label: series.label,
    data: asNumbers(series.values),
    backgroundColor: fill,
    // With forced colours, patterns need outlines.
    borderColor: theme.forcedColours ? theme.color('--chart-ink') : 'transparent',
    borderWidth: theme.forcedColours ? 1 : 0,
    // Not a function per column: Chart.js then shares one set of options among thousands of bars.
    borderRadius: model.length > ROUND_UP_TO ? 0 : rounded,
    ...(model.shape === 'rows'
      ? { xAxisID: 'value', yAxisID: 'category' }
      : { xAxisID: 'category', yAxisID: SCALES[series.axis] }),
    ...(series.stacked ? { stack: 'stack' } : { stack: series.key }),
    categoryPercentage: isDense ? COLUMN_SHARE : 0.78,
    barPercentage: isDense ? 1 : 0.9,
    maxBarThickness: isDense ? MAX_COLUMN_PX : 44,
    order: 2,
  } as PlotDataset;
}

function columnPx({ chart }: Pick<ScriptableContext<'bar' | 'line'>, 'chart'>, model: ChartModel): number {
  const { chartArea } = chart;
  if (!chartArea || model.length === 0) return 0;
  return (model.shape === 'rows' ? chartArea.height : chartArea.width) / model.length;
}

export function lineWidth({ form, dashed }: Series, columnPx: number): number {
  if (columnPx < CROWDED_PX) return 1;
  return form === 'area' ? 2.5 : dashed ? 1.5 : 2;
}

/** Dotted, since its forced colour may look like another's; see legend.css. */
export function dashOf({ dashed, form, axis }: Series, theme: Theme): number[] {
  if (dashed) return [6, 4];
  return theme.forcedColours && form === 'line' && axis !== 'second' ? [2, 3] : [];
}

function lineDataset(model: ChartModel, series: Series, theme: Theme): PlotDataset {
  const color = theme.color(series.color);
  return {
    type: 'line',
    label: series.label,
    data: asNumbers(series.values),
    borderColor: color,
    borderWidth: (context: ScriptableContext<'line'>) => lineWidth(series, columnPx(context, model)),
    borderJoinStyle: 'round',
    borderDash: dashOf(series, theme),
    xAxisID: 'category',
    yAxisID: SCALES[series.axis],
    tension: 0,
    // A single value is drawn as a point.
    pointRadius: model.length === 1 ? 3.5 : 0,
    pointBackgroundColor: color,
    pointHitRadius: 0,
    fill: series.form === 'area' ? 'origin' : false,
    backgroundColor: (context: ScriptableContext<'line'>) => areaFill(context, color),
    stack: series.key,
    order: 1,
  } as PlotDataset;
}

/** Fades from 12 per cent of the colour to nothing. */
export function areaFill({ chart }: Pick<ScriptableContext<'line'>, 'chart'>, color: string): CanvasGradient | string {
  const { chartArea, ctx } = chart;
  if (!chartArea) return 'transparent';
  const gradient = ctx.createLinearGradient(0, chartArea.top, 0, chartArea.bottom);
  gradient.addColorStop(0, withAlpha(color, 0.16));
  gradient.addColorStop(1, withAlpha(color, 0));
  return gradient;
}

function ringDataset(model: ChartModel, theme: Theme): PlotDataset {
  const [series] = model.series;
  const values = Array.from(series?.values ?? []);
  const isEmpty = values.every((value) => value === 0);
  const parts = model.parts ?? [];
  return {
    type: 'doughnut',
    label: series?.label ?? '',
    // An empty ring is grey.
    data: isEmpty ? [1] : values,
    backgroundColor: isEmpty
      ? [theme.color('--chart-grid')]
      : parts.map(({ color, nth }, index) => fillOf(theme.color(color), nth ?? index, theme)),
    borderColor: theme.color('--chart-surface'),
    borderWidth: isEmpty ? 0 : 2,
    hoverBorderColor: theme.color('--chart-surface'),
    hoverOffset: isEmpty ? 0 : 6,
  } as PlotDataset;
}
