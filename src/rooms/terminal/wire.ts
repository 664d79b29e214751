import * as v from 'valibot';

// The server's answers, as far as the commands read them.

const textOrNull = v.nullable(v.string());

export const userSchema = v.looseObject({ id: v.string(), name: v.string(), kind: v.string() });

export const fileSchema = v.looseObject({
  id: v.string(),
  name: v.string(),
  size: v.number(),
  sha256: v.string(),
});

export const messageSchema = v.looseObject({
  id: v.string(),
  roomId: v.string(),
  seq: v.number(),
  author: userSchema,
  type: v.string(),
  body: v.string(),
  threadId: textOrNull,
  replyTo: textOrNull,
  alsoInRoom: v.boolean(),
  attachments: v.array(fileSchema),
  card: v.nullable(v.record(v.string(), v.unknown())),
  silent: v.boolean(),
  reactions: v.array(v.looseObject({ emoji: v.string(), count: v.number(), userIds: v.array(v.string()) })),
  status: v.string(),
  pinned: v.boolean(),
  deleted: v.boolean(),
  edited: v.nullable(v.looseObject({ count: v.number(), at: v.string(), by: v.string() })),
  version: v.number(),
  createdAt: v.string(),
  updatedAt: v.string(),
});
export type WireMessage = v.InferOutput<typeof messageSchema>;

export const pageSchema = v.looseObject({
  messages: v.array(messageSchema),
  hasAfter: v.boolean(),
  hasBefore: v.boolean(),
  cursor: v.string(),
});

const meSchema = v.looseObject({
  role: v.string(),
  unread: v.optional(v.number()),
  unreadMentions: v.optional(v.number()),
});

export const roomSchema = v.looseObject({
  id: v.string(),
  slug: v.string(),
  name: v.string(),
  topic: v.string(),
  visibility: v.string(),
  archived: v.boolean(),
  lastSeq: v.number(),
  firstSeq: v.number(),
  lastMessageAt: textOrNull,
  memberCount: v.number(),
  me: v.optional(v.nullable(meSchema)),
});
export type WireRoom = v.InferOutput<typeof roomSchema>;

export const roomsSchema = v.looseObject({ rooms: v.array(roomSchema), next: textOrNull });

/** An event, of a stream or of the log. */
export const logSchema = v.looseObject({
  events: v.array(v.looseObject({ id: v.string(), event: v.string(), data: v.record(v.string(), v.unknown()) })),
  cursor: v.string(),
});

export const tokenSchema = v.looseObject({
  id: v.string(),
  name: v.string(),
  userId: v.string(),
  prefix: v.string(),
  scopes: v.array(v.string()),
  createdAt: v.string(),
  lastUsedAt: textOrNull,
  expiresAt: textOrNull,
});

export const hookSchema = v.looseObject({
  id: v.string(),
  name: v.string(),
  direction: v.string(),
  roomId: textOrNull,
});

/** Encodes a part of a path or query. */
export const enc = encodeURIComponent;
