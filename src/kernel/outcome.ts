/** What a decision came to: a value, or the reason why there is none, in words for the person who asked. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export const accepted = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const refused = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason });
