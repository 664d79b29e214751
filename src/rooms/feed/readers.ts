import type { StateView } from '../domain/change.ts';
import type { RoomEvent } from '../domain/event.ts';
import type { FeedEntry } from './entry.ts';
import { type FeedListener, FeedReader, type ReaderTraits, readerKey } from './reader.ts';

const NOBODY: ReadonlySet<FeedReader> = new Set();

/** The readers of all connections, by room and by user, as memberships change. */
export class FeedReaders {
  readonly #state: StateView;
  readonly #byKey = new Map<string, FeedReader>();
  readonly #byRoom = new Map<string, Set<FeedReader>>();
  /** Few per user: an array is smaller than a set. */
  readonly #byUser = new Map<string, FeedReader[]>();
  /** Readers of events of the whole server. */
  readonly #admins = new Set<FeedReader>();
  readonly #expiring = new Set<FeedListener>();

  constructor(state: StateView) {
    this.#state = state;
  }

  /** Finds or creates the reader for a connection; `leave` must follow. */
  join(traits: ReaderTraits): FeedReader {
    const key = readerKey(traits);
    const known = this.#byKey.get(key);
    if (known) return known;
    const reader = new FeedReader(traits, this.#state);
    this.#byKey.set(key, reader);
    this.#byUser.set(reader.userId, [...this.ofUser(reader.userId), reader]);
    if (reader.seesServer) this.#admins.add(reader);
    for (const roomId of reader.only ?? this.#state.roomIdsOf(reader.userId)) this.#refresh(reader, roomId);
    return reader;
  }

  listen(reader: FeedReader, listener: FeedListener): void {
    reader.listeners.add(listener);
    if (listener.expiresAt !== null) this.#expiring.add(listener);
  }

  leave(reader: FeedReader, listener: FeedListener): void {
    this.#expiring.delete(listener);
    if (!reader.listeners.delete(listener) || reader.listeners.size > 0) return;
    this.#byKey.delete(readerKey(reader));
    this.#admins.delete(reader);
    const others = this.ofUser(reader.userId).filter((other) => other !== reader);
    if (others.length > 0) this.#byUser.set(reader.userId, others);
    else this.#byUser.delete(reader.userId);
    for (const roomId of reader.rooms.keys()) removeFrom(this.#byRoom, roomId, reader);
  }

  /** All possible recipients; each may still refuse. */
  of({ roomId, audience }: FeedEntry): Iterable<FeedReader> {
    if (roomId === null) return this.#ofServer(audience);
    return audience === null ? this.inRoom(roomId) : this.ofUser(audience);
  }

  *#ofServer(audience: string | null): Iterable<FeedReader> {
    yield* this.#admins;
    if (audience === null) return;
    for (const reader of this.ofUser(audience)) if (!reader.seesServer) yield reader;
  }

  all(): Iterable<FeedReader> {
    return this.#byKey.values();
  }

  inRoom(roomId: string): ReadonlySet<FeedReader> {
    return this.#byRoom.get(roomId) ?? NOBODY;
  }

  ofUser(userId: string): readonly FeedReader[] {
    return this.#byUser.get(userId) ?? [];
  }

  /** Before the events of a commit: new members receive all of it, the room's creation included. */
  gain(event: RoomEvent): void {
    if (event.type === 'member.joined') this.#gain(event.member.userId, event.roomId);
    if (event.type === 'room.created')
      for (const { userId } of this.#state.membersOf(event.roomId)) this.#gain(userId, event.roomId);
  }

  /** Before each event. */
  before(event: RoomEvent): void {
    if (event.type === 'member.joined') this.#gain(event.member.userId, event.roomId);
    // The event may have changed who may read it.
    if (event.type === 'room.updated') for (const reader of this.inRoom(event.roomId)) this.#lose(reader, event.roomId);
  }

  /** After each event: a user who left the room has received that, and receives no more of it. */
  after(event: RoomEvent): void {
    const { roomId } = event;
    if (event.type === 'member.left' || event.type === 'member.banned') {
      for (const reader of this.ofUser(event.member.userId)) {
        // A later event of the same commit may add the user again.
        if (reader.only === null) this.#forget(reader, event.roomId);
        else this.#lose(reader, event.roomId);
      }
    } else if (event.type === 'room.deleted') {
      for (const reader of this.inRoom(event.roomId)) this.#lose(reader, event.roomId);
    } else if (event.type === 'token.revoked' && roomId === null) this.#endToken(event.audience, event.tokenId);
  }

  /** Ends connections whose token has ended, and those of users that have changed. */
  endStale(now: number): void {
    for (const listener of this.#expiring) if ((listener.expiresAt ?? now) <= now) listener.end();
    for (const { isStale, listeners } of this.#byKey.values())
      if (isStale) for (const listener of listeners) listener.end();
  }

  #endToken(userId: string, tokenId: string): void {
    for (const { listeners } of this.ofUser(userId))
      for (const listener of listeners) if (listener.tokenId === tokenId) listener.end();
  }

  #gain(userId: string, roomId: string): void {
    for (const reader of this.ofUser(userId)) this.#refresh(reader, roomId);
  }

  /** Ends connections that have no other rooms. */
  #lose(reader: FeedReader, roomId: string): void {
    this.#refresh(reader, roomId);
    if (reader.only !== null && reader.rooms.size === 0) for (const listener of reader.listeners) listener.end();
  }

  #refresh(reader: FeedReader, roomId: string): void {
    if (reader.refresh(roomId)) addTo(this.#byRoom, roomId, reader);
    else removeFrom(this.#byRoom, roomId, reader);
  }

  #forget(reader: FeedReader, roomId: string): void {
    reader.rooms.delete(roomId);
    removeFrom(this.#byRoom, roomId, reader);
  }
}

function addTo(index: Map<string, Set<FeedReader>>, key: string, reader: FeedReader): void {
  const readers = index.get(key);
  if (readers) readers.add(reader);
  else index.set(key, new Set([reader]));
}

function removeFrom(index: Map<string, Set<FeedReader>>, key: string, reader: FeedReader): void {
  const readers = index.get(key);
  if (readers?.delete(reader) && readers.size === 0) index.delete(key);
}
