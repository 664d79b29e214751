/** OPSDECK_LONG=1: more kills, more seeds, and screenshots, for which `npm test` has no time. */
export const isLongRound = process.env.OPSDECK_LONG === '1';
