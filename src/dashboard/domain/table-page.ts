import type { EventRow, ViewQuery } from './view.ts';

/** A page of the individual requests; all filters must hold. */
export interface TableQuery {
  readonly view: ViewQuery;
  /** From 1; beyond the last page the last is returned. */
  readonly page: number;
  readonly project: 'all' | 'unmarked' | { readonly name: string };
  /** Cents, as `readMinimumCost` reads them from what is typed. Undefined: off. */
  readonly minCents: number | undefined;
  readonly maxMode: 'all' | 'yes' | 'no';
  readonly model?: string | undefined;
  readonly kind?: string | undefined;
  readonly sort: { readonly by: TableColumn; readonly descending: boolean };
}

export type TableColumn = 'time' | 'cost' | 'tokens' | 'model' | 'user' | 'project';

export interface TablePage {
  readonly page: number;
  /** At least 1. */
  readonly pages: number;
  readonly total: number;
  readonly rows: readonly EventRow[];
  /** The values for the filters, of the whole selection. */
  readonly models: readonly string[];
  readonly kinds: readonly string[];
  readonly projects: readonly string[];
}

export const EVENTS_PER_PAGE = 50;
