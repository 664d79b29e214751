/** For queries that read a whole table. */
export const LOAD = { deadlineMs: 60_000 };
