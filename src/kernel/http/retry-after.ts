/**
 * The milliseconds that an answer asks to wait: its `Retry-After` is seconds, or a date, which is compared with the `Date`
 * of the same server. Undefined if there is none, or none that is valid.
 */
export function readRetryAfter(headers: { get(name: string): string | null }): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000);
  // Date.parse reads a date without a zone in local time, and a bare number as a month.
  const at = /(GMT|Z)$/.test(value) ? Date.parse(value) : Number.NaN;
  const waitMs = at - Date.parse(headers.get('date') ?? '');
  return waitMs >= 0 ? waitMs : undefined;
}
