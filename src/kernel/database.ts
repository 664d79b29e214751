import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { DataDirectory } from './data-directory.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from './errors.ts';

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
   * written. Calls of the same turn of the event loop share one commit, and so one fsync.
   */
  write(statements: readonly Statement[], durability?: Durability): Promise<void>;
  /** Rejects with the cause, a CommandError where the file is damaged. */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** Writes what is under way, then closes. Idempotent. */
  close(): Promise<void>;
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

/** Opens, or makes, an SQLite file and brings its schema up to date; a CommandError says why it cannot. */
export async function openDatabase({ directory, name, migrations }: DatabaseOptions): Promise<Database> {
  const file = join(directory.path, name);
  // The optimising compiler makes SQLite a fifth faster, for 38 MB; here rows are written in batches, and memory counts.
  setFlagsFromString('--liftoff-only');
  const { default: sqlite } = await import('node-sqlite3-wasm');
  let engine: Engine | undefined;
  try {
    makeFile(file);
    // Every kill leaves this directory; the data directory's owner is the only one who may have made it.
    rmSync(`${file}.lock`, { recursive: true, force: true });
    engine = new sqlite.Database(file);
    // WAL without shared memory works only in exclusive mode, which must come first.
    engine.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    migrate(engine, migrations);
    // The names of new files are safe only when their directory is; this SQLite syncs the files alone.
    syncDirectory(directory.path);
    return new SqliteDatabase(engine, file);
  } catch (error) {
    engine?.close();
    throw unusable('open', file, error);
  }
}

/** SQLite says of a file that it cannot open only that; the operating system says why. */
function makeFile(file: string): void {
  closeSync(openSync(file, 'a+'));
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

class SqliteDatabase implements Database {
  readonly #engine: Engine;
  readonly #file: string;
  readonly #prepared = new Map<string, Prepared>();
  #pending: PendingWrite[] = [];
  #closed = false;
  /** As openDatabase has set it. */
  #level: 'FULL' | 'NORMAL' = 'FULL';

  constructor(engine: Engine, file: string) {
    this.#engine = engine;
    this.#file = file;
  }

  write(statements: readonly Statement[], durability: Durability = 'disk'): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the database is closed'));
    return new Promise((resolve, reject) => {
      // The requests that came in together have all been read before the immediate phase of the event loop.
      if (this.#pending.length === 0) setImmediate(() => this.#commitPending());
      this.#pending.push({ statements, durability, resolve, reject });
    });
  }

  async query(sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    if (this.#closed) throw new Error('the database is closed');
    try {
      return this.#run(sql, values);
    } catch (error) {
      throw DAMAGE.test(messageOf(error)) ? unusable('read', this.#file, error) : error;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#commitPending();
    this.#closed = true;
    // A statement that is not finalised would keep the file, and its lock, open without a word.
    for (const statement of this.#prepared.values()) statement.finalize();
    this.#engine.close();
  }

  #commitPending(): void {
    const writes = this.#pending;
    this.#pending = [];
    if (writes.length === 0) return;
    const failure = this.#commit(writes);
    if (!failure) for (const write of writes) write.resolve();
    else if (writes.length === 1) writes[0]?.reject(failure);
    // One bad write must not take the others of its batch along.
    else for (const write of writes) this.#settleAlone(write);
  }

  #settleAlone(write: PendingWrite): void {
    const failure = this.#commit([write]);
    if (failure) write.reject(failure);
    else write.resolve();
  }

  #commit(writes: readonly PendingWrite[]): Error | undefined {
    try {
      this.#synchronise(writes.some(({ durability }) => durability === 'disk') ? 'FULL' : 'NORMAL');
      this.#engine.exec('BEGIN IMMEDIATE');
      for (const { statements } of writes) {
        for (const { sql, values } of statements) this.#run(sql, values);
      }
      this.#engine.exec('COMMIT');
      return undefined;
    } catch (error) {
      // A full disk has rolled back already.
      if (this.#engine.inTransaction) this.#engine.exec('ROLLBACK');
      return error instanceof Error ? error : new Error(messageOf(error));
    }
  }

  /** In WAL mode, FULL syncs the log at every commit, NORMAL only before it is moved into the database. */
  #synchronise(level: 'FULL' | 'NORMAL'): void {
    if (level === this.#level) return;
    this.#engine.exec(`PRAGMA synchronous=${level}`);
    this.#level = level;
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
