import type { Buckets, MarkerView, View } from '../../../src/dashboard/domain/view.ts';
import type { ChartFormat, ChartState, ChartText, ChartTranslate } from './text/terms.ts';

// A chart as data: canvas, legend, tooltip, table, CSV, PNG and summary are made of this one description.

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

/** Left, right, or the left of a row of its own below the others. */
export type Axis = 'first' | 'second' | 'row';

export interface Series {
  /** Stable: hidden series are stored by it. */
  readonly key: string;
  readonly label: string;
  /** A CSS custom property. */
  readonly color: string;
  readonly unit: Unit;
  readonly values: ArrayLike<number>;
  readonly form: 'bar' | 'line' | 'area';
  readonly axis: Axis;
  readonly stacked?: boolean;
  readonly dashed?: boolean;
  /** Its index in the whole chart, which chooses its pattern; only set if some are hidden. */
  readonly nth?: number;
}

/** A bar or slice, in charts whose legend lists these instead of the series. */
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

/** Vertical bars, horizontal bars, or a doughnut. */
export type Shape = 'columns' | 'rows' | 'ring';

export interface ChartModel {
  readonly key: string;
  readonly title: string;
  readonly shape: Shape;
  readonly length: number;
  /** The heading of the categories' table column. */
  readonly head: string;
  /** The full name of a category: title of tooltip and table row. */
  name(index: number): string;
  tick(index: number): string | string[];
  readonly series: readonly Series[];
  readonly parts?: readonly Part[];
  /** The key of a part that is hidden by default. */
  readonly quietKey?: string;
  /** Further values in tooltip and table. The labels are equal for every index. */
  details(index: number): readonly Detail[];
  /** Axis titles; the second only if a series uses it. */
  readonly axes: { readonly first: string; readonly second?: string; readonly row?: string };
  /** The first axis is logarithmic: some values are a hundred times others. */
  readonly isLogarithmic?: boolean;
  /** The measures to choose from, if any. */
  readonly metrics?: readonly { readonly key: string; readonly label: string }[];
  readonly metric?: string;
  readonly centre?: { readonly value: string; readonly caption: string };
  /** A level across the plot, on the first axis. */
  readonly level?: { readonly value: number; readonly label: string };
  /** Shown over the empty axes. */
  readonly empty?: string;
  readonly time?: TimeAxis;
  /** One or two sentences for screen readers. */
  readonly summary: string;
}

export interface TimeAxis {
  readonly buckets: Buckets;
  readonly markers: readonly MarkerView[];
  /** `4 h per column`; undefined if no neighbours were merged. */
  readonly note: string | undefined;
}

export interface ModelContext {
  readonly translate: ChartTranslate;
  /** A chart's own text in the page's language. */
  say(text: ChartText): string;
  readonly format: ChartFormat;
  readonly state: ChartState;
  /** The chosen measure of a chart. */
  metric(chart: string): string | undefined;
}

export function formatUnit(format: ChartFormat, unit: Unit, value: number): string {
  return unit === 'usd' ? format.usd(value) : format.count(value);
}

/** The cost on its basis: `Cost, as reported`. */
export function costLabel({ translate, state }: ModelContext): string {
  return translate('chart.costAxis', { basis: translate(`chart.basis.${state.costBasis}`) });
}

/** Shortens a name in the middle: model names differ at both ends. */
export function shorten(name: string, longest: number): string {
  if (name.length <= longest) return name;
  return `${name.slice(0, Math.ceil((longest - 1) / 2))}…${name.slice(-Math.floor((longest - 1) / 2))}`;
}

/** Room that a letter of a label needs on average. */
const LETTER_PX = 7;

/** A label too long for its column, as one line per word. */
export function inLines(text: string, columnPx: number): string | string[] {
  return text.length * LETTER_PX > columnPx && text.includes(' ') ? text.split(' ') : text;
}

export function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0;
  return sum;
}

/** The model without hidden series and parts; the remaining parts close up and keep their names and details. */
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

/** Stored if the part of `quietKey` is shown. */
const SHOWN = 'quiet-shown';

/** The hidden keys: the stored ones, and the quiet key unless it is shown. */
export function hiddenNow({ quietKey }: ChartModel, stored: Iterable<string>): ReadonlySet<string> {
  const hidden = new Set(stored);
  const isShown = hidden.delete(SHOWN);
  if (quietKey !== undefined && !isShown) hidden.add(quietKey);
  return hidden;
}

/** The keys to store; inverse of `hiddenNow`. */
export function hiddenToStore({ quietKey }: ChartModel, hidden: ReadonlySet<string>): ReadonlySet<string> {
  const stored = new Set(hidden);
  if (quietKey !== undefined && !stored.delete(quietKey)) stored.add(SHOWN);
  return stored;
}

/** The entries of the legend. */
export function legendOf(model: ChartModel): readonly (Part & Partial<Pick<Series, 'form' | 'dashed'>>)[] {
  return model.parts ?? model.series;
}

/**
 * The hidden keys after a click on a legend entry: toggles it, or with a modifier key hides all others, or shows all if
 * it is alone already.
 */
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
  // Keys of absent series are kept.
  const absent = [...hidden].filter((other) => !all.includes(other));
  return new Set(isAlone ? absent : [...absent, ...others]);
}
