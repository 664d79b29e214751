import { lowerBound, upperBound } from './row-order.ts';
import type { BudgetInput } from './view.ts';
import { monthAt, type Zone } from './zone.ts';

/** Month to date over all users, regardless of the selection. `rows` are all of the source, by time. */
export function spendOfMonth(
  events: { readonly rows: Uint32Array; readonly at: Float64Array; readonly cost: Float64Array },
  zone: Zone,
  now: number,
): BudgetInput {
  const { rows, at, cost } = events;
  const { start, end, dayOfMonth, days } = monthAt(zone, now);
  const to = Math.min(upperBound(rows, at, now), lowerBound(rows, at, end));
  const from = lowerBound(rows, at, start);
  let spentCents = 0;
  for (let place = from; place < to; place++) spentCents += cost[rows[place] as number] as number;
  const oldest = rows[0];
  const oldestAt = oldest === undefined ? undefined : (at[oldest] as number);
  const isPartial = oldestAt === undefined || oldestAt > start;
  const elapsed = (now - start) / (end - start);
  return {
    monthStart: start,
    monthEnd: end,
    spentCents,
    requests: Math.max(0, to - from),
    isPartial,
    partialSince: isPartial ? oldestAt : undefined,
    dayOfMonth,
    daysInMonth: days,
    elapsed,
    paceCents: elapsed > 0 ? spentCents / elapsed : spentCents,
  };
}

export const DEFAULT_BUDGET_USD = 70;

export type BudgetLevel = 'none' | 'ok' | 'warn' | 'over';

export interface BudgetState {
  readonly level: BudgetLevel;
  /** Spent of the budget, not capped at 1; undefined without a budget. */
  readonly share: number | undefined;
}

/** `warn` from 80 percent on, `over` from 100 on; no budget at 0. */
export function judgeBudget(spentCents: number, budgetCents: number): BudgetState {
  if (!(budgetCents > 0)) return { level: 'none', share: undefined };
  const share = spentCents / budgetCents;
  return { level: share >= 1 ? 'over' : share >= 0.8 ? 'warn' : 'ok', share };
}
