import * as v from 'valibot';
import type { WireLog } from '../contract/feed.ts';
import type { WireHook, WireShownHook } from '../contract/hook.ts';
import type { WireFile, WireMessage, WirePage } from '../contract/message.ts';
import type { WireRoom, WireRooms } from '../contract/room.ts';
import type { WireRun } from '../contract/run.ts';
import type { WireToken } from '../contract/token.ts';

// Schemas of the server's answers: they check the fields that the commands read, and have the types of the contract.

/** An object with these fields, and with others, which stay as they are. */
const fields = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  v.looseObject(entries) as unknown as v.ObjectSchema<Entries, undefined>;

const list = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.readonly());

/** The schema of a `Wire`; it compiles only while every `Wire` matches it. */
const schemaOf =
  <Wire>() =>
  <Schema extends v.GenericSchema>(schema: Schema & (Wire extends v.InferOutput<Schema> ? unknown : never)) =>
    schema as unknown as v.GenericSchema<unknown, Wire>;

const textOrNull = v.nullable(v.string());

export const fileSchema = schemaOf<WireFile>()(
  fields({ id: v.string(), name: v.string(), size: v.number(), sha256: v.string() }),
);

export const messageSchema = schemaOf<WireMessage>()(
  fields({
    id: v.string(),
    roomId: v.string(),
    seq: v.number(),
    author: fields({ id: v.string(), name: v.string(), kind: v.string() }),
    type: v.string(),
    body: v.string(),
    threadId: textOrNull,
    replyTo: textOrNull,
    alsoInRoom: v.boolean(),
    attachments: list(fileSchema),
    card: v.nullable(v.record(v.string(), v.unknown())),
    silent: v.boolean(),
    reactions: list(fields({ emoji: v.string(), count: v.number(), userIds: list(v.string()) })),
    status: v.string(),
    pinned: v.boolean(),
    deleted: v.boolean(),
    edited: v.nullable(fields({ count: v.number(), at: v.string(), by: v.string() })),
    version: v.number(),
    createdAt: v.string(),
    updatedAt: v.string(),
  }),
);

export const pageSchema = schemaOf<WirePage>()(
  fields({ messages: list(messageSchema), hasAfter: v.boolean(), hasBefore: v.boolean(), cursor: v.string() }),
);

export const roomSchema = schemaOf<WireRoom>()(
  fields({
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
    me: v.nullish(fields({ role: v.string(), unread: v.optional(v.number()), unreadMentions: v.optional(v.number()) })),
  }),
);

export const roomsSchema = schemaOf<WireRooms>()(fields({ rooms: list(roomSchema), next: textOrNull }));

export const logSchema = schemaOf<WireLog>()(
  fields({
    events: list(fields({ id: v.string(), event: v.string(), data: v.unknown() })),
    cursor: v.string(),
  }),
);

export const runSchema = schemaOf<WireRun>()(
  fields({
    id: v.string(),
    state: v.string(),
    text: v.nullish(v.string()),
    messageId: v.nullish(v.string()),
    error: v.nullish(fields({ message: v.string() })),
  }),
);

export const tokenSchema = schemaOf<WireToken>()(
  fields({
    id: v.string(),
    name: v.string(),
    userId: v.string(),
    prefix: v.string(),
    scopes: list(v.string()),
    createdAt: v.string(),
    lastUsedAt: textOrNull,
    expiresAt: textOrNull,
  }),
);

const hookFields = { id: v.string(), name: v.string(), direction: v.string(), roomId: textOrNull };
export const hookSchema = schemaOf<WireHook>()(fields(hookFields));
export const shownHookSchema = schemaOf<WireShownHook>()(
  fields({ ...hookFields, secret: v.optional(v.string()), path: v.optional(v.string()) }),
);

/** Encodes a part of a path or query. */
export const enc = encodeURIComponent;
