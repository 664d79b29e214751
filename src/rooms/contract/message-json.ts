import { NO_MENTIONS } from '../domain/message/mention.ts';
import type { Message, StoredMessage } from '../domain/message/message.ts';
import type { UserRef } from '../domain/user/user.ts';
import { printInstant, printInstantOrNull } from './instant.ts';
import type { WireMessage } from './message.ts';

const printText = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));
const printObject = (object: object | null): string => (object === null ? 'null' : JSON.stringify(object));
const printList = (list: readonly object[]): string => (list.length === 0 ? '[]' : JSON.stringify(list));

/** A `WireMessage` as JSON, reactions without `me`; key by key, as most fields are the same in most messages. */
export function printMessage(message: Message): string {
  const { id, roomId, seq, author, type, body, format, replyTo, threadId, version, createdAt, updatedAt } = message;
  const created = printInstant(createdAt);
  const updated = updatedAt === createdAt ? created : printInstant(updatedAt);
  return `{"id":${JSON.stringify(id)},"roomId":${printRoomId(roomId)},"seq":${seq},"author":${printAuthor(author)},"type":"${type}","body":${JSON.stringify(body)},"format":"${format}","replyTo":${printText(replyTo)},"threadId":${printText(threadId)},${isPlain(message) ? PLAIN : printMarks(message)},"version":${version},"createdAt":"${created}","updatedAt":"${updated}"}`;
}

/** The fields of a message that most messages leave empty. */
type Marks = Omit<
  Message,
  | 'id'
  | 'roomId'
  | 'seq'
  | 'author'
  | 'type'
  | 'body'
  | 'format'
  | 'replyTo'
  | 'threadId'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
>;

function printMarks(marks: Marks): string {
  const { alsoInRoom, thread, mentions, attachments, card, silent, reactions, status, run } = marks;
  const { pinned, deleted, deletedAt, deletedBy, deleteReason, edited } = marks;
  return `"alsoInRoom":${alsoInRoom},"thread":${printThread(thread)},"mentions":${JSON.stringify(mentions)},"attachments":${printList(attachments.map((file) => ({ ...file, createdAt: printInstant(file.createdAt) })))},"card":${printObject(card)},"silent":${silent},"reactions":${printList(reactions)},"status":"${status}","run":${printObject(run)},"pinned":${pinned},"deleted":${deleted},"deletedAt":${printText(printInstantOrNull(deletedAt))},"deletedBy":${printText(deletedBy)},"deleteReason":${printText(deleteReason)},"edited":${printEdited(edited)}`;
}

/** Whether a message has nothing but its text, as most have: the JSON of the other fields is then the same. */
function isPlain(marks: Marks): boolean {
  const { alsoInRoom, thread, mentions, attachments, card, silent, reactions, status, run } = marks;
  const { pinned, deleted, deletedAt, deletedBy, deleteReason, edited } = marks;
  return (
    !(alsoInRoom || silent || pinned || deleted) &&
    mentions === NO_MENTIONS &&
    status === 'complete' &&
    attachments.length === 0 &&
    reactions.length === 0 &&
    (thread ?? card ?? run ?? deletedAt ?? deletedBy ?? deleteReason ?? edited) === null
  );
}

const PLAIN = printMarks({
  alsoInRoom: false,
  thread: null,
  mentions: NO_MENTIONS,
  attachments: [],
  card: null,
  silent: false,
  reactions: [],
  status: 'complete',
  run: null,
  pinned: false,
  deleted: false,
  deletedAt: null,
  deletedBy: null,
  deleteReason: null,
  edited: null,
});

const authors = new WeakMap<UserRef, string>();

function printAuthor(author: UserRef): string {
  let text = authors.get(author);
  if (text === undefined) {
    text = JSON.stringify(author);
    authors.set(author, text);
  }
  return text;
}

let lastRoom = { id: '', text: '""' };

/** Messages printed one after the other are mostly of the same room. */
function printRoomId(id: string): string {
  if (lastRoom.id !== id) lastRoom = { id, text: JSON.stringify(id) };
  return lastRoom.text;
}

function printThread(thread: Message['thread']): string {
  return printObject(thread && { ...thread, lastReplyAt: printInstant(thread.lastReplyAt) });
}

function printEdited(edited: Message['edited']): string {
  return printObject(edited && { ...edited, at: printInstant(edited.at) });
}

/** Reads the JSON of `printMessage`. */
export function readMessage(json: string): Message {
  const wire: WireMessage = JSON.parse(json);
  const { thread, edited, deletedAt } = wire;
  const createdAt = Date.parse(wire.createdAt);
  return {
    ...wire,
    attachments: wire.attachments.map((file) => ({ ...file, createdAt: Date.parse(file.createdAt) })),
    thread: thread && { ...thread, lastReplyAt: Date.parse(thread.lastReplyAt) },
    edited: edited && { ...edited, at: Date.parse(edited.at) },
    deletedAt: deletedAt === null ? null : Date.parse(deletedAt),
    createdAt,
    updatedAt: wire.updatedAt === wire.createdAt ? createdAt : Date.parse(wire.updatedAt),
  };
}

/** A message for a reader whose own reactions are `mine`. */
export function printMessageFor(stored: StoredMessage, mine: ReadonlySet<string>): string {
  const { message, json } = stored;
  if (message.reactions.length === 0) return json;
  const reactions = message.reactions.map((reaction) => ({ ...reaction, me: mine.has(reaction.emoji) }));
  return printMessage({ ...message, reactions });
}

/** The key of the message in the data of an event: it comes last, after fields that hold no quotes of their own. */
export const MESSAGE_KEY = '"message":';

/** The JSON of the message in the data of a message's event. */
export function messageJsonOf(data: string): string {
  return data.slice(data.indexOf(MESSAGE_KEY) + MESSAGE_KEY.length, -1);
}
