import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpContext } from '../../kernel/http/app.ts';
import { wireRun } from '../contract/run.ts';
import { runRequestSchema } from '../contract/run-request.ts';
import type { RunRequests } from '../copilot/run/requests.ts';
import type { RunStreams } from '../copilot/run/streams.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { Run } from '../domain/run/run.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type GuardParts } from './request/guard.ts';

export interface RunRouteParts {
  readonly guard: GuardParts;
  readonly requests: RunRequests;
  readonly streams: RunStreams;
}

const BODY_LIMIT = 128 * 1024;

/** What copilots are asked, and what comes of it. */
export function runPaths({ guard, requests, streams }: RunRouteParts): Paths {
  const idOf = (c: HttpContext) => c.req.param('id') ?? '';
  const answerRun = (c: HttpContext, run: Outcome<Run>, status: 200 | 202 = 200) =>
    answerOutcome(c, run, (value) =>
      answer(c, wireRun(value), status, status === 202 ? { location: `/api/run/${value.id}` } : {}),
    );
  return {
    '/api/room/:id/copilot/run': {
      POST: admit(guard, { scope: 'write', limit: 'post', idempotent: true }, async (c, caller) => {
        const question = await readJson(c, runRequestSchema, BODY_LIMIT);
        if (!question.ok) return answerRefusal(c, question);
        return answerRun(c, await requests.ask(caller, idOf(c), question.value), 202);
      }),
    },
    '/api/run/:id': {
      GET: admit(guard, { scope: 'read' }, async (c, caller) => answerRun(c, await requests.find(caller, idOf(c)))),
      DELETE: admit(guard, { scope: 'write' }, async (c, caller) =>
        answerRun(c, await requests.cancel(caller, idOf(c))),
      ),
    },
    '/api/run/:id/retry': {
      POST: admit(guard, { scope: 'write', limit: 'post', idempotent: true }, async (c, caller) =>
        answerRun(c, await requests.retry(caller, idOf(c)), 202),
      ),
    },
    '/api/run/:id/stream': {
      GET: admit(guard, { scope: 'read' }, async (c, caller) => {
        const found = await requests.find(caller, idOf(c));
        if (!found.ok) return answerRefusal(c, found);
        const outgoing = c.env?.outgoing as ServerResponse | undefined;
        if (!outgoing) throw new Error('a stream needs a connection');
        const refusal = streams.open(outgoing, caller, found.value);
        return refusal ? answerRefusal(c, refusal) : RESPONSE_ALREADY_SENT;
      }),
    },
  };
}
