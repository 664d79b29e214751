import type { HttpContext } from '../../../kernel/http/app.ts';
import { matchesIfNoneMatch } from '../../domain/etag.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import { type AnswerHeaders, answerJson } from './answers.ts';

/**
 * The request's `If-Match`, to be checked by the decision (domain/etag.ts); refused with 428 if missing under
 * `--require-if-match`.
 */
export function readIfMatch(c: HttpContext, required: boolean): Outcome<string | undefined> {
  const ifMatch = c.req.header('if-match');
  if (ifMatch === undefined && required)
    return refuse('precondition_required', 'send If-Match with the ETag of what you have read');
  return accepted(ifMatch);
}

/** Answers a GET with a tag: 304 if the client has it already. `json` is called only for other answers. */
export function answerTagged(c: HttpContext, etag: string, json: () => string, headers: AnswerHeaders = {}): Response {
  const all = { ...headers, etag };
  if (matchesIfNoneMatch(c.req.header('if-none-match'), etag))
    return c.body(null, 304, { 'cache-control': 'no-store', ...all });
  return answerJson(c, json(), 200, all);
}
