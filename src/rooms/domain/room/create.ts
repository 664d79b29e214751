import { type Caller, rulesServer } from '../caller.ts';
import type { Change, ChangeView, Decision } from '../change.ts';
import { decideCopilot } from '../copilot/change.ts';
import type { EventDraft } from '../event.ts';
import { forgetGuest, requireMoreThanGuest } from '../member/guest.ts';
import { type Member, memberKey, newMember, type Role } from '../member/member.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { isReservedUserId } from '../reserved-id.ts';
import type { User } from '../user/user.ts';
import { auditOf } from './change.ts';
import { propertiesOf, type Room, type RoomDraft } from './room.ts';
import { checkSlug, deriveSlug, freeSlug, type SlugContext } from './slug.ts';

export interface RoomContext extends SlugContext {
  /** Without sign-in: creates a user when first named. */
  readonly newUser?: ((id: string, now: number) => User) | undefined;
}

/** Rooms that one user may create; a deleted room counts until it is purged. */
const MAX_ROOMS = 200;

export interface CreatedRoom {
  readonly room: Room;
  /** A direct room of the same users exists already. */
  readonly isNew: boolean;
}

/** `POST /api/room`. */
export function createRoom(caller: Caller, draft: RoomDraft, context: RoomContext): Change<CreatedRoom> {
  return {
    decide(view) {
      if (caller.roomIds) return refuse('forbidden', 'this token is limited to certain rooms, and cannot create any');
      const { copilot } = draft;
      if (typeof copilot === 'boolean')
        return refuse('invalid_body', 'copilot: must be an object or null', { path: 'copilot' });
      const guest = requireMoreThanGuest(view, caller.user);
      if (guest) return guest;
      const others = [...new Set(draft.members ?? [])].filter((id) => id !== caller.user.id);
      const users = findUsers(view, others, context);
      if (!users.ok) return users;
      const isDirect = draft.visibility === 'direct';
      const directKey = isDirect ? [caller.user.id, ...others].sort().join(',') : undefined;
      const existing = directKey === undefined ? undefined : liveRoom(view, view.get('direct', directKey)?.roomId);
      if (existing) return comeBack(view, caller, existing);
      const full = requireRoomLeft(view, caller);
      if (full) return full;
      return create(view, caller, { draft, copilot, others, newUsers: users.value, directKey }, context);
    },
  };
}

function requireRoomLeft(view: ChangeView, caller: Caller): Refusal | undefined {
  if (rulesServer(caller)) return undefined;
  let count = 0;
  for (const { createdBy } of view.each('room')) if (createdBy === caller.user.id) count++;
  if (count < MAX_ROOMS) return undefined;
  return refuse(
    'limit_reached',
    `you have made ${MAX_ROOMS} rooms: delete some, or ask an admin of the server for more`,
  );
}

interface Creation {
  readonly draft: RoomDraft;
  readonly copilot: Exclude<RoomDraft['copilot'], boolean>;
  readonly others: readonly string[];
  readonly newUsers: readonly User[];
  readonly directKey: string | undefined;
}

function create(view: ChangeView, caller: Caller, creation: Creation, context: RoomContext): Decision<CreatedRoom> {
  const { draft, copilot, others, newUsers, directKey } = creation;
  const id = view.newId();
  const name = draft.name ?? (directKey === undefined ? undefined : nameOfDirect(view, [caller.user.id, ...others]));
  if (name === undefined) return refuse('invalid_body', 'name: must be there', { path: 'name' });
  const giver = { caller, alertRooms: context.alertRooms };
  const taken = draft.slug === undefined ? undefined : checkSlug(view, giver, draft.slug, id);
  if (taken) return taken;
  const slug = draft.slug ?? freeSlug(view, giver, deriveSlug(name), id);
  const decided = decideCopilot(view, caller, { id, copilot: null }, copilot ?? null, context);
  if (!decided.ok) return decided;
  const room: Room = {
    id,
    slug,
    name,
    ...propertiesOf(draft),
    pinned: [],
    copilot: decided.value.copilot,
    createdBy: caller.user.id,
    createdAt: view.now,
    updatedAt: view.now,
    version: 1,
    deletedAt: null,
  };
  const records: RecordChange[] = [record('room', id, room), record('slug', slug, { roomId: id })];
  if (directKey !== undefined) records.push(record('direct', directKey, { roomId: id }));
  for (const user of newUsers) records.push(record('user', user.id, user));
  const events: EventDraft[] = [{ type: 'room.created', roomId: id, room }];
  const add = (userId: string, role: Role, invitedBy: string | null) => {
    const member = newMember({ roomId: id, lastSeq: 0 }, userId, role, view.now, invitedBy);
    records.push(record('member', memberKey(id, userId), member));
    events.push({ type: 'member.joined', roomId: id, member });
  };
  add(caller.user.id, 'owner', null);
  for (const userId of others) {
    add(userId, 'member', caller.user.id);
    if (directKey === undefined) records.push(...forgetGuest(view, userId));
  }
  const audit = [auditOf(view, caller, 'room.create', id)];
  const write = { records: [...records, ...decided.value.records], events, audit };
  return { ok: true, write, answer: () => ({ room, isNew: true }) };
}

/** The existing room of the same users, which the caller may have to join again. */
function comeBack(view: ChangeView, caller: Caller, room: Room): Decision<CreatedRoom> {
  const answer = () => ({ room, isNew: false });
  const key = memberKey(room.id, caller.user.id);
  if (view.get('member', key)) return { ok: true, write: null, answer };
  const place = { roomId: room.id, lastSeq: view.head(room.id).lastSeq };
  const member: Member = newMember(place, caller.user.id, 'member', view.now);
  return {
    ok: true,
    write: {
      records: [record('member', key, member)],
      events: [{ type: 'member.joined', roomId: room.id, member }],
    },
    answer,
  };
}

function liveRoom(view: ChangeView, roomId: string | undefined): Room | undefined {
  const room = roomId === undefined ? undefined : view.get('room', roomId);
  return room?.deletedAt === null ? room : undefined;
}

function nameOfDirect(view: ChangeView, userIds: readonly string[]): string {
  const names = userIds.map((id) => view.get('user', id)?.name ?? id).join(', ');
  const letters = [...names];
  return letters.length <= 80 ? names : `${letters.slice(0, 79).join('')}…`;
}

/** The users to be created; refused if one does not exist and cannot be created. */
function findUsers(view: ChangeView, ids: readonly string[], { newUser }: RoomContext): Outcome<readonly User[]> {
  const made: User[] = [];
  for (const id of ids) {
    const user = view.get('user', id);
    if (user && !user.disabled) continue;
    if (user || !newUser || isReservedUserId(id))
      return refuse('invalid_body', `members: there is no user ${id}`, { path: 'members' });
    made.push(newUser(id, view.now));
  }
  return accepted(made);
}
