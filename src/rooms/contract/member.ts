import * as v from 'valibot';
import { INVOLVEMENTS, ROLES } from '../domain/member/member.ts';
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

/** The body of `PUT /api/room/:id/read`: of the room, of threads by their roots' ids, or of both. */
export const readRequestSchema = v.pipe(
  v.strictObject({
    seq: v.optional(seqSchema),
    threadReads: v.optional(
      v.pipe(
        v.record(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{8,64}$/, 'must be ids of messages')), seqSchema),
        v.check((reads) => Object.keys(reads).length <= MAX_THREADS, `must be ${MAX_THREADS} at the most`),
      ),
    ),
  }),
  v.check(
    ({ seq, threadReads }) => seq !== undefined || threadReads !== undefined,
    'send {"seq": …}, the last sequence number that was read',
  ),
);
