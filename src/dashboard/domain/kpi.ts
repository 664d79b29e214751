import type { Selected } from './selection.ts';
import { type FlagTally, type ModelTally, sumTokens, type TallyInput } from './tally.ts';
import type { Kpis, PreviousKpis, TimeSpan, TokenSums } from './view.ts';

/** The forecast is the daily average times this: a rule of thumb. */
export const FORECAST_DAYS = 30;

/** Share of the input from the cache, 0 to 1; undefined without input. */
export function cacheHitOf({ cacheRead, cacheWrite, input }: Omit<TokenSums, 'output' | 'total'>): number | undefined {
  const all = cacheRead + cacheWrite + input;
  return all > 0 ? cacheRead / all : undefined;
}

export function kpisOf(
  selected: Selected,
  models: ModelTally,
  flags: FlagTally,
  previous: PreviousKpis | undefined,
): Kpis {
  const tokens = sumTokens(models);
  const costCents = flags.yes.cost + flags.no.cost;
  const requests = selected.rows.length;
  const averagePerDayCents = costCents / selected.days;
  return {
    costCents,
    days: selected.days,
    averagePerDayCents,
    forecastCents: averagePerDayCents * FORECAST_DAYS,
    tokens,
    requests,
    included: flags.included,
    centsPerRequest: requests > 0 ? costCents / requests : undefined,
    cacheHit: cacheHitOf(tokens),
    exactCents: flags.hasFractions ? flags.exactCents : undefined,
    previous,
  };
}

/** The same numbers of the previous window; undefined if it is empty. */
export function previousKpisOf(input: Omit<TallyInput, 'at'>, span: TimeSpan, days: number): PreviousKpis | undefined {
  const { columns, rows, cost } = input;
  if (rows.length === 0) return undefined;
  let [costCents, tokens, fresh, cacheWrite, cacheRead] = [0, 0, 0, 0, 0];
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    costCents += cost[row] as number;
    tokens += columns.total[row] as number;
    fresh += columns.input[row] as number;
    cacheWrite += columns.cacheWrite[row] as number;
    cacheRead += columns.cacheRead[row] as number;
  }
  const averagePerDayCents = costCents / days;
  return {
    span,
    costCents,
    averagePerDayCents,
    forecastCents: averagePerDayCents * FORECAST_DAYS,
    tokens,
    requests: rows.length,
    cacheHit: cacheHitOf({ input: fresh, cacheWrite, cacheRead }),
  };
}
