import * as v from 'valibot';
import type { Room, RoomHead } from '../domain/room/room.ts';
import { USER_ID } from '../domain/user/user.ts';
import { copilotRequestSchema, type WireCopilot, wireCopilot } from './copilot.ts';
import { type Printed, printInstant, printInstantOrNull } from './instant.ts';
import type { WireMe, WireMember } from './member.ts';
import type { WirePage } from './message.ts';
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
  v.check((labels) => Object.keys(labels).length <= MAX_LABELS, `must be at most ${MAX_LABELS}`),
);

const retentionSchema = objectSchema({
  days: v.optional(v.nullable(intSchema(1, 36_500))),
  maxMessages: v.optional(v.nullable(intSchema(1, 1_000_000_000))),
});

/** Chosen by the type of the value, so that a refusal names one fault instead of every alternative. */
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
  members: v.optional(v.pipe(v.array(userIdSchema), v.maxLength(MAX_MEMBERS, `must be at most ${MAX_MEMBERS}`))),
});
export type RoomDraftBody = v.InferInput<typeof roomDraftSchema>;

/** The body of `PUT /api/room/:id`: a whole answer of GET is accepted, and the fields of the server are ignored. */
export const roomReplacementSchema = v.strictObject({
  ...FIELDS,
  // Refused by name in domain/room/change.ts: members have paths of their own.
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
  firingAlerts: ownedSchema,
  onlineCount: ownedSchema,
  me: ownedSchema,
});
export type RoomReplacementBody = v.InferInput<typeof roomReplacementSchema>;

/** A whole number in a query, from 1 to `most`. */
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

/** The query of `GET /api/room/:id`: how many of its last messages come with it. */
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

/** The facts of a room outside its record. */
export interface RoomFacts {
  readonly head: RoomHead;
  readonly memberCount: number;
  /** In answers and events, not in exports. */
  readonly firingAlerts?: number;
  /** In answers, not in events. */
  readonly onlineCount?: number;
}

/** A room on the wire. */
export interface WireRoom
  extends Omit<Printed<Room, 'createdAt' | 'updatedAt'>, 'copilot' | 'deletedAt'>,
    Printed<RoomHead, 'lastMessageAt'> {
  readonly copilot: WireCopilot | null;
  readonly deleted?: boolean;
  readonly deletedAt?: string;
  readonly memberCount: number;
  /** The number of alert cards that fire; in answers and events, not in exports. Changes without a new version. */
  readonly firingAlerts?: number;
  /** In answers, not in events. */
  readonly onlineCount?: number;
  /** In answers to members. */
  readonly me?: WireMe;
}

export interface WireRooms {
  readonly rooms: readonly WireRoom[];
  readonly next: string | null;
}

/** The answer of `GET /api/room/:id`: a room, its last messages and its members. */
export interface WireOpenedRoom extends WireRoom, Pick<WirePage, 'messages' | 'cursor'> {
  readonly members: readonly WireMember[];
  /** In the page of a message: its messages are not the last ones. */
  readonly hasBefore?: boolean;
  readonly hasAfter?: boolean;
}

/** The answer of `GET /api/room/:id/retention`: what retention would remove now. */
export interface WireRetention {
  readonly dryRun: true;
  /** At most 100,000. */
  readonly messages: number;
  readonly firstSeq: number | null;
  readonly lastSeq: number | null;
  readonly before: string | null;
  readonly maxMessages: number | null;
}

/** A room on the wire, without `me`. */
export function wireRoom(room: Room, { head, memberCount, firingAlerts, onlineCount }: RoomFacts): WireRoom {
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
    ...(firingAlerts === undefined ? {} : { firingAlerts }),
    ...(onlineCount === undefined ? {} : { onlineCount }),
  };
}
