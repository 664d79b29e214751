import type { HttpContext } from '../../kernel/http/app.ts';
import { meRequestSchema, readRequestSchema } from '../contract/member.ts';
import type { Caller } from '../domain/caller.ts';
import { meEtag } from '../domain/etag.ts';
import { removeMember } from '../domain/member/change.ts';
import { markRead, replaceMe } from '../domain/member/me.ts';
import type { Member } from '../domain/member/member.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { RoomDirectory } from '../room/directory.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answerJson, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface MeRouteParts {
  readonly guard: GuardParts;
  readonly writer: RoomWriter;
  readonly directory: RoomDirectory;
  readonly maxBodyBytes: number;
}

/** What a room is to the caller, and how far the caller has read. */
export function mePaths(parts: MeRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/room/:id/me': {
      GET: admit(guard, { scope: 'read' }, getMe(parts)),
      PUT: admit(guard, { scope: 'read' }, putMe(parts)),
      DELETE: admit(guard, { scope: 'write' }, leaveRoom(parts)),
    },
    '/api/room/:id/read': { PUT: admit(guard, { scope: 'read' }, putReadPosition(parts)) },
  };
}

function getMe({ directory }: MeRouteParts): CallerHandler {
  return async (c, caller) =>
    answerOutcome(c, await directory.me(caller, param(c, 'id')), (me) => {
      const json = JSON.stringify(me);
      return answerTagged(c, meEtag(json), () => json);
    });
}

function putMe(parts: MeRouteParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, meRequestSchema, parts.maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    return answerMe(c, parts, caller, await parts.writer.submit(replaceMe(caller, param(c, 'id'), body.value)));
  };
}

function leaveRoom({ writer }: MeRouteParts): CallerHandler {
  return async (c, caller) => {
    const left = await writer.submit(removeMember(caller, param(c, 'id'), caller.user.id, {}));
    return answerOutcome(c, left, () => c.body(null, 204));
  };
}

function putReadPosition(parts: MeRouteParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, readRequestSchema, parts.maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    return answerMe(c, parts, caller, await parts.writer.submit(markRead(caller, param(c, 'id'), body.value)));
  };
}

/** Answers a change with what the room is to its sender afterwards. */
async function answerMe(
  c: HttpContext,
  { directory }: MeRouteParts,
  caller: Caller,
  changed: Outcome<Member>,
): Promise<Response> {
  if (!changed.ok) return answerRefusal(c, changed);
  return answerOutcome(c, await directory.me(caller, param(c, 'id')), (me) => {
    const json = JSON.stringify(me);
    return answerJson(c, json, 200, { etag: meEtag(json) });
  });
}
