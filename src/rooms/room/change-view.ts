import type { LiveCard } from '../domain/card/live-card.ts';
import type { ChangeView, ReactionKey, Write } from '../domain/change.ts';
import { type Member, memberKey } from '../domain/member/member.ts';
import type { NewMessage, StoredMessage } from '../domain/message/message.ts';
import type { RecordKind, Records } from '../domain/record.ts';
import type { RoomHead } from '../domain/room/room.ts';
import type { RoomState } from './state.ts';

/** Data read for a batch of changes before it is decided. */
export interface BatchReads {
  readonly messages: ReadonlyMap<string, StoredMessage>;
  readonly forgotten: ReadonlySet<string>;
  readonly reacted: ReadonlySet<string>;
}

export interface BatchContext {
  readonly now: number;
  readonly newId: () => string;
  /** The wire form of a message (contract/message.ts). */
  readonly printMessage: (message: StoredMessage['message']) => string;
}

export const reactionText = ({ messageId, emoji, userId }: ReactionKey): string => `${messageId}/${userId}/${emoji}`;

/** The committed state, with the earlier changes of the same batch. */
export class BatchView implements ChangeView {
  readonly now: number;
  readonly newId: () => string;
  readonly #state: RoomState;
  readonly #reads: BatchReads;
  readonly #print: BatchContext['printMessage'];
  readonly #records = new Map<RecordKind, Map<string, unknown>>();
  readonly #messages = new Map<string, StoredMessage>();
  /** Messages created in this batch. */
  readonly #drafts = new Map<string, { draft: NewMessage; seq: number; contentHash: string }>();
  readonly #reactions = new Map<string, boolean>();
  readonly #lastSeqs = new Map<string, number>();
  readonly #lastMessageAts = new Map<string, number>();

  constructor(state: RoomState, reads: BatchReads, { now, newId, printMessage }: BatchContext) {
    this.#state = state;
    this.#reads = reads;
    this.now = now;
    this.newId = newId;
    this.#print = printMessage;
  }

  get<K extends RecordKind>(kind: K, key: string): Records[K] | undefined {
    const changed = this.#records.get(kind)?.get(key);
    return changed === undefined ? this.#state.get(kind, key) : ((changed ?? undefined) as Records[K] | undefined);
  }

  *each<K extends RecordKind>(kind: K): Iterable<Records[K]> {
    const changed = this.#records.get(kind) as Map<string, Records[K] | null> | undefined;
    for (const [key, value] of this.#state.all(kind)) if (!changed?.has(key)) yield value;
    for (const value of changed?.values() ?? []) if (value !== null) yield value;
  }

  *membersOf(roomId: string): Iterable<Member> {
    const changed = this.#records.get('member') as Map<string, Member | null> | undefined;
    for (const member of this.#state.membersOf(roomId)) {
      if (!changed?.has(memberKey(roomId, member.userId))) yield member;
    }
    for (const member of changed?.values() ?? []) if (member?.roomId === roomId) yield member;
  }

  memberCount(roomId: string): number {
    let count = this.#state.memberCount(roomId);
    const changed = this.#records.get('member') as Map<string, Member | null> | undefined;
    for (const [key, member] of changed ?? []) {
      if (!key.startsWith(`${roomId}/`)) continue;
      count += Number(member !== null) - Number(this.#state.get('member', key) !== undefined);
    }
    return count;
  }

  firingAlerts(roomId: string): number {
    let count = this.#state.firingAlerts(roomId);
    const changed = this.#records.get('card') as Map<string, LiveCard | null> | undefined;
    const fires = (card: LiveCard | null | undefined) => Number(card?.roomId === roomId && card.isFiring);
    for (const [key, card] of changed ?? []) count += fires(card) - fires(this.#state.get('card', key));
    return count;
  }

  *roomIdsOf(userId: string): Iterable<string> {
    const changed = this.#records.get('member') as Map<string, Member | null> | undefined;
    for (const roomId of this.#state.roomIdsOf(userId)) if (!changed?.has(memberKey(roomId, userId))) yield roomId;
    for (const member of changed?.values() ?? []) if (member?.userId === userId) yield member.roomId;
  }

  head(roomId: string): RoomHead {
    const head = this.#state.head(roomId);
    const lastSeq = this.#lastSeqs.get(roomId);
    if (lastSeq === undefined) return head;
    return {
      lastSeq,
      firstSeq: head.firstSeq || 1,
      lastMessageAt: this.#lastMessageAts.get(roomId) ?? head.lastMessageAt,
    };
  }

  nextSeq(roomId: string): number {
    return (this.#lastSeqs.get(roomId) ?? this.#state.head(roomId).lastSeq) + 1;
  }

  message(id: string): StoredMessage | undefined {
    return this.#messages.get(id) ?? this.#storedDraft(id) ?? this.#reads.messages.get(id);
  }

  isForgotten(id: string): boolean {
    return this.#reads.forgotten.has(id);
  }

  hasReacted(key: ReactionKey): boolean {
    const text = reactionText(key);
    return this.#reactions.get(text) ?? this.#reads.reacted.has(text);
  }

  /** Makes a decision's writes visible to later decisions. */
  add({ events = [], records = [] }: Write): void {
    for (const { kind, key, value } of records) {
      const changed = this.#records.get(kind) ?? new Map<string, unknown>();
      this.#records.set(kind, changed.set(key, value));
    }
    for (const event of events) {
      if (event.type === 'message.created') this.#addMessage(event.message, event.contentHash);
      else if ('message' in event) {
        const { message } = event;
        const contentHash = this.message(message.id)?.contentHash ?? '';
        this.#messages.set(message.id, this.#stored(message, contentHash));
        if (event.type === 'reaction.added' || event.type === 'reaction.removed') {
          const { emoji, userId } = event;
          this.#reactions.set(reactionText({ messageId: message.id, emoji, userId }), event.type === 'reaction.added');
        }
      }
    }
  }

  #addMessage(draft: NewMessage, contentHash: string): void {
    const seq = this.nextSeq(draft.roomId);
    this.#lastSeqs.set(draft.roomId, seq);
    this.#lastMessageAts.set(draft.roomId, draft.createdAt);
    this.#drafts.set(draft.id, { draft, seq, contentHash });
  }

  #storedDraft(id: string): StoredMessage | undefined {
    const found = this.#drafts.get(id);
    return found && this.#stored({ ...found.draft, seq: found.seq }, found.contentHash);
  }

  /** Built on demand: few decisions need a message of their own batch. */
  #stored(message: StoredMessage['message'], contentHash: string): StoredMessage {
    const print = this.#print;
    return {
      message,
      contentHash,
      get json() {
        return print(message);
      },
    };
  }
}
