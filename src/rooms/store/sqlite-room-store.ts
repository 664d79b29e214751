import { randomInt } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { DataDirectory } from '../../kernel/data-directory.ts';
import {
  type DatabaseFile,
  type Durability,
  openDatabase,
  type SqlValue,
  type Statement,
} from '../../kernel/database.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { AuditEntry, ReactionKey } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import type { FileRef } from '../domain/file.ts';
import type { Edit, StoredMessage } from '../domain/message.ts';
import type { RecordChange } from '../domain/record.ts';
import { EMPTY_HEAD } from '../domain/room.ts';
import type { Run } from '../domain/run.ts';
import {
  type EventQuery,
  type MessagePage,
  type PageQuery,
  type PreparedWrite,
  type Removal,
  type RetentionQuery,
  type RoomStore,
  type SearchPage,
  type SearchQuery,
  StorageFullError,
  type StoredEvent,
  type StoredState,
  type UnreadQuery,
} from './room-store.ts';
import { AppendPlan } from './sqlite-append.ts';
import { readEvents } from './sqlite-events.ts';
import { forgetFiles, orphanedFiles, readFiles, roomsOfFile } from './sqlite-files.ts';
import { readHeads } from './sqlite-heads.ts';
import { readEdits, readForgotten, readMessages, readReacted } from './sqlite-messages.ts';
import { countUnread, readPage } from './sqlite-pages.ts';
import { findExpired, removeEmptyRoom, removeMessages, removePartOfRoom } from './sqlite-removal.ts';
import { keyText, parseData, type Rows, textOfKey } from './sqlite-rows.ts';
import { MIGRATIONS, placeOf, setMeta } from './sqlite-schema.ts';
import { SearchIndex } from './sqlite-search.ts';

export interface SqliteRoomStoreOptions {
  readonly directory: DataDirectory;
  readonly clock: Clock;
  /** `off`: what is acknowledged outlives the process, not the loss of power. */
  readonly durability: 'full' | 'off';
  readonly log: Log;
}

/** Messages fill new pages: a longer log of changes would not be moved cheaper, and hold those who post longer. */
const LOG_PAGES = 2_000;

/** Opens, or makes, `rooms.sqlite` in the data directory; a CommandError says why it cannot. */
export async function openSqliteRoomStore(options: SqliteRoomStoreOptions): Promise<RoomStore> {
  const { directory, clock, durability, log } = options;
  const database = await openDatabase({
    directory,
    name: 'rooms.sqlite',
    migrations: MIGRATIONS,
    logPages: LOG_PAGES,
  });
  const store = new SqliteRoomStore(database, { clock, log, durability: durability === 'full' ? 'disk' : 'system' });
  try {
    await store.open();
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

const FULL = 'database or disk is full';

interface StoreParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly durability: Durability;
}

class SqliteRoomStore implements RoomStore {
  readonly #database: DatabaseFile;
  readonly #parts: StoreParts;
  readonly #numbers = new Map<string, number>();
  readonly #ids = new Map<number, string>();
  readonly #lastSeqs = new Map<number, number>();
  readonly #rows: Rows;
  readonly #index: SearchIndex;
  #epoch = '';
  #pos = 0;
  #firstPos = 1;
  #nextRoom = 1;
  /** Ends when the last of those that change something has ended. */
  #last: Promise<void> = Promise.resolve();
  /** A commit that is on its way to the disk. */
  #underWay: Promise<void> | undefined;

  constructor(database: DatabaseFile, parts: StoreParts) {
    this.#database = database;
    this.#parts = parts;
    this.#rows = {
      query: (sql, values) => this.#query(sql, values),
      numberOf: (roomId) => this.#numbers.get(roomId),
      idOf: (number) => this.#ids.get(number),
      roomCount: () => this.#numbers.size,
      removeTexts: (positions) => this.#index.remove(positions),
    };
    this.#index = new SearchIndex({ rows: this.#rows, database, clock: parts.clock, log: parts.log });
  }

  /** Finds out where the log stands. */
  async open(): Promise<void> {
    // In KiB; the default of 2 MB is less than what some pages of messages lie in.
    await this.#query('PRAGMA cache_size = -16384');
    const meta = new Map((await this.#query('SELECT * FROM meta')).map(({ name, value }) => [String(name), value]));
    this.#epoch = String(meta.get('epoch') ?? '');
    if (this.#epoch === '') {
      this.#epoch = newEpoch();
      await this.#write([setMeta('epoch', this.#epoch)]);
    }
    this.#nextRoom = Number(meta.get('nextRoom') ?? 1);
    this.#firstPos = Number(meta.get('firstPos') ?? 1);
    const [last] = await this.#query('SELECT max(pos) AS pos FROM event');
    this.#pos = Math.max(Number(last?.pos ?? 0), Number(meta.get('lastPos') ?? 0));
    for (const { id, number, head } of await readHeads(this.#rows)) {
      this.#setRoom(id, number);
      this.#lastSeqs.set(number, head.lastSeq);
    }
    await this.#index.start(Number(meta.get('indexed') ?? 0), this.#pos);
  }

  load(): Promise<StoredState> {
    return this.#alone(async () => {
      const heads = new Map((await readHeads(this.#rows)).map(({ id, head }) => [id, head]));
      const records = (await this.#query('SELECT * FROM record')).map(
        (row) => ({ kind: row.kind, key: textOfKey(String(row.key)), value: parseData(row) }) as RecordChange,
      );
      return { epoch: this.#epoch, pos: this.#pos, firstPos: this.#firstPos, records, heads };
    });
  }

  #setRoom(id: string, number: number): void {
    this.#numbers.set(id, number);
    this.#ids.set(number, id);
  }

  append(writes: readonly PreparedWrite[]): Promise<readonly (readonly Committed[])[]> {
    return this.#alone(async () => {
      const plan = new AppendPlan({
        pos: this.#pos,
        nextRoom: this.#nextRoom,
        numberOf: this.#rows.numberOf,
        lastSeqOf: (room) => this.#lastSeqs.get(room) ?? 0,
      });
      const committed = writes.map((write) => plan.add(write));
      await this.#write(plan.statements);
      this.#pos = plan.pos;
      for (const [id, number] of plan.newRooms) this.#setRoom(id, number);
      this.#nextRoom += plan.newRooms.size;
      for (const [room, seq] of plan.lastSeqs) this.#lastSeqs.set(room, seq);
      this.#index.follow(committed, this.#pos);
      return committed;
    });
  }

  /** One after the other: each starts where the one before has ended. */
  #alone<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.then(ignore, ignore);
    return result;
  }

  async #write(statements: readonly Statement[]): Promise<void> {
    if (statements.length === 0) return;
    const written = this.#database.write(statements, this.#parts.durability);
    this.#underWay = written.then(ignore, ignore);
    try {
      await written;
    } catch (error) {
      throw messageOf(error) === FULL ? new StorageFullError(FULL, { cause: error }) : error;
    } finally {
      this.#underWay = undefined;
    }
  }

  /** Waits for a commit that is under way, so that nobody sees what the loss of power could still undo. */
  async #query(sql: string, values: readonly SqlValue[] = []): ReturnType<DatabaseFile['query']> {
    if (this.#underWay) await this.#underWay;
    return this.#database.query(sql, values);
  }

  readEvents(query: EventQuery): Promise<readonly StoredEvent[]> {
    return readEvents(this.#rows, query);
  }

  messages(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    return readMessages(this.#rows, ids);
  }

  forgotten(ids: readonly string[]): Promise<readonly string[]> {
    return readForgotten(this.#rows, ids, this.#parts.clock.now());
  }

  reacted(keys: readonly ReactionKey[]): Promise<readonly ReactionKey[]> {
    return readReacted(this.#rows, keys);
  }

  page(query: PageQuery): Promise<MessagePage> {
    return readPage(this.#rows, query);
  }

  edits(messageId: string): Promise<readonly Edit[]> {
    return readEdits(this.#rows, messageId);
  }

  unread(query: UnreadQuery): Promise<{ readonly unread: number; readonly mentions: number }> {
    return countUnread(this.#rows, query);
  }

  search(query: SearchQuery): Promise<SearchPage> {
    return this.#index.search(query);
  }

  async run(id: string): Promise<Run | undefined> {
    return (await this.#query('SELECT data FROM run WHERE id = ?', [keyText(id)])).map(parseData<Run>)[0];
  }

  async unfinishedRuns(): Promise<readonly Run[]> {
    return (await this.#query('SELECT data FROM run WHERE ended = 0')).map(parseData<Run>);
  }

  files(ids: readonly string[]): Promise<readonly FileRef[]> {
    return readFiles(this.#rows, ids);
  }

  roomsOfFile(id: string): ReturnType<RoomStore['roomsOfFile']> {
    return roomsOfFile(this.#rows, id);
  }

  orphanedFiles(before: number): Promise<readonly FileRef[]> {
    return orphanedFiles(this.#rows, before);
  }

  forgetFiles(ids: readonly string[]): Promise<readonly string[]> {
    return this.#alone(() => forgetFiles(this.#rows, ids, (statements) => this.#write(statements)));
  }

  async audit(query: {
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly (AuditEntry & { readonly id: number })[]> {
    const sql = 'SELECT id, data FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?';
    const found = await this.#query(sql, [query.before ?? Number.MAX_SAFE_INTEGER, query.limit]);
    return found.map((row) => ({ ...parseData<AuditEntry>(row), id: Number(row.id) }));
  }

  async expired(query: RetentionQuery): Promise<readonly { readonly id: string; readonly seq: number }[]> {
    const room = this.#numbers.get(query.roomId);
    return room === undefined
      ? []
      : findExpired(this.#rows, { ...query, room, lastSeq: this.#lastSeqs.get(room) ?? 0 });
  }

  removeMessages(roomId: string, ids: readonly string[], rememberUntil: number): Promise<Removal> {
    return this.#alone(async () => {
      const room = this.#numbers.get(roomId);
      if (room !== undefined && ids.length > 0) {
        const memory = { until: rememberUntil, now: this.#parts.clock.now() };
        await this.#remove(room, await removeMessages(this.#rows, { room, ids, memory }));
      }
      return this.#removal(roomId);
    });
  }

  /** In parts, so that others are not held up by a large room. */
  async removeRoom(roomId: string): Promise<Removal> {
    for (;;) {
      const removal = await this.#alone(async () => {
        const room = this.#numbers.get(roomId);
        if (room === undefined) return this.#removal(roomId);
        const statements = await removePartOfRoom(this.#rows, room);
        await this.#remove(room, statements ?? removeEmptyRoom(room));
        if (statements) return undefined;
        this.#numbers.delete(roomId);
        this.#ids.delete(room);
        this.#lastSeqs.delete(room);
        return this.#removal(roomId);
      });
      if (removal) return removal;
    }
  }

  async #remove(room: number, statements: readonly Statement[]): Promise<void> {
    const [last] = await this.#query('SELECT created_at FROM message WHERE place = ?', [
      placeOf(room, this.#lastSeqs.get(room) ?? 0),
    ]);
    await this.#write([
      {
        sql: 'UPDATE room SET last_seq = ?, last_at = coalesce(?, last_at) WHERE num = ?',
        values: [this.#lastSeqs.get(room) ?? 0, last?.created_at ?? null, room],
      },
      setMeta('lastPos', this.#pos),
      ...statements,
      {
        sql: "INSERT OR REPLACE INTO meta SELECT 'firstPos', coalesce((SELECT min(pos) FROM event), ?)",
        values: [this.#pos + 1],
      },
    ]);
    const [first] = await this.#query("SELECT value FROM meta WHERE name = 'firstPos'");
    this.#firstPos = Number(first?.value ?? 1);
  }

  async #removal(roomId: string): Promise<Removal> {
    const room = this.#numbers.get(roomId);
    const heads = room === undefined ? undefined : await readHeads(this.#rows, room);
    return { head: heads?.[0]?.head ?? EMPTY_HEAD, firstPos: this.#firstPos };
  }

  /** A copy has no epoch: whoever opens it in the place of another begins a life of its own. */
  async backup(file: string): Promise<void> {
    await this.#database.copy(file);
    const directory = { path: dirname(resolve(file)), release() {} };
    const copy = await openDatabase({ directory, name: basename(file), migrations: MIGRATIONS });
    try {
      await copy.write([setMeta('epoch', '')]);
    } finally {
      await copy.close();
    }
  }

  indexed(): Promise<void> {
    return this.#index.settled();
  }

  async close(): Promise<void> {
    await this.#index.close();
    await this.#last;
    await this.#database.close();
  }
}

function ignore(): void {}

const EPOCH_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const newEpoch = (): string => Array.from({ length: 8 }, () => EPOCH_LETTERS[randomInt(EPOCH_LETTERS.length)]).join('');
