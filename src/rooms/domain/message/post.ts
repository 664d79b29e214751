import { findRoom, type RoomAccess, requireLive, requireWriter } from '../access.ts';
import type { Caller } from '../caller.ts';
import { followCard } from '../card/live-card.ts';
import { checkCard } from '../card/message-card.ts';
import type { ChangeView, Decision } from '../change.ts';
import { hashContent, type PostContent } from '../content-hash.ts';
import type { EventDraft } from '../event.ts';
import type { FileRef } from '../file/file.ts';
import { memberKey, newMember } from '../member/member.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { onCallOf } from '../room/duty.ts';
import { refTo } from '../user/user.ts';
import { copilotHandle, findMentions, NO_MENTIONS } from './mention.ts';
import {
  type JsonObject,
  MESSAGE_ID,
  type Mentions,
  type Message,
  type MessageFormat,
  type MessageStatus,
  type MessageType,
  type RunRef,
} from './message.ts';
import { changed, type MessageOutcome, unchanged } from './outcome.ts';
import { checkChosenCard, checkChosenId } from './reserved-message.ts';
import { takeCallAllTurn, takePostTurn } from './slow-mode.ts';
import { checkBody } from './text.ts';
import { countReply, findReferred, requireRoot } from './thread.ts';

const MAX_ATTACHMENTS = 10;
/** Types that users do not write. */
const MACHINE_TYPES: ReadonlySet<MessageType> = new Set(['alert', 'command']);

/** A post with all its defaults. */
export interface PostDraft {
  /** The room's id or slug. */
  readonly room: string;
  readonly id: string | undefined;
  readonly type: MessageType;
  readonly body: string;
  readonly format: MessageFormat;
  readonly replyTo: string | null;
  readonly threadId: string | null;
  readonly alsoInRoom: boolean;
  /** File ids. */
  readonly attachments: readonly string[];
  readonly card: JsonObject | null;
  readonly silent: boolean;
  readonly status: MessageStatus;
  readonly run: RunRef | null;
  /** Posted by the server itself in the author's name: any type, with a card, and possibly without text. */
  readonly byServer: boolean;
}

export interface PostRules {
  readonly maxBodyBytes: number;
  /** A user who posts into a public room becomes a member. */
  readonly joinOnPost: boolean;
}

/** Checks a post without any state, and returns it with a normalised body. */
export function checkPost(post: PostDraft, author: Caller, rules: PostRules): Outcome<PostDraft> {
  const body = checkBody(post.body, rules.maxBodyBytes);
  if (!body.ok) return body;
  const refusal =
    checkId(post.id) ??
    checkType(post, author) ??
    requireWords(body.value, post) ??
    checkAttachments(post.attachments) ??
    checkCard(post.card);
  return refusal ?? accepted(body.value === post.body ? post : { ...post, body: body.value });
}

/**
 * Decides a checked post. `files`: its attachments that the author may read. The result is the new message, or that of
 * the same earlier post.
 */
export function decidePost(
  view: ChangeView,
  caller: Caller,
  post: PostDraft,
  files: ReadonlyMap<string, FileRef>,
  rules: PostRules,
): Decision<MessageOutcome> {
  const found = findRoom(view, caller, post.room);
  if (!found.ok) return found;
  // Only a post with an id of the sender's choice can be repeated.
  const contentHash = post.id === undefined ? '' : hashContent(contentOf(found.value.room.id, post, post.attachments));
  const known = post.id === undefined ? undefined : decideKnown(view, caller, post.id, contentHash);
  if (known) return known;
  // Checked after repeats: an earlier post with a now reserved id or card is still a repeat.
  const reserved = post.byServer ? undefined : (checkChosenId(post.id) ?? checkChosenCard(post.card));
  if (reserved) return reserved;
  const entry = enter(view, caller, found.value, rules.joinOnPost && !post.byServer);
  const refusal = caller.kind === 'user' ? requireWriter(entry.access, caller, view.now) : requireLive(entry.access);
  if (refusal) return refusal;
  const place = findPlace(view, entry.access, post);
  if (!place.ok) return place;
  const attachments = takeFiles(post.attachments, files);
  if (!attachments.ok) return attachments;
  const mentions = mentionsOf(view, caller, entry.access, post);
  const turns = takeTurns(view, caller, entry.access, mentions);
  if (!turns.ok) return turns;
  const message = newMessage(view, caller, entry.access.room.id, post, attachments.value, mentions);
  const { root } = place.value;
  const events: EventDraft[] = [
    ...entry.events,
    { type: 'message.created', roomId: message.roomId, message, contentHash },
  ];
  if (root) events.push(countReply(root, caller.user.id, view.now));
  const followed = followCard(view, message);
  events.push(...followed.events);
  const records = [...entry.records, ...turns.value, ...followed.records];
  return changed(records.length === 0 ? { events } : { events, records }, contentHash, entry.events.length);
}

/** Decides as `decidePost` whether a post without attachments would be accepted as new, and writes nothing. */
export function probePost(view: ChangeView, caller: Caller, post: PostDraft, rules: PostRules): Decision<null> {
  const decided = decidePost(view, caller, post, new Map(), rules);
  if (!decided.ok) return decided;
  if (decided.write === null) return refuse('id_conflict', `the id ${post.id} is taken; take another`, { path: 'id' });
  return { ok: true, write: null, answer: () => null };
}

/** A repeated post, or an id that is taken. */
function decideKnown(
  view: ChangeView,
  caller: Caller,
  id: string,
  contentHash: string,
): Decision<MessageOutcome> | undefined {
  const stored = view.message(id);
  if (!stored)
    return view.isForgotten(id) ? refuse('deleted', `the message ${id} was removed; take another id`) : undefined;
  if (stored.message.author.id !== caller.user.id)
    return refuse('id_conflict', `the id ${id} is taken; take another`, { path: 'id' });
  if (stored.message.deleted) return refuse('deleted', `the message ${id} was deleted; take another id`);
  if ((stored.contentHash || hashOf(stored.message)) !== contentHash)
    return refuse('id_conflict', `the message ${id} was posted with another content`, { path: 'id' });
  return unchanged(stored);
}

/** The current content, for a message whose id the server chose. */
function hashOf(message: Message): string {
  const fileIds = message.attachments.map(({ id }) => id);
  return hashContent(contentOf(message.roomId, message, fileIds));
}

/** The content that must be equal in a repeated post. */
function contentOf(
  roomId: string,
  { type, body, format, replyTo, threadId, card }: Omit<PostContent, 'roomId' | 'attachments'>,
  attachments: readonly string[],
): PostContent {
  return { roomId, type, body, format, replyTo, threadId, attachments, card };
}

interface Entry {
  readonly access: RoomAccess;
  readonly events: readonly EventDraft[];
  readonly records: readonly RecordChange[];
}

function enter(view: ChangeView, caller: Caller, access: RoomAccess, joins: boolean): Entry {
  const { room, member } = access;
  const stays = { access, events: [], records: [] };
  if (member || !joins || room.visibility !== 'public' || room.archived) return stays;
  const key = memberKey(room.id, caller.user.id);
  // A hook's author is no user, and cannot be a member.
  if (view.get('ban', key) || !view.get('user', caller.user.id)) return stays;
  const joined = newMember(
    { roomId: room.id, lastSeq: view.head(room.id).lastSeq },
    caller.user.id,
    'member',
    view.now,
  );
  return {
    access: { ...access, member: joined },
    events: [{ type: 'member.joined', roomId: room.id, member: joined }],
    records: [record('member', key, joined)],
  };
}

function findPlace(
  view: ChangeView,
  access: RoomAccess,
  { replyTo, threadId }: PostDraft,
): Outcome<{ readonly root: Message | undefined }> {
  if (replyTo !== null) {
    const quoted = findReferred(view, access, 'replyTo', replyTo);
    if (!quoted.ok) return quoted;
  }
  if (threadId === null) return accepted({ root: undefined });
  const root = findReferred(view, access, 'threadId', threadId);
  if (!root.ok) return root;
  return requireRoot(root.value) ?? accepted({ root: root.value });
}

export function takeFiles(ids: readonly string[], files: ReadonlyMap<string, FileRef>): Outcome<readonly FileRef[]> {
  const taken: FileRef[] = [];
  for (const [index, id] of ids.entries()) {
    const file = files.get(id);
    const path = `attachments.${index}`;
    if (!file) return refuse('invalid_body', `${path}: there is no file ${id}`, { path });
    taken.push(file);
  }
  return accepted(taken);
}

/** The mentions of a text; a copilot mentions nobody. */
export function mentionsOf(
  view: ChangeView,
  author: { readonly user: { readonly kind: string } },
  { room: { id: roomId, copilot } }: Pick<RoomAccess, 'room'>,
  { body, format }: Pick<PostDraft, 'body' | 'format'>,
): Mentions {
  if (author.user.kind === 'copilot') return NO_MENTIONS;
  return findMentions(body, format, {
    isUser: (id) => view.get('user', id)?.disabled === false,
    copilot: copilot?.enabled ? copilotHandle(copilot.name) : undefined,
    onCall: onCallOf(view, roomId, view.now),
  });
}

function takeTurns(
  view: ChangeView,
  caller: Caller,
  { room }: RoomAccess,
  mentions: Mentions,
): Outcome<readonly RecordChange[]> {
  const post = takePostTurn(view, caller, room, view.now);
  if (!post.ok || !mentions.room) return post;
  const call = takeCallAllTurn(view, caller, room, view.now);
  return call.ok ? accepted([...post.value, ...call.value]) : call;
}

/** The commit gives the sequence number; a placeholder here makes its copy cheap. */
function newMessage(
  view: ChangeView,
  { user }: Caller,
  roomId: string,
  post: PostDraft,
  attachments: readonly FileRef[],
  mentions: Mentions,
): Message {
  const { id, type, body, format, replyTo, threadId, alsoInRoom, card, silent, status, run } = post;
  return {
    id: id ?? view.newId(),
    roomId,
    seq: 0,
    author: refTo(user),
    type,
    body,
    format,
    replyTo,
    threadId,
    alsoInRoom: alsoInRoom && threadId !== null,
    thread: null,
    mentions,
    attachments,
    card,
    silent,
    reactions: [],
    status,
    run,
    pinned: false,
    deleted: false,
    deletedAt: null,
    deletedBy: null,
    deleteReason: null,
    edited: null,
    version: 1,
    createdAt: view.now,
    updatedAt: view.now,
  };
}

function checkId(id: string | undefined): Refusal | undefined {
  if (id === undefined || MESSAGE_ID.test(id)) return undefined;
  return refuse('invalid_body', 'id: 8 to 64 letters, digits, "_" and "-"', { path: 'id' });
}

/** Whether the author may post as a machine. */
export function isMachine({ user, isAdmin }: Caller): boolean {
  return isAdmin || user.kind !== 'human';
}

function checkType({ type, card, byServer }: PostDraft, author: Caller): Refusal | undefined {
  if (byServer) return undefined;
  if (type === 'system')
    return refuse('forbidden', 'type: only the server itself writes messages of type system', { path: 'type' });
  if (isMachine(author)) return undefined;
  if (MACHINE_TYPES.has(type))
    return refuse('forbidden', `type: only bots, bridges and admins write messages of type ${type}`, { path: 'type' });
  return card === null
    ? undefined
    : refuse('forbidden', 'card: only bots, bridges and admins post cards', { path: 'card' });
}

function requireWords(
  body: string,
  { attachments, status, byServer }: Pick<PostDraft, 'attachments' | 'status' | 'byServer'>,
): Refusal | undefined {
  if (body !== '' || attachments.length > 0 || byServer || status === 'streaming') return undefined;
  return refuse('invalid_body', 'body: a message without attachments needs a text', { path: 'body' });
}

export function checkAttachments(ids: readonly string[]): Refusal | undefined {
  const path = 'attachments';
  if (ids.length > MAX_ATTACHMENTS)
    return refuse('invalid_body', `attachments: at most ${MAX_ATTACHMENTS} files`, { path });
  if (ids.length > 1 && new Set(ids).size < ids.length)
    return refuse('invalid_body', 'attachments: names a file twice', { path });
  return undefined;
}
