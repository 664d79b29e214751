import type { WireInbox, WireUnreadThread } from '../../../src/rooms/contract/inbox.ts';
import type { WireMe } from '../../../src/rooms/contract/member.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';

/** The unread mentions and threads of the user, kept up to date by messages and read positions. */
export class InboxModel {
  readonly #userId: string;
  readonly #mentions = new Map<string, WireMessage>();
  readonly #threads = new Map<string, WireUnreadThread>();
  /** Replies whose root, which says whose thread it is, has not come yet. */
  readonly #replies = new Map<string, readonly WireMessage[]>();
  /** The changes since each read in progress began. */
  readonly #since = new Set<(() => boolean)[]>();

  constructor(userId: string) {
    this.#userId = userId;
  }

  /** Whether the server has answered. */
  isRead = false;

  /** The newest first. */
  get mentions(): readonly WireMessage[] {
    return [...this.#mentions.values()].sort(byAge);
  }

  /** The latest reply first. */
  get threads(): readonly WireUnreadThread[] {
    return [...this.#threads.values()].sort((a, b) => byAge(a.last, b.last));
  }

  get size(): number {
    return this.#mentions.size + this.#threads.size;
  }

  /** Takes the server's answer, which may be older than changes made meanwhile: they are made again. */
  async read(request: () => Promise<WireInbox>): Promise<void> {
    const changes: (() => boolean)[] = [];
    this.#since.add(changes);
    try {
      this.#load(await request());
      for (const change of changes) change();
    } finally {
      this.#since.delete(changes);
    }
  }

  #load({ mentions, threads }: WireInbox): void {
    this.#mentions.clear();
    this.#threads.clear();
    this.#replies.clear();
    this.isRead = true;
    for (const message of mentions) this.#mentions.set(message.id, message);
    for (const thread of threads) this.#threads.set(thread.root.id, thread);
  }

  /** Returns whether it has changed anything. */
  #make(change: () => boolean): boolean {
    for (const changes of this.#since) changes.push(change);
    return change();
  }

  /**
   * Takes the message of an event, `me`: the user in its room. `isNew`: it was just posted; the root of a reply follows
   * it. Returns whether the inbox has changed.
   */
  take(message: WireMessage, me: WireMe, isNew: boolean): boolean {
    return this.#make(() => this.#take(message, me, isNew));
  }

  #take(message: WireMessage, me: WireMe, isNew: boolean): boolean {
    if (!isNew) return this.#change(message, me);
    const { author, threadId, silent, id } = message;
    if (author.id === this.#userId) return threadId !== null && this.#threads.delete(threadId);
    if (silent || me.involvement === 'invisible') return false;
    if (threadId !== null) {
      this.#replies.set(threadId, [...(this.#replies.get(threadId) ?? []), message]);
      return false;
    }
    if (!this.#isMentioned(message) || message.seq <= me.lastReadSeq) return false;
    this.#mentions.set(id, message);
    return true;
  }

  /** Removes what the user has read in a room; returns whether there was any. */
  settle(roomId: string, me: WireMe): boolean {
    return this.#make(() => this.#settle(roomId, me));
  }

  #settle(roomId: string, { lastReadSeq, threadReads }: WireMe): boolean {
    const before = this.size;
    for (const { id, seq, roomId: inRoom } of this.#mentions.values())
      if (inRoom === roomId && seq <= lastReadSeq) this.#mentions.delete(id);
    for (const { root, last } of this.#threads.values())
      if (root.roomId === roomId && isRead(last, { lastReadSeq, threadReads })) this.#threads.delete(root.id);
    return this.size !== before;
  }

  /** Removes what lies in a room. */
  forget(roomId: string): boolean {
    return this.#make(() => this.#forget(roomId));
  }

  #forget(roomId: string): boolean {
    const before = this.size;
    for (const message of this.#mentions.values()) if (message.roomId === roomId) this.#mentions.delete(message.id);
    for (const { root } of this.#threads.values()) if (root.roomId === roomId) this.#threads.delete(root.id);
    return this.size !== before;
  }

  /** A new version of a message: of one in the inbox, or of the root of new replies. */
  #change(message: WireMessage, me: WireMe): boolean {
    const { id, deleted } = message;
    const replies = this.#replies.get(id) ?? [];
    this.#replies.delete(id);
    const known = this.#threads.get(id);
    const isMine = message.author.id === this.#userId || message.thread?.participants.includes(this.#userId) === true;
    const unread = replies.filter((reply) => !isRead(reply, me) && reply.seq > (known?.last.seq ?? 0));
    const last = unread.at(-1);
    if (last && (known || isMine || unread.some((reply) => this.#isMentioned(reply)))) {
      this.#threads.set(id, { root: message, last, unread: (known?.unread ?? 0) + unread.length });
      return true;
    }
    if (deleted) return this.#mentions.delete(id);
    if (this.#mentions.has(id)) this.#mentions.set(id, message);
    else if (known) this.#threads.set(id, { ...known, root: message });
    else return false;
    return true;
  }

  #isMentioned({ mentions }: WireMessage): boolean {
    return mentions.room || mentions.users.includes(this.#userId);
  }
}

/** Whether a reply is read: in its thread, or in the room that shows it too. */
const isRead = (
  { threadId, seq, alsoInRoom }: WireMessage,
  { threadReads, lastReadSeq }: Pick<WireMe, 'lastReadSeq' | 'threadReads'>,
): boolean => seq <= (threadReads[threadId ?? ''] ?? 0) || (alsoInRoom && seq <= lastReadSeq);

const byAge = (a: WireMessage, b: WireMessage): number => b.createdAt.localeCompare(a.createdAt);
