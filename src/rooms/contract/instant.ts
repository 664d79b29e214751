let last = { at: Number.NaN, text: '' };

/** An instant in epoch milliseconds as RFC 3339 in UTC, with milliseconds. Many that are printed in a row are the same. */
export function printInstant(at: number): string {
  if (last.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}

export const printInstantOrNull = (at: number | null): string | null => (at === null ? null : printInstant(at));
