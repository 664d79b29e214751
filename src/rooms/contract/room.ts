import * as v from 'valibot';
import type { CopilotHealth, CopilotSettings } from '../domain/copilot/copilot.ts';
import type { Member } from '../domain/member/member.ts';
import type { Room, RoomHead } from '../domain/room/room.ts';
import type { UserRef } from '../domain/user/user.ts';
import { USER_ID } from '../domain/user/user.ts';
import { copilotRequestSchema } from './copilot.ts';
import { printInstant, printInstantOrNull } from './instant.ts';
import { intSchema, lineSchema, objectSchema, ownedSchema, proseSchema } from './text.ts';

const MAX_LABELS = 32;
const MAX_MEMBERS = 256;

export const userIdSchema = v.pipe(
  v.string(),
  v.regex(USER_ID, 'must be the id of a user: small letters, digits, ".", "_" and "-"'),
);

const slugSchema = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 small letters, digits and "-", and not begin with "-"'),
);

const labelsSchema = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[^=\p{Cc}\p{Cs}]{1,63}$/u, 'must have a key of 1 to 63 characters without "="')),
    v.pipe(v.string(), v.regex(/^[^\p{Cc}\p{Cs}]{0,255}$/u, 'must have at most 255 characters')),
  ),
  v.check((labels) => Object.keys(labels).length <= MAX_LABELS, `must be ${MAX_LABELS} at the most`),
);

const retentionSchema = objectSchema({
  days: v.optional(v.nullable(intSchema(1, 36_500))),
  maxMessages: v.optional(v.nullable(intSchema(1, 1_000_000_000))),
});

/** By what was sent, so that the reason names what is wrong in it and not all that it might have been. */
const copilotSchema = v.lazy((input) => {
  if (input === null) return v.null();
  return typeof input === 'boolean' ? v.boolean() : copilotRequestSchema;
});

const FIELDS = {
  name: v.optional(lineSchema(1, 80)),
  slug: v.optional(slugSchema),
  topic: v.optional(lineSchema(0, 250)),
  description: v.optional(proseSchema(2000)),
  visibility: v.optional(v.picklist(['public', 'private', 'direct'])),
  readOnly: v.optional(v.boolean()),
  archived: v.optional(v.boolean()),
  historyVisibility: v.optional(v.picklist(['all', 'joined'])),
  labels: v.optional(v.nullable(labelsSchema)),
  retention: v.optional(v.nullable(retentionSchema)),
  slowModeSeconds: v.optional(intSchema(0, 3600)),
  copilot: v.optional(copilotSchema),
};

/** The body of `POST /api/room`. */
export const roomDraftSchema = v.strictObject({
  ...FIELDS,
  members: v.optional(v.pipe(v.array(userIdSchema), v.maxLength(MAX_MEMBERS, `must be ${MAX_MEMBERS} at the most`))),
});

/** The body of `PUT /api/room/:id`: what a GET has answered may come back whole. */
export const roomReplacementSchema = v.strictObject({
  ...FIELDS,
  // Refused by name in domain/room-change.ts: who is in a room is not said here.
  users: ownedSchema,
  members: ownedSchema,
  id: ownedSchema,
  pinned: ownedSchema,
  createdBy: ownedSchema,
  createdAt: ownedSchema,
  updatedAt: ownedSchema,
  version: ownedSchema,
  lastSeq: ownedSchema,
  firstSeq: ownedSchema,
  lastMessageAt: ownedSchema,
  memberCount: ownedSchema,
  onlineCount: ownedSchema,
  me: ownedSchema,
});

/** A whole number as it stands in a query. */
export function countSchema(most: number, usual: number) {
  const message = `must be a whole number from 1 to ${most}`;
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, message),
      v.transform(Number),
      v.minValue(1, message),
      v.maxValue(most, message),
    ),
    String(usual),
  );
}

const choice = v.optional(
  v.pipe(
    v.picklist(['true', 'false', '1', '0'], 'must be true or false'),
    v.transform((text) => text === 'true' || text === '1'),
  ),
);

const labelSchema = v.pipe(
  v.string(),
  v.regex(/^[^=]+=/, 'must be key=value'),
  v.transform((text) => {
    const at = text.indexOf('=');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  }),
);

/** The query of `GET /api/room`. */
export const roomListSchema = v.strictObject({
  joined: choice,
  archived: v.optional(v.picklist(['true', 'false', '1', '0', 'any'], 'must be true, false or any'), 'false'),
  label: v.optional(v.array(labelSchema), []),
  q: v.optional(v.pipe(v.string(), v.maxLength(250, 'must have at most 250 characters')), ''),
  limit: countSchema(200, 50),
  next: v.optional(v.string()),
});

/** How many of its last messages a room is opened with. */
export const openRoomSchema = v.strictObject({
  messages: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, 'must be a number from 0 to 200'),
      v.transform(Number),
      v.maxValue(200, 'must be a number from 0 to 200'),
    ),
  ),
});

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
