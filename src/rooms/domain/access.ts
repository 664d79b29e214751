import type { Caller } from './caller.ts';
import type { StateView } from './change.ts';
import { isGuest } from './member/guest.ts';
import { type Member, memberKey } from './member/member.ts';
import { hasStanding } from './member/standing.ts';
import { accepted, type Outcome, type Refusal, refuse } from './refusal.ts';
import type { Room } from './room/room.ts';

/** A room, and the caller's rights in it. */
export interface RoomAccess {
  readonly room: Room;
  /** `undefined`: not a member. */
  readonly member: Member | undefined;
  /** An admin or owner of the room, or of the server. */
  readonly isModerator: boolean;
  readonly isOwner: boolean;
  /** Only messages after this sequence number are visible. */
  readonly afterSeq: number;
}

/**
 * The room of an id or slug, if the caller may read it: members read, users other than guests read public rooms, and a
 * server admin reads all. Other rooms look as if they did not exist.
 */
export function findRoom(view: StateView, caller: Caller, idOrSlug: string): Outcome<RoomAccess> {
  const room = roomOf(view, idOrSlug);
  const access = room && accessTo(view, caller, room);
  return access ? accepted(access) : noSuchRoom(idOrSlug);
}

export const noSuchRoom = (idOrSlug: string): Refusal => refuse('room_not_found', `there is no room ${idOrSlug}`);

/** By id or slug, for any caller; `undefined` for a deleted room. */
export function roomOf(view: StateView, idOrSlug: string): Room | undefined {
  const room = view.get('room', view.get('slug', idOrSlug)?.roomId ?? idOrSlug);
  return room && room.deletedAt === null ? room : undefined;
}

/** `undefined`: the caller may not read it. */
export function accessTo(view: StateView, caller: Caller, room: Room): RoomAccess | undefined {
  if (caller.roomIds && !caller.roomIds.has(room.id)) return undefined;
  const key = memberKey(room.id, caller.user.id);
  const member = view.get('member', key);
  const isPart = caller.kind !== 'user';
  if (!member && !caller.isAdmin && !isPart && !isOpenTo(view, caller, room)) return undefined;
  const role = member?.role;
  return {
    room,
    member,
    isModerator: caller.isAdmin || role === 'admin' || role === 'owner',
    isOwner: caller.isAdmin || role === 'owner',
    afterSeq:
      room.historyVisibility === 'joined' && !caller.isAdmin && !isPart
        ? (member?.joinedSeq ?? view.head(room.id).lastSeq)
        : 0,
  };
}

/** Whether a user who is not a member may read the room; a guest only after having been a member. */
function isOpenTo(view: StateView, { user }: Caller, { id, visibility }: Room): boolean {
  if (visibility !== 'public' || view.get('ban', memberKey(id, user.id))) return false;
  return !isGuest(view, user) || hasStanding(view, id, user.id);
}

export function requireModerator(access: RoomAccess): Refusal | undefined {
  return access.isModerator ? undefined : refuse('forbidden', 'only admins and owners of the room may do this');
}

export function requireMember(access: RoomAccess): Refusal | undefined {
  return access.member ? undefined : refuse('forbidden', 'only members of the room may do this; join it first');
}

/** An archived room takes no changes. */
export function requireLive({ room }: RoomAccess): Refusal | undefined {
  return room.archived ? refuse('archived', `the room ${room.slug} is archived`) : undefined;
}

/** Whether the caller may post: members but guests; in a read-only room moderators, bots and bridges. */
export function requireWriter(access: RoomAccess, caller: Caller, now: number): Refusal | undefined {
  const { room, member, isModerator } = access;
  const archived = requireLive(access);
  if (archived) return archived;
  if (!member && !caller.isAdmin) return requireMember(access);
  if (member?.role === 'guest' && !caller.isAdmin) return refuse('forbidden', 'guests may read and react, not post');
  const until = member?.silencedUntil ?? 0;
  if (until > now && !isModerator)
    return refuse('forbidden', 'a moderator has muted you in this room', { retryAfterS: (until - now) / 1000 });
  const { kind } = caller.user;
  if (room.readOnly && !isModerator && kind !== 'bot' && kind !== 'bridge')
    return refuse('read_only_room', `the room ${room.slug} is read-only`);
  return undefined;
}
