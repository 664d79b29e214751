import { closeSync, constants, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CommandError, messageOf } from '../errors.ts';
import type { DataDirectory } from './data-directory.ts';
import { isBusyCopy, isDamage, unusable } from './database-error.ts';
import {
  type ChangeLog,
  checkFile,
  isInPlace,
  makeFile,
  openLog,
  type PlacedFile,
  syncDirectory,
  syncFile,
} from './database-files.ts';
import { openPrivateFile } from './private-file.ts';

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * What a resolved write survives. `disk`, the default: a power cut, as it is fsynced. `system`: the end of the process; the
 * operating system has it, and the next write to `disk` includes it.
 */
export type Durability = 'disk' | 'system';

export interface Statement {
  /** Parameters are plain `?`: Node 22 takes no values for `?1`. */
  readonly sql: string;
  /** A text with U+0000 is refused: Node 22 cuts it off there on reading. Bytes and JSON may hold it. */
  readonly values: readonly SqlValue[];
}

/** A store of rows. */
export interface Database {
  /**
   * Runs the statements as one transaction; resolves when it is as durable as asked, rejects when nothing of it is
   * written, or when a disk that fails cannot keep it. Calls of the same turn of the event loop share one commit, and so
   * one fsync.
   */
  write(statements: readonly Statement[], durability?: Durability): Promise<void>;
  /**
   * The same, but this write and all earlier ones survive the end of the process as soon as this returns. The promise
   * resolves when it survives a power cut, and rejects on a failure.
   */
  writeNow(statements: readonly Statement[], durability?: Durability): Promise<void>;
  /** Rejects with the cause, a CommandError if the file is damaged. */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Finishes pending writes, then closes. Idempotent. */
  close(): Promise<void>;
}

/** A database that is a file. */
export interface DatabaseFile extends Database {
  /**
   * Copies everything committed into a file that must not exist yet, while reads and writes go on. When this resolves, the
   * copy can be opened and survives a power cut.
   */
  copy(file: string): Promise<void>;
}

export interface DatabaseOptions {
  /** The directory must be owned. */
  readonly directory: DataDirectory;
  /** The file's name in the directory. */
  readonly name: string;
  /** SQL scripts; the n-th takes the schema from version n to n + 1. */
  readonly migrations: readonly string[];
  /**
   * Whether other processes may have the file open, too. A write then waits for theirs, which blocks this thread; two processes may
   * run the same script. Default: false.
   */
  readonly isShared?: boolean;
}

interface PendingWrite {
  readonly statements: readonly Statement[];
  readonly durability: Durability;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Pages of 4 KB in the log of changes before it is moved into the file, which blocks the event loop for an fsync of both.
 * Four times SQLite's default, since most of them are the same pages again and again.
 */
const LOG_PAGES = 4_000;

/** Pages of 4 KB that a copy takes at a time; reads and writes wait meanwhile. */
const COPY_PAGES = 250;
/** Attempts at a copy. */
const MAX_COPIES = 100;
/** A write waits this long for those of other processes. */
const BUSY_MS = 5_000;

const sqlite = loadSqlite();

/** Hides the warning of Node 22 that SQLite is experimental. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Opens, or makes, an SQLite file and brings its schema up to date; a CommandError says why it cannot. */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseFile> {
  const { directory, name, migrations, isShared = false } = options;
  const file = join(directory.path, name);
  let engine: DatabaseSync | undefined;
  try {
    const placed = makeFile(file);
    for (const companion of [`${file}-wal`, `${file}-journal`]) checkFile(companion);
    // The lock directory of an opsdeck 0.1.0 that was killed.
    rmSync(`${file}.lock`, { recursive: true, force: true });
    engine = new sqlite.DatabaseSync(file);
    // In exclusive mode, which must come first, WAL needs no shared memory, and no other process can read or write.
    engine.exec(isShared ? `PRAGMA busy_timeout=${BUSY_MS}` : 'PRAGMA locking_mode=EXCLUSIVE');
    // A commit leaves the log of changes to the operating system, and a durable write syncs it outside the event loop, which
    // an fsync would block. SQLite still syncs before it moves the log.
    engine.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=${LOG_PAGES}`);
    migrate(engine, migrations);
    // The names of new files survive a power cut only if their directory is synced.
    syncDirectory(directory.path);
    // The log is opened now: later there may be no free descriptor.
    return new SqliteDatabase(engine, placed, openLog(`${file}-wal`));
  } catch (error) {
    engine?.close();
    throw error instanceof CommandError ? error : unusable('open', file, error);
  }
}

/** A database in memory. Only `copy` writes a file. */
export function openMemoryDatabase(migrations: readonly string[]): DatabaseFile {
  const engine = new sqlite.DatabaseSync(IN_MEMORY);
  migrate(engine, migrations);
  return new SqliteDatabase(engine);
}

/**
 * A database that ends with the process, in a file without a name in the system's folder for temporary files; without such a
 * folder in memory.
 */
export function openTemporaryDatabase(migrations: readonly string[]): Database {
  const engine = new sqlite.DatabaseSync('');
  try {
    // SQLite makes the file when its cache is full, which must not first happen in a later write.
    engine.exec(`PRAGMA cache_size=1; CREATE TABLE filler AS SELECT zeroblob(${FILLER_BYTES}); DROP TABLE filler`);
    migrate(engine, migrations);
    return new SqliteDatabase(engine);
  } catch {
    engine.close();
    return openMemoryDatabase(migrations);
  }
}

const FILLER_BYTES = 1 << 20;

/** SQLite's name of a database in memory. */
const IN_MEMORY = ':memory:';

function migrate(engine: DatabaseSync, migrations: readonly string[]): void {
  const version = Number(engine.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > migrations.length) {
    throw new Error(`it was written by a newer opsdeck (schema ${version}, this one knows ${migrations.length})`);
  }
  if (version === migrations.length) return;
  const scripts = migrations.slice(version).join(';\n');
  engine.exec(`BEGIN; ${scripts}; PRAGMA user_version = ${migrations.length}; COMMIT`);
}

class SqliteDatabase implements DatabaseFile {
  readonly #engine: DatabaseSync;
  /** Undefined: in memory. */
  readonly #file: PlacedFile | undefined;
  readonly #log: ChangeLog | undefined;
  readonly #prepared = new Map<string, StatementSync>();
  #pending: PendingWrite[] = [];
  /** Committed, but not synced yet. */
  #unsynced: PendingWrite[] = [];
  #syncing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Resolves when the last copy is made. */
  #copying: Promise<void> = Promise.resolve();

  constructor(engine: DatabaseSync, file?: PlacedFile, log?: ChangeLog) {
    this.#engine = engine;
    this.#file = file;
    this.#log = log;
  }

  write(statements: readonly Statement[], durability: Durability = 'disk'): Promise<void> {
    if (this.#closing) return Promise.reject(new Error('the database is closed'));
    return new Promise((resolve, reject) => {
      // All requests that came in together have been read before the immediate phase of the event loop.
      if (this.#pending.length === 0) setImmediate(() => this.#commitPending());
      this.#pending.push({ statements, durability, resolve, reject });
    });
  }

  writeNow(statements: readonly Statement[], durability?: Durability): Promise<void> {
    const written = this.write(statements, durability);
    this.#commitPending();
    return written;
  }

  async query(sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    if (this.#closing) throw new Error('the database is closed');
    try {
      return this.#run(sql, values);
    } catch (error) {
      throw isDamage(error) ? unusable('read', this.#file?.path ?? IN_MEMORY, error) : error;
    }
  }

  close(): Promise<void> {
    this.#commitPending();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#copying;
    await this.#syncing;
    if (this.#log) closeSync(this.#log.descriptor);
    this.#engine.close();
  }

  copy(file: string): Promise<void> {
    if (this.#closing) return Promise.reject(new Error('the database is closed'));
    const copied = this.#copying.then(() => this.#copy(file));
    this.#copying = copied.catch(() => {});
    return copied;
  }

  async #copy(file: string): Promise<void> {
    this.#commitPending();
    // Not by the file system: a process that closes any descriptor of the file gives up its locks.
    closeSync(openPrivateFile(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL));
    try {
      await this.#copyPages(file);
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    syncDirectory(dirname(file));
  }

  /** Copies run in another thread, and meet a write of this one now and then. */
  async #copyPages(file: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await sqlite.backup(this.#engine, file, { rate: COPY_PAGES });
        return;
      } catch (error) {
        if (!isBusyCopy(error) || attempt === MAX_COPIES) throw error;
      }
    }
  }

  #commitPending(): void {
    const writes = this.#pending;
    this.#pending = [];
    if (writes.length === 0) return;
    const failure = this.#commit(writes);
    if (!failure) for (const write of writes) this.#committed(write);
    else if (writes.length === 1) writes[0]?.reject(failure);
    // One bad write must not fail the others of its batch.
    else for (const write of writes) this.#settleAlone(write);
  }

  #committed(write: PendingWrite): void {
    if (write.durability === 'system' || !this.#log) {
      write.resolve();
      return;
    }
    this.#unsynced.push(write);
    this.#syncing ??= this.#sync();
  }

  /** Writes that are committed during one sync share the next. */
  async #sync(): Promise<void> {
    while (this.#unsynced.length > 0) {
      const writes = this.#unsynced;
      this.#unsynced = [];
      try {
        await this.#syncLog();
        for (const write of writes) write.resolve();
      } catch (error) {
        for (const write of writes) write.reject(error instanceof Error ? error : new Error(messageOf(error)));
      }
    }
    this.#syncing = undefined;
  }

  /** A file that was removed ends with the process, even if it is synced. */
  async #syncLog(): Promise<void> {
    if (!this.#file || !this.#log) return;
    await syncFile(this.#log.descriptor);
    // Synchronous: the operating system has the answer in memory, and another thread would cost more.
    if (!isInPlace(this.#file) || !isInPlace(this.#log)) {
      throw new Error(
        `the database ${this.#file.path} was removed or moved while it was in use: what is written now is lost; put it back, or start again`,
      );
    }
  }

  #settleAlone(write: PendingWrite): void {
    const failure = this.#commit([write]);
    if (failure) write.reject(failure);
    else this.#committed(write);
  }

  #commit(writes: readonly PendingWrite[]): Error | undefined {
    try {
      // Prepared as well: `exec` reads its text anew each time.
      this.#run('BEGIN IMMEDIATE', []);
      for (const { statements } of writes) {
        for (const { sql, values } of statements) this.#run(sql, values);
      }
      this.#run('COMMIT', []);
      return undefined;
    } catch (error) {
      // A full disk has rolled back already.
      if (this.#engine.isTransaction) this.#engine.exec('ROLLBACK');
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  #run(sql: string, values: readonly SqlValue[]): SqlRow[] {
    const bound = values.map(toBound);
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.#engine.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    // All rows, even if none is needed: an unfinished statement blocks the commit.
    return statement.all(...bound) as SqlRow[];
  }
}

/** Node binds every number as REAL, but parts of SQLite such as FTS5 take only INTEGER. */
function toBound(value: SqlValue): SqlValue | bigint {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  // Node 22 returns a text only up to its first U+0000.
  if (typeof value === 'string' && value.includes('\0')) throw new Error('a text with U+0000 cannot be stored');
  return value;
}
