import type { GroupOrder } from '../alert/list.ts';
import { GROUP_ORDERS } from '../alert/list.ts';

export const REFRESH_SECONDS = [5, 15, 30, 60, 300, 0] as const;
export const TIME_STYLES = ['relative', 'absolute'] as const;
export type TimeStyle = (typeof TIME_STYLES)[number];
export const DENSITIES = ['compact', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

/** A view of the alerts under a name. */
export interface SavedFilter {
  readonly name: string;
  /** The hash of its route, such as `#/alerts?filter=…`. */
  readonly hash: string;
}

export interface SettingValues {
  /** 0 turns the refresh off. */
  readonly refreshSeconds: number;
  readonly creator: string;
  readonly times: TimeStyle;
  readonly order: GroupOrder;
  readonly density: Density;
  readonly filters: readonly SavedFilter[];
  /** The name of the saved filter with which the page opens; empty for all alerts. */
  readonly startFilter: string;
  /** Whether new critical alerts play a sound, and show a desktop notification. */
  readonly sound: boolean;
  readonly desktop: boolean;
}

/** The part of the browser's storage that settings need. */
export interface SettingStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const KEY = 'opsdeck.alerts';
/** The key under which Alertmanager's page keeps the name, so that it need not be typed again. */
const CREATOR_KEY = 'defaultCreator';

/** The user's settings, kept in the browser; without storage, as long as the page. */
export class Settings {
  readonly #storage: SettingStorage;
  #values: SettingValues;

  constructor(storage: SettingStorage) {
    this.#storage = storage;
    this.#values = read(storage);
  }

  get values(): SettingValues {
    return this.#values;
  }

  change(values: Partial<SettingValues>): void {
    this.#values = { ...this.#values, ...values };
    const { creator, ...rest } = this.#values;
    try {
      this.#storage.setItem(KEY, JSON.stringify(rest));
      this.#storage.setItem(CREATOR_KEY, creator);
    } catch {
      // Storage is full or forbidden: the setting lasts until the page is closed.
    }
  }
}

function read(storage: SettingStorage): SettingValues {
  let stored: Readonly<Record<string, unknown>> = {};
  let creator = '';
  try {
    creator = storage.getItem(CREATOR_KEY) ?? '';
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? '{}');
    if (typeof value === 'object' && value !== null) stored = value as Record<string, unknown>;
  } catch {
    // Forbidden storage and an invalid value both mean the defaults.
  }
  return {
    refreshSeconds: REFRESH_SECONDS.find((seconds) => seconds === stored.refreshSeconds) ?? 15,
    creator,
    times: TIME_STYLES.find((style) => style === stored.times) ?? 'relative',
    order: GROUP_ORDERS.find((order) => order === stored.order) ?? 'severity',
    density: DENSITIES.find((density) => density === stored.density) ?? 'compact',
    filters: Array.isArray(stored.filters) ? stored.filters.filter(isSavedFilter) : [],
    startFilter: typeof stored.startFilter === 'string' ? stored.startFilter : '',
    sound: stored.sound === true,
    desktop: stored.desktop === true,
  };
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null) return false;
  const { name, hash } = value as Partial<Record<keyof SavedFilter, unknown>>;
  return typeof name === 'string' && name !== '' && typeof hash === 'string' && hash.startsWith('#/alerts');
}
