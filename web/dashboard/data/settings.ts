import { DEFAULT_BUDGET_USD } from '../../../src/dashboard/domain/budget.ts';
import { zoneOr } from './hash.ts';
import type { CostBasis, CountRange, Granularity, Mode, PageState, TimeRange } from './state.ts';
import { COST_BASES, clampCount, GRANULARITIES, MODES, NO_FILTERS, parseDollars, TOP_MODELS } from './state.ts';

/** The part of the browser's storage that settings need. */
export interface SettingStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export const KEYS = {
  budget: 'usage-analytics-monthly-budget-usd',
  granularity: 'usage-analytics-granularity',
  mode: 'usage-analytics-selection-mode',
  count: 'usage-analytics-count',
  time: 'usage-analytics-time-range',
  custom: 'usage-analytics-custom-range',
  visibility: 'usage-analytics-chart-visibility',
  markerDisplay: 'usage-marker-chart-display',
  zone: 'usage-analytics-timezone',
  basis: 'usage-analytics-cost-basis',
  topModels: 'usage-analytics-top-models',
} as const;

/** The display of markers on charts and in tables; `projectFilter` is `all` or a project. */
export interface MarkerDisplay {
  readonly showMarkers: boolean;
  readonly showLabels: boolean;
  readonly projectFilter: string;
  readonly showTablePopover: boolean;
}

const DEFAULT_HOURS = 24;
const DEFAULT_COUNT = 50;

/** Settings stored in the browser: objects as JSON, others as text. Without storage they last as long as the page. */
export class Settings {
  readonly #storage: SettingStorage;
  readonly #memory = new Map<string, string>();

  constructor(storage: SettingStorage) {
    this.#storage = storage;
  }

  /** The monthly budget in US dollars, as last known of the server; 0: none. */
  get budget(): number {
    return this.chosenBudget ?? DEFAULT_BUDGET_USD;
  }

  /** Undefined: nobody has chosen one in this browser. */
  get chosenBudget(): number | undefined {
    const text = this.#read(KEYS.budget);
    return text?.trim() === '' ? 0 : parseDollars(text ?? '');
  }

  set budget(dollars: number) {
    this.#write(KEYS.budget, String(dollars));
  }

  get markerDisplay(): MarkerDisplay {
    const stored = this.#readObject(KEYS.markerDisplay);
    return {
      showMarkers: stored.showMarkers !== false,
      showLabels: stored.showLabels !== false,
      projectFilter: text(stored.projectFilter) || 'all',
      showTablePopover: stored.showTablePopover !== false,
    };
  }

  set markerDisplay(display: MarkerDisplay) {
    this.#write(KEYS.markerDisplay, JSON.stringify(display));
  }

  /** Hidden series keys of a chart. */
  hiddenSeries(chart: string): ReadonlySet<string> {
    const stored = this.#readObject(KEYS.visibility)[chart];
    if (!isObject(stored)) return new Set();
    return new Set(Object.keys(stored).filter((series) => stored[series] === false));
  }

  hideSeries(chart: string, hidden: ReadonlySet<string>): void {
    const { [chart]: _, ...others } = this.#readObject(KEYS.visibility);
    const mine = Object.fromEntries([...hidden].map((series) => [series, false]));
    this.#write(KEYS.visibility, JSON.stringify(hidden.size > 0 ? { ...others, [chart]: mine } : others));
  }

  /** The initial state without an address; `today` is `YYYY-MM-DD` in the display zone. */
  readState(today: string): PageState {
    return {
      source: 'csv',
      user: 'all',
      project: '',
      mode: this.#oneOf<Mode>(KEYS.mode, MODES, 'time'),
      time: this.#readTime(today),
      count: this.#readCount(),
      granularity: this.#oneOf<Granularity>(KEYS.granularity, GRANULARITIES, 'hour'),
      basis: this.#oneOf<CostBasis>(KEYS.basis, COST_BASES, 'reported'),
      zone: this.zone,
      compare: false,
      topModels: TOP_MODELS.find((count) => String(count) === this.#read(KEYS.topModels)) ?? 5,
      filters: NO_FILTERS,
      page: 1,
    };
  }

  /** IANA name of the chosen display zone; empty for the browser's own. */
  get zone(): string {
    return zoneOr(this.#read(KEYS.zone), '');
  }

  /** Stores the part of a state that outlives the page. */
  writeState(state: PageState): void {
    const { mode, hours, customFrom, customTo } = state.time;
    this.#write(KEYS.mode, state.mode);
    this.#write(KEYS.granularity, state.granularity);
    this.#write(KEYS.basis, state.basis);
    this.#write(KEYS.zone, state.zone);
    this.#write(KEYS.topModels, String(state.topModels));
    this.#write(KEYS.count, String(state.count.count));
    this.#write(KEYS.custom, JSON.stringify({ customFrom, customTo }));
    const time = mode === 'custom' ? { mode, hours, customFrom, customTo } : { mode, hours };
    this.#write(KEYS.time, JSON.stringify(time));
  }

  #readTime(today: string): TimeRange {
    const stored = this.#readObject(KEYS.time);
    const custom = this.#readObject(KEYS.custom);
    const hours = Number(stored.hours);
    return {
      mode: stored.mode === 'all' || stored.mode === 'custom' ? stored.mode : 'hours',
      hours: Number.isFinite(hours) && hours >= 1 ? Math.round(hours) : DEFAULT_HOURS,
      customFrom: wallTime(stored.customFrom) || wallTime(custom.customFrom) || `${daysBefore(today, 2)}T00:00`,
      customTo: wallTime(stored.customTo) || wallTime(custom.customTo) || `${today}T23:59`,
    };
  }

  #readCount(): CountRange {
    const count = clampCount(Number(this.#read(KEYS.count) ?? DEFAULT_COUNT)) ?? DEFAULT_COUNT;
    return { mode: 'latest', count, from: 1, to: count };
  }

  #oneOf<Value extends string>(key: string, values: readonly Value[], otherwise: Value): Value {
    return values.find((value) => value === this.#read(key)) ?? otherwise;
  }

  #read(key: string): string | null {
    const remembered = this.#memory.get(key);
    if (remembered !== undefined) return remembered;
    try {
      return this.#storage.getItem(key);
    } catch {
      return null;
    }
  }

  #readObject(key: string): Readonly<Record<string, unknown>> {
    try {
      const value: unknown = JSON.parse(this.#read(key) ?? '{}');
      return isObject(value) ? value : {};
    } catch {
      return {};
    }
  }

  #write(key: string, value: string): void {
    try {
      this.#storage.setItem(key, value);
      this.#memory.delete(key);
    } catch {
      // Storage is full or forbidden: the setting lasts until the page is closed.
      this.#memory.set(key, value);
    }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A wall time to the minute; longer spellings are cut. */
function wallTime(value: unknown): string {
  return /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?/.exec(text(value))?.[0] ?? '';
}

/** The calendar date `days` days before `YYYY-MM-DD`. */
export function daysBefore(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}
