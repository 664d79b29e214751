import type { CopilotHealth, CopilotSettings } from '../domain/copilot/copilot.ts';
import type { Member } from '../domain/member/member.ts';
import type { Room, RoomHead } from '../domain/room/room.ts';
import type { UserRef } from '../domain/user/user.ts';
import { printInstant, printInstantOrNull } from './instant.ts';

/** What a room is besides its record. */
export interface RoomFacts {
  readonly head: RoomHead;
  readonly memberCount: number;
  /** Told by a read, not by an event. */
  readonly onlineCount?: number;
}

/** A room on the wire, without `me`. */
export function wireRoom(room: Room, { head, memberCount, onlineCount }: RoomFacts): object {
  const { copilot, createdAt, updatedAt, deletedAt, ...plain } = room;
  return {
    ...plain,
    copilot: copilot && wireCopilot(copilot),
    createdAt: printInstant(createdAt),
    updatedAt: printInstant(updatedAt),
    ...(deletedAt === null ? {} : { deleted: true, deletedAt: printInstant(deletedAt) }),
    lastSeq: head.lastSeq,
    firstSeq: head.firstSeq,
    lastMessageAt: printInstantOrNull(head.lastMessageAt),
    memberCount,
    ...(onlineCount === undefined ? {} : { onlineCount }),
  };
}

/** A copilot on the wire; `health` is told by a read, not by an event. */
export function wireCopilot(copilot: CopilotSettings, health?: CopilotHealth): object {
  return {
    ...copilot,
    updatedAt: printInstant(copilot.updatedAt),
    ...(health ? { health: { ...health, lastOkAt: printInstantOrNull(health.lastOkAt) } } : {}),
  };
}

/** A member on the wire, as others see him. */
export function wireMember(member: Member, user: UserRef): object {
  const { userId, role, joinedAt, joinedSeq, invitedBy, lastReadSeq, silencedUntil, version } = member;
  return {
    userId,
    user: { id: user.id, name: user.name, kind: user.kind },
    role,
    joinedAt: printInstant(joinedAt),
    joinedSeq,
    invitedBy,
    lastReadSeq,
    silencedUntil: printInstantOrNull(silencedUntil),
    version,
  };
}

/** What a room is to the caller; the counts are told by a read, not by an event. */
export function wireMe(member: Member, counts?: { readonly unread: number; readonly mentions: number }): object {
  const { role, involvement, mutedUntil, archived, copilot, lastReadSeq, threadReads, version } = member;
  return {
    role,
    involvement,
    mutedUntil: printInstantOrNull(mutedUntil),
    archived,
    copilot,
    lastReadSeq,
    threadReads,
    version,
    ...(counts ? { unread: counts.unread, unreadMentions: counts.mentions } : {}),
  };
}
