import { requireLive, requireWriter } from '../access.ts';
import type { Caller } from '../caller.ts';
import { checkCard } from '../card/message-card.ts';
import type { AuditEntry, ChangeView, Decision } from '../change.ts';
import { isSameCard } from '../content-hash.ts';
import { checkIfMatch, messageEtag } from '../etag.ts';
import type { FileRef } from '../file/file.ts';
import type { RecordChange } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { findMessage, type MessageAccess, requireAlive } from './access.ts';
import type { Edit, JsonObject, Mentions, Message, MessageFormat } from './message.ts';
import { changed, type MessageOutcome, nextVersion, unchanged } from './outcome.ts';
import { checkAttachments, isMachine, mentionsOf, takeFiles } from './post.ts';
import { checkChosenCard, isServerMade } from './reserved-message.ts';
import { takeCallAllTurn } from './slow-mode.ts';
import { checkBody } from './text.ts';

/** A requested edit; `undefined` keeps attachments and card, and resets scalars. */
export interface EditDraft {
  readonly body?: string | undefined;
  readonly format?: MessageFormat | undefined;
  /** File ids. */
  readonly attachments?: readonly string[] | undefined;
  readonly card?: JsonObject | null | undefined;
  readonly silent?: boolean | undefined;
  /** Immutable fields, as sent; compared with the message. */
  readonly fixed?: FixedFields | undefined;
}

/** The immutable fields of a message. */
export type FixedFields = {
  readonly [K in (typeof FIXED)[number]]?: Message[K] | undefined;
} & { readonly authorId?: string | undefined };
const FIXED = ['id', 'roomId', 'seq', 'type', 'replyTo', 'threadId', 'alsoInRoom'] as const;

export interface EditRules {
  readonly maxBodyBytes: number;
  /** How long users may edit their messages, in ms: 0 is never, `null` always. */
  readonly editWindowMs: number | null;
  readonly keepEditHistory: boolean;
}

/** Checks an edit without its message, and returns it with a normalised body. */
export function checkEdit(edit: EditDraft, { maxBodyBytes }: EditRules): Outcome<EditDraft> {
  const refusal = checkAttachments(edit.attachments ?? []) ?? checkCard(edit.card ?? null);
  if (refusal || edit.body === undefined) return refusal ?? accepted(edit);
  const body = checkBody(edit.body, maxBodyBytes);
  return body.ok ? accepted({ ...edit, body: body.value }) : body;
}

/** Decides a checked edit. `files`: its attachments that the caller may read. */
export function decideEdit(
  view: ChangeView,
  caller: Caller,
  id: string,
  edit: EditDraft,
  files: ReadonlyMap<string, FileRef>,
  ifMatch: string | undefined,
  rules: EditRules,
): Decision<MessageOutcome> {
  const found = findMessage(view, caller, id, view.message(id));
  if (!found.ok) return found;
  const access = found.value;
  const { message, contentHash } = access.stored;
  const refusal =
    requireEditor(access, caller, view.now, rules) ??
    requireAlive(access) ??
    requireLive(access) ??
    (access.isAuthor ? requireWriter(access, caller, view.now) : undefined) ??
    checkIfMatch(ifMatch, messageEtag(message.version)) ??
    checkFixed(message, edit.fixed);
  if (refusal) return refusal;
  const parts = partsOf(caller, message, edit, files);
  if (!parts.ok) return parts;
  if (isSame(message, parts.value)) return unchanged(access.stored);
  const mentions = mentionsOf(view, { user: message.author }, access, parts.value);
  const turn = mayCall(view, caller, access, mentions);
  if (!turn.ok) return turn;
  const { now } = view;
  const edited = { count: (message.edited?.count ?? 0) + 1, at: now, by: caller.user.id };
  const next = nextVersion(message, now, { ...parts.value, mentions, edited });
  const write = {
    events: [{ type: 'message.updated' as const, roomId: message.roomId, message: next }],
    records: turn.value,
    edits: rules.keepEditHistory ? formerBody(message, next) : [],
    audit: access.isAuthor ? [] : [auditOf(message, caller, now, 'message.update')],
  };
  return changed(write, contentHash);
}

/** A user's message is edited by its author alone; messages of bots and bridges by moderators too. */
function requireEditor(
  { stored, isAuthor, isModerator }: MessageAccess,
  { user }: Caller,
  now: number,
  { editWindowMs }: EditRules,
): Refusal | undefined {
  const { author, createdAt } = stored.message;
  if (isServerMade(stored.message))
    return refuse(
      'forbidden',
      'only the server changes what a card of an alert or a command says; write in its thread',
    );
  const isPerson = author.kind === 'human';
  if (!isAuthor && isPerson) return refuse('forbidden', 'only its author may edit what a person wrote');
  if (!isAuthor && (!isModerator || author.kind === 'system'))
    return refuse('forbidden', 'only admins and owners of the room may edit messages of bots, bridges and copilots');
  if (user.kind !== 'human' || !isPerson || editWindowMs === null || now - createdAt < editWindowMs) return undefined;
  if (editWindowMs === 0) return refuse('forbidden', 'messages cannot be edited on this server');
  return refuse('forbidden', `messages can be edited for ${editWindowMs / 60_000} minutes; that time is over`);
}

function checkFixed(message: Message, fixed: FixedFields = {}): Refusal | undefined {
  const path =
    FIXED.find((field) => fixed[field] !== undefined && fixed[field] !== message[field]) ??
    (fixed.authorId !== undefined && fixed.authorId !== message.author.id ? 'author' : undefined);
  return path === undefined ? undefined : refuse('immutable_field', `${path}: cannot be changed`, { path });
}

type Parts = Pick<Message, 'body' | 'format' | 'silent' | 'attachments' | 'card'>;

function partsOf(
  caller: Caller,
  message: Message,
  edit: EditDraft,
  files: ReadonlyMap<string, FileRef>,
): Outcome<Parts> {
  const known = new Map([...files, ...message.attachments.map((file) => [file.id, file] as const)]);
  const attachments = edit.attachments ? takeFiles(edit.attachments, known) : accepted(message.attachments);
  if (!attachments.ok) return attachments;
  const { body = '', format = 'markdown', silent = false, card = message.card } = edit;
  if (card !== null && message.card === null && !isMachine(caller))
    return refuse('forbidden', 'card: only bots, bridges and admins post cards', { path: 'card' });
  const reserved = isSameCard(card, message.card) ? undefined : checkChosenCard(card);
  if (reserved) return reserved;
  if (body === '' && attachments.value.length === 0)
    return refuse('invalid_body', 'body: a message without attachments needs a text', { path: 'body' });
  return accepted({ body, format, silent, card, attachments: attachments.value });
}

function isSame(message: Message, parts: Parts): boolean {
  const { body, format, silent, attachments, card } = parts;
  return (
    body === message.body &&
    format === message.format &&
    silent === message.silent &&
    attachments.length === message.attachments.length &&
    attachments.every(({ id }, index) => id === message.attachments[index]?.id) &&
    isSameCard(card, message.card)
  );
}

/** An edit that adds `@all` is limited as a post with it is. */
function mayCall(
  view: ChangeView,
  caller: Caller,
  { room, stored }: MessageAccess,
  mentions: Mentions,
): Outcome<readonly RecordChange[]> {
  const isNew = mentions.room && !stored.message.mentions.room;
  return isNew ? takeCallAllTurn(view, caller, room, view.now) : accepted([]);
}

function formerBody(message: Message, next: Message): readonly Edit[] {
  if (message.body === next.body && message.format === next.format) return [];
  const { id, version, body, format } = message;
  const { updatedAt, edited } = next;
  return [{ messageId: id, version, body, format, editedAt: updatedAt, editedBy: edited?.by ?? '' }];
}

export function auditOf({ id, roomId }: Message, { user }: Caller, now: number, action: string): AuditEntry {
  return { at: now, by: user.id, action, roomId, subject: id };
}
