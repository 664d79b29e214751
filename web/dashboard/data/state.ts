/** Where events come from. */
export const SOURCES = ['csv', 'live', 'merge'] as const;
export type Source = (typeof SOURCES)[number];

export const MODES = ['time', 'count'] as const;
export type Mode = (typeof MODES)[number];

export const GRANULARITIES = ['event', 'quarter', 'hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const COST_BASES = ['reported', 'billed', 'list'] as const;
export type CostBasis = (typeof COST_BASES)[number];

export const MAX_MODES = ['all', 'yes', 'no'] as const;
export type MaxModeFilter = (typeof MAX_MODES)[number];

/** Number of models in the charts of top models. */
export const TOP_MODELS = [5, 10] as const;
export type TopModels = (typeof TOP_MODELS)[number];

/** The period presets, in hours. */
export const HOURS = [1, 2, 3, 6, 12, 24, 168, 720] as const;
/** The presets of the requests filter. */
export const COUNTS = [10, 25, 50, 100, 250, 500, 1000] as const;
export const MIN_COUNT = 10;
export const MAX_COUNT = 1000;

/** The period filter as it is stored; `customFrom` and `customTo` are local wall times, `YYYY-MM-DD[THH:MM]`. */
export interface TimeRange {
  readonly mode: 'hours' | 'all' | 'custom';
  readonly hours: number;
  readonly customFrom: string;
  readonly customTo: string;
}

/** The requests filter: the newest `count`, all, or the ranks `from` to `to` with 1 as the newest. */
export interface CountRange {
  readonly mode: 'latest' | 'all' | 'rank';
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** The filters of the individual requests; `project` is empty for all, `-` for requests without a marker. */
export interface RequestFilters {
  readonly project: string;
  /** US dollars as typed; empty is off. */
  readonly minCost: string;
  readonly maxMode: MaxModeFilter;
  readonly model: string;
  readonly kind: string;
}

/** The state of the page, part of its address. */
export interface PageState {
  readonly source: Source;
  /** `all` or a user's label. */
  readonly user: string;
  /** Empty for all. */
  readonly project: string;
  readonly mode: Mode;
  readonly time: TimeRange;
  readonly count: CountRange;
  readonly granularity: Granularity;
  readonly basis: CostBasis;
  /** IANA name; empty for the browser's own. */
  readonly zone: string;
  readonly compare: boolean;
  readonly topModels: TopModels;
  readonly filters: RequestFilters;
  /** From 1. */
  readonly page: number;
}

export const NO_FILTERS: RequestFilters = { project: '', minCost: '', maxMode: 'all', model: '', kind: '' };
/** The project filter's value for requests without a marker. */
export const UNMARKED = '-';

/** Whether two states differ only in the page and the filters of the requests. */
export function isSameView(one: PageState, other: PageState): boolean {
  const { filters: _filters, page: _page, ...view } = one;
  return Object.entries(view).every(([name, value]) => {
    return JSON.stringify(other[name as keyof PageState]) === JSON.stringify(value);
  });
}

export function hasFilters(filters: RequestFilters): boolean {
  return Object.entries(filters).some(([name, value]) => value !== NO_FILTERS[name as keyof RequestFilters]);
}

/** A whole number, clamped to 10 to 1000; undefined if invalid. */
export function clampCount(value: number): number | undefined {
  if (!Number.isFinite(value)) return undefined;
  return Math.min(MAX_COUNT, Math.max(MIN_COUNT, Math.round(value)));
}

/** Typed US dollars, with a dot or a comma and at most two decimals; undefined if invalid. */
export function parseDollars(text: string): number | undefined {
  const trimmed = text.trim().replace(/^\$\s*|\s*\$$/g, '');
  if (!/^\d{1,9}(?:[.,]\d{0,2})?$/.test(trimmed)) return undefined;
  return Number(trimmed.replace(',', '.'));
}
