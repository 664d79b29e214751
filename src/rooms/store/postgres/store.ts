import type { ReactionKey } from '../../domain/change.ts';
import type { StoredMessage } from '../../domain/message/message.ts';
import {
  type Commit,
  type EventQuery,
  type MessagePage,
  type PageQuery,
  type Removal,
  type RetentionQuery,
  type RoomStore,
  type SearchPage,
  type SearchQuery,
  StatementError,
  type StoredEvent,
  type StoredState,
  type UnreadQuery,
} from '../store.ts';
import { toStoredMessage } from '../stored-message.ts';
import { readEvents } from './events.ts';
import { orphanedFiles, readFiles, roomsOfFile, usedContents } from './files.ts';
import { readEdits, readForgotten, readMessages, readReacted } from './messages.ts';
import { countUnread, readPage } from './pages.ts';
import { guardQueries, type Queries } from './queries.ts';
import { Removals } from './removal.ts';
import { readAudit, readRun, readUnfinishedRuns } from './runs.ts';
import { searchMessages } from './search/search.ts';
import { SharedLog, type SharedLogParts } from './shared-log.ts';

/** Rooms in a PostgreSQL database that several nodes share; {@link load} comes first. */
export class PostgresRoomStore implements RoomStore {
  /** Never: PostgreSQL comes back. */
  readonly failed = new Promise<never>(() => {});
  readonly log: SharedLog;
  readonly #parts: SharedLogParts;
  /** For the other parts of the rooms in the database. */
  readonly queries: Queries;
  readonly #removals: Removals;

  constructor(parts: SharedLogParts) {
    this.#parts = parts;
    this.queries = guardQueries(parts.postgres, parts.log);
    this.log = new SharedLog({ ...parts, postgres: this.queries });
    this.#removals = new Removals(this.queries, (commit) => this.log.settle(commit));
  }

  get version(): number {
    return this.log.version;
  }

  load(): Promise<StoredState> {
    return this.log.load();
  }

  follow(follower: (commit: Commit) => void): void {
    this.log.follow(follower);
  }

  catchUp(): Promise<void> {
    return this.log.catchUp();
  }

  refresh(): Promise<void> {
    return this.log.refresh();
  }

  turn(): Promise<void> {
    return this.log.turn();
  }

  append(...args: Parameters<RoomStore['append']>): ReturnType<RoomStore['append']> {
    return this.log.append(...args);
  }

  async checkRoom(): Promise<void> {
    await this.queries.query('UPDATE opsdeck.room_log SET pruned = pruned');
  }

  readEvents(query: EventQuery): Promise<readonly StoredEvent[]> {
    return readEvents(this.queries, query);
  }

  async messages(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    return (await readMessages(this.queries, ids)).map(toStoredMessage);
  }

  forgotten(ids: readonly string[]): Promise<readonly string[]> {
    return readForgotten(this.queries, ids, this.#parts.clock.now());
  }

  reacted(keys: readonly ReactionKey[]): ReturnType<RoomStore['reacted']> {
    return readReacted(this.queries, keys);
  }

  async page(query: PageQuery): Promise<MessagePage> {
    const page = await readPage(this.queries, query);
    return { ...page, messages: page.messages.map(toStoredMessage) };
  }

  edits(messageId: string): ReturnType<RoomStore['edits']> {
    return readEdits(this.queries, messageId);
  }

  unread(query: UnreadQuery): ReturnType<RoomStore['unread']> {
    return countUnread(this.queries, query);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const { hits, next } = await searchMessages(this.queries, query, this.log.range);
    return { hits: hits.map((hit) => ({ ...hit, stored: toStoredMessage(hit.stored) })), next };
  }

  run(id: string): ReturnType<RoomStore['run']> {
    return readRun(this.queries, id);
  }

  unfinishedRuns(): ReturnType<RoomStore['unfinishedRuns']> {
    return readUnfinishedRuns(this.queries);
  }

  files(ids: readonly string[]): ReturnType<RoomStore['files']> {
    return readFiles(this.queries, ids);
  }

  roomsOfFile(id: string): ReturnType<RoomStore['roomsOfFile']> {
    return roomsOfFile(this.queries, id);
  }

  orphanedFiles(before: number): ReturnType<RoomStore['orphanedFiles']> {
    return orphanedFiles(this.queries, before);
  }

  usedContents(hashes: readonly string[]): ReturnType<RoomStore['usedContents']> {
    return usedContents(this.queries, hashes);
  }

  audit(query: Parameters<RoomStore['audit']>[0]): ReturnType<RoomStore['audit']> {
    return readAudit(this.queries, query);
  }

  expired(query: RetentionQuery): ReturnType<RoomStore['expired']> {
    return this.#removals.expired(query);
  }

  forgetFiles(ids: readonly string[]): Promise<readonly string[]> {
    return this.#removals.files(ids);
  }

  removeMessages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal> {
    return this.#removals.messages(roomId, ids, rememberUntil);
  }

  removeRoom(roomId: string): Promise<Removal> {
    return this.#removals.room(roomId);
  }

  prune(): Promise<void> {
    return this.#removals.prune(this.#parts.clock.now());
  }

  async backup(): Promise<void> {
    throw new StatementError('the rooms are in PostgreSQL: back that database up, with pg_dump for instance');
  }

  /** The index is written with the messages. */
  async indexed(): Promise<void> {}

  close(): Promise<void> {
    return this.log.close();
  }
}
