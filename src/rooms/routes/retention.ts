import * as v from 'valibot';
import { printInstantOrNull } from '../contract/instant.ts';
import type { WireRetention } from '../contract/room.ts';
import { findRoom, requireModerator } from '../domain/access.ts';
import type { RetentionJob } from '../retention-job.ts';
import type { RoomState } from '../room/state.ts';
import { answer, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type GuardParts } from './request/guard.ts';
import { readQuery } from './request/query.ts';

export interface RetentionRouteParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly retention: RetentionJob;
}

/** It only ever reports, so `dryRun` may be said or not. */
const reportSchema = v.strictObject({ dryRun: v.optional(v.string()) });

/** The path that says what retention would remove now. */
export function retentionPaths({ guard, state, retention }: RetentionRouteParts): Paths {
  return {
    '/api/room/:id/retention': {
      GET: admit(guard, { scope: 'manage' }, async (c, caller) => {
        const found = findRoom(state, caller, c.req.param('id') ?? '');
        if (!found.ok) return answerRefusal(c, found);
        const query = readQuery(c, reportSchema);
        const refusal = query.ok ? requireModerator(found.value) : query;
        if (refusal) return answerRefusal(c, refusal);
        const { before, ...report } = await retention.report(found.value.room);
        return answer(c, { dryRun: true, ...report, before: printInstantOrNull(before) } satisfies WireRetention);
      }),
    },
  };
}
