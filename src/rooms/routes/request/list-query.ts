import type { HttpContext } from '../../../kernel/http/app.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';

/** `limit` and `next` of a list. */
export interface ListQuery {
  readonly limit: number;
  /** The end of the previous page; `undefined`: the beginning. */
  readonly next: string | undefined;
}

const MAX_LIMIT = 200;
const USUAL = 50;

export function readListQuery(c: HttpContext): Outcome<ListQuery> {
  const text = c.req.query('limit') ?? String(USUAL);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) return refuse('invalid_query', `limit: write a number from 1 to ${MAX_LIMIT}`);
  const next = c.req.query('next') || undefined;
  const key = next === undefined ? undefined : Buffer.from(next, 'base64url').toString();
  if (next !== undefined && Buffer.from(key ?? '').toString('base64url') !== next)
    return refuse('invalid_cursor', 'next: send it as given by the previous page');
  return accepted({ limit, next: key });
}

/** A page of a sorted list, and the `next` after it. */
export function pageOf<T>(
  sorted: readonly T[],
  keyOf: (value: T) => string,
  { limit, next }: ListQuery,
): { readonly values: readonly T[]; readonly next: string | null } {
  const from = next === undefined ? 0 : sorted.findIndex((value) => keyOf(value) > next);
  const values = from === -1 ? [] : sorted.slice(from, from + limit);
  const last = values.at(-1);
  const isLast = last === undefined || from + limit >= sorted.length;
  return { values, next: isLast ? null : Buffer.from(keyOf(last)).toString('base64url') };
}
