/**
 * How many milliseconds an answer asks to wait: its `Retry-After` is seconds, or a date, which only the clock of the same
 * server (its `Date`) can tell the distance to. Undefined: it asks for nothing, or for what nobody can wait for.
 */
export function readRetryAfter(headers: { get(name: string): string | null }): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  // Without its zone a date would be one of this machine's; of a bare number, Date.parse makes a month.
  const at = /(GMT|Z)$/.test(value) ? Date.parse(value) : Number.NaN;
  const waitMs = at - Date.parse(headers.get('date') ?? '');
  return waitMs >= 0 ? waitMs : undefined;
}
