import type { FileRef } from '../domain/file.ts';
import { NO_MENTIONS } from '../domain/mention.ts';
import type { Edit, Message, StoredMessage } from '../domain/message.ts';
import { printInstant, printInstantOrNull } from './instant.ts';

/**
 * A message on the wire, reactions without `me`, as JSON. Key by key: most are as in every other message, and a copy of
 * all of them with some printed otherwise costs twice as much.
 */
export function printMessage(message: Message): string {
  const { id, roomId, seq, author, type, body, format, replyTo, threadId, alsoInRoom, thread, mentions } = message;
  const { attachments, card, silent, reactions, status, run, pinned, deleted, deletedAt, deletedBy } = message;
  const { deleteReason, edited, version, createdAt, updatedAt } = message;
  const created = printInstant(createdAt);
  return `{"id":${JSON.stringify(id)},"roomId":${JSON.stringify(roomId)},"seq":${seq},"author":${JSON.stringify(author)},"type":"${type}","body":${JSON.stringify(body)},"format":"${format}","replyTo":${printText(replyTo)},"threadId":${printText(threadId)},"alsoInRoom":${alsoInRoom},"thread":${printThread(thread)},"mentions":${printMentions(mentions)},"attachments":${printList(attachments.map(wireFile))},"card":${printObject(card)},"silent":${silent},"reactions":${printList(reactions)},"status":"${status}","run":${printObject(run)},"pinned":${pinned},"deleted":${deleted},"deletedAt":${printText(printInstantOrNull(deletedAt))},"deletedBy":${printText(deletedBy)},"deleteReason":${printText(deleteReason)},"edited":${printEdited(edited)},"version":${version},"createdAt":"${created}","updatedAt":"${updatedAt === createdAt ? created : printInstant(updatedAt)}"}`;
}

const printText = (text: string | null): string => (text === null ? 'null' : JSON.stringify(text));
const printObject = (object: object | null): string => (object === null ? 'null' : JSON.stringify(object));
const printList = (list: readonly object[]): string => (list.length === 0 ? '[]' : JSON.stringify(list));

function printThread(thread: Message['thread']): string {
  return printObject(thread && { ...thread, lastReplyAt: printInstant(thread.lastReplyAt) });
}

function printEdited(edited: Message['edited']): string {
  return printObject(edited && { ...edited, at: printInstant(edited.at) });
}

function printMentions(mentions: Message['mentions']): string {
  return mentions === NO_MENTIONS ? PRINTED_NO_MENTIONS : JSON.stringify(mentions);
}

const PRINTED_NO_MENTIONS = JSON.stringify(NO_MENTIONS);

export function wireFile(file: FileRef): object {
  return { ...file, createdAt: printInstant(file.createdAt) };
}

interface WireMessage
  extends Omit<Message, 'attachments' | 'thread' | 'edited' | 'deletedAt' | 'createdAt' | 'updatedAt'> {
  readonly attachments: readonly (Omit<FileRef, 'createdAt'> & { readonly createdAt: string })[];
  readonly thread: (Omit<NonNullable<Message['thread']>, 'lastReplyAt'> & { readonly lastReplyAt: string }) | null;
  readonly edited: (Omit<NonNullable<Message['edited']>, 'at'> & { readonly at: string }) | null;
  readonly deletedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Reads what `printMessage` has written. */
export function readMessage(json: string): Message {
  const wire = JSON.parse(json) as WireMessage;
  const { thread, edited, deletedAt } = wire;
  return {
    ...wire,
    attachments: wire.attachments.map((file) => ({ ...file, createdAt: Date.parse(file.createdAt) })),
    thread: thread && { ...thread, lastReplyAt: Date.parse(thread.lastReplyAt) },
    edited: edited && { ...edited, at: Date.parse(edited.at) },
    deletedAt: deletedAt === null ? null : Date.parse(deletedAt),
    createdAt: Date.parse(wire.createdAt),
    updatedAt: Date.parse(wire.updatedAt),
  };
}

/** A message as somebody reads it, whose own reactions are `mine`. */
export function printMessageFor(stored: StoredMessage, mine: ReadonlySet<string>): string {
  const { message, json } = stored;
  if (message.reactions.length === 0) return json;
  const reactions = message.reactions.map((reaction) => ({ ...reaction, me: mine.has(reaction.emoji) }));
  return printMessage({ ...message, reactions });
}

/** A page of messages that are JSON already. */
export function printPage(messages: readonly string[], facts: object): string {
  return `{"messages":[${messages.join(',')}],${JSON.stringify(facts).slice(1)}`;
}

export function wireEdit({ version, body, format, editedAt, editedBy }: Edit): object {
  return { version, body, format, editedAt: printInstant(editedAt), editedBy };
}
