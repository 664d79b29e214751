import { createHash } from 'node:crypto';
import { type HttpContext, headerOf } from '../../../kernel/http/app.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Outcome } from '../../domain/refusal.ts';
import type { Admission, KeptAnswer } from '../../idempotent-answers.ts';
import { readAhead } from '../request/body.ts';
import type { IdempotentAnswers } from '../request/guard.ts';
import { type AnswerHeaders, answerRefusal } from './answers.ts';

/** The longest body of a request with a key, which is hashed as a whole. */
const BODY_LIMIT = 2 ** 20;
/** The headers that are stored with an answer. */
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'link'];

export interface IdempotentParts {
  enter(caller: Caller, key: string, requestHash: string): Promise<Outcome<Admission>>;
}

/** Serves a request with an `Idempotency-Key` once; refusals are not stored, since they changed nothing. */
export function createIdempotentAnswers(answers: IdempotentParts): IdempotentAnswers {
  return {
    async once(c, caller, handle, isSecret) {
      const body = await readAhead(c, BODY_LIMIT);
      if (!body.ok) return answerRefusal(c, body);
      const found = await answers.enter(caller, headerOf(c, 'idempotency-key') ?? '', hashOf(c, body.value));
      if (!found.ok) return answerRefusal(c, found);
      const admission = found.value;
      if (admission.kind === 'again') return restore(admission.answer, { 'idempotent-replay': 'true' });
      let kept: KeptAnswer | undefined;
      try {
        const answer = await handle();
        // An answer written straight to the socket cannot be stored.
        if (answer.status < 300 && !answer.headers.has('x-hono-already-sent')) kept = await keep(answer);
        return kept ? restore(kept) : answer;
      } finally {
        await admission.finish(kept, isSecret);
      }
    },
  };
}

function hashOf(c: HttpContext, body: Buffer): string {
  const { method, url } = c.req;
  const { pathname, search } = new URL(url);
  return createHash('sha256').update(`${method} ${pathname}${search}\n`).update(body).digest('hex');
}

async function keep(answer: Response): Promise<KeptAnswer> {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: answer.status, headers, body: await answer.text() };
}

function restore({ status, headers, body }: KeptAnswer, more: AnswerHeaders = {}): Response {
  const empty = status === 204 || status === 205;
  return new Response(empty ? null : body, { status, headers: { ...headers, 'cache-control': 'no-store', ...more } });
}
