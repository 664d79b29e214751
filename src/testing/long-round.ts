/**
 * OPSDECK_LONG=1: more kills, more seeds, and screenshots, for which `npm test` has no time. Such a round runs the tests marked
 * `only: isLongRound`, and no other test: `npm test` has run those.
 */
export const isLongRound = process.env.OPSDECK_LONG === '1';
