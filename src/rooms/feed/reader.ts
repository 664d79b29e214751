import type { Frame } from '../../kernel/sse/frame.ts';
import { accessTo } from '../domain/access.ts';
import { type Caller, isCurrent } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import type { FeedEntry } from './entry.ts';

/** A connection that receives events. */
export interface FeedListener {
  readonly tokenId: string | null;
  /** When its token ends; `null` is never. */
  readonly expiresAt: number | null;
  /** Delivers an event that its reader may receive, in the log's order. */
  take(entry: FeedEntry): void;
  /** Delivers an ephemeral event. */
  hear(type: string, frame: () => Frame): void;
  /** Ends the connection: the reader lost all access, or its token ended. */
  end(): void;
}

/** What determines the events that a connection may receive. */
export interface ReaderTraits {
  readonly caller: Caller;
  /** The ids of the only rooms, each once; `null`: all that the user has joined. */
  readonly only: readonly string[] | null;
}

/** A user with the rooms to receive events of, shared by equal connections. */
export class FeedReader implements ReaderTraits {
  readonly caller: Caller;
  readonly only: readonly string[] | null;
  readonly listeners = new Set<FeedListener>();
  /** By room id the sequence number after which messages are visible, and events about them. */
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

  /** Receives events of no room: an admin without a token bound to rooms. */
  get seesServer(): boolean {
    return this.caller.isAdmin && this.caller.roomIds === null && this.only === null;
  }

  /** The user has changed since the reader was opened; its streams end within a second. */
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

  /** Updates a room's access from the state; `false`: no events of it. */
  refresh(roomId: string): boolean {
    const afterSeq = this.#afterSeqIn(roomId);
    if (afterSeq === undefined) this.rooms.delete(roomId);
    else if (this.only === null) this.rooms.set(roomId, afterSeq);
    // Visible history stays visible while listening: for users who are not members, it would begin anew at each change.
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
    // Members are notified of a room's deletion, but not of its messages' any more.
    return this.only === null ? Number.POSITIVE_INFINITY : undefined;
  }
}

/** Equal for connections that share a reader. */
export function readerKey({ caller, only }: ReaderTraits): string {
  const list = (ids: Iterable<string> | null) => (ids === null ? '*' : [...ids].sort().join());
  return `${caller.user.id} ${caller.isAdmin} ${list(caller.roomIds)} ${list(only)}`;
}
