import type { ProjectMarker } from './marker/marker.ts';

// Queries of page and terminal about the usage data, and their answers. Instants are epoch milliseconds, money is cents
// (whole for the basis `reported`, with fractions for `list`), texts to be translated are codes. A View survives
// structured cloning; its typed arrays may be transferred.

export type SourceMode = 'csv' | 'live' | 'merge';
export type Granularity = 'event' | 'quarter' | 'hour' | 'day' | 'week' | 'month';
/** `reported`: as in the source; `billed`: only calls billed by use; `list`: the list value of every call. */
export type CostBasis = 'reported' | 'billed' | 'list';

export type Selection =
  | { readonly mode: 'hours'; readonly hours: number }
  | { readonly mode: 'all' }
  /** Local times of the zone: `YYYY-MM-DDTHH:MM` to the end of that minute, or `YYYY-MM-DD` for whole days. */
  | { readonly mode: 'custom'; readonly from: string; readonly to: string }
  /** The newest requests: 10 to 1000, or all. */
  | { readonly mode: 'count'; readonly count: number | 'all' }
  /** By rank, 1 is the newest, both ends included. */
  | { readonly mode: 'rank'; readonly from: number; readonly to: number };

export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export interface ViewQuery {
  readonly source: SourceMode;
  /** A user's label, or `all`. */
  readonly user: string;
  /** Only the events of this project: that of the event's marker, else of its log. */
  readonly project?: string | undefined;
  readonly selection: Selection;
  /** Used in time mode only: in count and rank mode buckets are events. */
  readonly granularity: Granularity;
  /** A name of the IANA time zone database. */
  readonly zone: string;
  readonly now: number;
  readonly costBasis: CostBasis;
  /** When zoomed: only these buckets, at the resolution that the narrower span allows. Affects only `buckets`. */
  readonly visible?: TimeSpan | undefined;
  /** Maximum number of buckets; neighbours are merged. */
  readonly columnCap: number;
  /** Adds `previousCumulative` to the buckets. */
  readonly compare: boolean;
  /** Number of models in `topCost` and `topTokens`. */
  readonly topN: number;
  /** `list` ranks the most expensive by list value, for selections without costs. */
  readonly rankBy?: 'cost' | 'list' | undefined;
}

export interface Sums {
  readonly requests: number;
  readonly tokens: number;
  readonly cost: number;
}

export interface TokenSums {
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
  /** As reported by the source: not always the sum of the four. */
  readonly total: number;
}

export interface ResolvedInterval {
  /** Both ends included. Undefined if nothing with a time is selected. */
  readonly span: TimeSpan | undefined;
  /** What determines its end: the clock, the newest loaded event, the typed times, or the ranks. */
  readonly endsBy: 'now' | 'newest-event' | 'custom' | 'rank';
  readonly notes: readonly IntervalNote[];
  /** Whether it begins with the current month of the zone and ends within it. */
  readonly isCurrentMonth: boolean;
  /** Set if the requested granularity makes too few or too many buckets. */
  readonly suggestedGranularity: Granularity | undefined;
}

/**
 * `swapped`: from was later than to; `clamped`: a number was outside its limits; `beyond-loaded`: the first rank is
 * after the last event; `invalid-custom`: a custom time is invalid, so nothing is selected.
 */
export type IntervalNote = 'swapped' | 'clamped' | 'beyond-loaded' | 'invalid-custom';

export interface ViewCounts {
  /** Of the active source, after removing duplicates, of all users. */
  readonly loaded: number;
  readonly duplicatesRemoved: number;
  /** Unreadable rows and live events. */
  readonly skipped: number;
  /** After the user filter. */
  readonly ofUser: number;
  readonly selected: number;
  /** Of the selected ones. */
  readonly included: number;
  /** Of the selected ones: from logs of assistants, whose costs are estimates. */
  readonly estimated: number;
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
  readonly bySource: { readonly csv: number; readonly live: number };
}

export interface Kpis {
  readonly costCents: number;
  /** Length of the filter in days, with fractions, at least 1. */
  readonly days: number;
  readonly averagePerDayCents: number;
  /** Average per day × 30. */
  readonly forecastCents: number;
  readonly tokens: TokenSums;
  readonly requests: number;
  readonly included: number;
  readonly centsPerRequest: number | undefined;
  /** 0 to 1: cache read / (cache read + cache write + input). Undefined if all are 0. */
  readonly cacheHit: number | undefined;
  /** Unrounded sum, if the source has fractions of a cent. */
  readonly exactCents: number | undefined;
  /** The previous window of equal length; undefined if it is empty, and in count mode. */
  readonly previous: PreviousKpis | undefined;
}

export interface PreviousKpis {
  readonly span: TimeSpan;
  readonly costCents: number;
  readonly averagePerDayCents: number;
  readonly forecastCents: number;
  readonly tokens: number;
  readonly requests: number;
  readonly cacheHit: number | undefined;
}

/** Month to date over all loaded events of the source and all users, regardless of the selection. */
export interface BudgetInput {
  readonly monthStart: number;
  /** The first instant of the next month. */
  readonly monthEnd: number;
  readonly spentCents: number;
  /** Of the month so far. */
  readonly requests: number;
  /** Whether the loaded events begin after the month's start, or there are none. */
  readonly isPartial: boolean;
  /** When partial: the oldest event. */
  readonly partialSince: number | undefined;
  /** 1 to 31 */
  readonly dayOfMonth: number;
  readonly daysInMonth: number;
  /** Elapsed part of the month, 0 to 1. */
  readonly elapsed: number;
  /** The month's cost at this pace. */
  readonly paceCents: number;
}

export interface Buckets {
  /** In count and rank mode always `event`. */
  readonly granularity: Granularity;
  /** Number of neighbours merged into one column; 1: none. */
  readonly merged: number;
  readonly length: number;
  readonly starts: Float64Array;
  /** Exclusive. For single events: the next event's instant, its own for the last. */
  readonly ends: Float64Array;
  /** Minutes east of UTC at each start. */
  readonly offsets: Int16Array;
  /** 1 if the wall-clock time occurs twice, so that labels need the offset. */
  readonly repeated: Uint8Array;
  readonly input: Float64Array;
  readonly cacheWrite: Float64Array;
  readonly cacheRead: Float64Array;
  readonly output: Float64Array;
  readonly total: Float64Array;
  readonly cost: Float64Array;
  readonly requests: Uint32Array;
  /** Running cost from the start of the selection, also when zoomed. */
  readonly cumulativeCost: Float64Array;
  /** With `compare`: the running cost of the previous window, aligned with this one. */
  readonly previousCumulative: Float64Array | undefined;
  /** For single events (granularity `event`, nothing merged): index into `modelNames`. */
  readonly eventModels: Uint32Array | undefined;
  readonly modelNames: readonly string[];
  /** First start and last end of the whole selection's buckets, for zooming out. */
  readonly full: TimeSpan | undefined;
}

export interface ModelRow extends Sums {
  readonly model: string;
  readonly family: ModelFamily;
  readonly tokensByType: TokenSums;
}

export interface FamilyRow extends Sums {
  /** `Other families` are those after the first eight. */
  readonly family: ModelFamily | 'Other families';
  readonly members: readonly string[];
}

/** A fixed name, the same in every language; determines the colour. */
export type ModelFamily = string;

/** One entry per hour of the day (24) or weekday (7, Monday first). */
export interface GroupSeries {
  readonly requests: Float64Array;
  readonly tokens: Float64Array;
  readonly cost: Float64Array;
  /** Number of days of the selection with events there, for averages per day. */
  readonly days: Uint32Array;
}

export interface MarkerGroupRow extends Sums {
  /** Project (of a marker or a log) or category; empty for groups without a name. */
  readonly name: string;
  /** `unmarked`: events without marker and project; `nameless`: marker without project or category. */
  readonly kind: 'named' | 'nameless' | 'unmarked';
}

export interface MarkerView {
  readonly marker: ProjectMarker;
  readonly category: string | undefined;
  readonly from: number;
  /** Resolved for an open marker; Infinity while nothing ends it. */
  readonly to: number;
  readonly isOpen: boolean;
  /** First and last column it touches; undefined: none. */
  readonly place: { readonly first: number; readonly last: number } | undefined;
  /** Over its whole interval regardless of other markers: events of source and user filter, up to the filter's end. */
  readonly raw: Sums;
  /** Only the events that are assigned to it. */
  readonly assigned: Sums;
  /** Number of other markers that share time and users with it. */
  readonly overlaps: number;
}

export interface DailyRow {
  /** `YYYY-MM-DD` in the zone. */
  readonly dayKey: string;
  readonly user: string;
  readonly requests: number;
  readonly tokens: number;
  readonly cost: number;
  readonly topModel: string;
}

export interface EventRow {
  /** Identifies the event until the data change. */
  readonly id: number;
  readonly at: number;
  readonly dayKey: string;
  readonly user: string;
  readonly model: string;
  readonly kind: string;
  readonly maxMode: boolean;
  readonly tokens: TokenSums;
  /** Cents as reported by the source: whole ones, but for estimates. */
  readonly costCents: number;
  /** Cents on the requested basis. */
  readonly basisCents: number;
  readonly listCents: number;
  /** The source's text; shown in a cost cell for included events, and for those without a price. */
  readonly costDisplay: string;
  readonly isIncluded: boolean;
  readonly isChargeable: boolean;
  /** From the log of an assistant. Its cost is that of the tokens; not chargeable means that the model has no price. */
  readonly isEstimated: boolean;
  readonly source: 'csv' | 'api';
  readonly markerId: string | undefined;
  /** Of the marker, else of the log. */
  readonly project: string | undefined;
  readonly task: string | undefined;
}

export interface View {
  readonly counts: ViewCounts;
  readonly interval: ResolvedInterval;
  readonly kpis: Kpis;
  readonly budget: BudgetInput;
  /** overview and cumulative */
  readonly buckets: Buckets;
  /** All models, by cost, then tokens, then name. */
  readonly models: readonly ModelRow[];
  readonly topCost: readonly ModelRow[];
  readonly topTokens: readonly ModelRow[];
  /** tokenTypes, inputOutput and cacheEfficiency */
  readonly tokenTypes: TokenSums;
  readonly families: readonly FamilyRow[];
  readonly byHour: GroupSeries;
  readonly byWeekday: GroupSeries;
  readonly markerByProject: readonly MarkerGroupRow[];
  readonly markerByCategory: readonly MarkerGroupRow[];
  readonly maxMode: { readonly yes: Sums; readonly no: Sums };
  /** Of the user filter, by start. */
  readonly markers: readonly MarkerView[];
  /** The projects of logs in source and user filter, sorted; a project filter leaves them all. */
  readonly projects: readonly string[];
  /** Newest day first, then by user. */
  readonly daily: readonly DailyRow[];
  /** The 15 most expensive; empty if none has a cost. */
  readonly top: readonly EventRow[];
}
