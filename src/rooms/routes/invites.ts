import type { Clock } from '../../kernel/clock.ts';
import { wireInvitation, wireInvite } from '../contract/invite.ts';
import { inviteRequestSchema } from '../contract/invite-request.ts';
import { findRoom, requireModerator } from '../domain/access.ts';
import { acceptInvite, createInvite, findInvite, isOpen, revokeInvite } from '../domain/member/invite-change.ts';
import type { RoomDirectory } from '../room/directory.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { pageOf, readListQuery } from './request/list-query.ts';
import { nextLink } from './request/query.ts';
import { answerRoom } from './rooms.ts';

export interface InviteRouteParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly directory: RoomDirectory;
  readonly clock: Clock;
  /** 22 random characters of base62. */
  readonly newCode: () => string;
  readonly maxBodyBytes: number;
}

/** The paths of invites. A GET never joins: whoever previews links would come in. */
export function invitePaths(parts: InviteRouteParts): Paths {
  const { guard, state, writer, directory, clock } = parts;
  return {
    '/api/room/:id/invite': {
      GET: admit(guard, { scope: 'manage' }, listInvites(parts)),
      POST: admit(guard, { scope: 'manage', idempotent: true }, postInvite(parts)),
    },
    '/api/invite/:code': {
      // Whoever holds a code is to see what it opens before he signs in with it.
      GET: (c) =>
        answerOutcome(c, findInvite(state, c.req.param('code') ?? '', clock.now()), ({ invite, room }) =>
          answer(c, wireInvitation(invite, room, directory.user(invite.createdBy))),
        ),
      POST: admit(guard, { scope: 'write' }, async (c, caller) =>
        answerRoom(c, parts, caller, await writer.submit(acceptInvite(caller, c.req.param('code') ?? ''))),
      ),
      DELETE: admit(guard, { scope: 'manage' }, async (c, caller) =>
        answerOutcome(c, await writer.submit(revokeInvite(caller, c.req.param('code') ?? '')), () => c.body(null, 204)),
      ),
    },
  };
}

function listInvites({ state, clock }: InviteRouteParts): CallerHandler {
  return (c, caller) => {
    const found = findRoom(state, caller, c.req.param('id') ?? '');
    if (!found.ok) return answerRefusal(c, found);
    const refusal = requireModerator(found.value);
    if (refusal) return answerRefusal(c, refusal);
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const now = clock.now();
    const { room, isOwner } = found.value;
    const open = [...state.all('invite').values()].filter(
      // Whoever may not make such an invite does not get one by looking.
      (invite) => invite.roomId === room.id && isOpen(invite, now) && (isOwner || invite.role !== 'admin'),
    );
    open.sort((a, b) => (a.code < b.code ? -1 : 1));
    const { values, next } = pageOf(open, ({ code }) => code, query.value);
    return answer(c, { invites: values.map(wireInvite), next }, 200, nextLink(c, next));
  };
}

function postInvite({ writer, newCode, maxBodyBytes }: InviteRouteParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, inviteRequestSchema, maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    const created = await writer.submit(createInvite(caller, c.req.param('id') ?? '', body.value, newCode()));
    return answerOutcome(c, created, (invite) =>
      answer(c, wireInvite(invite), 201, { location: `/api/invite/${invite.code}` }),
    );
  };
}
