const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/i;

/**
 * The instant of a day (its beginning, UTC) or of an RFC 3339 text, in epoch milliseconds. `undefined`: neither, or a
 * day that does not exist, which JavaScript would move by some days.
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
