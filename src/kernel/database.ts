import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { DataDirectory } from './data-directory.ts';
import { CommandError, ExitCode, messageOf } from './errors.ts';

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A store of rows. Asynchronous, so that a database on another machine can stand behind it as well. */
export interface Database {
  /**
   * Runs the statements as one transaction; resolves when it is on disk, rejects when nothing of it is. Calls of the
   * same turn of the event loop share one commit, and so one fsync.
   */
  write(statements: readonly Statement[]): Promise<void>;
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
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Opens, or makes, an SQLite file and brings its schema up to date; a CommandError says why it cannot. */
export async function openDatabase({ directory, name, migrations }: DatabaseOptions): Promise<Database> {
  const file = join(directory.path, name);
  // Every kill leaves this directory; the data directory's owner is the only one who may have made it.
  rmSync(`${file}.lock`, { recursive: true, force: true });
  // The optimising compiler makes SQLite a fifth faster, for 38 MB; here rows are written in batches, and memory counts.
  setFlagsFromString('--liftoff-only');
  const { default: sqlite } = await import('node-sqlite3-wasm');
  try {
    const engine = new sqlite.Database(file);
    // WAL without shared memory works only in exclusive mode, which must come first.
    engine.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
    migrate(engine, migrations);
    return new SqliteDatabase(engine);
  } catch (error) {
    throw new CommandError(
      `cannot open the database ${file}: ${messageOf(error)}; put a backup in its place, or move it away to start empty`,
      ExitCode.failed,
      { cause: error },
    );
  }
}

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
  readonly #prepared = new Map<string, Prepared>();
  #pending: PendingWrite[] = [];
  #closed = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  write(statements: readonly Statement[]): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the database is closed'));
    return new Promise((resolve, reject) => {
      // The requests that came in together have all been read before the immediate phase of the event loop.
      if (this.#pending.length === 0) setImmediate(() => this.#commitPending());
      this.#pending.push({ statements, resolve, reject });
    });
  }

  query(sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return Promise.resolve(this.#prepare(sql).all([...values]) as SqlRow[]);
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#commitPending();
      this.#closed = true;
      // A statement that is not finalised would keep the file, and its lock, open without a word.
      for (const statement of this.#prepared.values()) statement.finalize();
      this.#engine.close();
    }
    return Promise.resolve();
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
      this.#engine.exec('BEGIN IMMEDIATE');
      for (const { statements } of writes) {
        for (const { sql, values } of statements) this.#prepare(sql).run(values as SqlValue[]);
      }
      this.#engine.exec('COMMIT');
      return undefined;
    } catch (error) {
      // A full disk has rolled back already.
      if (this.#engine.inTransaction) this.#engine.exec('ROLLBACK');
      return error instanceof Error ? error : new Error(messageOf(error));
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
}
