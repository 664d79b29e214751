import { findRoom, type RoomAccess, requireLive, requireModerator } from '../access.ts';
import { type Caller, requireUser } from '../caller.ts';
import type { Change, ChangeView, Decision, StateView, Write } from '../change.ts';
import { checkIfMatch, memberEtag } from '../etag.ts';
import { type RecordChange, record } from '../record.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { isReservedUserId } from '../reserved-id.ts';
import { auditOf } from '../room/change.ts';
import type { RoomContext } from '../room/create.ts';
import type { Room } from '../room/room.ts';
import { USER_ID } from '../user/user.ts';
import { forgetGuest, keepGuest } from './guest.ts';
import { type Member, memberKey, newMember, type Role } from './member.ts';
import { forgetStanding, keepStanding, resumeStanding } from './standing.ts';

export interface MemberRequest {
  /** Omitted: the current role, or `member`. */
  readonly role?: Role | undefined;
  readonly silencedUntil?: number | null | undefined;
}

export interface MemberPrecondition {
  readonly ifMatch: string | undefined;
  /** `If-None-Match: *`: only a new member. */
  readonly createOnly?: boolean;
}

export interface SetMember {
  readonly member: Member;
  readonly isNew: boolean;
}

/** Joins a public room; a member stays as it is. */
export function joinRoom(caller: Caller, idOrSlug: string): Change<Room> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const { room, member } = found.value;
      if (member) return { ok: true, write: null, answer: () => room };
      const refusal = requireUser(caller) ?? requireLive(found.value) ?? refuseEntry(view, caller, room);
      if (refusal) return refusal;
      return { ok: true, write: entryOf(view, room, caller.user.id, 'member', null), answer: () => room };
    },
  };
}

function refuseEntry(view: ChangeView, caller: Caller, room: Room): Refusal | undefined {
  if (room.visibility === 'direct') return directIsFixed();
  return view.get('ban', memberKey(room.id, caller.user.id)) && !caller.isAdmin
    ? refuse('forbidden', 'you were banned from this room')
    : undefined;
}

const directIsFixed = () => refuse('forbidden', 'the people of a direct room are fixed; make a private room for more');

/** The writes of a new membership. */
export function entryOf(view: ChangeView, room: Room, userId: string, role: Role, invitedBy: string | null): Write {
  const place = { roomId: room.id, lastSeq: view.head(room.id).lastSeq };
  const { member, records } = resumeStanding(view, newMember(place, userId, role, view.now, invitedBy), role);
  const isMore = invitedBy !== null && member.role !== 'guest';
  return {
    records: [
      record('member', memberKey(room.id, userId), member),
      ...records,
      ...(isMore ? forgetGuest(view, userId) : []),
    ],
    events: [{ type: 'member.joined', roomId: room.id, member }],
  };
}

/** `PUT /api/room/:id/member/:userId`: adds a member, or sets its role and muting. */
export function setMember(
  caller: Caller,
  idOrSlug: string,
  userId: string,
  request: MemberRequest,
  { ifMatch, createOnly = false }: MemberPrecondition,
  context: Pick<RoomContext, 'newUser'>,
): Change<SetMember> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const access = found.value;
      const current = view.get('member', memberKey(access.room.id, userId));
      const role = request.role ?? current?.role ?? 'member';
      const etag = current && memberEtag(current);
      const refusal =
        requireModerator(access) ??
        checkIfMatch(ifMatch, etag) ??
        (createOnly && etag !== undefined ? isMember(userId, etag) : undefined) ??
        requireRank(access, current, role) ??
        (current?.role === 'owner' && role !== 'owner' ? refuseLastOwner(view, access.room, userId) : undefined);
      if (refusal) return refusal;
      const silencedUntil = request.silencedUntil ?? null;
      if (!current) return bringIn(view, caller, access, { userId, role, silencedUntil }, context);
      return changeMember(view, caller, current, { ...current, role, silencedUntil });
    },
  };
}

const isMember = (userId: string, etag: string) =>
  refuse('version_mismatch', `${userId} is a member of the room already`, { etag });

/** Only owners create or change owners. */
function requireRank({ isOwner }: RoomAccess, current: Member | undefined, role: Role): Refusal | undefined {
  return isOwner || (current?.role !== 'owner' && role !== 'owner')
    ? undefined
    : refuse('forbidden', 'only an owner of the room may make an owner, or change what an owner is');
}

function refuseLastOwner(view: StateView, room: Room, userId: string): Refusal | undefined {
  for (const member of view.membersOf(room.id))
    if (member.role === 'owner' && member.userId !== userId) return undefined;
  return refuse('last_owner', `${userId} is the last owner of the room; make another one first`);
}

function changeMember(view: ChangeView, caller: Caller, current: Member, wanted: Member): Decision<SetMember> {
  const { roomId, userId } = current;
  if (wanted.role === current.role && wanted.silencedUntil === current.silencedUntil)
    return { ok: true, write: null, answer: () => ({ member: current, isNew: false }) };
  const member: Member = { ...wanted, version: current.version + 1 };
  return {
    ok: true,
    write: {
      records: [
        record('member', memberKey(roomId, userId), member),
        ...(member.role === 'guest' ? [] : forgetGuest(view, userId)),
      ],
      events: [{ type: 'member.updated', roomId, member }],
      audit: [auditOf(view, caller, 'member.update', roomId, userId)],
    },
    answer: () => ({ member, isNew: false }),
  };
}

function bringIn(
  view: ChangeView,
  caller: Caller,
  access: RoomAccess,
  { userId, role, silencedUntil }: { readonly userId: string } & Required<Pick<Member, 'role' | 'silencedUntil'>>,
  { newUser }: Pick<RoomContext, 'newUser'>,
): Decision<SetMember> {
  const { room } = access;
  const refusal = requireLive(access) ?? (room.visibility === 'direct' ? directIsFixed() : undefined);
  if (refusal) return refusal;
  const user = view.get('user', userId);
  if (user?.disabled || (!user && !(newUser && USER_ID.test(userId) && !isReservedUserId(userId))))
    return refuse('user_not_found', `there is no user ${userId}`);
  const place = { roomId: room.id, lastSeq: view.head(room.id).lastSeq };
  const member = { ...newMember(place, userId, role, view.now, caller.user.id), silencedUntil };
  const key = memberKey(room.id, userId);
  const records: RecordChange[] = [record('member', key, member), ...forgetStanding(view, room.id, userId)];
  if (!user && newUser) records.push(record('user', userId, newUser(userId, view.now)));
  if (view.get('ban', key)) records.push(record('ban', key, null));
  if (role !== 'guest') records.push(...forgetGuest(view, userId));
  return {
    ok: true,
    write: {
      records,
      events: [{ type: 'member.joined', roomId: room.id, member }],
      audit: [auditOf(view, caller, 'member.add', room.id, userId)],
    },
    answer: () => ({ member, isNew: true }),
  };
}

/** Leaves a room, removes a member, or bans a user. Removing a user who is not a member changes nothing. */
export function removeMember(
  caller: Caller,
  idOrSlug: string,
  userId: string,
  { ban = false, ifMatch }: { readonly ban?: boolean; readonly ifMatch?: string | undefined },
): Change<null> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const access = found.value;
      const { room } = access;
      const key = memberKey(room.id, userId);
      const current = view.get('member', key);
      const isSelf = userId === caller.user.id;
      const refusal =
        (isSelf && !ban ? undefined : requireModerator(access)) ??
        checkIfMatch(ifMatch, current && memberEtag(current)) ??
        (isSelf ? undefined : requireRank(access, current, 'member')) ??
        (current?.role === 'owner' ? refuseLastOwner(view, room, userId) : undefined);
      if (refusal) return refusal;
      if (ban && isSelf) return refuse('forbidden', 'you cannot ban yourself');
      const isBanNew = ban && !view.get('ban', key);
      if (!current && !isBanNew) return { ok: true, write: null, answer: () => null };
      if (!current && !view.get('user', userId)) return refuse('user_not_found', `there is no user ${userId}`);
      return { ok: true, write: removalOf(view, caller, { room, userId, current, ban }), answer: () => null };
    },
  };
}

interface Removal {
  readonly room: Room;
  readonly userId: string;
  readonly current: Member | undefined;
  readonly ban: boolean;
}

function removalOf(view: ChangeView, caller: Caller, { room, userId, current, ban }: Removal): Write {
  const key = memberKey(room.id, userId);
  const records: RecordChange[] = [];
  if (current)
    records.push(...keepGuest(view, userId), record('member', key, null), ...keepStanding(current, view.now));
  if (ban) records.push(record('ban', key, { roomId: room.id, userId, by: caller.user.id, at: view.now }));
  const isSelf = userId === caller.user.id;
  return {
    records,
    events: current ? [{ type: ban ? 'member.banned' : 'member.left', roomId: room.id, member: current }] : [],
    audit: isSelf ? [] : [auditOf(view, caller, ban ? 'member.ban' : 'member.remove', room.id, userId)],
  };
}
