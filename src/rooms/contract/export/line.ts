import * as v from 'valibot';
import { ROLES } from '../../domain/member/member.ts';
import type { JsonObject, Message } from '../../domain/message/message.ts';
import { roomReplacementSchema, userIdSchema } from '../room.ts';
import { instantSchema } from '../text.ts';
import { EXPORT_NAME, EXPORT_VERSIONS } from './export.ts';

const idSchema = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{8,64}$/, 'must be an id'));
const countSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const kindSchema = v.picklist(['human', 'bot', 'copilot', 'bridge', 'system']);
const bodySchema = v.pipe(
  v.string(),
  v.check((text) => text.isWellFormed() && !text.includes('\0'), 'must not hold NUL or half a surrogate pair'),
);
const nameSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(120));
const userSchema = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  name: nameSchema,
  kind: kindSchema,
});
const instantOrNull = v.nullable(instantSchema);
const textOrNull = v.nullable(v.string());
/** Kept as it was parsed: a copy made by a schema would lose keys such as `__proto__`. */
const cardSchema = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const fileSchema = v.object({
  id: v.string(),
  name: v.string(),
  size: countSchema,
  contentType: v.string(),
  sha256: v.string(),
  width: v.exactOptional(countSchema),
  height: v.exactOptional(countSchema),
  uploadedBy: v.string(),
  createdAt: instantSchema,
});

const runSchema = v.object({
  id: v.string(),
  trigger: textOrNull,
  model: v.string(),
  finishReason: textOrNull,
  usage: v.nullable(v.object({ inputTokens: countSchema, outputTokens: countSchema })),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
});

const messageSchema = v.object({
  id: idSchema,
  roomId: v.string(),
  seq: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  author: userSchema,
  type: v.picklist(['text', 'file', 'alert', 'command', 'system']),
  body: bodySchema,
  format: v.picklist(['markdown', 'plain']),
  replyTo: v.nullable(idSchema),
  threadId: v.nullable(idSchema),
  alsoInRoom: v.boolean(),
  thread: v.nullable(v.object({ replies: countSchema, lastReplyAt: instantSchema, participants: v.array(v.string()) })),
  mentions: v.object({ users: v.array(v.string()), room: v.boolean(), copilot: v.boolean() }),
  attachments: v.array(fileSchema),
  card: v.nullable(cardSchema),
  silent: v.boolean(),
  reactions: v.array(
    v.object({
      emoji: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
      count: countSchema,
      userIds: v.array(v.string()),
    }),
  ),
  status: v.picklist(['complete', 'streaming', 'failed', 'cancelled']),
  run: v.nullable(runSchema),
  pinned: v.boolean(),
  deleted: v.boolean(),
  deletedAt: instantOrNull,
  deletedBy: textOrNull,
  deleteReason: textOrNull,
  edited: v.nullable(v.object({ count: countSchema, at: instantSchema, by: v.string() })),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  createdAt: instantSchema,
  updatedAt: instantSchema,
}) satisfies v.GenericSchema<unknown, Message>;

const roomSchema = v.object({
  ...roomReplacementSchema.entries,
  id: v.pipe(v.string(), v.uuid('must be an id')),
  name: v.nonOptional(roomReplacementSchema.entries.name),
  slug: v.nonOptional(roomReplacementSchema.entries.slug),
  pinned: v.pipe(v.array(idSchema), v.maxLength(50)),
  createdBy: v.string(),
  createdAt: instantSchema,
  bans: v.optional(v.array(v.object({ userId: userIdSchema, by: v.string(), at: instantSchema })), []),
});

const memberSchema = v.object({
  role: v.picklist(ROLES),
  joinedAt: instantSchema,
  joinedSeq: v.optional(countSchema, 0),
  silencedUntil: v.optional(instantOrNull, null),
});

/** A line of an export, read. */
export const exportLineSchema = v.variant('kind', [
  v.object({
    kind: v.literal('header'),
    format: v.literal(EXPORT_NAME, 'is not an export of rooms'),
    formatVersion: v.picklist(EXPORT_VERSIONS, `only versions ${EXPORT_VERSIONS.join(' and ')} can be read`),
  }),
  v.object({ kind: v.literal('room'), room: roomSchema }),
  v.object({
    kind: v.literal('member'),
    roomId: v.string(),
    member: memberSchema,
    user: v.object({
      id: userIdSchema,
      name: nameSchema,
      kind: kindSchema,
      avatarColor: v.pipe(v.string(), v.regex(/^#[0-9a-f]{6}$/)),
    }),
  }),
  v.object({ kind: v.literal('file'), file: v.object({ ...fileSchema.entries, id: idSchema }) }),
  v.object({ kind: v.literal('piece'), data: v.pipe(v.string(), v.nonEmpty()) }),
  v.object({ kind: v.literal('message'), message: messageSchema }),
  v.object({ kind: v.literal('end'), messages: countSchema, sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) }),
]);
export type ExportLine = v.InferOutput<typeof exportLineSchema>;
export type RoomLine = Extract<ExportLine, { kind: 'room' }>['room'];
export type MemberLine = Extract<ExportLine, { kind: 'member' }>;
