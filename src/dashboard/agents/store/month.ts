import type { AgentSummary } from '../source.ts';

/** The calendar month of an instant in the zone of this machine, as epoch milliseconds; `end` is exclusive. */
export interface Month {
  readonly start: number;
  readonly end: number;
}

export function monthOf(now: number): Month {
  const date = new Date(now);
  const startOf = (month: number) => new Date(date.getFullYear(), month, 1).getTime();
  return { start: startOf(date.getMonth()), end: startOf(date.getMonth() + 1) };
}

/**
 * A month in the form of upstream's usage summary. An assistant's log says nothing of a subscription, so there is no limit,
 * and the use is what the API would cost.
 */
export function summarise({ start, end }: Month, cents: number): AgentSummary & { readonly isUnlimited: true } {
  return {
    billingCycleStart: new Date(start).toISOString(),
    billingCycleEnd: new Date(end).toISOString(),
    isUnlimited: true,
    individualUsage: { overall: { used: Math.round(cents), limit: null } },
  };
}
