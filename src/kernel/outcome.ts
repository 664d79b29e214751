/** An expected outcome as a value: a result, or why there is none. `F` is what a failure holds; by default a reason in words for the caller. */
export type Outcome<T, F = Reason> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & F);

export interface Reason {
  readonly reason: string;
}

export const accepted = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
export const refused = (reason: string): { readonly ok: false } & Reason => ({ ok: false, reason });
