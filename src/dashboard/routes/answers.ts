import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type HttpContext, readBody } from '../../kernel/http/app.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { Failure } from '../contract/failure.ts';

/** Room for some ten thousand markers. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** Usage data must not be cached. */
const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export function answerJson(
  c: HttpContext,
  value: unknown,
  status: ContentfulStatusCode = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return c.body(`${JSON.stringify(value)}\n`, status, { ...JSON_HEADERS, ...headers });
}

export function refuse(
  c: HttpContext,
  status: ContentfulStatusCode,
  failure: Failure,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return answerJson(c, failure, status, headers);
}

/** Reads the JSON body of a request, or answers 413 or 400. */
export async function readJsonBody(c: HttpContext): Promise<Outcome<unknown, { readonly response: Response }>> {
  const body = await readBody(c, MAX_BODY_BYTES);
  if (!body.ok && body.reason === 'too large') {
    const error = `the body is larger than ${MAX_BODY_BYTES} bytes`;
    return { ok: false, response: refuse(c, 413, { error, code: 'body_too_large' }) };
  }
  try {
    if (body.ok) return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body.bytes)) };
  } catch {}
  return { ok: false, response: refuse(c, 400, { error: 'the body is not JSON', code: 'invalid_json' }) };
}
