import type { Clock } from '../../kernel/clock.ts';
import type { HttpHandler } from '../../kernel/http/app.ts';
import { inviteRequestSchema, wireInvitation, wireInvite } from '../contract/invite.ts';
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
import { nextLink, param } from './request/query.ts';
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

/** Invites. A GET never joins, since previews of links are fetched. */
export function invitePaths(parts: InviteRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/room/:id/invite': {
      GET: admit(guard, { scope: 'manage' }, listInvites(parts)),
      POST: admit(guard, { scope: 'manage', idempotent: true }, postInvite(parts)),
    },
    '/api/invite/:code': {
      // Needs no sign-in: an invite shows what it opens before it is accepted.
      GET: showInvite(parts),
      POST: admit(guard, { scope: 'write' }, postAcceptance(parts)),
      DELETE: admit(guard, { scope: 'manage' }, deleteInvite(parts)),
    },
  };
}

function listInvites({ state, clock }: InviteRouteParts): CallerHandler {
  return (c, caller) => {
    const found = findRoom(state, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const refusal = requireModerator(found.value);
    if (refusal) return answerRefusal(c, refusal);
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const now = clock.now();
    const { room, isOwner } = found.value;
    const open = [...state.all('invite').values()].filter(
      // An invite for admins is listed for owners only, as only they may create it.
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
    const created = await writer.submit(createInvite(caller, param(c, 'id'), body.value, newCode()));
    return answerOutcome(c, created, (invite) =>
      answer(c, wireInvite(invite), 201, { location: `/api/invite/${invite.code}` }),
    );
  };
}

function showInvite({ state, directory, clock }: InviteRouteParts): HttpHandler {
  return (c) =>
    answerOutcome(c, findInvite(state, param(c, 'code'), clock.now()), ({ invite, room }) =>
      answer(c, wireInvitation(invite, room, directory.user(invite.createdBy))),
    );
}

function postAcceptance(parts: InviteRouteParts): CallerHandler {
  return async (c, caller) =>
    answerRoom(c, parts, caller, await parts.writer.submit(acceptInvite(caller, param(c, 'code'))));
}

function deleteInvite({ writer }: InviteRouteParts): CallerHandler {
  return async (c, caller) =>
    answerOutcome(c, await writer.submit(revokeInvite(caller, param(c, 'code'))), () => c.body(null, 204));
}
