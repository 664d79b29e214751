import type { StoredEvent } from './usage-database.ts';

/** What events cost. */
export interface Pricing {
  /** The date of the prices, `YYYY-MM-DD`; null: a file without one. */
  readonly asOf: string | null;
  /** Cents with fractions; undefined: the model has no price. */
  centsOf(event: StoredEvent): number | undefined;
  hasPrice(model: string): boolean;
}

/** An event in the form of the live API, as an estimate with its project; without a price it has no cost. */
export function textOf(event: StoredEvent, cents: number | undefined): string {
  const { at, model, project, input, output, cacheWrite, cacheRead } = event;
  const names = `"model":${JSON.stringify(model)},"project":${JSON.stringify(project)}`;
  const cost = cents === undefined ? '' : `,"chargedCents":${cents}`;
  const usage = `{"inputTokens":${input},"outputTokens":${output},"cacheWriteTokens":${cacheWrite},"cacheReadTokens":${cacheRead}}`;
  return `{"timestamp":"${at}",${names},"kind":"ESTIMATED","isEstimated":true,"tokenUsage":${usage}${cost}}`;
}
