/** Whether OPSDECK_LONG=1 asks for all that a run of `npm test` has no time for: more kills, more seeds, pictures. */
export const isLongRound = process.env.OPSDECK_LONG === '1';
