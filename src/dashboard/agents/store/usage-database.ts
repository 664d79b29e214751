import { hash } from 'node:crypto';
import type { Database, SqlValue, Statement } from '../../../kernel/storage/database.ts';
import type { AgentEvent, AgentId } from '../event.ts';
import type { EventRange, PageEnd } from './contract.ts';

/** Scripts of the schema; they bear to run twice, as another process may run them at the same time. */
export const MIGRATIONS = [
  `CREATE TABLE IF NOT EXISTS store (id INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;
   INSERT OR IGNORE INTO store VALUES (1, CAST(unixepoch('subsec') * 1000 AS INTEGER));
   CREATE TABLE IF NOT EXISTS file (
     path TEXT PRIMARY KEY, agent TEXT NOT NULL, inode REAL NOT NULL, size INTEGER NOT NULL, modifiedAt REAL NOT NULL,
     position INTEGER NOT NULL, tail INTEGER NOT NULL, isInLongLine INTEGER NOT NULL, reader TEXT NOT NULL,
     badLines INTEGER NOT NULL, longLines INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS model (
     agent TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (agent, name)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS event (
     id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, agent TEXT NOT NULL, at INTEGER NOT NULL, model TEXT NOT NULL,
     project TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cacheWrite INTEGER NOT NULL,
     cacheWriteHour INTEGER NOT NULL, cacheRead INTEGER NOT NULL, rank REAL NOT NULL, since INTEGER NOT NULL, version INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX IF NOT EXISTS eventByTime ON event (agent, at);
   CREATE INDEX IF NOT EXISTS eventByVersion ON event (agent, version);`,
];

/** How far a file is read. */
export interface FileState {
  readonly path: string;
  readonly agent: AgentId;
  readonly inode: number;
  /** In bytes, and its time of change in epoch milliseconds, when it was last read. */
  readonly size: number;
  readonly modifiedAt: number;
  /** The number of bytes that are done with. */
  readonly position: number;
  /** A checksum of the bytes before the position: in another file of this name they differ. */
  readonly tail: number;
  /** Whether the position lies in a line that is too long. */
  readonly isInLongLine: boolean;
  /** The state of the reader at the position. */
  readonly reader: string;
  /** Lines that were not understood. */
  readonly badLines: number;
  readonly longLines: number;
}

/** What is kept of each file in memory. */
export type FileMark = Pick<FileState, 'inode' | 'size' | 'modifiedAt' | 'position' | 'badLines' | 'longLines'>;

export interface BatchEvent {
  readonly agent: AgentId;
  readonly event: AgentEvent;
  /** Whether it replaces an event of the same key and rank: its file was read again as a whole. */
  readonly isNewer: boolean;
}

export interface StoredEvent extends PageEnd {
  readonly model: string;
  readonly project: string;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly cacheRead: number;
}

/** The longest model or project: both are names. */
const MAX_NAME_LENGTH = 200;
/** 96 bits: of ten million events no two are likely to share them by chance. */
const KEY_BYTES = 12;
const NEWEST: PageEnd = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

const PUT_EVENT = `
  INSERT INTO event (key, agent, at, model, project, input, output, cacheWrite, cacheWriteHour, cacheRead, rank, since,
    version)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, version FROM store WHERE true
  ON CONFLICT (key) DO UPDATE SET
    at = excluded.at, model = excluded.model, project = excluded.project, input = excluded.input,
    output = excluded.output, cacheWrite = excluded.cacheWrite, cacheWriteHour = excluded.cacheWriteHour,
    cacheRead = excluded.cacheRead, rank = excluded.rank, since = min(since, excluded.at), version = excluded.version
  WHERE excluded.rank > rank OR excluded.rank = rank AND excluded.at < at`;
/** The same, if an equal rank replaces, too. */
const REPLACE_EVENT = `${PUT_EVENT} OR excluded.rank = rank
  AND (excluded.at, excluded.model, excluded.project, excluded.input, excluded.output, excluded.cacheWrite,
    excluded.cacheWriteHour, excluded.cacheRead)
  IS NOT (at, model, project, input, output, cacheWrite, cacheWriteHour, cacheRead)`;
const PUT_FILE = `INSERT OR REPLACE INTO file (path, agent, inode, size, modifiedAt, position, tail, isInLongLine, reader,
  badLines, longLines) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The events and the state of files in a database, which other processes may use at the same time. */
export class UsageDatabase {
  readonly #database: Database;
  /** Models that are stored, as `agent name`. */
  readonly #models = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Commits events together with the state of their files. Rejects when nothing of it is written. Survives the end of the
   * process; what a power cut takes is read again.
   */
  async commit(files: readonly FileState[], events: readonly BatchEvent[]): Promise<void> {
    const statements: Statement[] = [];
    if (events.length > 0) statements.push({ sql: 'UPDATE store SET version = version + 1', values: [] });
    const models = new Set<string>();
    for (const { agent, event, isNewer } of events) {
      const values = valuesOf(agent, event);
      const model = `${agent} ${values[3]}`;
      if (!this.#models.has(model) && !models.has(model)) {
        models.add(model);
        statements.push({ sql: 'INSERT OR IGNORE INTO model VALUES (?, ?)', values: [agent, values[3] as string] });
      }
      statements.push({ sql: isNewer ? REPLACE_EVENT : PUT_EVENT, values });
    }
    for (const file of files) statements.push({ sql: PUT_FILE, values: valuesOfFile(file) });
    await this.#database.write(statements, 'system');
    for (const model of models) this.#models.add(model);
  }

  /** Rejects if the tables are not those of this program. */
  async check(): Promise<void> {
    await Promise.all([this.page('claude', {}, undefined, 1), this.changedFrom('claude', NEWEST.at), this.file('')]);
    if ((await this.version()) === 0) throw new Error('it has no version');
  }

  async version(): Promise<number> {
    const [row] = await this.#database.query('SELECT version FROM store');
    return Number(row?.version ?? 0);
  }

  /** By path. */
  async files(): Promise<Map<string, FileMark>> {
    const rows = await this.#database.query(
      'SELECT path, inode, size, modifiedAt, position, badLines, longLines FROM file',
    );
    return new Map(rows.map((row) => [String(row.path), markOf(row as unknown as FileMark)]));
  }

  async file(path: string): Promise<FileState | undefined> {
    const [row] = await this.#database.query('SELECT * FROM file WHERE path = ?', [path]);
    return row && { ...(row as unknown as FileState), isInLongLine: row.isInLongLine !== 0 };
  }

  async models(agent: AgentId): Promise<readonly string[]> {
    const rows = await this.#database.query('SELECT name FROM model WHERE agent = ?', [agent]);
    return rows.map(({ name }) => String(name));
  }

  async count(agent: AgentId, { startAt, endAt }: EventRange): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM event WHERE agent = ? AND at BETWEEN ? AND ?';
    const [row] = await this.#database.query(sql, [agent, startAt ?? 0, endAt ?? Number.MAX_SAFE_INTEGER]);
    return Number(row?.count ?? 0);
  }

  async changedFrom(agent: AgentId, version: number): Promise<number | undefined> {
    const sql = 'SELECT min(since) AS since FROM event WHERE agent = ? AND version > ?';
    const [row] = await this.#database.query(sql, [agent, version]);
    return row?.since === null ? undefined : Number(row?.since);
  }

  /** At most `limit` events of a range, newest first, those after the end of the page before. */
  async page(
    agent: AgentId,
    { startAt, endAt }: EventRange,
    after: PageEnd | undefined,
    limit: number,
  ): Promise<readonly StoredEvent[]> {
    const { at, id } = after ?? { ...NEWEST, at: endAt ?? NEWEST.at };
    const rows = await this.#database.query(
      `SELECT id, at, model, project, input, output, cacheWrite, cacheWriteHour, cacheRead FROM event
       WHERE agent = ? AND at >= ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?`,
      [agent, startAt ?? 0, at, id, limit],
    );
    return rows as unknown as readonly StoredEvent[];
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

function valuesOf(agent: AgentId, event: AgentEvent): readonly SqlValue[] {
  const key = hash('sha1', `${agent} ${event.key}`, 'buffer').subarray(0, KEY_BYTES);
  const { at, input, output, cacheWrite, cacheWriteHour, cacheRead, rank } = event;
  const tokens = [input, output, cacheWrite, cacheWriteHour, cacheRead];
  return [key, agent, at, nameOf(event.model), nameOf(event.project), ...tokens, rank, at];
}

/** A log may hold anything where a name belongs; U+0000 would not be stored. */
function nameOf(text: string): string {
  return text.slice(0, MAX_NAME_LENGTH).replaceAll('\0', '');
}

function valuesOfFile(file: FileState): readonly SqlValue[] {
  const { path, agent, inode, size, modifiedAt, position, tail, isInLongLine, reader, badLines, longLines } = file;
  return [path, agent, inode, size, modifiedAt, position, tail, Number(isInLongLine), reader, badLines, longLines];
}

export function markOf({ inode, size, modifiedAt, position, badLines, longLines }: FileMark): FileMark {
  return { inode, size, modifiedAt, position, badLines, longLines };
}
