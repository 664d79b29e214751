import type { CostBasis, TimeSpan } from '../../../../src/dashboard/domain/view.ts';
import type { ChartTextKey, chartTexts } from './texts.ts';

// Types of the charts' texts and state, without the DOM.

/** The page's state beside the view. */
export interface ChartState {
  /** As in the view's query. */
  readonly zone: string;
  readonly costBasis: CostBasis;
  /** The view's `visible`: the span of the charts over time; undefined: all. */
  readonly zoom: TimeSpan | undefined;
  /** The marker controls of overview and cumulative; `project` is `all` or one project's name. */
  readonly markers: { readonly show: boolean; readonly labels: boolean; readonly project: string };
  /** The monthly budget; the cumulative chart draws it while the view's interval is the current month. */
  readonly budgetCents: number | undefined;
  /** A newer view is being computed: reported to assistive technology only. */
  readonly busy: boolean;
}

export type ChartLanguage = keyof typeof chartTexts;
/** A text that belongs to one chart alone, in both languages. */
export type ChartText = Readonly<Record<ChartLanguage, string>>;

/** Words of `chartTexts` in the page's language, `{name}` filled from `values`. */
export type ChartTranslate = (key: ChartTextKey, values?: Readonly<Record<string, string | number>>) => string;

/** Formats numbers and instants; created by `chartFormat` of format.ts. */
export interface ChartFormat {
  /** All digits: `6,141,230`. */
  count(value: number): string;
  /** For axes and small places: `6.14M`. */
  compact(value: number): string;
  /** Two decimals, four below one cent. */
  usd(cents: number): string;
  /** For axes: as many decimals as the step between two ticks needs. */
  usdAxis(cents: number, stepCents: number): string;
  /** A ratio of 0 to 1, one decimal. */
  percent(ratio: number): string;
  /** One decimal. */
  decimal(value: number): string;
  /** `Monday` is 0; long or short name. */
  weekday(day: number, form: 'long' | 'short'): string;
  /** An instant in an IANA zone. */
  date(at: number, zone: string, form: DateForm): string;
  /** Both ends as one text; common parts appear once. */
  dateRange(from: number, to: number, zone: string, form: DateForm): string;
}

/**
 * `second`: Fri 12 Jun, 14:03:07 · `minute`: Fri 12 Jun, 14:03 · `time`: 14:03 · `zonedTime`: 14:03 CEST ·
 * `day`: Fri 12 Jun · `dayOfMonth`: 12 Jun · `month`: June 2026 · `shortMonth`: Jun
 */
export type DateForm = 'second' | 'minute' | 'time' | 'zonedTime' | 'day' | 'dayOfMonth' | 'month' | 'shortMonth';
