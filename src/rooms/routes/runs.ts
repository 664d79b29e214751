import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpContext } from '../../kernel/http/app.ts';
import { runRequestSchema, wireRun } from '../contract/run.ts';
import type { RunRequests } from '../copilot/run/requests.ts';
import type { RunStreams } from '../copilot/run/streams.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { Run } from '../domain/run/run.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface RunRouteParts {
  readonly guard: GuardParts;
  readonly requests: RunRequests;
  readonly streams: RunStreams;
}

const BODY_LIMIT = 128 * 1024;

/** The runs of copilots: asked for, watched, ended. */
export function runPaths(parts: RunRouteParts): Paths {
  const { guard } = parts;
  const asks = { scope: 'write', limit: 'post', idempotent: true } as const;
  return {
    '/api/room/:id/copilot/run': { POST: admit(guard, asks, postRun(parts)) },
    '/api/run/:id': {
      GET: admit(guard, { scope: 'read' }, getRun(parts)),
      DELETE: admit(guard, { scope: 'write' }, cancelRun(parts)),
    },
    '/api/run/:id/retry': { POST: admit(guard, asks, retryRun(parts)) },
    '/api/run/:id/stream': { GET: admit(guard, { scope: 'read' }, streamRun(parts)) },
  };
}

const answerRun = (c: HttpContext, run: Outcome<Run>): Response =>
  answerOutcome(c, run, (value) => answer(c, wireRun(value)));

const answerStarted = (c: HttpContext, run: Outcome<Run>): Response =>
  answerOutcome(c, run, (value) => answer(c, wireRun(value), 202, { location: `/api/run/${value.id}` }));

function postRun({ requests }: RunRouteParts): CallerHandler {
  return async (c, caller) => {
    const question = await readJson(c, runRequestSchema, BODY_LIMIT);
    if (!question.ok) return answerRefusal(c, question);
    return answerStarted(c, await requests.ask(caller, param(c, 'id'), question.value));
  };
}

function getRun({ requests }: RunRouteParts): CallerHandler {
  return async (c, caller) => answerRun(c, await requests.find(caller, param(c, 'id')));
}

function cancelRun({ requests }: RunRouteParts): CallerHandler {
  return async (c, caller) => answerRun(c, await requests.cancel(caller, param(c, 'id')));
}

function retryRun({ requests }: RunRouteParts): CallerHandler {
  return async (c, caller) => answerStarted(c, await requests.retry(caller, param(c, 'id')));
}

function streamRun({ requests, streams }: RunRouteParts): CallerHandler {
  return async (c, caller) => {
    const found = await requests.find(caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const outgoing = c.env?.outgoing as ServerResponse | undefined;
    if (!outgoing) throw new Error('a stream needs a connection');
    const refusal = streams.open(outgoing, caller, found.value);
    return refusal ? answerRefusal(c, refusal) : RESPONSE_ALREADY_SENT;
  };
}
