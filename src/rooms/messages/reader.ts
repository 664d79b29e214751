import { printMessageFor } from '../contract/message-json.ts';
import { findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { ReactionKey } from '../domain/change.ts';
import { findMessage, noSuchMessage } from '../domain/message/access.ts';
import type { Edit, StoredMessage } from '../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import type { PageQuery, RoomStore } from '../store/store.ts';

/** The requested part of a room. */
export interface PageFilter {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  /** A sequence number, or the id of a message. */
  readonly around?: number | string | undefined;
  readonly limit?: number | undefined;
  readonly thread?: string | undefined;
  readonly type?: string | undefined;
  readonly author?: string | undefined;
}

export interface ReadPage {
  /** JSON as the reader sees it, ascending by sequence number. */
  readonly messages: readonly string[];
  /** Of the page; 0 if it is empty. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

const DEFAULT_LIMIT = 50;

export interface MessageReaderParts {
  readonly state: RoomState;
  readonly store: RoomStore;
}

/** Reads messages for callers. */
export class MessageReader {
  readonly #parts: MessageReaderParts;

  constructor(parts: MessageReaderParts) {
    this.#parts = parts;
  }

  /** Messages of a room that the caller may read; the last 50 by default. */
  async page(caller: Caller, room: string, filter: PageFilter): Promise<Outcome<ReadPage>> {
    const { state, store } = this.#parts;
    const found = findRoom(state, caller, room);
    if (!found.ok) return found;
    const roomId = found.value.room.id;
    const { afterSeq } = found.value;
    const query = await this.#queryOf(roomId, afterSeq, filter);
    if (!query.ok) return query;
    const { messages, hasBefore, hasAfter } = await store.page(query.value);
    return accepted({
      messages: await this.print(caller, messages),
      firstSeq: messages[0]?.message.seq ?? 0,
      lastSeq: messages.at(-1)?.message.seq ?? 0,
      hasBefore,
      hasAfter,
    });
  }

  /** Earlier versions of a message, oldest first; for its author and moderators. */
  async history(caller: Caller, id: string): Promise<Outcome<readonly Edit[]>> {
    const { state, store } = this.#parts;
    const [stored] = await store.messages([id]);
    const found = findMessage(state, caller, id, stored);
    if (!found.ok) return found;
    const { isAuthor, isModerator } = found.value;
    if (!isAuthor && !isModerator)
      return refuse('forbidden', 'only its author, and admins and owners of the room, see what a message said before');
    return accepted(await store.edits(id));
  }

  /** The JSON of each message, with `me` at the caller's reactions. */
  async print(caller: Caller, messages: readonly StoredMessage[]): Promise<readonly string[]> {
    const unknown = messages.flatMap((stored) => unknownReactions(stored, caller.user.id));
    const reacted = unknown.length === 0 ? [] : await this.#parts.store.reacted(unknown);
    return messages.map((stored) => printMessageFor(stored, ownReactions(stored, caller.user.id, reacted)));
  }

  async #queryOf(roomId: string, afterSeq: number, filter: PageFilter): Promise<Outcome<PageQuery>> {
    const { before, after, around, limit = DEFAULT_LIMIT, thread, type, author } = filter;
    if ([before, after, around].filter((place) => place !== undefined).length > 1)
      return refuse('invalid_query', 'before, after and around: send one of them');
    const middle = typeof around === 'string' ? await this.#seqOf(roomId, afterSeq, around) : accepted(around);
    if (!middle.ok) return middle;
    const root = thread === undefined ? accepted(0) : await this.#seqOf(roomId, afterSeq, thread);
    if (!root.ok) return root;
    return accepted({
      roomId,
      limit,
      afterSeq,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(middle.value === undefined ? {} : { around: middle.value }),
      ...(thread === undefined ? {} : { threadId: thread }),
      ...(type === undefined ? {} : { type }),
      ...(author === undefined ? {} : { authorId: author }),
    });
  }

  async #seqOf(roomId: string, afterSeq: number, id: string): Promise<Outcome<number>> {
    const [stored] = await this.#parts.store.messages([id]);
    if (!stored || stored.message.roomId !== roomId || stored.message.seq <= afterSeq) return noSuchMessage(id);
    return accepted(stored.message.seq);
  }
}

/** A reaction lists its first users; with more, only the store knows them all. */
function unknownReactions({ message }: StoredMessage, userId: string): readonly ReactionKey[] {
  return message.reactions
    .filter(({ count, userIds }) => count > userIds.length && !userIds.includes(userId))
    .map(({ emoji }) => ({ messageId: message.id, emoji, userId }));
}

function ownReactions(
  { message }: StoredMessage,
  userId: string,
  reacted: readonly ReactionKey[],
): ReadonlySet<string> {
  const mine = new Set<string>();
  for (const { emoji, userIds } of message.reactions) if (userIds.includes(userId)) mine.add(emoji);
  for (const { messageId, emoji } of reacted) if (messageId === message.id) mine.add(emoji);
  return mine;
}
