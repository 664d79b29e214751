import * as v from 'valibot';
import type { HttpContext } from '../../kernel/http/app.ts';
import { openRoomSchema, roomDraftSchema, roomListSchema, roomReplacementSchema } from '../contract/room.ts';
import { findRoom } from '../domain/access.ts';
import { type Caller, rulesServer } from '../domain/caller.ts';
import { roomEtag } from '../domain/etag.ts';
import { joinRoom } from '../domain/member/change.ts';
import { type Outcome, refuse } from '../domain/refusal.ts';
import { deleteRoom, replaceRoom } from '../domain/room/change.ts';
import { createRoom, type RoomContext } from '../domain/room/create.ts';
import type { Room } from '../domain/room/room.ts';
import type { RoomDirectory } from '../room/directory.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import { answer, answerJson, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { nextLink, param, readQuery } from './request/query.ts';
import { requireScope } from './request/scope.ts';

export interface RoomRouteParts {
  readonly guard: GuardParts;
  readonly state: RoomState;
  readonly writer: RoomWriter;
  readonly directory: RoomDirectory;
  readonly context: RoomContext;
  /** Removes a deleted room for good. */
  readonly purge: (roomId: string) => Promise<void>;
  readonly maxBodyBytes: number;
  readonly requireIfMatch: boolean;
}

const deletionSchema = v.strictObject({ purge: v.optional(v.picklist(['now'], 'must be now')) });

/** Rooms. */
export function roomPaths(parts: RoomRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/room': {
      GET: admit(guard, { scope: 'read' }, listRooms(parts)),
      POST: admit(guard, { scope: 'manage', limit: 'create', idempotent: true }, postRoom(parts)),
    },
    '/api/room/:id': {
      GET: admit(guard, { scope: 'read' }, getRoom(parts)),
      PUT: admit(guard, { scope: 'read' }, putRoom(parts)),
      DELETE: admit(guard, { scope: 'manage' }, removeRoom(parts)),
    },
    '/api/room/:id/join': {
      POST: admit(guard, { scope: 'write' }, postJoin(parts)),
    },
  };
}

/** Answers a change with the room as its sender sees it. */
export async function answerRoom(
  c: HttpContext,
  { directory }: Pick<RoomRouteParts, 'directory'>,
  caller: Caller,
  changed: Outcome<Room>,
  status: 200 | 201 = 200,
): Promise<Response> {
  if (!changed.ok) return answerRefusal(c, changed);
  const room = changed.value;
  const location: Record<string, string> = status === 201 ? { location: `/api/room/${room.id}` } : {};
  const shown = await directory.show(caller, room);
  return answer(c, shown, status, { etag: roomEtag(shown), ...location });
}

function listRooms({ directory }: RoomRouteParts): CallerHandler {
  return async (c, caller) => {
    const query = readQuery(c, roomListSchema, ['label']);
    if (!query.ok) return answerRefusal(c, query);
    const { joined, archived, label: labels, q, limit, next } = query.value;
    const filter = {
      joined,
      archived: archived === 'any' ? archived : archived === 'true' || archived === '1',
      labels,
      text: q.trim().toLowerCase(),
    };
    const page = await directory.list(caller, filter, { limit, next });
    return answerOutcome(c, page, (value) => answer(c, value, 200, nextLink(c, value.next)));
  };
}

function postRoom(parts: RoomRouteParts): CallerHandler {
  return async (c, caller) => {
    const body = await readJson(c, roomDraftSchema, parts.maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    const created = await parts.writer.submit(createRoom(caller, body.value, parts.context));
    if (!created.ok) return answerRefusal(c, created);
    const { room, isNew } = created.value;
    return answerRoom(c, parts, caller, { ok: true, value: room }, isNew ? 201 : 200);
  };
}

function getRoom({ directory, state }: RoomRouteParts): CallerHandler {
  return async (c, caller) => {
    const found = findRoom(state, caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const query = readQuery(c, openRoomSchema);
    if (!query.ok) return answerRefusal(c, query);
    const { room } = found.value;
    const { messages } = query.value;
    if (messages !== undefined) {
      const etag = roomEtag({ ...room, ...state.head(room.id), firingAlerts: state.firingAlerts(room.id) });
      return answerOutcome(c, await directory.open(caller, room, messages), (json) =>
        answerJson(c, json, 200, { etag }),
      );
    }
    const shown = await directory.show(caller, room);
    return answerTagged(c, roomEtag(shown), () => JSON.stringify(shown));
  };
}

function putRoom(parts: RoomRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, roomReplacementSchema, parts.maxBodyBytes);
    if (!body.ok) return answerRefusal(c, body);
    const { copilot, ...rest } = body.value;
    const isManagement = copilot !== undefined && Object.keys(rest).length === 0;
    const scope = isManagement ? (typeof copilot === 'boolean' ? 'write' : 'copilot') : 'manage';
    const lacking = requireScope(caller, scope);
    if (lacking) return answerRefusal(c, lacking);
    const change = replaceRoom(caller, param(c, 'id'), body.value, ifMatch.value, parts.context);
    return answerRoom(c, parts, caller, await parts.writer.submit(change));
  };
}

function removeRoom(parts: RoomRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, parts.requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const query = readQuery(c, deletionSchema);
    if (!query.ok) return answerRefusal(c, query);
    const isPurge = query.value.purge === 'now';
    if (isPurge && !rulesServer(caller))
      return answerRefusal(c, refuse('forbidden', 'only an admin of the server may remove a room at once'));
    const deleted = await parts.writer.submit(deleteRoom(caller, param(c, 'id'), ifMatch.value));
    if (!deleted.ok) return answerRefusal(c, deleted);
    const answered = await answerRoom(c, parts, caller, deleted);
    if (isPurge) await parts.purge(deleted.value.id);
    return answered;
  };
}

function postJoin(parts: RoomRouteParts): CallerHandler {
  return async (c, caller) => answerRoom(c, parts, caller, await parts.writer.submit(joinRoom(caller, param(c, 'id'))));
}
