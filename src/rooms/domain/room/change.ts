import { accessTo, findRoom, noSuchRoom, type RoomAccess, requireModerator } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { AuditEntry, Change, ChangeView, Decision, Write } from '../change.ts';
import { type CopilotServices, decideCopilot } from '../copilot/change.ts';
import { checkRoomMatch } from '../etag.ts';
import { decideMe } from '../member/me.ts';
import { record } from '../record.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { propertiesOf, type Room, type RoomReplacement } from './room.ts';
import { checkSlug, type SlugContext } from './slug.ts';

/** `PUT /api/room/:id`: replaces a room, or only manages its copilot if nothing else is sent. */
export function replaceRoom(
  caller: Caller,
  idOrSlug: string,
  request: RoomReplacement,
  ifMatch: string | undefined,
  context: SlugContext,
): Change<Room> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const access = found.value;
      const { room } = access;
      const mismatch = checkRoomMatch(ifMatch, taggedRoom(view, room));
      if (mismatch) return mismatch;
      const { copilot } = request;
      const isManagement = Object.keys(request).length === 1 && copilot !== undefined;
      if (typeof copilot === 'boolean') return isManagement ? switchOwn(caller, access, copilot) : mixedCopilot();
      const refusal = requireModerator(access);
      if (refusal) return refusal;
      if (isManagement && room.archived) return refuse('archived', `the room ${room.slug} is archived`);
      const replaced = isManagement ? room : replaceFields(view, caller, room, request, context);
      if ('ok' in replaced) return replaced;
      return finish(view, caller, { before: room, after: replaced }, copilot, context);
    },
  };
}

/** Refuses a body that asks for both. */
const taggedRoom = (view: ChangeView, { id, version }: Room) => ({
  version,
  lastSeq: view.head(id).lastSeq,
  firingAlerts: view.firingAlerts(id),
});

function mixedCopilot(): Refusal {
  const reason =
    'copilot: true and false are your own switch and stand alone; send an object or null beside other fields';
  return refuse('invalid_body', reason, { path: 'copilot' });
}

function switchOwn(caller: Caller, access: RoomAccess, copilot: boolean): Decision<Room> {
  const { room, member } = access;
  const decided = decideMe(caller, access, member ? { ...member, copilot } : undefined);
  return decided.ok ? { ...decided, answer: () => room } : decided;
}

function replaceFields(
  view: ChangeView,
  caller: Caller,
  room: Room,
  request: RoomReplacement,
  { alertRooms }: SlugContext,
): Room | Refusal {
  if (Object.keys(request).length === 0)
    return refuse('invalid_body', 'the body is empty: send the whole room, or {"copilot": …}');
  const refusal = checkFixed(room, request);
  if (refusal) return refusal;
  const { name, slug = room.slug } = request;
  if (name === undefined) return refuse('invalid_body', 'name: must be there', { path: 'name' });
  const taken = slug === room.slug ? undefined : checkSlug(view, { caller, alertRooms }, slug, room.id);
  if (taken) return taken;
  return { ...room, name, slug, ...propertiesOf(request, room) };
}

/** Immutable fields may be sent unchanged. */
function checkFixed(room: Room, request: RoomReplacement): Refusal | undefined {
  if ('users' in request || 'members' in request) {
    const path = 'users' in request ? 'users' : 'members';
    const reason = `${path}: who is in a room is changed at /api/room/{id}/member/{userId}`;
    return refuse('immutable_field', reason, { path });
  }
  const { visibility = room.visibility } = request;
  if (visibility !== room.visibility && (visibility === 'direct' || room.visibility === 'direct'))
    return immutable('visibility', 'a direct room stays one, and no other becomes one');
  if (differs(request.id, room.id)) return immutable('id', 'the server has chosen it');
  if (differs(request.createdBy, room.createdBy)) return immutable('createdBy', 'the server has set it');
  const { createdAt } = request;
  if (createdAt !== undefined && !(typeof createdAt === 'string' && Date.parse(createdAt) === room.createdAt))
    return immutable('createdAt', 'the server has set it');
  if (differs(request.pinned, room.pinned)) return immutable('pinned', 'pins are set at /api/message/{id}/pin');
  return undefined;
}

const differs = (sent: unknown, held: unknown): boolean =>
  sent !== undefined && JSON.stringify(sent) !== JSON.stringify(held);

const immutable = (path: string, why: string): Refusal =>
  refuse('immutable_field', `${path} cannot be changed here: ${why}`, { path });

function finish(
  view: ChangeView,
  caller: Caller,
  { before, after }: { readonly before: Room; readonly after: Room },
  request: Exclude<RoomReplacement['copilot'], boolean>,
  context: CopilotServices,
): Decision<Room> {
  const decided = request === undefined ? undefined : decideCopilot(view, caller, before, request, context);
  if (decided && !decided.ok) return decided;
  const { copilot, events, records } = decided?.value ?? { copilot: before.copilot, events: [], records: [] };
  const isChanged = events.length > 0 || JSON.stringify(before) !== JSON.stringify(after);
  if (!isChanged) return { ok: true, write: null, answer: () => before };
  const room: Room = { ...after, copilot, version: before.version + 1, updatedAt: view.now };
  const type = room.archived && !before.archived ? 'room.archived' : 'room.updated';
  const write: Write = {
    records: [record('room', room.id, room), ...slugRecords(before, room), ...records],
    events: [...events, { type, roomId: room.id, room }],
    audit: [auditOf(view, caller, type === 'room.archived' ? 'room.archive' : 'room.update', room.id)],
  };
  return { ok: true, write, answer: () => room };
}

function slugRecords(before: Room, { id, slug }: Room) {
  if (slug === before.slug) return [];
  return [record('slug', before.slug, null), record('slug', slug, { roomId: id })];
}

/** An entry of the audit log about a room. */
export function auditOf(
  view: ChangeView,
  caller: Caller,
  action: string,
  roomId: string,
  subject: string = roomId,
): AuditEntry {
  return { at: view.now, by: caller.user.id, action, roomId, subject };
}

/** Leaves a tombstone; deleting it again returns it. */
export function deleteRoom(caller: Caller, idOrSlug: string, ifMatch: string | undefined): Change<Room> {
  return {
    decide(view) {
      const room = view.get('room', view.get('slug', idOrSlug)?.roomId ?? idOrSlug);
      const access = room && accessTo(view, caller, room);
      if (!access) return noSuchRoom(idOrSlug);
      if (!access.isOwner) return refuse('forbidden', 'only an owner of the room may delete it');
      if (room.deletedAt !== null) return { ok: true, write: null, answer: () => room };
      const mismatch = checkRoomMatch(ifMatch, taggedRoom(view, room));
      if (mismatch) return mismatch;
      const deleted: Room = { ...room, deletedAt: view.now, updatedAt: view.now, version: room.version + 1 };
      return {
        ok: true,
        write: {
          records: [record('room', room.id, deleted)],
          events: [{ type: 'room.deleted', roomId: room.id, room: deleted }],
          audit: [auditOf(view, caller, 'room.delete', room.id)],
        },
        answer: () => deleted,
      };
    },
  };
}
