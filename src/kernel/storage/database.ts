import { closeSync, constants, fdatasync, fstatSync, fsyncSync, lstatSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CommandError, messageOf, systemCodeOf } from '../errors.ts';
import type { DataDirectory } from './data-directory.ts';
import { isDamage, unusable } from './database-error.ts';
import { openPrivateFile } from './private-file.ts';

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * What a resolved write outlives. `disk`, the default: the loss of power; it is fsynced. `system`: the death of the
 * process; the operating system has it, and the next write to `disk` takes it along.
 */
export type Durability = 'disk' | 'system';

export interface Statement {
  /** Its parameters are `?` alone: Node 22 takes no values for `?1`. */
  readonly sql: string;
  /** A text with U+0000 is refused: Node 22 cuts it off there on reading, and PostgreSQL keeps none. Bytes and JSON may hold it. */
  readonly values: readonly SqlValue[];
}

/** A store of rows. Asynchronous, so that a database on another machine can stand behind it as well. */
export interface Database {
  /**
   * Runs the statements as one transaction; resolves when it is as durable as asked, rejects when nothing of it is
   * written, or when a disk that fails cannot keep it. Calls of the same turn of the event loop share one commit, and so
   * one fsync.
   */
  write(statements: readonly Statement[], durability?: Durability): Promise<void>;
  /**
   * The same, but it outlives the death of the process already when this returns, with all that was asked for before:
   * for what must not be forgotten once it has happened. The promise then tells of the loss of power, and of failures.
   */
  writeNow(statements: readonly Statement[], durability?: Durability): Promise<void>;
  /** Rejects with the cause, a CommandError where the file is damaged. */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Writes what is under way, then closes. Idempotent. */
  close(): Promise<void>;
}

/** A database that is a file. */
export interface DatabaseFile extends Database {
  /**
   * Copies all that is committed into a file that must not exist yet, beside the event loop: reads and writes go on
   * meanwhile. The copy can be opened; it is safe from a loss of power when this resolves.
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
}

interface PendingWrite {
  readonly statements: readonly Statement[];
  readonly durability: Durability;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * So many pages of 4 KB the log of changes grows to before it is moved into the file, which holds the event loop for an
 * fsync of both. Most are the same pages again and again: four times as many as SQLite's default are four times as rare.
 */
const LOG_PAGES = 4_000;

/** Pages of 4 KB that a copy takes at a time: for so long it holds up reads and writes. */
const COPY_PAGES = 250;

const sqlite = loadSqlite();

/** Node 22 warns that SQLite is experimental, which the users of the program need not know. */
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
export async function openDatabase({ directory, name, migrations }: DatabaseOptions): Promise<DatabaseFile> {
  const file = join(directory.path, name);
  let engine: DatabaseSync | undefined;
  try {
    const inode = makeFile(file);
    for (const companion of [`${file}-wal`, `${file}-journal`]) checkFile(companion);
    // A kill of opsdeck 0.1.0 left this directory, which was its lock.
    rmSync(`${file}.lock`, { recursive: true, force: true });
    engine = new sqlite.DatabaseSync(file);
    // In exclusive mode, which must come first, WAL needs no shared memory, and no other process can read or write.
    engine.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    migrate(engine, migrations);
    // From here on a commit leaves the log of changes to the operating system; whoever wants more syncs it beside the
    // event loop, which an fsync would hold for as long as the disk takes. SQLite still syncs before it moves the log.
    engine.exec(`PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=${LOG_PAGES}`);
    // The names of new files are safe only when their directory is.
    syncDirectory(directory.path);
    // Now: later there may be no descriptor to be had.
    return new SqliteDatabase(engine, { path: file, inode }, openLog(`${file}-wal`));
  } catch (error) {
    engine?.close();
    throw error instanceof CommandError ? error : unusable('open', file, error);
  }
}

/** SQLite says of a file that it cannot open only that; the operating system says why. Answers with the inode. */
function makeFile(file: string): number {
  const descriptor = openPrivateFile(file, constants.O_RDWR | constants.O_CREAT);
  try {
    return fstatSync(descriptor).ino;
  } finally {
    closeSync(descriptor);
  }
}

/** SQLite makes it with mode 0600, and takes what it finds. */
function checkFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) closeSync(openPrivateFile(path, constants.O_RDWR));
}

/** Whether a path still leads to the file that was opened. */
function isInPlace({ path, inode }: PlacedFile): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino === inode;
  } catch (error) {
    return systemCodeOf(error) !== 'ENOTDIR';
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch {
    // Some file systems of other machines cannot.
  } finally {
    closeSync(descriptor);
  }
}

interface PlacedFile {
  readonly path: string;
  readonly inode: number;
}

interface ChangeLog extends PlacedFile {
  readonly descriptor: number;
}

function openLog(path: string): ChangeLog {
  const descriptor = openPrivateFile(path, constants.O_RDWR);
  return { path, descriptor, inode: fstatSync(descriptor).ino };
}

function syncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(descriptor, (error) => (error ? reject(error) : resolve())));
}

function migrate(engine: DatabaseSync, migrations: readonly string[]): void {
  const version = Number(engine.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > migrations.length) {
    throw new Error(`it was written by a newer opsdeck (schema ${version}, this one knows ${migrations.length})`);
  }
  for (const [index, script] of migrations.entries()) {
    if (index >= version) engine.exec(`BEGIN; ${script}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}

class SqliteDatabase implements DatabaseFile {
  readonly #engine: DatabaseSync;
  readonly #file: PlacedFile;
  readonly #log: ChangeLog;
  readonly #prepared = new Map<string, StatementSync>();
  #pending: PendingWrite[] = [];
  /** Committed, but not safe from a loss of power as yet. */
  #unsynced: PendingWrite[] = [];
  #syncing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Ends when the last copy is made. */
  #copying: Promise<void> = Promise.resolve();

  constructor(engine: DatabaseSync, file: PlacedFile, log: ChangeLog) {
    this.#engine = engine;
    this.#file = file;
    this.#log = log;
  }

  write(statements: readonly Statement[], durability: Durability = 'disk'): Promise<void> {
    if (this.#closing) return Promise.reject(new Error('the database is closed'));
    return new Promise((resolve, reject) => {
      // The requests that came in together have all been read before the immediate phase of the event loop.
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
      throw isDamage(error) ? unusable('read', this.#file.path, error) : error;
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
    closeSync(this.#log.descriptor);
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
      await sqlite.backup(this.#engine, file, { rate: COPY_PAGES });
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    }
    syncDirectory(dirname(file));
  }

  #commitPending(): void {
    const writes = this.#pending;
    this.#pending = [];
    if (writes.length === 0) return;
    const failure = this.#commit(writes);
    if (!failure) for (const write of writes) this.#committed(write);
    else if (writes.length === 1) writes[0]?.reject(failure);
    // One bad write must not take the others of its batch along.
    else for (const write of writes) this.#settleAlone(write);
  }

  #committed(write: PendingWrite): void {
    if (write.durability === 'system') {
      write.resolve();
      return;
    }
    this.#unsynced.push(write);
    this.#syncing ??= this.#sync();
  }

  /** What is committed during one sync shares the next. */
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

  /** What has no name any more goes with the process, however well it is synced. */
  async #syncLog(): Promise<void> {
    await syncFile(this.#log.descriptor);
    // At once: handing it to another thread costs more than the answer, which the operating system has in memory.
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
    // To the last row, even where nobody asks for one: a statement in the middle of its rows holds up the commit.
    return statement.all(...bound) as SqlRow[];
  }
}

/** A number would become a REAL, of whatever kind it is, and parts of SQLite such as FTS5 take only an INTEGER. */
function toBound(value: SqlValue): SqlValue | bigint {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  // Node 22 hands a text over up to its first U+0000.
  if (typeof value === 'string' && value.includes('\0')) throw new Error('a text with U+0000 cannot be stored');
  return value;
}
