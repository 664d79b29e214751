import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { type Member, memberKey } from '../domain/member/member.ts';
import type { RoomState } from '../room/state.ts';
import type { CommitListener } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';

export interface Unread {
  readonly unread: number;
  readonly mentions: number;
}

interface Counted extends Unread {
  readonly afterSeq: number;
  /** Counted up to here. */
  readonly upToSeq: number;
  readonly generation: number;
}

/** Counts end at this number. */
const MAX_UNREAD = 1000;
/** Beyond this number of members counts are not cached. */
const MAX_COUNTED = 50_000;
const NONE: Unread = { unread: 0, mentions: 0 };

/** Unread counts of members. Cached, so that only later messages are counted. */
export class UnreadCounts {
  readonly #state: RoomState;
  readonly #store: Pick<RoomStore, 'unread'>;
  readonly #counted = new Map<string, Counted>();
  /** Increases when counted messages may have changed. */
  readonly #generations = new Map<string, number>();

  constructor(state: RoomState, store: Pick<RoomStore, 'unread'>) {
    this.#state = state;
    this.#store = store;
  }

  /** A listener to commits. */
  readonly follow: CommitListener = (committed, { restart }) => {
    if (restart) this.#counted.clear();
    for (const { event } of committed) {
      const { type, roomId } = event;
      const isChange = type === 'message.updated' || type === 'message.deleted' || type === 'alert.updated';
      // Retention reports its removals as an event of the room.
      if (roomId !== null && (isChange || type === 'room.updated'))
        this.#generations.set(roomId, this.#generationOf(roomId) + 1);
    }
  };

  /** After the read position, or the beginning of visible history. While PostgreSQL is away, the last known count. */
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
    const query = { roomId, userId, afterSeq: from, upToSeq, limit: MAX_UNREAD };
    const found = await this.#store.unread(query).catch((error) => {
      if (error instanceof StorageAwayError) return undefined;
      throw error;
    });
    if (!found) return base ?? NONE;
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
