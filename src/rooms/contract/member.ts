import * as v from 'valibot';
import { INVOLVEMENTS, type Member, ROLES } from '../domain/member/member.ts';
import type { UserRef } from '../domain/user/user.ts';
import { type Printed, printInstant, printInstantOrNull } from './instant.ts';
import { instantSchema, intSchema, ownedSchema } from './text.ts';

const seqSchema = intSchema(0, Number.MAX_SAFE_INTEGER);
const MAX_THREADS = 500;

/** The body of `PUT /api/room/:id/member/:userId`. */
export const memberRequestSchema = v.strictObject({
  role: v.optional(v.picklist(ROLES)),
  silencedUntil: v.optional(v.nullable(instantSchema)),
  userId: ownedSchema,
  user: ownedSchema,
  joinedAt: ownedSchema,
  joinedSeq: ownedSchema,
  invitedBy: ownedSchema,
  lastReadSeq: ownedSchema,
  version: ownedSchema,
});
export type MemberBody = v.InferInput<typeof memberRequestSchema>;

/** The body of `PUT /api/room/:id/me`. */
export const meRequestSchema = v.strictObject({
  involvement: v.optional(v.picklist(INVOLVEMENTS)),
  mutedUntil: v.optional(v.nullable(instantSchema)),
  archived: v.optional(v.boolean()),
  copilot: v.optional(v.boolean()),
  role: ownedSchema,
  lastReadSeq: ownedSchema,
  threadReads: ownedSchema,
  unread: ownedSchema,
  unreadMentions: ownedSchema,
  version: ownedSchema,
});
export type MeBody = v.InferInput<typeof meRequestSchema>;

/** The body of `PUT /api/room/:id/read`: positions in the room, in threads by the ids of their roots, or both. */
export const readRequestSchema = v.pipe(
  v.strictObject({
    seq: v.optional(seqSchema),
    threadReads: v.optional(
      v.pipe(
        v.record(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{8,64}$/, 'must be ids of messages')), seqSchema),
        v.check((reads) => Object.keys(reads).length <= MAX_THREADS, `must be at most ${MAX_THREADS}`),
      ),
    ),
  }),
  v.check(
    ({ seq, threadReads }) => seq !== undefined || threadReads !== undefined,
    'send {"seq": …}, the last sequence number that was read',
  ),
);
export type ReadBody = v.InferInput<typeof readRequestSchema>;

/** A member on the wire, as other members see it. */
export interface WireMember
  extends Printed<
    Pick<Member, 'userId' | 'role' | 'joinedAt' | 'joinedSeq' | 'invitedBy' | 'silencedUntil' | 'version'>,
    'joinedAt' | 'silencedUntil'
  > {
  readonly user: UserRef;
  /** Missing in large rooms. */
  readonly lastReadSeq?: number;
}

export function wireMember(member: Member, user: UserRef): Required<WireMember> {
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

/** Members of a room, sorted by user id. */
export interface WireMembers {
  readonly members: readonly WireMember[];
  readonly next: string | null;
}

/** The caller's own settings and position in a room. */
export interface WireMe
  extends Printed<
    Pick<
      Member,
      'role' | 'involvement' | 'mutedUntil' | 'archived' | 'copilot' | 'lastReadSeq' | 'threadReads' | 'version'
    >,
    'mutedUntil'
  > {
  /** In answers, not in events. */
  readonly unread?: number;
  readonly unreadMentions?: number;
}

export function wireMe(member: Member, counts?: { readonly unread: number; readonly mentions: number }): WireMe {
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
