import type { TallyInput } from './tally.ts';

export const MAX_EXPENSIVE = 15;

/** The most expensive events: by cost, then tokens, then newest. None if all cost nothing. */
export function rankByCost(
  { columns, rows, at }: TallyInput,
  cost: Float64Array,
  count = MAX_EXPENSIVE,
): readonly number[] {
  const isBefore = (a: number, b: number) =>
    (cost[a] as number) - (cost[b] as number) ||
    (columns.total[a] as number) - (columns.total[b] as number) ||
    (at[a] as number) - (at[b] as number);
  const best: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let place = rows.length - 1; place >= 0; place--) {
    const row = rows[place] as number;
    if (best.length === count && (cost[row] as number) < least) continue;
    let at = best.length;
    while (at > 0 && isBefore(row, best[at - 1] as number) > 0) at--;
    if (at === count) continue;
    best.splice(at, 0, row);
    if (best.length > count) best.pop();
    if (best.length === count) least = cost[best[count - 1] as number] as number;
  }
  return best.some((row) => cost[row] !== 0) ? best : [];
}
