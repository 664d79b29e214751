import * as v from 'valibot';
import type { HttpContext } from '../../../kernel/http/app.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';

/** A parameter of the path. */
export const param = (c: HttpContext, name: string): string => c.req.param(name) ?? '';

/**
 * Reads a query by a strict schema of strings. `repeated` names parameters that may be repeated, arrays in the schema;
 * repeating others is an error.
 */
export function readQuery<S extends v.GenericSchema>(
  c: HttpContext,
  schema: S,
  repeated: readonly string[] = [],
): Outcome<v.InferOutput<S>> {
  const values: Record<string, string | string[]> = {};
  for (const [name, all] of Object.entries(c.req.queries())) {
    if (repeated.includes(name)) values[name] = all;
    else if (all.length === 1) values[name] = all[0] ?? '';
    else return refuse('invalid_query', `${name}: must come once`, { path: name });
  }
  const parsed = v.safeParse(schema, values, { abortEarly: true });
  if (parsed.success) return accepted(parsed.output);
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue) ?? '';
  const reason =
    issue.type === 'strict_object' && issue.expected === 'never'
      ? `unknown parameter ${path}`
      : `${path}: ${issue.message}`;
  return refuse('invalid_query', reason, { path });
}

/** `Link: …; rel="next"` to the page that follows. */
export function nextLink(c: HttpContext, next: string | null): Readonly<Record<string, string>> {
  if (next === null) return {};
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.set('next', next);
  return { link: `<${pathname}?${searchParams}>; rel="next"` };
}
