import { accessTo, type RoomAccess } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { Member } from '../domain/member/member.ts';
import type { RoomState } from './state.ts';

export type FollowedRoom = RoomAccess & { readonly member: Member };

/** The rooms of which the caller is a member, without those archived or hidden by the caller. */
export function followedRooms(state: RoomState, caller: Caller): readonly FollowedRoom[] {
  return [...state.roomIdsOf(caller.user.id)].flatMap((roomId) => {
    const room = state.get('room', roomId);
    const access = room?.deletedAt === null ? accessTo(state, caller, room) : undefined;
    const { member } = access ?? {};
    const isFollowed = access && member && !member.archived && member.involvement !== 'invisible';
    return isFollowed ? [{ ...access, member }] : [];
  });
}
