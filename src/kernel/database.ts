import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { copyFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { DataDirectory } from './data-directory.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from './errors.ts';
import { makePrivateFolder, openPrivateFile, writePrivateFile } from './private-file.ts';

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * What a resolved write outlives. `disk`, the default: the loss of power; it is fsynced. `system`: the death of the
 * process; the operating system has it, and the next write to `disk` takes it along.
 */
export type Durability = 'disk' | 'system';

export interface Statement {
  readonly sql: string;
  /** A text with U+0000 is refused: neither SQLite as it is built here nor PostgreSQL keeps one. Bytes and JSON may hold it. */
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
  /** The directory must be owned: SQLite here cannot tell a living lock from one that a kill left behind. */
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

/** Opens, or makes, an SQLite file and brings its schema up to date; a CommandError says why it cannot. */
export async function openDatabase({ directory, name, migrations }: DatabaseOptions): Promise<DatabaseFile> {
  const file = join(directory.path, name);
  // The optimising compiler makes SQLite a fifth faster, for 38 MB; here rows are written in batches, and memory counts.
  setFlagsFromString('--liftoff-only');
  const { default: sqlite } = await import('node-sqlite3-wasm');
  let engine: Engine | undefined;
  try {
    const inode = makeFile(file);
    for (const companion of [`${file}-wal`, `${file}-journal`]) checkFile(companion);
    // Every kill leaves this directory; the data directory's owner is the only one who may have made it.
    rmSync(`${file}.lock`, { recursive: true, force: true });
    engine = new sqlite.Database(file);
    // WAL without shared memory works only in exclusive mode, which must come first.
    engine.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    migrate(engine, migrations);
    // From here on a commit leaves the log of changes to the operating system; whoever wants more syncs it beside the
    // event loop, which an fsync would hold for as long as the disk takes. SQLite still syncs before it moves the log.
    engine.exec(`PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=${LOG_PAGES}`);
    makePrivateFolder(`${file}.lock`);
    // The names of new files are safe only when their directory is; this SQLite syncs the files alone.
    syncDirectory(directory.path);
    return new SqliteDatabase(engine, file, inode);
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
async function isInPlace(path: string, inode: number): Promise<boolean> {
  try {
    return (await stat(path)).ino === inode;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '');
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

function openLog(path: string): { readonly descriptor: number; readonly inode: number } {
  const descriptor = openPrivateFile(path, constants.O_RDWR);
  return { descriptor, inode: fstatSync(descriptor).ino };
}

function syncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(descriptor, (error) => (error ? reject(error) : resolve())));
}

function unusable(what: 'open' | 'read', file: string, error: unknown): CommandError {
  const reasons: Record<string, string> = {
    EISDIR: 'it is a directory, not a file',
    EACCES: 'this user may not read and write it',
    EROFS: 'the file system is read-only',
  };
  const reason = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new CommandError(
    `cannot ${what} the database ${file}: ${reason}; put a backup in its place, or move it away to start empty`,
    ExitCode.failed,
    { cause: error },
  );
}

/** Below that a write may have failed for want of room, in bytes. */
const LITTLE_ROOM = 16 * 2 ** 20;

/** This SQLite says of every write that fails the same. */
function isDiskFull(file: string): boolean {
  const probe = `${file}.probe`;
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    if (bavail * bsize < LITTLE_ROOM) return true;
    // There may be room, but not for this user.
    writePrivateFile(probe, Buffer.alloc(65_536));
    return false;
  } catch (error) {
    return ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error) ?? '');
  } finally {
    rmSync(probe, { force: true });
  }
}

const DAMAGE = /^(database disk image is malformed|file is not a database|disk I\/O error)/;

type Engine = import('node-sqlite3-wasm').Database;
type Prepared = ReturnType<Engine['prepare']>;

function migrate(engine: Engine, migrations: readonly string[]): void {
  const version = Number(engine.get('PRAGMA user_version')?.user_version ?? 0);
  if (version > migrations.length) {
    throw new Error(`it was written by a newer opsdeck (schema ${version}, this one knows ${migrations.length})`);
  }
  for (const [index, script] of migrations.entries()) {
    if (index >= version) engine.exec(`BEGIN; ${script}; PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}

class SqliteDatabase implements DatabaseFile {
  readonly #engine: Engine;
  readonly #file: string;
  readonly #inode: number;
  readonly #prepared = new Map<string, Prepared>();
  #pending: PendingWrite[] = [];
  /** Committed, but not safe from a loss of power as yet. */
  #unsynced: PendingWrite[] = [];
  #syncing: Promise<void> | undefined;
  /** The log of changes. */
  #log: { readonly descriptor: number; readonly inode: number } | undefined;
  #closing: Promise<void> | undefined;
  /** Ends when the last copy is made. */
  #copying: Promise<void> = Promise.resolve();

  constructor(engine: Engine, file: string, inode: number) {
    this.#engine = engine;
    this.#file = file;
    this.#inode = inode;
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
      throw DAMAGE.test(messageOf(error)) ? unusable('read', this.#file, error) : error;
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
    // A statement that is not finalised would keep the file, and its lock, open without a word.
    for (const statement of this.#prepared.values()) statement.finalize();
    if (this.#log) closeSync(this.#log.descriptor);
    this.#engine.close();
  }

  copy(file: string): Promise<void> {
    const copied = this.#copying.then(() => this.#copy(file));
    this.#copying = copied.catch(() => {});
    return copied;
  }

  async #copy(file: string): Promise<void> {
    if (this.#closing) throw new Error('the database is closed');
    this.#commitPending();
    // All changes are moved into the file, and the ones that follow stay in the log until the file has been copied.
    const [moved] = this.#run('PRAGMA wal_checkpoint(TRUNCATE)', []);
    if (Number(moved?.busy) !== 0) throw new Error('the log of changes could not be moved into the database');
    const [usual] = this.#run('PRAGMA wal_autocheckpoint', []);
    this.#run('PRAGMA wal_autocheckpoint=0', []);
    try {
      await copyFile(this.#file, file, constants.COPYFILE_EXCL);
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') rmSync(file, { force: true });
      throw error;
    } finally {
      this.#run(`PRAGMA wal_autocheckpoint=${usual?.wal_autocheckpoint}`, []);
    }
    const descriptor = openSync(file, 'r+');
    await syncFile(descriptor).finally(() => closeSync(descriptor));
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
    const path = `${this.#file}-wal`;
    this.#log ??= openLog(path);
    const { descriptor, inode } = this.#log;
    const inPlace = Promise.all([isInPlace(this.#file, this.#inode), isInPlace(path, inode)]);
    const [places] = await Promise.all([inPlace, syncFile(descriptor)]);
    if (!places.every(Boolean)) {
      throw new Error(
        `the database ${this.#file} was removed or moved while it was in use: what is written now is lost; put it back, or start again`,
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
      if (this.#engine.inTransaction) this.#engine.exec('ROLLBACK');
      if (messageOf(error) === 'disk I/O error' && isDiskFull(this.#file)) {
        return new Error('database or disk is full', { cause: error });
      }
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  #run(sql: string, values: readonly SqlValue[]): SqlRow[] {
    if (values.some(endsEarly)) throw new Error('a text with U+0000 cannot be stored');
    const statement = this.#prepare(sql);
    try {
      // To the last row, even where nobody asks for one: a statement in the middle of its rows holds up the commit.
      return statement.all(values as SqlValue[]) as SqlRow[];
    } catch (error) {
      this.#discard(sql, statement);
      throw error;
    }
  }

  #prepare(sql: string): Prepared {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.#engine.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** A statement that failed would fail once more, at its next use or at the close of the database. */
  #discard(sql: string, statement: Prepared): void {
    this.#prepared.delete(sql);
    try {
      statement.finalize();
    } catch {
      // The failure that is known already.
    }
  }
}

/** The engine hands a text over up to its first U+0000. */
function endsEarly(value: SqlValue): boolean {
  return typeof value === 'string' && value.includes('\0');
}
