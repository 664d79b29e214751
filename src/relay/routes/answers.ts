import type { HttpContext } from '../../kernel/http/app.ts';

export type AnswerHeaders = Readonly<Record<string, string>>;
type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 500 | 502 | 503;

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Refuses in plain text. */
export function refusePlainly(
  c: HttpContext,
  status: RefusalStatus,
  text: string,
  headers: AnswerHeaders = {},
): Response {
  return text === '' ? refuseSilently(c, status, headers) : c.body(text, status, { ...PLAIN, ...headers });
}

/** Refuses as `{"message":…}`. */
export function refuse(c: HttpContext, status: RefusalStatus, message: string, headers: AnswerHeaders = {}): Response {
  return c.body(JSON.stringify({ message }), status, { ...JSON_TYPE, ...headers });
}

export function refuseSilently(c: HttpContext, status: RefusalStatus, headers: AnswerHeaders = {}): Response {
  return c.body(null, status, headers);
}

export function answerJson(c: HttpContext, json: string | Uint8Array<ArrayBuffer>, headers: AnswerHeaders): Response {
  return c.body(json, 200, { ...JSON_TYPE, ...headers });
}

export function answerUnchanged(c: HttpContext, headers: AnswerHeaders): Response {
  return c.body(null, 304, headers);
}
