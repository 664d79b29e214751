import type { HttpContext } from '../../../kernel/http/app.ts';

export function headerNamesOf(c: HttpContext): Iterable<string> {
  const incoming = c.env?.incoming;
  return incoming ? Object.keys(incoming.headers) : c.req.raw.headers.keys();
}

/** Sets a header on whichever answer follows. */
export function setHeader(c: HttpContext, name: string, value: string): void {
  const { env } = c;
  if (!env?.outgoing) c.header(name, value);
  else if (env.pending) env.pending.fields[name] = value;
  else env.pending = { fields: { [name]: value } };
}

/**
 * Answers with these headers and those set before, as plain fields: setting them on the socket's answer one by one
 * costs twice as much, and Hono would build a Headers of them, which the server takes apart again.
 */
export function respond(c: HttpContext, body: string, status: number, headers: Readonly<Record<string, string>>) {
  const { env } = c;
  if (!env?.outgoing) return c.body(body, status as 200, headers);
  const { pending } = env;
  if (!pending) return new Response(body, { status, headers });
  // Spreading two objects into one costs ten times as much.
  pending.answer = new Response(body, { status, headers: Object.assign({}, pending.fields, headers) });
  return pending.answer;
}

/** Writes the set headers to the socket's answer, unless this answer includes them; before its body begins. */
export function releaseHeaders({ env }: HttpContext, answer?: Response): void {
  if (!env?.pending || !env.outgoing || env.outgoing.headersSent) return;
  const { fields, answer: holder } = env.pending;
  if (holder && holder === answer) return;
  for (const name in fields) env.outgoing.setHeader(name, fields[name] ?? '');
}
