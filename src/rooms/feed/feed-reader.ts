import type { Frame } from '../../kernel/sse/frame.ts';
import { accessTo } from '../domain/access.ts';
import { type Caller, isCurrent } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import type { FeedEntry } from './feed-entry.ts';

/** Somebody on a connection who wants to be told. */
export interface FeedListener {
  readonly tokenId: string | null;
  /** When its token ends; `null` is never. */
  readonly expiresAt: number | null;
  /** Of what its reader may get, in the log's order. */
  take(entry: FeedEntry): void;
  /** What is told now and never again. */
  hear(type: string, frame: () => Frame): void;
  /** Ends: its reader may read nothing any more, or not by that token. */
  end(): void;
}

/** What makes two connections alike in what they may get. */
export interface ReaderTraits {
  readonly caller: Caller;
  /** The ids of the only rooms that it is about, each once; `null`: all that the user has joined. */
  readonly only: readonly string[] | null;
}

/** A user with the rooms that he is told of: one for all his connections that are alike. */
export class FeedReader implements ReaderTraits {
  readonly caller: Caller;
  readonly only: readonly string[] | null;
  readonly listeners = new Set<FeedListener>();
  /** By room id the sequence number whose followers he may see: those of messages, and of what is done to them. */
  readonly rooms = new Map<string, number>();

  readonly #state: StateView;

  constructor({ caller, only }: ReaderTraits, state: StateView) {
    this.caller = caller;
    this.only = only;
    this.#state = state;
  }

  get userId(): string {
    return this.caller.user.id;
  }

  /** Gets what concerns no room: an admin whose token reaches everything. */
  get seesServer(): boolean {
    return this.caller.isAdmin && this.caller.roomIds === null && this.only === null;
  }

  /** The user is no longer what this reader was opened as; its streams end within a second. */
  get isStale(): boolean {
    return !isCurrent(this.#state, this.caller);
  }

  mayGet(entry: FeedEntry): boolean {
    const { roomId, audience, seq } = entry;
    if (roomId === null && audience === this.userId && this.only === null) return true;
    if (this.isStale) return false;
    if (roomId === null) return this.seesServer;
    if (audience !== null && audience !== this.userId) return false;
    const afterSeq = this.rooms.get(roomId);
    if (afterSeq === undefined) return entry.removedUserId === this.userId && this.#isAbout(roomId);
    return seq === 0 || seq > afterSeq;
  }

  /** Takes up what the state says of a room; `false`: he is not told of it. */
  refresh(roomId: string): boolean {
    const afterSeq = this.#afterSeqIn(roomId);
    if (afterSeq === undefined) this.rooms.delete(roomId);
    else if (this.only === null) this.rooms.set(roomId, afterSeq);
    // What he could see since he began to listen he sees still: for those who are not in it, "now" moves on.
    else this.rooms.set(roomId, Math.min(afterSeq, this.rooms.get(roomId) ?? afterSeq));
    return afterSeq !== undefined;
  }

  #isAbout(roomId: string): boolean {
    const { roomIds } = this.caller;
    return (roomIds === null || roomIds.has(roomId)) && (this.only === null || this.only.includes(roomId));
  }

  #afterSeqIn(roomId: string): number | undefined {
    const room = this.#state.get('room', roomId);
    if (!room || !this.#isAbout(roomId)) return undefined;
    const access = accessTo(this.#state, this.caller, room);
    if (!access || (this.only === null && !access.member)) return undefined;
    if (room.deletedAt === null) return access.afterSeq;
    // That it is gone is told to those who were in it; its messages are not.
    return this.only === null ? Number.POSITIVE_INFINITY : undefined;
  }
}

/** By it connections that are alike find their reader. */
export function readerKey({ caller, only }: ReaderTraits): string {
  const list = (ids: Iterable<string> | null) => (ids === null ? '*' : [...ids].sort().join());
  return `${caller.user.id} ${caller.isAdmin} ${list(caller.roomIds)} ${list(only)}`;
}
