import * as v from 'valibot';

const MAX_USD = 1_000_000_000;
const MESSAGE = `monthlyUsd must be US dollars from 0 (no budget) to ${MAX_USD}, or null (never set)`;

/** The monthly budget of a project, in US dollars; 0: none; null: nobody has set one. */
export const budgetSchema = v.object(
  { monthlyUsd: v.nullable(v.pipe(v.number(MESSAGE), v.minValue(0, MESSAGE), v.maxValue(MAX_USD, MESSAGE))) },
  MESSAGE,
);
export type Budget = v.InferOutput<typeof budgetSchema>;
