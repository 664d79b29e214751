import type { FlagRow } from '../../../src/relay/contract/page.ts';

export const FILTERS = ['all', 'on', 'off', 'changed', 'idle'] as const;
export type Filter = (typeof FILTERS)[number];

/** Flags without a request for this time count as no longer requested. */
const IDLE_MS = 24 * 3_600_000;

/** The rows whose key or default has all the words, and that pass the filter. `now` is in epoch milliseconds. */
export function filterFlags(rows: readonly FlagRow[], search: string, filter: Filter, now: number): readonly FlagRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => passes(row, filter, now) && words.every((word) => textOf(row).includes(word)));
}

function textOf(row: FlagRow): string {
  return `${row.key} ${row.default.map(({ value }) => value).join(' ')}`.toLowerCase();
}

function passes({ on, changedAt, requestedAt }: FlagRow, filter: Filter, now: number): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'on':
      return on;
    case 'off':
      return !on;
    case 'changed':
      return changedAt !== null;
    case 'idle':
      return requestedAt === null || now - requestedAt > IDLE_MS;
  }
}
