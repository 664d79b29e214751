import type { Chart, ChartOptions, Scale, ScaleOptionsByType } from 'chart.js';
import { extentOf, isDense } from '../dense/columns.ts';
import type { Axis, ChartModel, Unit } from '../model.ts';
import { inLines, shorten, sumOf } from '../model.ts';
import type { ChartFormat } from '../text/terms.ts';
import { pickTicks, underOnce } from '../text/time-text.ts';
import type { Theme } from '../theme.ts';
import { withAlpha } from '../theme.ts';
import type { Window } from './zoom-window.ts';

export type PlotOptions = ChartOptions<'bar' | 'line' | 'doughnut'>;

export interface PlotLook {
  readonly theme: Theme;
  readonly format: ChartFormat;
  readonly window: Window;
  /** Pixels that marker labels need above the plot. */
  labelRoom(chart: Chart): number;
}

const FONT_PX = 11.5;
const TICK_PX = 72;
/** From this width on, the charts over time align their columns by an empty margin. */
const ALIGN_FROM_PX = 700;
const FIRST_AXIS_PX = 54;
const SECOND_AXIS_PX = 58;
const ROW_VALUE_PX = 48;
/** On narrower charts, names beside horizontal bars are shortened. */
const NARROW_PX = 420;
/** Maximum ticks of an axis. */
const MAX_VALUES = 6;

/** The options of Chart.js. Hovering is not its work: it would redraw thousands of bars. */
export function plotOptions(model: ChartModel, look: PlotLook): PlotOptions {
  const { theme } = look;
  const options = {
    responsive: true,
    maintainAspectRatio: false,
    resizeDelay: 60,
    animation: false,
    normalized: true,
    devicePixelRatio: Math.min(2, window.devicePixelRatio || 1),
    events: ['mousemove', 'mouseout', 'click'],
    interaction: { mode: 'index', intersect: false } as const,
    hover: { mode: 'none', intersect: false } as const,
    font: { family: theme.fontFamily, size: FONT_PX },
    color: theme.color('--chart-soft'),
    layout: {
      padding: ({ chart }: { chart: Chart }) => ({
        top: look.labelRoom(chart) + 4,
        right: 8 + roomBeside(model, chart),
        bottom: 0,
        left: 4,
      }),
    },
  };
  if (model.shape === 'ring') {
    const ring: ChartOptions<'doughnut'> = { cutout: '70%', layout: { padding: 12 } };
    return { ...options, ...ring } as PlotOptions;
  }
  const lies = model.shape === 'rows';
  const has = (wanted: Axis) => model.series.some(({ axis }) => axis === wanted);
  return {
    ...options,
    indexAxis: lies ? 'y' : 'x',
    scales: {
      category: categoryAxis(model, look),
      // Axes of one side are stacked from the bottom.
      ...(has('row') ? { row: valueAxis(model, 'row', look) } : {}),
      value: valueAxis(model, 'first', look),
      ...(has('second') ? { second: valueAxis(model, 'second', look) } : {}),
    },
  } as PlotOptions;
}

function categoryAxis(model: ChartModel, { theme, window }: PlotLook): Partial<ScaleOptionsByType<'category'>> {
  const { time } = model;
  const lies = model.shape === 'rows';
  const texts = new Map<number, string | string[]>();
  const textOf = (index: number) => {
    const known = texts.get(index) ?? model.tick(index);
    texts.set(index, known);
    return known;
  };
  return {
    type: 'category',
    axis: lies ? 'y' : 'x',
    position: lies ? 'left' : 'bottom',
    offset: true,
    stacked: model.series.some(({ stacked }) => stacked),
    ...(model.length > 0 ? { min: Math.max(0, window.min), max: Math.min(model.length - 1, window.max) } : {}),
    grid: { display: false },
    border: { color: theme.color('--chart-axis') },
    ...(time ? { afterBuildTicks: (scale: Scale) => placeTimeTicks(model, scale) } : {}),
    ticks: {
      color: theme.color(lies ? '--chart-ink' : '--chart-soft'),
      font: { family: theme.fontFamily, size: FONT_PX },
      // Every category has its label: in lines of words if it is too long, upright if that is not enough.
      maxRotation: time || lies ? 0 : 90,
      ...(lies ? { crossAlign: 'near' } : {}),
      autoSkip: false,
      padding: 4,
      callback(this: Scale, value: number | string, nth: number, ticks: readonly { value: number }[]) {
        const text = textOf(Number(value));
        if (time) return underOnce(text, ticks[nth - 1] && textOf(ticks[nth - 1]?.value ?? 0));
        if (typeof text !== 'string') return text;
        if (!lies) return inLines(text, this.chart.width / model.length);
        return shorten(text, this.chart.width < NARROW_PX ? 17 : 24);
      },
    },
  } as unknown as Partial<ScaleOptionsByType<'category'>>;
}

function placeTimeTicks(model: ChartModel, scale: Scale): void {
  if (!model.time || model.length === 0) return;
  const most = Math.floor(scale.width / TICK_PX);
  scale.ticks = pickTicks(model.time.buckets, scale.min, scale.max, most).map((value) => ({ value }));
}

/** Forced colours have none faint enough for grid lines. */
function gridColour(theme: Theme): string {
  const color = theme.color('--chart-grid');
  return theme.forcedColours ? withAlpha(color, 0.35) : color;
}

function valueAxis(model: ChartModel, which: Axis, look: PlotLook): Partial<ScaleOptionsByType<'linear'>> {
  const { theme, format } = look;
  const { least, most } = reachOf(model, which, look);
  const lies = model.shape === 'rows';
  const series = model.series.filter(({ axis }) => axis === which);
  const unit = series[0]?.unit ?? 'tokens';
  const isLogarithmic =
    model.isLogarithmic === true && which === 'first' && series.some(({ values }) => sumOf(values) > 0);
  const isFlat = series.every(({ values }) => Array.prototype.every.call(values, (value: number) => !(value > 0)));
  return {
    type: isLogarithmic ? 'logarithmic' : 'linear',
    ...(model.time && which !== 'second' ? { stack: 'rows', stackWeight: which === 'row' ? 2 : 3 } : {}),
    axis: lies ? 'x' : 'y',
    position: lies ? 'bottom' : which === 'second' ? 'right' : 'left',
    beginAtZero: !isLogarithmic,
    stacked: series.some(({ stacked }) => stacked),
    // Without values the axis shows only 0.
    ...(most > 0 ? { suggestedMax: most } : isFlat ? { suggestedMax: 1 } : {}),
    ...(least < 0 ? { suggestedMin: least } : {}),
    ...(model.time ? { afterFit: (scale: Scale) => alignAxis(scale, which) } : {}),
    grid: { display: which !== 'second', color: gridColour(theme), drawTicks: false },
    border: { display: false },
    ticks: {
      color: theme.color('--chart-soft'),
      font: { family: theme.fontFamily, size: FONT_PX },
      maxTicksLimit: lies ? 5 : MAX_VALUES,
      ...(unit === 'requests' ? { precision: 0 } : {}),
      maxRotation: 0,
      padding: 8,
      callback: (value: number | string, _: number, ticks: readonly { value: number }[]) => {
        const step = Math.abs((ticks[1]?.value ?? 0) - (ticks[0]?.value ?? 0));
        // Its place is that of the next row's 0.
        if (which === 'row' && value === ticks.at(-1)?.value) return '';
        if (isLogarithmic && !Number.isInteger(Math.log10(Number(value)))) return '';
        if (isFlat) return Number(value) === 0 ? axisText(format, unit, 0, 100) : '';
        return axisText(format, unit, Number(value), step);
      },
    },
  } as unknown as Partial<ScaleOptionsByType<'linear'>>;
}

/** The range of values that Chart.js does not see: those it does not draw, and a level. */
function reachOf(model: ChartModel, which: Axis, { theme, window }: PlotLook) {
  const extent = isDense(model, theme) ? extentOf(model, which, window) : { least: 0, most: 0 };
  const level = which === 'first' && model.level ? model.level.value * 1.05 : 0;
  return { least: extent.least, most: Math.max(extent.most, level) };
}

/** Room for the values at the ends of horizontal bars, or for alignment with the overview's second axis. */
function roomBeside(model: ChartModel, chart: Chart): number {
  if (model.shape === 'rows') return ROW_VALUE_PX;
  return model.key === 'cumulative' && chart.width > ALIGN_FROM_PX ? SECOND_AXIS_PX : 0;
}

function alignAxis(scale: Scale, which: Axis): void {
  if (scale.chart.width > ALIGN_FROM_PX)
    scale.width = Math.max(scale.width, which === 'second' ? SECOND_AXIS_PX : FIRST_AXIS_PX);
}

function axisText(format: ChartFormat, unit: Unit, value: number, step: number): string {
  return unit === 'usd' ? format.usdAxis(value, step) : format.compact(value);
}
