import * as v from 'valibot';
import type { FileRef } from '../domain/file/file.ts';
import {
  type Edit,
  type JsonObject,
  MESSAGE_ID,
  type Message,
  type Reaction,
  type ThreadSummary,
} from '../domain/message/message.ts';
import { type Printed, printInstant } from './instant.ts';
import { ownedSchema } from './text.ts';

const messageId = v.pipe(v.string(), v.regex(MESSAGE_ID, 'the id of a message: 8 to 64 letters, digits, "_" and "-"'));
const roomName = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const fileId = v.pipe(v.string(), v.maxLength(64));
const MESSAGE_TYPES = ['text', 'file', 'alert', 'command', 'system'] as const;
const type = v.picklist(MESSAGE_TYPES);
const format = v.picklist(['markdown', 'plain']);
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Kept as it was parsed: a copy made by a schema would lose keys such as `__proto__`. */
const card = v.nullable(v.custom<JsonObject>(isObject, 'must be an object or null'));
/** More than any rule of the domain allows, which refuses with the exact limit. */
const MAX_ATTACHMENTS = 1_000;

/** The body of a POST. `roomId` may be in the path instead. */
export const POST_MESSAGE = v.strictObject({
  id: v.optional(messageId),
  roomId: v.optional(roomName),
  type: v.optional(type),
  body: v.optional(v.string()),
  format: v.optional(format),
  replyTo: v.optional(v.nullable(messageId)),
  threadId: v.optional(v.nullable(messageId)),
  alsoInRoom: v.optional(v.boolean()),
  attachments: v.optional(v.pipe(v.array(fileId), v.maxLength(MAX_ATTACHMENTS))),
  card: v.optional(card),
  silent: v.optional(v.boolean()),
});
export type PostMessage = v.InferOutput<typeof POST_MESSAGE>;
export type PostMessageBody = v.InferInput<typeof POST_MESSAGE>;

/** Field by field: a rest pattern costs several times as much. */
export function postOf(wire: PostMessage, room: string) {
  const { id, type, body = '', format, replyTo, threadId, alsoInRoom, attachments, card, silent } = wire;
  return { room, id, type, body, format, replyTo, threadId, alsoInRoom, attachments, card, silent };
}

/** Headers with the other fields of a message posted as plain text. */
export const POST_HEADERS = {
  id: 'x-message-id',
  threadId: 'x-thread-id',
  replyTo: 'x-reply-to',
  format: 'x-message-format',
  silent: 'x-silent',
} as const;

/** A message posted as plain text, as `POST_MESSAGE` reads it. */
export function plainPost(body: string, header: (name: string) => string | undefined): object {
  const { silent, ...names } = POST_HEADERS;
  const fields = Object.entries(names).map(([field, name]) => [field, header(name)] as const);
  const isSilent = header(silent);
  return {
    body,
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
    ...(isSilent === undefined ? {} : { silent: isSilent === 'true' || isSilent === '1' }),
  };
}

/** A file by its id, or as an answer shows it. */
const attachment = v.union(
  [
    fileId,
    v.pipe(
      v.looseObject({ id: fileId }),
      v.transform(({ id }) => id),
    ),
  ],
  'must be a file id',
);
/** The body of a PUT: the fields that may change, and all others of a GET, so that its answer can be sent back. */
export const PUT_MESSAGE = v.strictObject({
  body: v.optional(v.string()),
  format: v.optional(format),
  attachments: v.optional(v.pipe(v.array(attachment), v.maxLength(MAX_ATTACHMENTS))),
  card: v.optional(card),
  silent: v.optional(v.boolean()),
  id: v.optional(v.string()),
  roomId: v.optional(v.string()),
  seq: v.optional(v.number()),
  type: v.optional(type),
  replyTo: v.optional(v.nullable(v.string())),
  threadId: v.optional(v.nullable(v.string())),
  alsoInRoom: v.optional(v.boolean()),
  author: v.optional(v.looseObject({ id: v.string() })),
  thread: ownedSchema,
  mentions: ownedSchema,
  reactions: ownedSchema,
  status: ownedSchema,
  run: ownedSchema,
  pinned: ownedSchema,
  deleted: ownedSchema,
  deletedAt: ownedSchema,
  deletedBy: ownedSchema,
  deleteReason: ownedSchema,
  edited: ownedSchema,
  version: ownedSchema,
  createdAt: ownedSchema,
  updatedAt: ownedSchema,
});

export type PutMessageBody = v.InferInput<typeof PUT_MESSAGE>;

export function editOf(put: v.InferOutput<typeof PUT_MESSAGE>) {
  const { body, format, attachments, card, silent, author, id, roomId, seq, type, replyTo, threadId, alsoInRoom } = put;
  const fixed = { id, roomId, seq, type, replyTo, threadId, alsoInRoom, authorId: author?.id };
  return { body, format, attachments, card, silent, fixed };
}

const count = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be a sequence number'), v.transform(Number));
const LIMIT = 'must be a number from 1 to 200';

/** The query of a page. */
export const PAGE_QUERY = v.object({
  before: v.optional(count),
  after: v.optional(count),
  around: v.optional(v.union([count, messageId], 'must be a sequence number or the id of a message')),
  limit: v.optional(
    v.pipe(v.string(), v.regex(/^\d{1,3}$/, LIMIT), v.transform(Number), v.minValue(1, LIMIT), v.maxValue(200, LIMIT)),
  ),
  thread: v.optional(messageId),
  type: v.optional(type),
  author: v.optional(v.pipe(v.string(), v.maxLength(64))),
});
export type PageRequest = v.InferOutput<typeof PAGE_QUERY>;

const MAX_REASON = 500;
/** The query of a DELETE: why the message is deleted. */
export const DELETE_QUERY = v.object({
  reason: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(MAX_REASON, `must have at most ${MAX_REASON} characters`),
      v.check((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line of text'),
    ),
  ),
});

export type WireFile = Printed<FileRef, 'createdAt'>;

export interface WireReaction extends Reaction {
  /** In answers: whether the caller has reacted so. */
  readonly me?: boolean;
}

/** A message on the wire. */
export interface WireMessage
  extends Omit<
    Printed<Message, 'deletedAt' | 'createdAt' | 'updatedAt'>,
    'attachments' | 'thread' | 'reactions' | 'edited'
  > {
  readonly attachments: readonly WireFile[];
  readonly thread: Printed<ThreadSummary, 'lastReplyAt'> | null;
  readonly reactions: readonly WireReaction[];
  readonly edited: Printed<NonNullable<Message['edited']>, 'at'> | null;
}

/** Messages of a room, ascending by sequence number. */
export interface WirePage {
  readonly messages: readonly WireMessage[];
  /** 0 where the page is empty. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
  /** Where a stream of what follows begins. */
  readonly cursor: string;
}

export function wireFile(file: FileRef): WireFile {
  return { ...file, createdAt: printInstant(file.createdAt) };
}

/** An earlier version of a message. */
export type WireEdit = Printed<Omit<Edit, 'messageId'>, 'editedAt'>;

export function wireEdit({ version, body, format, editedAt, editedBy }: Edit): WireEdit {
  return { version, body, format, editedAt: printInstant(editedAt), editedBy };
}

/** An object with messages that are JSON already, and its other fields. */
export function printPage<Page extends { readonly messages: readonly WireMessage[] }>(
  messages: readonly string[],
  rest: Omit<Page, 'messages'>,
): string {
  return `{"messages":[${messages.join(',')}],${JSON.stringify(rest).slice(1)}`;
}
