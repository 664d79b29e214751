export const ROLES = ['owner', 'admin', 'member', 'guest'] as const;
export type Role = (typeof ROLES)[number];

export const INVOLVEMENTS = ['everything', 'mentions', 'nothing', 'invisible'] as const;
export type Involvement = (typeof INVOLVEMENTS)[number];

/** Somebody in a room, with what the room is to him. Its key among the records is `memberKey`. */
export interface Member {
  readonly roomId: string;
  readonly userId: string;
  readonly role: Role;
  readonly joinedAt: number;
  /** The room's last sequence number when he joined. */
  readonly joinedSeq: number;
  readonly invitedBy: string | null;
  readonly lastReadSeq: number;
  /** Of each thread that he reads, by its root's id. */
  readonly threadReads: Readonly<Record<string, number>>;
  readonly involvement: Involvement;
  /** No notifications until then: his own wish. */
  readonly mutedUntil: number | null;
  /** May not post until then: a moderator's. */
  readonly silencedUntil: number | null;
  /** Hidden from his own list. */
  readonly archived: boolean;
  /** The private copilot. */
  readonly copilot: boolean;
  readonly version: number;
}

/** Somebody who may not come back. */
export interface Ban {
  readonly roomId: string;
  readonly userId: string;
  readonly by: string;
  readonly at: number;
}

/** Ids of rooms hold no slash. */
export const memberKey = (roomId: string, userId: string): string => `${roomId}/${userId}`;

/** Somebody who comes in now: what was written before counts as read. */
export function newMember(
  place: { readonly roomId: string; readonly lastSeq: number },
  userId: string,
  role: Role,
  now: number,
  invitedBy: string | null = null,
): Member {
  return {
    roomId: place.roomId,
    userId,
    role,
    joinedAt: now,
    joinedSeq: place.lastSeq,
    invitedBy,
    lastReadSeq: place.lastSeq,
    threadReads: {},
    involvement: 'mentions',
    mutedUntil: null,
    silencedUntil: null,
    archived: false,
    copilot: false,
    version: 1,
  };
}
