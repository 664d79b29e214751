import type { Clock } from '../../../kernel/clock.ts';
import { CommandError, messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { DatabaseFile, Durability, Statement } from '../../../kernel/storage/database.ts';
import { isDiskFull } from '../../../kernel/storage/database-error.ts';
import type { ReactionKey } from '../../domain/change.ts';
import type { FileRef } from '../../domain/file/file.ts';
import type { Edit } from '../../domain/message/message.ts';
import type { RecordChange } from '../../domain/record.ts';
import { EMPTY_HEAD } from '../../domain/room/room.ts';
import type { Run } from '../../domain/run/run.ts';
import { JOURNAL_NAME, readJournal, removeJournal } from '../earlier-journal.ts';
import type { RemovalPart, Removed, RoomEngine, StoredText, TextHits, TextPage } from '../engine.ts';
import { newEpoch } from '../epoch.ts';
import type { IdBits } from '../id-filter.ts';
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
} from '../store.ts';
import { type CommitEntry, readEntry } from '../store-entry.ts';
import { AppendPlan } from './append.ts';
import { copyDatabase } from './copy.ts';
import { readEvents } from './events.ts';
import { orphanedFiles, readFiles, roomsOfFile, usedContents } from './files.ts';
import { readHeads } from './heads.ts';
import { readEdits, readForgotten, readIdBits, readMessages, readReacted } from './messages.ts';
import { countUnread, readPage } from './pages.ts';
import { findExpired, RemovalPlan } from './removal.ts';
import { parseData, type Rows, textOfKey } from './rows.ts';
import { readAudit, readRun, readUnfinishedRuns } from './runs.ts';
import { setMeta } from './schema.ts';
import { SearchIndex } from './search.ts';

export interface SqliteEngineParts {
  readonly database: DatabaseFile;
  /** `off`: acknowledged writes survive the process, but not a power failure. */
  readonly durability: 'full' | 'off';
  readonly clock: Clock;
  readonly log: Log;
}

/** The tables of `rooms.sqlite`. */
export class SqliteRoomEngine implements RoomEngine {
  readonly #database: DatabaseFile;
  readonly #durability: Durability;
  readonly #clock: Clock;
  readonly #numbers = new Map<string, number>();
  readonly #ids = new Map<number, string>();
  readonly #lastSeqs = new Map<number, number>();
  readonly #rows: Rows;
  readonly #index: SearchIndex;
  #epoch = '';
  /** The write in progress. */
  #writing: Promise<unknown> | undefined;
  #pos = 0;
  #firstPos = 1;
  #nextRoom = 1;

  constructor({ database, durability, clock, log }: SqliteEngineParts) {
    this.#database = database;
    this.#durability = durability === 'full' ? 'disk' : 'system';
    this.#clock = clock;
    this.#rows = {
      query: async (sql, values) => {
        await this.#writing;
        return database.query(sql, values);
      },
      numberOf: (roomId) => this.#numbers.get(roomId),
      idOf: (number) => this.#ids.get(number),
      roomCount: () => this.#numbers.size,
      removeTexts: (positions) => this.#index.remove(positions),
    };
    this.#index = new SearchIndex({ rows: this.#rows, database, clock, log });
  }

  /** Reads the state of the log. */
  async open(): Promise<void> {
    const { query } = this.#rows;
    // In KiB; the default of 2 MB is less than some pages of messages need.
    await query('PRAGMA cache_size = -16384');
    const meta = new Map((await query('SELECT * FROM meta')).map(({ name, value }) => [String(name), value]));
    this.#epoch = String(meta.get('epoch') ?? '');
    if (this.#epoch === '') {
      this.#epoch = newEpoch();
      await this.#write([setMeta('epoch', this.#epoch)]);
    }
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

  /** Imports the journal left by a killed server of 0.1.0. */
  async importJournal(path: string): Promise<void> {
    const [applied] = await this.#rows.query("SELECT value FROM meta WHERE name = 'applied'");
    try {
      for (const { serial, payload } of readJournal(path, this.#epoch, Number(applied?.value ?? 0))) {
        const entry = readEntry(payload);
        const also = [setMeta('applied', serial)];
        if (entry.kind === 'commit') await this.#commit(entry, also);
        else await this.#remove(entry.part, also);
      }
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const why = messageOf(error);
      throw new CommandError(`what ${JOURNAL_NAME} holds cannot be put into rooms.sqlite: ${why}`, undefined, {
        cause: error,
      });
    }
    // Synced whatever the durability is, since the journal is removed.
    await this.#database.writeNow([], 'disk');
    removeJournal(path);
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

  async commit(payload: Uint8Array): Promise<void> {
    const entry = readEntry(payload);
    if (entry.kind !== 'commit') throw new Error('this is no commit');
    await this.#commit(entry);
  }

  /** `also`: written in the same transaction. */
  async #commit({ pos, writes }: CommitEntry, also: readonly Statement[] = []): Promise<void> {
    const plan = new AppendPlan({ numberOf: this.#rows.numberOf, nextRoom: this.#nextRoom });
    plan.add(pos, writes);
    await this.#write([...plan.statements, ...also]);
    this.#pos = plan.pos;
    for (const [id, number] of plan.newRooms) this.#setRoom(id, number);
    this.#nextRoom += plan.newRooms.size;
    for (const [room, seq] of plan.lastSeqs) this.#lastSeqs.set(room, seq);
    this.#index.follow(plan.said, this.#pos);
  }

  remove(part: RemovalPart): Promise<Removed> {
    return this.#remove(part);
  }

  async #remove(part: RemovalPart, also: readonly Statement[] = []): Promise<Removed> {
    const roomId = 'roomId' in part ? part.roomId : '';
    const room = this.#numbers.get(roomId) ?? 0;
    const standing = { rows: this.#rows, pos: this.#pos, room, lastSeq: this.#lastSeqs.get(room) ?? 0 };
    const plan = new RemovalPlan(standing);
    await plan.add(part);
    await this.#write([...plan.statements, ...also]);
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

  async #write(statements: readonly Statement[]): Promise<void> {
    const written = this.#database.writeNow(statements, this.#durability);
    this.#writing = written.catch(() => {});
    try {
      await written;
    } catch (error) {
      throw isDiskFull(error) ? new StorageFullError(messageOf(error), { cause: error }) : error;
    } finally {
      this.#writing = undefined;
    }
  }

  /** Rewrites an existing value. */
  checkRoom(): Promise<void> {
    return this.#write([setMeta('epoch', this.#epoch)]);
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

  run(id: string): Promise<Run | undefined> {
    return readRun(this.#rows, id);
  }

  unfinishedRuns(): Promise<readonly Run[]> {
    return readUnfinishedRuns(this.#rows);
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

  usedContents(hashes: readonly string[]): Promise<readonly string[]> {
    return usedContents(this.#rows, hashes);
  }

  audit(query: Parameters<RoomStore['audit']>[0]): ReturnType<RoomStore['audit']> {
    return readAudit(this.#rows, query);
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

  backup(file: string): Promise<void> {
    return copyDatabase(this.#database, file);
  }

  indexed(): Promise<void> {
    return this.#index.settled();
  }

  async close(): Promise<void> {
    await this.#index.close();
    await this.#database.close();
  }
}
