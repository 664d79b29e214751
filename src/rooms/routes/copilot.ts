import type { HttpContext } from '../../kernel/http/app.ts';
import { copilotRequestSchema } from '../contract/copilot-request.ts';
import { wireCopilot } from '../contract/room.ts';
import type { RoomCopilots, ShownCopilot } from '../copilot/room-copilots.ts';
import { copilotEtag } from '../domain/etag.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type GuardParts } from './request/guard.ts';

export interface CopilotRouteParts {
  readonly guard: GuardParts;
  readonly copilots: RoomCopilots;
  readonly requireIfMatch: boolean;
  readonly maxBodyBytes: number;
}

/** The copilot of a room, as a thing of its own. */
export function copilotPaths({ guard, copilots, requireIfMatch, maxBodyBytes }: CopilotRouteParts): Paths {
  const idOf = (c: HttpContext) => c.req.param('id') ?? '';
  const wire = ({ copilot, health }: ShownCopilot) => wireCopilot(copilot, health);
  return {
    '/api/room/:id/copilot': {
      GET: admit(guard, { scope: 'read' }, (c, caller) =>
        answerOutcome(c, copilots.show(caller, idOf(c)), (shown) =>
          answerTagged(c, copilotEtag(shown.copilot.version), () => JSON.stringify(wire(shown))),
        ),
      ),
      PUT: admit(guard, { scope: 'copilot' }, async (c, caller) => {
        const createOnly = c.req.header('if-none-match')?.trim() === '*';
        const ifMatch = readIfMatch(c, requireIfMatch && !createOnly);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const request = await readJson(c, copilotRequestSchema, maxBodyBytes);
        if (!request.ok) return answerRefusal(c, request);
        const precondition = { ifMatch: ifMatch.value, createOnly };
        const replaced = await copilots.replace(caller, idOf(c), request.value, precondition);
        return answerOutcome(c, replaced, (shown) =>
          answer(c, wire(shown), 200, { etag: copilotEtag(shown.copilot.version) }),
        );
      }),
      DELETE: admit(guard, { scope: 'copilot' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const removed = await copilots.remove(caller, idOf(c), { ifMatch: ifMatch.value });
        return answerOutcome(c, removed, () => c.body(null, 204));
      }),
    },
    '/api/room/:id/copilot/test': {
      POST: admit(guard, { scope: 'copilot' }, async (c, caller) =>
        answerOutcome(c, await copilots.test(caller, idOf(c)), (test) => answer(c, test)),
      ),
    },
  };
}
