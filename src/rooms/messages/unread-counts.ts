import type { Committed } from '../domain/event.ts';
import { type Member, memberKey } from '../domain/member/member.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomStore } from '../store/room-store.ts';

export interface Unread {
  readonly unread: number;
  readonly mentions: number;
}

interface Counted extends Unread {
  readonly afterSeq: number;
  /** All up to here is counted. */
  readonly upToSeq: number;
  readonly generation: number;
}

/** More than that are not counted. */
const MAX_UNREAD = 1000;
/** Of more members nothing is remembered: they are counted anew. */
const MAX_COUNTED = 50_000;
const NONE: Unread = { unread: 0, mentions: 0 };

/** How much members have not read. What was counted once is not counted again: only what has come since. */
export class UnreadCounts {
  readonly #state: RoomState;
  readonly #store: Pick<RoomStore, 'unread'>;
  readonly #counted = new Map<string, Counted>();
  /** Goes up when something that was counted may have changed. */
  readonly #generations = new Map<string, number>();

  constructor(state: RoomState, store: Pick<RoomStore, 'unread'>) {
    this.#state = state;
    this.#store = store;
  }

  /** A listener to commits. */
  readonly follow = (committed: readonly Committed[]): void => {
    for (const { event } of committed) {
      const { type, roomId } = event;
      const isChange = type === 'message.updated' || type === 'message.deleted' || type === 'alert.updated';
      // Retention tells of itself by an event of the room.
      if (roomId !== null && (isChange || type === 'room.updated'))
        this.#generations.set(roomId, this.#generationOf(roomId) + 1);
    }
  };

  /** What follows the member's read position, and what he may not see. */
  async count(member: Member, hiddenUpTo: number): Promise<Unread> {
    const { roomId, userId } = member;
    const afterSeq = Math.max(member.lastReadSeq, hiddenUpTo);
    const upToSeq = this.#state.head(roomId).lastSeq;
    if (afterSeq >= upToSeq) return NONE;
    const key = memberKey(roomId, userId);
    const generation = this.#generationOf(roomId);
    const held = this.#counted.get(key);
    const base = held && held.afterSeq === afterSeq && held.generation === generation ? held : undefined;
    if (base && base.upToSeq >= upToSeq) return base;
    const from = base?.upToSeq ?? afterSeq;
    const found = await this.#store.unread({ roomId, userId, afterSeq: from, upToSeq, limit: MAX_UNREAD });
    const counted = {
      afterSeq,
      upToSeq,
      generation,
      unread: Math.min(MAX_UNREAD, (base?.unread ?? 0) + found.unread),
      mentions: Math.min(MAX_UNREAD, (base?.mentions ?? 0) + found.mentions),
    };
    if (this.#counted.size >= MAX_COUNTED) this.#counted.clear();
    this.#counted.set(key, counted);
    return counted;
  }

  #generationOf(roomId: string): number {
    return this.#generations.get(roomId) ?? 0;
  }
}
