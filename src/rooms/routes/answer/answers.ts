import { type HttpContext, headerOf, type Method } from '../../../kernel/http/app.ts';
import { STATUS_OF } from '../../contract/failure.ts';
import { type Outcome, type Refusal, refuse } from '../../domain/refusal.ts';
import { storageRefusal } from '../../room/writer.ts';
import { respond } from './headers.ts';

export type AnswerHeaders = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** Answers with JSON text. */
export function answerJson(
  c: HttpContext,
  json: string,
  status: 200 | 201 | 202 = 200,
  headers: AnswerHeaders = {},
): Response {
  return respond(c, json, status, { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...headers });
}

/** Answers with an object of the wire. */
export function answer(
  c: HttpContext,
  wire: object,
  status: 200 | 201 | 202 = 200,
  headers: AnswerHeaders = {},
): Response {
  return answerJson(c, JSON.stringify(wire), status, headers);
}

/** Answers an outcome: a refusal in its own form, a value by `print`. */
export function answerOutcome<T>(c: HttpContext, outcome: Outcome<T>, print: (value: T) => Response): Response {
  return outcome.ok ? print(outcome.value) : answerRefusal(c, outcome);
}

/** A JSON string, or RFC 9457 for clients that accept it; the code is in `X-Error-Code`. */
export function answerRefusal(c: HttpContext, refusal: Refusal, headers: AnswerHeaders = {}): Response {
  const { code, reason, retryAfterS, etag } = refusal;
  const status = STATUS_OF[code];
  const all: Record<string, string> = { 'x-error-code': code, 'cache-control': 'no-store', ...headers };
  if (retryAfterS !== undefined) all['retry-after'] = String(Math.max(1, Math.ceil(retryAfterS)));
  if (etag !== undefined) all.etag = etag;
  if (status === 401) all['www-authenticate'] = 'Bearer';
  if (headerOf(c, 'accept')?.includes(PROBLEM_TYPE))
    return respond(c, printProblem(c, refusal), status, { ...all, 'content-type': PROBLEM_TYPE });
  return respond(c, JSON.stringify(reason), status, { ...all, 'content-type': JSON_TYPE });
}

const UNEXPECTED = refuse('internal', 'internal error; see the log of the server');

/** The refusal of a request that has thrown; `internal` if that was not expected. */
export function refusalOf(error: unknown): Refusal {
  return storageRefusal(error) ?? UNEXPECTED;
}

/** RFC 9457. */
function printProblem(c: HttpContext, { code, reason, path }: Refusal): string {
  const problem = {
    type: `urn:opsdeck:rooms:${code}`,
    title: code.replaceAll('_', ' '),
    status: STATUS_OF[code],
    detail: reason,
    instance: c.req.path,
    code,
    ...(path === undefined ? {} : { errors: [{ path, message: reason }] }),
  };
  return JSON.stringify(problem);
}

/** 405, with the replacement of a removed method. */
export function refuseMethod(c: HttpContext, allowed: readonly Method[]): Response {
  const { method, path } = c.req;
  const reason =
    method === 'PATCH' && /^\/api\/message\/[^/]+$/.test(path)
      ? 'PATCH /api/message/{id} was removed in 0.4.5; send the full message with PUT'
      : `${method} is not answered here; ${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'}`;
  return answerRefusal(c, refuse('method_not_allowed', reason), { allow: allowed.join(', ') });
}
