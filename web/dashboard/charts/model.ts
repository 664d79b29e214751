import type { Buckets, MarkerView, View } from '../../../src/dashboard/domain/view.ts';
import type { ChartFormat, ChartState, ChartText, ChartTranslate } from './text/terms.ts';

// A chart as data: canvas, legend, tooltip, table twin, CSV, PNG and summary are all drawn from this one description.

/** A file of models/ describes it; models/chart-list.ts puts it on the page. */
export interface Chart {
  /** Stable: stored settings, names of saved files and tests use it. */
  readonly key: string;
  readonly title: ChartText;
  /** Where it stands on the page. Charts of the overview are over time and share zoom and cursor. */
  readonly section: ChartSection;
  model(view: View, context: ModelContext): ChartModel;
}

export type ChartSection = 'overview' | 'details' | 'markers';

export type Unit = 'tokens' | 'usd' | 'requests';

export interface Series {
  /** Stable: what hidden series are remembered by. */
  readonly key: string;
  readonly label: string;
  /** A CSS custom property. */
  readonly color: string;
  readonly unit: Unit;
  readonly values: ArrayLike<number>;
  readonly form: 'bar' | 'line' | 'area';
  readonly axis: 'first' | 'second';
  readonly stacked?: boolean;
  readonly dashed?: boolean;
  /** Its place in the whole chart, by which patterns go; only told where some are hidden. */
  readonly nth?: number;
}

/** One bar or slice with a name of its own, where the legend lists these instead of the series. */
export interface Part {
  readonly key: string;
  readonly label: string;
  readonly color: string;
  /** As of a series. */
  readonly nth?: number;
}

export interface Detail {
  readonly label: string;
  readonly value: string;
}

/** Columns stand, rows lie, a ring is a doughnut. */
export type Shape = 'columns' | 'rows' | 'ring';

export interface ChartModel {
  readonly key: string;
  readonly title: string;
  readonly shape: Shape;
  readonly length: number;
  /** What the categories are, as the heading of their table column. */
  readonly head: string;
  /** The full name of a category: title of tooltip and table row. */
  name(index: number): string;
  tick(index: number): string | string[];
  readonly series: readonly Series[];
  readonly parts?: readonly Part[];
  /** Hidden until somebody shows it. */
  readonly quietKey?: string;
  /** What tooltip and table say beside the series. The labels are the same for every index. */
  details(index: number): readonly Detail[];
  /** Words for one axis each; the second only where a series uses it. */
  readonly axes: { readonly first: string; readonly second?: string };
  /** The measures to choose from, where there is a choice. */
  readonly metrics?: readonly { readonly key: string; readonly label: string }[];
  readonly metric?: string;
  readonly centre?: { readonly value: string; readonly caption: string };
  /** A level across the plot, on the first axis. */
  readonly level?: { readonly value: number; readonly label: string };
  /** Said over the empty axes. */
  readonly empty?: string;
  readonly time?: TimeAxis;
  /** One sentence or two on what there is to see, for those who do not see it. */
  readonly summary: string;
}

export interface TimeAxis {
  readonly buckets: Buckets;
  readonly markers: readonly MarkerView[];
  /** `4 h per column`; undefined when no neighbours were merged. */
  readonly note: string | undefined;
}

/** What every model is made with. */
export interface ModelContext {
  readonly translate: ChartTranslate;
  /** A chart's own text in the page's language. */
  say(text: ChartText): string;
  readonly format: ChartFormat;
  readonly state: ChartState;
  /** The measure that was chosen for a chart. */
  metric(chart: string): string | undefined;
}

export function formatUnit(format: ChartFormat, unit: Unit, value: number): string {
  return unit === 'usd' ? format.usd(value) : format.count(value);
}

/** The cost on its basis: `Cost, as reported`. */
export function costLabel({ translate, state }: ModelContext): string {
  return translate('chart.costAxis', { basis: translate(`chart.basis.${state.costBasis}`) });
}

/** Models differ at both ends of their names: what is too long loses its middle. */
export function shorten(name: string, longest: number): string {
  if (name.length <= longest) return name;
  return `${name.slice(0, Math.ceil((longest - 1) / 2))}…${name.slice(-Math.floor((longest - 1) / 2))}`;
}

export function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0;
  return sum;
}

/**
 * The model without what is hidden: series fall out, and so do parts, which moves the others together. Axes, details and
 * names stay those of what remains.
 */
export function withoutHidden(model: ChartModel, hidden: ReadonlySet<string>): ChartModel {
  if (hidden.size === 0) return model;
  const { parts } = model;
  if (!parts) return { ...model, series: numbered(model.series).filter(({ key }) => !hidden.has(key)) };
  const kept = parts.flatMap(({ key }, index) => (hidden.has(key) ? [] : [index]));
  if (kept.length === parts.length) return model;
  const origin = (index: number) => kept[index] ?? -1;
  return {
    ...model,
    length: kept.length,
    parts: numbered(parts).filter(({ key }) => !hidden.has(key)),
    series: model.series.map((series) => ({ ...series, values: kept.map((index) => series.values[index] ?? 0) })),
    name: (index) => model.name(origin(index)),
    tick: (index) => model.tick(origin(index)),
    details: (index) => model.details(origin(index)),
  };
}

const numbered = <One extends Series | Part>(all: readonly One[]): One[] => all.map((one, nth) => ({ ...one, nth }));

/** Stored for a chart whose quiet key somebody shows. */
const SHOWN = 'quiet-shown';

/** What is hidden now, by what is stored: the quiet key is, unless it was shown. */
export function hiddenNow({ quietKey }: ChartModel, stored: Iterable<string>): ReadonlySet<string> {
  const hidden = new Set(stored);
  const isShown = hidden.delete(SHOWN);
  if (quietKey !== undefined && !isShown) hidden.add(quietKey);
  return hidden;
}

/** What to store for it, the other way round. */
export function hiddenToStore({ quietKey }: ChartModel, hidden: ReadonlySet<string>): ReadonlySet<string> {
  const stored = new Set(hidden);
  if (quietKey !== undefined && !stored.delete(quietKey)) stored.add(SHOWN);
  return stored;
}

/** What the legend lists. */
export function legendOf(model: ChartModel): readonly (Part & Partial<Pick<Series, 'form' | 'dashed'>>)[] {
  return model.parts ?? model.series;
}

/** What a click on a legend's entry hides: one of many, or with a modifier key all others; alone already, it brings all back. */
export function toggleHidden(
  hidden: ReadonlySet<string>,
  key: string,
  all: readonly string[],
  isSolo: boolean,
): ReadonlySet<string> {
  if (!isSolo) {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    return next;
  }
  const others = all.filter((other) => other !== key);
  const isAlone = !hidden.has(key) && others.every((other) => hidden.has(other));
  // Keys of series that are not there now keep what was chosen for them.
  const absent = [...hidden].filter((other) => !all.includes(other));
  return new Set(isAlone ? absent : [...absent, ...others]);
}
