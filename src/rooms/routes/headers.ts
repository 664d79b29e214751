import type { HttpContext } from '../../kernel/http.ts';

/** A header of the request, by its name in small letters. Straight off the socket's: Headers cost more than all the rest. */
export function headerOf(c: HttpContext, name: string): string | undefined {
  const incoming = c.env?.incoming;
  if (!incoming) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Puts a header on the answer, whoever makes it; likewise straight to the socket's. */
export function setHeader(c: HttpContext, name: string, value: string): void {
  const outgoing = c.env?.outgoing;
  if (!outgoing) c.header(name, value);
  else if (!outgoing.headersSent) outgoing.setHeader(name, value);
}
