const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

/**
 * The instant of a day (its beginning, UTC) or of an RFC 3339 text, in epoch milliseconds. `undefined`: it is neither, or
 * of a day that no calendar has, which JavaScript would take for one some days later.
 */
export function readInstant(text: string): number | undefined {
  const day = INSTANT.exec(text)?.[1];
  if (day === undefined || !isInCalendar(day)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function isInCalendar(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
