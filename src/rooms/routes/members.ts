import * as v from 'valibot';
import { memberRequestSchema } from '../contract/member-request.ts';
import { findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { removeMember, setMember } from '../domain/member-change.ts';
import type { RoomMeans } from '../domain/room-create.ts';
import type { RoomDirectory } from '../room-directory.ts';
import type { RoomState } from '../room-state.ts';
import type { RoomWriter } from '../room-writer.ts';
import { answer, answerRefusal, answerVerdict } from './answers.ts';
import { readJson } from './body.ts';
import { admit, type CallerHandler, type GuardParts } from './guard.ts';
import type { Paths } from './index.ts';
import { pageOf, readListQuery } from './list-query.ts';
import { nextLink, readQuery } from './query.ts';
import { requireScope } from './scope.ts';

export interface MemberRouteParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly directory: RoomDirectory;
  readonly means: Pick<RoomMeans, 'newUser'>;
  readonly maxBodyBytes: number;
}

const removalSchema = v.strictObject({
  ban: v.optional(v.picklist(['true', 'false', '1', '0'], 'must be true or false')),
});

/** The paths of who is in a room. */
export function memberPaths(parts: MemberRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/room/:id/member': { GET: admit(guard, { scope: 'read' }, listMembers(parts)) },
    '/api/room/:id/member/:userId': {
      PUT: admit(guard, { scope: 'manage' }, putMember(parts)),
      DELETE: admit(guard, { scope: 'write' }, deleteMember(parts)),
    },
  };
}

function listMembers({ state, directory }: MemberRouteParts): CallerHandler {
  return (c, caller) => {
    const found = findRoom(state, caller, c.req.param('id') ?? '');
    if (!found.ok) return answerRefusal(c, found);
    const query = readListQuery(c);
    if (!query.ok) return answerRefusal(c, query);
    const { values, next } = pageOf(directory.members(found.value.room), ({ userId }) => userId, query.value);
    return answer(c, { members: values.map((member) => directory.showMember(member)), next }, 200, nextLink(c, next));
  };
}

function putMember({ writer, directory, means, maxBodyBytes }: MemberRouteParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, memberRequestSchema, maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    const { id = '', userId = '' } = c.req.param() as Record<string, string | undefined>;
    const set = await writer.submit(setMember(caller, id, userId, body.value, means));
    return answerVerdict(c, set, ({ member, isNew }) => answer(c, directory.showMember(member), isNew ? 201 : 200));
  };
}

function deleteMember({ writer }: MemberRouteParts): CallerHandler {
  return async (c, caller) => {
    const query = readQuery(c, removalSchema);
    if (!query.ok) return answerRefusal(c, query);
    const { id = '', userId = '' } = c.req.param() as Record<string, string | undefined>;
    const lacking = isSelf(caller, userId) ? undefined : requireScope(caller, 'manage');
    if (lacking) return answerRefusal(c, lacking);
    const ban = query.value.ban === 'true' || query.value.ban === '1';
    const removed = await writer.submit(removeMember(caller, id, userId, ban));
    return answerVerdict(c, removed, () => c.body(null, 204));
  };
}

const isSelf = ({ user }: Caller, userId: string): boolean => user.id === userId;
