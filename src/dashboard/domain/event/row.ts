import { printExactDollars } from '../cost.ts';
import type { MarkerInterval } from '../marker/marker.ts';
import type { EventRow, ViewQuery } from '../view.ts';
import { dayKeyOf, localDayAt } from '../zone.ts';
import { IS_API, IS_CHARGEABLE, IS_INCLUDED, IS_LOGGED, IS_MAX_MODE } from './columns.ts';
import type { SourceIndex } from './source-index.ts';

/** One event in full, as tables show it. */
export function eventRowOf(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  query: Pick<ViewQuery, 'costBasis'>,
  row: number,
): EventRow {
  const { columns, names, set, zone } = index;
  const flags = columns.flags[row] as number;
  const at = set.at[row] as number;
  const marker = intervals[index.assignedTo(intervals)[row] as number]?.marker;
  return {
    id: row,
    at,
    dayKey: dayKeyOf(localDayAt(zone, at)),
    user: names.users[columns.user[row] as number] ?? '',
    model: names.models.text(columns.model[row] as number),
    kind: names.kinds.text(columns.kind[row] as number),
    maxMode: (flags & IS_MAX_MODE) !== 0,
    tokens: {
      input: columns.input[row] as number,
      cacheWrite: columns.cacheWrite[row] as number,
      cacheRead: columns.cacheRead[row] as number,
      output: columns.output[row] as number,
      total: columns.total[row] as number,
    },
    costCents: columns.cost[row] as number,
    basisCents: index.costOf(query.costBasis)[row] as number,
    listCents: columns.list[row] as number,
    costDisplay:
      names.costTexts.text(columns.costText[row] as number) || printExactDollars(columns.cost[row] as number),
    isIncluded: (flags & IS_INCLUDED) !== 0,
    isChargeable: (flags & IS_CHARGEABLE) !== 0,
    isEstimated: (flags & IS_LOGGED) !== 0,
    source: flags & IS_API ? 'api' : 'csv',
    markerId: marker?.id,
    project: marker ? marker.project : names.projects.text(columns.project[row] as number) || undefined,
    task: marker?.task,
  };
}
