import type { Alert, Silence, SilenceState } from '../../../src/alerts/contract/wire.ts';
import { formatMatchers } from '../parts/matcher-text.ts';
import type { SilenceTab } from '../route.ts';
import { acknowledgedUntil } from './annotations.ts';

/** The silences by state; each list keeps the server's order, by the next end or start. */
export function splitSilences(silences: readonly Silence[]): Readonly<Record<SilenceTab, readonly Silence[]>> {
  const inState = (state: SilenceState) => silences.filter(({ status }) => status.state === state);
  return { all: silences, active: inState('active'), pending: inState('pending'), expired: inState('expired') };
}

/** Whether matchers, comment, author, annotations and id of the silence contain all words, ignoring case. */
export function silenceHasWords(silence: Silence, words: string): boolean {
  const { matchers, comment, createdBy, id, annotations = {} } = silence;
  const text = [formatMatchers(matchers), comment, createdBy, id, ...Object.entries(annotations).flat()]
    .join('\n')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The number of alerts that each silence suppresses, by the silence's id. */
export function countSilenced(alerts: readonly Alert[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of alerts) {
    for (const id of status.silencedBy) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

export const SORT_COLUMNS = ['alerts', 'creator', 'starts', 'ends'] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

/** The order of the table: by a column, or as the server lists the silences. */
export interface SilenceOrder {
  readonly column: SortColumn;
  readonly isDescending: boolean;
}

/** Sorts by a column; silences that are equal in it keep the server's order. */
export function sortSilences(
  silences: readonly Silence[],
  order: SilenceOrder | undefined,
  affected: ReadonlyMap<string, number>,
): readonly Silence[] {
  if (!order) return silences;
  const keys: Record<SortColumn, (silence: Silence) => number | string> = {
    alerts: ({ id }) => affected.get(id) ?? 0,
    creator: ({ createdBy }) => createdBy.toLowerCase(),
    starts: ({ startsAt }) => Date.parse(startsAt),
    ends: (silence) => acknowledgedUntil(silence) ?? Date.parse(silence.endsAt),
  };
  const keyed = silences.map((silence) => ({ silence, key: keys[order.column](silence) }));
  const sign = order.isDescending ? -1 : 1;
  return keyed.sort((a, b) => sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ silence }) => silence);
}

/** The order after a press on a column's title: ascending, descending, then the server's again. */
export function nextOrder(order: SilenceOrder | undefined, column: SortColumn): SilenceOrder | undefined {
  if (order?.column !== column) return { column, isDescending: false };
  return order.isDescending ? undefined : { column, isDescending: true };
}
