import type { Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { ReactionKey } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import type { Removed, RoomEngine } from './engine.ts';
import { KnownIds } from './known-ids.ts';
import { placeWrites, type Standing } from './placement.ts';
import {
  type Commit,
  type EventQuery,
  type MessagePage,
  type PageQuery,
  type PreparedWrite,
  type Removal,
  type RetentionQuery,
  type RoomStore,
  recordsOf,
  type SearchPage,
  type SearchQuery,
  StorageFullError,
  type StoredEvent,
  type StoredState,
  type UnreadQuery,
} from './store.ts';
import { toStoredMessage } from './stored-message.ts';

export interface EngineStoreParts {
  readonly engine: RoomEngine;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves with the reason when the engine ended on its own. */
  readonly died: Promise<unknown>;
  /** After the engine's close. */
  readonly end: () => Promise<void>;
}

/** Assigns positions to writes, which the engine commits, and reads through the engine. */
export class EngineRoomStore implements RoomStore {
  readonly failed: Promise<unknown>;
  readonly #parts: EngineStoreParts;
  readonly #standing: Standing;
  readonly #known = new KnownIds();
  #fail: (error: unknown) => void = () => {};
  #failure: unknown;
  /** The state as loaded, until the first write. */
  #opened: StoredState | undefined;
  /** Resolves after the last write. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** This server alone decides. */
  readonly version = 0;
  readonly #followers: ((commit: Commit) => void)[] = [];

  /** `stored`: the engine's state. */
  constructor(parts: EngineStoreParts, stored: StoredState) {
    this.#parts = parts;
    this.#opened = stored;
    this.failed = new Promise((done) => {
      this.#fail = (error) => {
        this.#failure ??= error;
        done(error);
      };
    });
    void parts.died.then(this.#fail);
    const lastSeqs = new Map([...stored.heads].map(([roomId, { lastSeq }]) => [roomId, lastSeq]));
    this.#standing = { pos: stored.pos, lastSeqs };
  }

  load(): Promise<StoredState> {
    return this.#opened ? Promise.resolve(this.#opened) : this.#parts.engine.load();
  }

  follow(follower: (commit: Commit) => void): void {
    this.#followers.push(follower);
  }

  async catchUp(): Promise<void> {}

  append(writes: readonly PreparedWrite[]): Promise<readonly (readonly Committed[])[]> {
    return this.#write(async (engine) => {
      const placed = placeWrites(writes, this.#standing);
      if (writes.length > 0) await engine.commit(placed.payload);
      placed.takeOver();
      for (const id of placed.ids) this.#known.add(id);
      if (this.#known.needsFilter) this.#fillKnown();
      this.#notify({ isOwn: true, events: placed.committed.flat(), records: recordsOf(writes) });
      return placed.committed;
    });
  }

  #notify(commit: Commit): void {
    for (const follower of this.#followers) follower(commit);
  }

  checkRoom(): Promise<void> {
    return this.#write((engine) => engine.checkRoom());
  }

  /** Sequential, since each takes the positions after the one before. */
  #write<T>(action: (engine: RoomEngine) => Promise<T>): Promise<T> {
    const written = this.#last.then(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      this.#opened = undefined;
      try {
        return await action(this.#parts.engine);
      } catch (error) {
        if (!isRolledBack(error)) this.#fail(error);
        throw error;
      }
    });
    this.#last = written.catch(() => {});
    return written;
  }

  #fillKnown(): void {
    const { engine, log } = this.#parts;
    void this.#known
      .fill(() => engine.idBits())
      .catch((error) => {
        if (!this.#isClosed) log.warn('the ids of messages could not be read', { err: messageOf(error) });
      });
  }

  readEvents(query: EventQuery): Promise<readonly StoredEvent[]> {
    return this.#parts.engine.readEvents(query);
  }

  async messages(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    const asked = ids.filter((id) => !this.#known.isNew(id));
    return asked.length === 0 ? [] : (await this.#parts.engine.messages(asked)).map(toStoredMessage);
  }

  async forgotten(ids: readonly string[]): Promise<readonly string[]> {
    const asked = ids.filter((id) => !this.#known.isNew(id));
    return asked.length === 0 ? [] : this.#parts.engine.forgotten(asked);
  }

  reacted(keys: readonly ReactionKey[]): ReturnType<RoomStore['reacted']> {
    return this.#parts.engine.reacted(keys);
  }

  async page(query: PageQuery): Promise<MessagePage> {
    const page = await this.#parts.engine.page(query);
    return { ...page, messages: page.messages.map(toStoredMessage) };
  }

  edits(messageId: string): ReturnType<RoomStore['edits']> {
    return this.#parts.engine.edits(messageId);
  }

  unread(query: UnreadQuery): ReturnType<RoomStore['unread']> {
    return this.#parts.engine.unread(query);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const { hits, next } = await this.#parts.engine.search(query);
    return { hits: hits.map((hit) => ({ ...hit, stored: toStoredMessage(hit.stored) })), next };
  }

  run(id: string): ReturnType<RoomStore['run']> {
    return this.#parts.engine.run(id);
  }

  unfinishedRuns(): ReturnType<RoomStore['unfinishedRuns']> {
    return this.#parts.engine.unfinishedRuns();
  }

  files(ids: readonly string[]): ReturnType<RoomStore['files']> {
    return this.#parts.engine.files(ids);
  }

  roomsOfFile(id: string): ReturnType<RoomStore['roomsOfFile']> {
    return this.#parts.engine.roomsOfFile(id);
  }

  orphanedFiles(before: number): ReturnType<RoomStore['orphanedFiles']> {
    return this.#parts.engine.orphanedFiles(before);
  }

  usedContents(hashes: readonly string[]): ReturnType<RoomStore['usedContents']> {
    return this.#parts.engine.usedContents(hashes);
  }

  audit(query: Parameters<RoomStore['audit']>[0]): ReturnType<RoomStore['audit']> {
    return this.#parts.engine.audit(query);
  }

  expired(query: RetentionQuery): ReturnType<RoomStore['expired']> {
    return this.#parts.engine.expired(query);
  }

  async forgetFiles(ids: readonly string[]): Promise<readonly string[]> {
    return (await this.#write((engine) => engine.remove({ what: 'files', ids }))).hashes;
  }

  async removeMessages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal> {
    const now = this.#parts.clock.now();
    const part = { what: 'messages', roomId, ids, until: rememberUntil, now } as const;
    return this.#write(async (engine) => this.#removed(roomId, await engine.remove(part)));
  }

  /** In parts, so that a large room does not block others. */
  async removeRoom(roomId: string): Promise<Removal> {
    while ((await this.#write((engine) => engine.remove({ what: 'part of room', roomId }))).some);
    return this.#write(async (engine) => {
      const removed = await engine.remove({ what: 'room', roomId });
      this.#standing.lastSeqs.delete(roomId);
      return this.#removed(roomId, removed);
    });
  }

  #removed(roomId: string, { head, firstPos }: Removed): Removal {
    this.#notify({ isOwn: true, events: [], records: [], removal: { heads: new Map([[roomId, head]]), firstPos } });
    return { head, firstPos };
  }

  /** Each removal forgets ids that are old enough. */
  async prune(): Promise<void> {}

  backup(file: string): Promise<void> {
    return this.#parts.engine.backup(file);
  }

  indexed(): Promise<void> {
    return this.#parts.engine.indexed();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#last;
    try {
      await this.#parts.engine.close();
    } catch (error) {
      // The reason of a failed engine is known.
      if (this.#failure === undefined) throw error;
    } finally {
      await this.#parts.end();
    }
  }
}

/** After other failures, such as of a sync, the disk's state is unknown. */
const isRolledBack = (error: unknown): boolean =>
  error instanceof StorageFullError || systemCodeOf(error) === 'ERR_SQLITE_ERROR';
