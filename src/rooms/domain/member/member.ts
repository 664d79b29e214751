export const ROLES = ['owner', 'admin', 'member', 'guest'] as const;
export type Role = (typeof ROLES)[number];

export const INVOLVEMENTS = ['everything', 'mentions', 'nothing', 'invisible'] as const;
export type Involvement = (typeof INVOLVEMENTS)[number];

/** A user's membership of a room, and settings of it. Its record's key is `memberKey`. */
export interface Member {
  readonly roomId: string;
  readonly userId: string;
  readonly role: Role;
  readonly joinedAt: number;
  /** The room's last sequence number at the time of joining. */
  readonly joinedSeq: number;
  readonly invitedBy: string | null;
  readonly lastReadSeq: number;
  /** Read positions of threads, by the root's id. */
  readonly threadReads: Readonly<Record<string, number>>;
  readonly involvement: Involvement;
  /** The member gets no notifications until then. */
  readonly mutedUntil: number | null;
  /** Muted by a moderator: may not post until then. */
  readonly silencedUntil: number | null;
  /** Hidden from the member's own list. */
  readonly archived: boolean;
  /** The private copilot. */
  readonly copilot: boolean;
  readonly version: number;
}

/** A user who may not join again. */
export interface Ban {
  readonly roomId: string;
  readonly userId: string;
  readonly by: string;
  readonly at: number;
}

/** Ids of rooms hold no slash. */
export const memberKey = (roomId: string, userId: string): string => `${roomId}/${userId}`;

/** A new member; earlier messages count as read. */
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
