import type { ProjectMarker } from './marker/marker.ts';

// What page and terminal ask of the usage data, and what they are answered. Instants are epoch milliseconds, money is
// cents (whole for the basis `reported`, with fractions for `list`), texts that need translation are codes. A View
// survives structured cloning; its typed arrays may be transferred.

export type SourceMode = 'csv' | 'live' | 'merge';
export type Granularity = 'event' | 'quarter' | 'hour' | 'day' | 'week' | 'month';
/** `reported`: as the source says; `billed`: what is billed by use, all else 0; `list`: the list value of every call. */
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
  readonly selection: Selection;
  /** Rules in time mode only: in count and rank mode buckets are events. */
  readonly granularity: Granularity;
  /** A name of the IANA time zone database. */
  readonly zone: string;
  readonly now: number;
  readonly costBasis: CostBasis;
  /** When zoomed: only these buckets, at the resolution that the narrower span allows. Touches nothing but `buckets`. */
  readonly visible?: TimeSpan | undefined;
  /** At most so many buckets are answered: neighbours are merged. */
  readonly columnCap: number;
  /** Adds `previousCumulative` to the buckets. */
  readonly compare: boolean;
  /** How many models `topCost` and `topTokens` hold. */
  readonly topN: number;
  /** `list` ranks the most expensive by list value, for when no event has a cost. */
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
  /** As the source says: not always the sum of the four. */
  readonly total: number;
}

export interface ResolvedInterval {
  /** Both ends included. Undefined when nothing is selected that has a time. */
  readonly span: TimeSpan | undefined;
  /** Why it ends there: the clock, the newest loaded event, what was typed, or the ranks. */
  readonly endsBy: 'now' | 'newest-event' | 'custom' | 'rank';
  readonly notes: readonly IntervalNote[];
  /** Whether it begins with the current month of the zone and reaches no further than its end. */
  readonly isCurrentMonth: boolean;
  /** Present when the granularity asked for makes too few or too many buckets of it. */
  readonly suggestedGranularity: Granularity | undefined;
}

/**
 * `swapped`: from and to stood the wrong way round; `clamped`: a number lay outside its limits; `beyond-loaded`: the
 * first rank lies behind the last event; `invalid-custom`: a custom time is none, so nothing is selected.
 */
export type IntervalNote = 'swapped' | 'clamped' | 'beyond-loaded' | 'invalid-custom';

export interface ViewCounts {
  /** Of the active source, after removing duplicates, of all users. */
  readonly loaded: number;
  readonly duplicatesRemoved: number;
  /** Rows and live events that could not be read. */
  readonly skipped: number;
  /** After the user filter. */
  readonly ofUser: number;
  readonly selected: number;
  /** Of the selected ones. */
  readonly included: number;
  readonly oldestAt: number | undefined;
  readonly newestAt: number | undefined;
  readonly bySource: { readonly csv: number; readonly live: number };
}

export interface Kpis {
  readonly costCents: number;
  /** Length of the filter in days, fractions included, 1 at the least. */
  readonly days: number;
  readonly averagePerDayCents: number;
  /** Average per day × 30. */
  readonly forecastCents: number;
  readonly tokens: TokenSums;
  readonly requests: number;
  readonly included: number;
  readonly centsPerRequest: number | undefined;
  /** 0 to 1: cache read / (cache read + cache write + input). Undefined: nothing of either. */
  readonly cacheHit: number | undefined;
  /** Unrounded sum, when the source gives fractions of a cent that whole cents hide. */
  readonly exactCents: number | undefined;
  /** The window of equal length just before; undefined when it holds no event, or in count mode. */
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

/** Month to date over all loaded events of the source and all users, whatever is selected. */
export interface BudgetInput {
  readonly monthStart: number;
  /** The first instant of the next month. */
  readonly monthEnd: number;
  readonly spentCents: number;
  /** Whether the loaded events begin after the month did, or there are none. */
  readonly isPartial: boolean;
  /** When partial: the oldest event. */
  readonly partialSince: number | undefined;
  /** 1 to 31 */
  readonly dayOfMonth: number;
  readonly daysInMonth: number;
  /** How much of the month is over, 0 to 1. */
  readonly elapsed: number;
  /** What the month comes to at this pace. */
  readonly paceCents: number;
}

export interface Buckets {
  /** What the buckets are: in count and rank mode always `event`. */
  readonly granularity: Granularity;
  /** How many neighbours one column holds; 1 means none were merged. */
  readonly merged: number;
  readonly length: number;
  readonly starts: Float64Array;
  /** Exclusive. Of an event: the next event's instant, its own for the last. */
  readonly ends: Float64Array;
  /** Minutes east of UTC at each start. */
  readonly offsets: Int16Array;
  /** 1 where the same wall-clock time comes twice, so that labels need the offset. */
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
  /** With `compare`: the running cost of the window before, laid over this one. */
  readonly previousCumulative: Float64Array | undefined;
  /** Of single events (granularity `event`, nothing merged): index into `modelNames` of each. */
  readonly eventModels: Uint32Array | undefined;
  readonly modelNames: readonly string[];
  /** Instants of the whole selection's buckets, for zooming out: first start and last end. */
  readonly full: TimeSpan | undefined;
}

export interface ModelRow extends Sums {
  readonly model: string;
  readonly family: ModelFamily;
  readonly tokensByType: TokenSums;
}

export interface FamilyRow extends Sums {
  /** `Other families` holds what lies behind the first eight. */
  readonly family: ModelFamily | 'Other families';
  readonly members: readonly string[];
}

/** A fixed name, the same in every language; colours hang on it. */
export type ModelFamily = string;

/** One entry per hour of the day (24) or weekday (7, Monday first). */
export interface GroupSeries {
  readonly requests: Float64Array;
  readonly tokens: Float64Array;
  readonly cost: Float64Array;
  /** How many different days of the selection have events there: divides sums into averages per day. */
  readonly days: Uint32Array;
}

export interface MarkerGroupRow extends Sums {
  /** Project or category. Empty for the groups without a name. */
  readonly name: string;
  /** `unmarked`: events without any marker; `nameless`: marker without project or category. */
  readonly kind: 'named' | 'nameless' | 'unmarked';
}

export interface MarkerView {
  readonly marker: ProjectMarker;
  readonly category: string | undefined;
  readonly from: number;
  /** As resolved for an open marker; Infinity while nothing ends it. */
  readonly to: number;
  readonly isOpen: boolean;
  /** First and last column it touches; undefined when none does. */
  readonly place: { readonly first: number; readonly last: number } | undefined;
  /** Over its whole interval, whatever other markers say: events of source and user filter, up to the filter's end. */
  readonly raw: Sums;
  /** Only the events that are assigned to it. */
  readonly assigned: Sums;
  /** How many other markers share events' time and users with it. */
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
  /** Stands for this event until the data changes. */
  readonly id: number;
  readonly at: number;
  readonly dayKey: string;
  readonly user: string;
  readonly model: string;
  readonly kind: string;
  readonly maxMode: boolean;
  readonly tokens: TokenSums;
  /** Whole cents as the source says. */
  readonly costCents: number;
  /** Cents on the basis asked for. */
  readonly basisCents: number;
  readonly listCents: number;
  /** What a cost cell shows for included events. */
  readonly costDisplay: string;
  readonly isIncluded: boolean;
  readonly isChargeable: boolean;
  readonly source: 'csv' | 'api';
  readonly markerId: string | undefined;
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
  /** Newest day first, then by user. */
  readonly daily: readonly DailyRow[];
  /** The 15 most expensive; empty when none has a cost. */
  readonly top: readonly EventRow[];
}
