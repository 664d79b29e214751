import type { WireCopilotTest } from '../contract/copilot.ts';
import { copilotRequestSchema, wireCopilot } from '../contract/copilot.ts';
import type { RoomCopilots, ShownCopilot } from '../copilot/room-copilots.ts';
import { copilotEtag } from '../domain/etag.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface CopilotRouteParts {
  readonly guard: GuardParts;
  readonly copilots: RoomCopilots;
  readonly requireIfMatch: boolean;
  readonly maxBodyBytes: number;
}

/** `/api/room/:id/copilot`. */
export function copilotPaths(parts: CopilotRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/room/:id/copilot': {
      GET: admit(guard, { scope: 'read' }, getCopilot(parts)),
      PUT: admit(guard, { scope: 'copilot' }, putCopilot(parts)),
      DELETE: admit(guard, { scope: 'copilot' }, deleteCopilot(parts)),
    },
    '/api/room/:id/copilot/test': { POST: admit(guard, { scope: 'copilot' }, testCopilot(parts)) },
  };
}

const wire = ({ copilot, health }: ShownCopilot) => wireCopilot(copilot, health);

function getCopilot({ copilots }: CopilotRouteParts): CallerHandler {
  return (c, caller) =>
    answerOutcome(c, copilots.show(caller, param(c, 'id')), (shown) =>
      answerTagged(c, copilotEtag(shown.copilot.version), () => JSON.stringify(wire(shown))),
    );
}

function putCopilot({ copilots, requireIfMatch, maxBodyBytes }: CopilotRouteParts): CallerHandler {
  return async (c, caller) => {
    const createOnly = c.req.header('if-none-match')?.trim() === '*';
    const ifMatch = readIfMatch(c, requireIfMatch && !createOnly);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const request = await readJson(c, copilotRequestSchema, maxBodyBytes);
    if (!request.ok) return answerRefusal(c, request);
    const precondition = { ifMatch: ifMatch.value, createOnly };
    const replaced = await copilots.replace(caller, param(c, 'id'), request.value, precondition);
    return answerOutcome(c, replaced, (shown) =>
      answer(c, wire(shown), 200, { etag: copilotEtag(shown.copilot.version) }),
    );
  };
}

function deleteCopilot({ copilots, requireIfMatch }: CopilotRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const removed = await copilots.remove(caller, param(c, 'id'), { ifMatch: ifMatch.value });
    return answerOutcome(c, removed, () => c.body(null, 204));
  };
}

function testCopilot({ copilots }: CopilotRouteParts): CallerHandler {
  return async (c, caller) =>
    answerOutcome(c, await copilots.test(caller, param(c, 'id')), (test) => answer(c, test satisfies WireCopilotTest));
}
