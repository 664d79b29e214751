import * as v from 'valibot';
import { memberRequestSchema } from '../contract/member.ts';
import { findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { memberEtag } from '../domain/etag.ts';
import { removeMember, setMember } from '../domain/member/change.ts';
import { memberKey } from '../domain/member/member.ts';
import { refuse } from '../domain/refusal.ts';
import type { RoomContext } from '../domain/room/create.ts';
import type { RoomDirectory } from '../room/directory.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { pageOf, readListQuery } from './request/list-query.ts';
import { nextLink, param, readQuery } from './request/query.ts';
import { requireScope } from './request/scope.ts';

export interface MemberRouteParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly directory: RoomDirectory;
  readonly context: Pick<RoomContext, 'newUser'>;
  readonly maxBodyBytes: number;
  readonly requireIfMatch: boolean;
}

const removalSchema = v.strictObject({
  ban: v.optional(v.picklist(['true', 'false', '1', '0'], 'must be true or false')),
});

/** The members of a room. */
export function memberPaths(parts: MemberRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/room/:id/member': { GET: admit(guard, { scope: 'read' }, listMembers(parts)) },
    '/api/room/:id/member/:userId': {
      GET: admit(guard, { scope: 'read' }, getMember(parts)),
      PUT: admit(guard, { scope: 'manage' }, putMember(parts)),
      DELETE: admit(guard, { scope: 'write' }, deleteMember(parts)),
    },
  };
}

function listMembers({ state, directory }: MemberRouteParts): CallerHandler {
  return (c, caller) => {
    const found = findRoom(state, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const { values, next } = pageOf(directory.members(found.value.room), ({ userId }) => userId, query.value);
    return answer(c, { members: values.map((member) => directory.showMember(member)), next }, 200, nextLink(c, next));
  };
}

function getMember({ state, directory }: MemberRouteParts): CallerHandler {
  return (c, caller) => {
    const found = findRoom(state, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const userId = param(c, 'userId');
    const member = state.get('member', memberKey(found.value.room.id, userId));
    if (!member) return answerRefusal(c, refuse('member_not_found', `${userId} is not a member of this room`));
    return answerTagged(c, memberEtag(member), () => JSON.stringify(directory.showMember(member)));
  };
}

function putMember(parts: MemberRouteParts): CallerHandler {
  const { writer, directory, context, maxBodyBytes, requireIfMatch } = parts;
  return async (c, caller) => {
    const createOnly = c.req.header('if-none-match')?.trim() === '*';
    const ifMatch = readIfMatch(c, requireIfMatch && !createOnly);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, memberRequestSchema, maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    const [id, userId] = [param(c, 'id'), param(c, 'userId')];
    const precondition = { ifMatch: ifMatch.value, createOnly };
    const set = await writer.submit(setMember(caller, id, userId, body.value, precondition, context));
    return answerOutcome(c, set, ({ member, isNew }) =>
      answer(c, directory.showMember(member), isNew ? 201 : 200, { etag: memberEtag(member) }),
    );
  };
}

function deleteMember({ writer, requireIfMatch }: MemberRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const query = readQuery(c, removalSchema);
    if (!query.ok) return answerRefusal(c, query);
    const [id, userId] = [param(c, 'id'), param(c, 'userId')];
    const lacking = isSelf(caller, userId) ? undefined : requireScope(caller, 'manage');
    if (lacking) return answerRefusal(c, lacking);
    const ban = query.value.ban === 'true' || query.value.ban === '1';
    const removed = await writer.submit(removeMember(caller, id, userId, { ban, ifMatch: ifMatch.value }));
    return answerOutcome(c, removed, () => c.body(null, 204));
  };
}

const isSelf = ({ user }: Caller, userId: string): boolean => user.id === userId;
