import { randomInt } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { DataDirectory } from '../../kernel/data-directory.ts';
import { type DatabaseFile, type Durability, openDatabase, type Statement } from '../../kernel/database.ts';
import { isDiskFull } from '../../kernel/database-error.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { JournalRecord } from '../../kernel/journal-record.ts';
import type { Log } from '../../kernel/log.ts';
import type { AuditEntry, ReactionKey } from '../domain/change.ts';
import type { FileRef } from '../domain/file.ts';
import type { Edit } from '../domain/message.ts';
import type { RecordChange } from '../domain/record.ts';
import { EMPTY_HEAD } from '../domain/room.ts';
import type { Run } from '../domain/run.ts';
import type { IdBits } from './id-filter.ts';
import type { RemovalPart, Removed, RoomEngine, StoredText, TextHits, TextPage } from './room-engine.ts';
import {
  type EventQuery,
  type PageQuery,
  type RetentionQuery,
  type RoomStore,
  type SearchQuery,
  StorageFullError,
  type StoredEvent,
  type StoredState,
  type UnreadQuery,
} from './room-store.ts';
import { AppendPlan } from './sqlite-append.ts';
import { readEvents } from './sqlite-events.ts';
import { orphanedFiles, readFiles, roomsOfFile } from './sqlite-files.ts';
import { readHeads } from './sqlite-heads.ts';
import { readEdits, readForgotten, readIdBits, readMessages, readReacted } from './sqlite-messages.ts';
import { countUnread, readPage } from './sqlite-pages.ts';
import { findExpired, RemovalPlan } from './sqlite-removal.ts';
import { keyText, parseData, type Rows, textOfKey } from './sqlite-rows.ts';
import { MIGRATIONS, setMeta } from './sqlite-schema.ts';
import { SearchIndex } from './sqlite-search.ts';
import { readEntry } from './store-entry.ts';

export interface RoomEngineOptions {
  /** It must be owned. */
  readonly directory: Pick<DataDirectory, 'path'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens, or makes, `rooms.sqlite` in the data directory; a CommandError says why it cannot. */
export async function openSqliteRoomEngine({ directory, clock, log }: RoomEngineOptions): Promise<RoomEngine> {
  const database = await openDatabase({
    directory: { path: directory.path, release() {} },
    name: 'rooms.sqlite',
    migrations: MIGRATIONS,
  });
  const engine = new SqliteRoomEngine(database, clock, log);
  try {
    await engine.open();
    return engine;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A commit holds no more of them: reads wait for its end. */
const MOST_ROWS = 8_000;

class SqliteRoomEngine implements RoomEngine {
  readonly #database: DatabaseFile;
  readonly #clock: Clock;
  readonly #numbers = new Map<string, number>();
  readonly #ids = new Map<number, string>();
  readonly #lastSeqs = new Map<number, number>();
  readonly #rows: Rows;
  readonly #index: SearchIndex;
  #epoch = '';
  /** The last record of the journal that is in the tables. */
  #applied = 0;
  /** The last one that was made safe, or was there at the opening. */
  #settled = 0;
  #pos = 0;
  #firstPos = 1;
  #nextRoom = 1;

  constructor(database: DatabaseFile, clock: Clock, log: Log) {
    this.#database = database;
    this.#clock = clock;
    this.#rows = {
      query: (sql, values) => database.query(sql, values),
      numberOf: (roomId) => this.#numbers.get(roomId),
      idOf: (number) => this.#ids.get(number),
      roomCount: () => this.#numbers.size,
      removeTexts: (positions) => this.#index.remove(positions),
    };
    this.#index = new SearchIndex({ rows: this.#rows, database, clock, log });
  }

  /** Finds out where the log stands. */
  async open(): Promise<void> {
    const { query } = this.#rows;
    // In KiB; the default of 2 MB is less than what some pages of messages lie in.
    await query('PRAGMA cache_size = -16384');
    const meta = new Map((await query('SELECT * FROM meta')).map(({ name, value }) => [String(name), value]));
    this.#epoch = String(meta.get('epoch') ?? '');
    if (this.#epoch === '') {
      this.#epoch = newEpoch();
      await this.#write([setMeta('epoch', this.#epoch)], 'disk');
    }
    this.#applied = Number(meta.get('applied') ?? 0);
    this.#settled = this.#applied;
    this.#nextRoom = Number(meta.get('nextRoom') ?? 1);
    this.#firstPos = Number(meta.get('firstPos') ?? 1);
    const [last] = await query('SELECT max(pos) AS pos FROM event');
    this.#pos = Math.max(Number(last?.pos ?? 0), Number(meta.get('lastPos') ?? 0));
    for (const { id, number, head } of await readHeads(this.#rows)) {
      this.#setRoom(id, number);
      this.#lastSeqs.set(number, head.lastSeq);
    }
    await this.#index.start(Number(meta.get('indexed') ?? 0), this.#pos);
  }

  async standing(): Promise<{ readonly epoch: string; readonly applied: number }> {
    return { epoch: this.#epoch, applied: this.#applied };
  }

  async load(): Promise<StoredState> {
    const heads = new Map((await readHeads(this.#rows)).map(({ id, head }) => [id, head]));
    const records = (await this.#rows.query('SELECT * FROM record')).map(
      (row) => ({ kind: row.kind, key: textOfKey(String(row.key)), value: parseData(row) }) as RecordChange,
    );
    return { epoch: this.#epoch, pos: this.#pos, firstPos: this.#firstPos, records, heads };
  }

  #setRoom(id: string, number: number): void {
    this.#numbers.set(id, number);
    this.#ids.set(number, id);
  }

  async apply(records: readonly JournalRecord[]): Promise<Removed | undefined> {
    let removed: Removed | undefined;
    let plan = new AppendPlan({ numberOf: this.#rows.numberOf, nextRoom: this.#nextRoom });
    let upTo = this.#applied;
    const commit = async () => {
      if (upTo > this.#applied) await this.#commit(plan, upTo);
      plan = new AppendPlan({ numberOf: this.#rows.numberOf, nextRoom: this.#nextRoom });
    };
    for (const { serial, payload } of records) {
      if (serial <= upTo) continue;
      if (serial !== upTo + 1) throw new Error(`the record ${serial} of the journal came after the record ${upTo}`);
      const entry = readEntry(payload);
      if (entry.kind === 'commit') plan.add(entry.pos, entry.writes);
      else {
        await commit();
        removed = await this.#remove(entry.part, serial);
      }
      upTo = serial;
      if (plan.size > MOST_ROWS) await commit();
    }
    await commit();
    return removed;
  }

  async #commit(plan: AppendPlan, serial: number): Promise<void> {
    await this.#write([...plan.statements, setMeta('applied', serial)], 'system');
    this.#applied = serial;
    this.#pos = plan.pos;
    for (const [id, number] of plan.newRooms) this.#setRoom(id, number);
    this.#nextRoom += plan.newRooms.size;
    for (const [room, seq] of plan.lastSeqs) this.#lastSeqs.set(room, seq);
    this.#index.follow(plan.said, this.#pos);
  }

  async #remove(part: RemovalPart, serial: number): Promise<Removed> {
    const roomId = 'roomId' in part ? part.roomId : '';
    const room = this.#numbers.get(roomId) ?? 0;
    const standing = { rows: this.#rows, pos: this.#pos, room, lastSeq: this.#lastSeqs.get(room) ?? 0 };
    const plan = new RemovalPlan(standing);
    await plan.add(part);
    await this.#write([...plan.statements, setMeta('applied', serial)], 'system');
    this.#applied = serial;
    const [first] = await this.#rows.query("SELECT value FROM meta WHERE name = 'firstPos'");
    this.#firstPos = Number(first?.value ?? 1);
    if (part.what === 'room') {
      this.#numbers.delete(roomId);
      this.#ids.delete(room);
      this.#lastSeqs.delete(room);
    }
    const heads = room === 0 ? [] : await readHeads(this.#rows, room);
    return { head: heads[0]?.head ?? EMPTY_HEAD, firstPos: this.#firstPos, some: plan.some, hashes: plan.hashes };
  }

  async #write(statements: readonly Statement[], durability: Durability): Promise<void> {
    try {
      await this.#database.writeNow(statements, durability);
    } catch (error) {
      throw isDiskFull(error) ? new StorageFullError(messageOf(error), { cause: error }) : error;
    }
  }

  async settle(): Promise<number> {
    const applied = this.#applied;
    // An empty commit syncs those before it; there is nothing to sync until something is written.
    if (applied > this.#settled) await this.#write([], 'disk');
    this.#settled = applied;
    return applied;
  }

  readEvents(query: EventQuery): Promise<readonly StoredEvent[]> {
    return readEvents(this.#rows, query);
  }

  messages(ids: readonly string[]): Promise<readonly StoredText[]> {
    return readMessages(this.#rows, ids);
  }

  forgotten(ids: readonly string[]): Promise<readonly string[]> {
    return readForgotten(this.#rows, ids, this.#clock.now());
  }

  reacted(keys: readonly ReactionKey[]): Promise<readonly ReactionKey[]> {
    return readReacted(this.#rows, keys);
  }

  page(query: PageQuery): Promise<TextPage> {
    return readPage(this.#rows, query);
  }

  edits(messageId: string): Promise<readonly Edit[]> {
    return readEdits(this.#rows, messageId);
  }

  unread(query: UnreadQuery): Promise<{ readonly unread: number; readonly mentions: number }> {
    return countUnread(this.#rows, query);
  }

  search(query: SearchQuery): Promise<TextHits> {
    return this.#index.search(query);
  }

  async run(id: string): Promise<Run | undefined> {
    return (await this.#rows.query('SELECT data FROM run WHERE id = ?', [keyText(id)])).map(parseData<Run>)[0];
  }

  async unfinishedRuns(): Promise<readonly Run[]> {
    return (await this.#rows.query('SELECT data FROM run WHERE ended = 0')).map(parseData<Run>);
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

  async audit(query: {
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly (AuditEntry & { readonly id: number })[]> {
    const sql = 'SELECT id, data FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?';
    const found = await this.#rows.query(sql, [query.before ?? Number.MAX_SAFE_INTEGER, query.limit]);
    return found.map((row) => ({ ...parseData<AuditEntry>(row), id: Number(row.id) }));
  }

  async expired(query: RetentionQuery): Promise<readonly { readonly id: string; readonly seq: number }[]> {
    const room = this.#numbers.get(query.roomId);
    return room === undefined
      ? []
      : findExpired(this.#rows, { ...query, room, lastSeq: this.#lastSeqs.get(room) ?? 0 });
  }

  idBits(): Promise<IdBits> {
    return readIdBits(this.#rows, this.#pos);
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
    await this.#database.close();
  }
}

const EPOCH_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const newEpoch = (): string => Array.from({ length: 8 }, () => EPOCH_LETTERS[randomInt(EPOCH_LETTERS.length)]).join('');
