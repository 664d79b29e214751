/** `T` with the instants of its fields `K` as RFC 3339 instead of epoch milliseconds. */
export type Printed<T, K extends keyof T> = Omit<T, K> & {
  readonly [P in K]: null extends T[P] ? string | null : string;
};

let last = { at: Number.NaN, text: '' };

/** An instant in epoch milliseconds as RFC 3339 in UTC, with milliseconds. Keeps the last one: neighbours are often the same. */
export function printInstant(at: number): string {
  if (last.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}

export const printInstantOrNull = (at: number | null): string | null => (at === null ? null : printInstant(at));
