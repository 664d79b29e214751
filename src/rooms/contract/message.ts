import * as v from 'valibot';
import type { JsonObject } from '../domain/message/message.ts';
import { MESSAGE_ID } from '../domain/message/message.ts';
import type { MessageEdit, Post } from '../messages/messages.ts';

const messageId = v.pipe(v.string(), v.regex(MESSAGE_ID, 'the id of a message: 8 to 64 letters, digits, "_" and "-"'));
const roomName = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const fileId = v.pipe(v.string(), v.maxLength(64));
const MESSAGE_TYPES = ['text', 'file', 'alert', 'command', 'system'] as const;
const type = v.picklist(MESSAGE_TYPES);
const format = v.picklist(['markdown', 'plain']);
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
/** As it was parsed: a copy made by a schema would lose keys such as `__proto__`. */
const card = v.nullable(v.custom<JsonObject>(isObject, 'must be an object or null'));
/** More than any rule allows; the rule then says how many. */
const MANY = 1_000;

/** The body of a POST. `roomId` may stand in the path instead. */
export const POST_MESSAGE = v.strictObject({
  id: v.optional(messageId),
  roomId: v.optional(roomName),
  type: v.optional(type),
  body: v.optional(v.string()),
  format: v.optional(format),
  replyTo: v.optional(v.nullable(messageId)),
  threadId: v.optional(v.nullable(messageId)),
  alsoInRoom: v.optional(v.boolean()),
  attachments: v.optional(v.pipe(v.array(fileId), v.maxLength(MANY))),
  card: v.optional(card),
  silent: v.optional(v.boolean()),
});
export type PostMessage = v.InferOutput<typeof POST_MESSAGE>;

/** Field by field: a copy of what is left over costs several times as much. */
export function postOf(wire: PostMessage, room: string): Post {
  const { id, type, body = '', format, replyTo, threadId, alsoInRoom, attachments, card, silent } = wire;
  return { room, id, type, body, format, replyTo, threadId, alsoInRoom, attachments, card, silent };
}

/** Where the body is the message itself, the rest stands in headers. */
export const POST_HEADERS = {
  id: 'x-message-id',
  threadId: 'x-thread-id',
  replyTo: 'x-reply-to',
  format: 'x-message-format',
  silent: 'x-silent',
} as const;

/** What `POST_MESSAGE` checks, of a message whose words are the whole request body. */
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

/** A file by its id, or as an answer showed it. */
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
/** The server's own: taken back with a message that was read before, and left aside. */
const shown = v.optional(v.unknown());

/** The body of a PUT: what may be changed, and all that a GET shows, so that its answer can be sent back. */
export const PUT_MESSAGE = v.strictObject({
  body: v.optional(v.string()),
  format: v.optional(format),
  attachments: v.optional(v.pipe(v.array(attachment), v.maxLength(MANY))),
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
  thread: shown,
  mentions: shown,
  reactions: shown,
  status: shown,
  run: shown,
  pinned: shown,
  deleted: shown,
  deletedAt: shown,
  deletedBy: shown,
  deleteReason: shown,
  edited: shown,
  version: shown,
  createdAt: shown,
  updatedAt: shown,
});

export function editOf(put: v.InferOutput<typeof PUT_MESSAGE>): MessageEdit {
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
/** Why a message is deleted. */
export const DELETE_QUERY = v.object({
  reason: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(MAX_REASON, `must have ${MAX_REASON} characters at the most`),
      v.check((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line of text'),
    ),
  ),
});
