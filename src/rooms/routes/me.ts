import type { HttpContext } from '../../kernel/http/app.ts';
import { meRequestSchema } from '../contract/member-request.ts';
import type { Caller } from '../domain/caller.ts';
import { meEtag } from '../domain/etag.ts';
import { removeMember } from '../domain/member/change.ts';
import { replaceMe } from '../domain/member/me.ts';
import type { Member } from '../domain/member/member.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { RoomDirectory } from '../room/directory.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answerJson, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type GuardParts } from './request/guard.ts';

export interface MeRouteParts {
  readonly guard: GuardParts;
  readonly writer: RoomWriter;
  readonly directory: RoomDirectory;
  readonly maxBodyBytes: number;
}

/** The paths of what a room is to the caller. */
export function mePaths(parts: MeRouteParts): Paths {
  const { guard, writer, directory, maxBodyBytes } = parts;
  return {
    '/api/room/:id/me': {
      GET: admit(guard, { scope: 'read' }, async (c, caller) =>
        answerOutcome(c, await directory.me(caller, roomOf(c)), (me) => {
          const json = JSON.stringify(me);
          return answerTagged(c, meEtag(json), () => json);
        }),
      ),
      PUT: admit(guard, { scope: 'read' }, async (c, caller) => {
        const body = await readJson(c, meRequestSchema, maxBodyBytes);
        if (!body.ok) return answerRefusal(c, body);
        return answerMe(c, parts, caller, await writer.submit(replaceMe(caller, roomOf(c), body.value)));
      }),
      DELETE: admit(guard, { scope: 'write' }, async (c, caller) =>
        answerOutcome(c, await writer.submit(removeMember(caller, roomOf(c), caller.user.id, {})), () =>
          c.body(null, 204),
        ),
      ),
    },
  };
}

const roomOf = (c: HttpContext): string => c.req.param('id') ?? '';

/** Answers what came of a change with what the room is to its sender now. */
export async function answerMe(
  c: HttpContext,
  { directory }: Pick<MeRouteParts, 'directory'>,
  caller: Caller,
  changed: Outcome<Member>,
): Promise<Response> {
  if (!changed.ok) return answerRefusal(c, changed);
  return answerOutcome(c, await directory.me(caller, roomOf(c)), (me) => {
    const json = JSON.stringify(me);
    return answerJson(c, json, 200, { etag: meEtag(json) });
  });
}
