import { type Clock, monotonicSeconds } from '../../../kernel/clock.ts';
import { Conditions } from '../../../kernel/conditions.ts';
import type { Log } from '../../../kernel/log.ts';
import { Distribution, REQUEST_BOUNDS_S } from '../../../kernel/metrics/distribution.ts';
import type { Database, Statement } from '../../../kernel/storage/database.ts';
import { WRITE_RETRY_MS, WriteBehind } from '../../../kernel/storage/write-behind.ts';
import { reportWrites } from '../../../kernel/storage/write-report.ts';
import type { LoggedNotification } from '../../domain/deduplication.ts';

export const NOTIFICATION_LOG_MIGRATION = `
  CREATE TABLE notification_log (
    key BLOB PRIMARY KEY, expires_at INTEGER NOT NULL, content BLOB NOT NULL
  ) WITHOUT ROWID`;

const WRITE = `
  INSERT INTO notification_log (key, expires_at, content) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, content = excluded.content`;
const READ_ALL = 'SELECT key, expires_at, content FROM notification_log';
const COUNT_BYTES = 'SELECT total(length(key) + length(content)) AS bytes FROM notification_log';
const DELETE = 'DELETE FROM notification_log WHERE key = ?';

/** One query in this many is timed, for all of them: reading the clock takes longer than the query. */
const TIMED_ONE_IN = 64;

interface Entry extends LoggedNotification {
  readonly expiresAt: number;
}

/** The key of an entry: group, receiver and integration. `index`: its place in the receiver's list of its kind. */
export interface LogKey {
  readonly groupKey: string;
  readonly receiver: string;
  readonly integration: string;
  readonly index: number;
}

/** A group key never contains a line feed: its label values are quoted. */
export function printLogKey({ groupKey, receiver, integration, index }: LogKey): string {
  return `${groupKey}\n${integration}/${index}/${receiver}`;
}

function groupKeyOf(logKey: string): string {
  return logKey.slice(0, logKey.indexOf('\n'));
}

/** The last notification of every group to every integration, on disk, so that a restart repeats none. */
export class NotificationLog {
  readonly #database: Database;
  readonly #entries = new Map<string, Entry>();
  readonly #busy = new Map<string, Promise<unknown>>();
  /** Counts and times look-ups. */
  readonly queries = new Distribution(REQUEST_BOUNDS_S);
  #lastQuerySeconds = 0;

  /** Entries whose write failed. */
  #unwritten = new Set<string>();
  readonly #behind: WriteBehind;

  constructor(database: Database, clock: Clock, log: Log, conditions = new Conditions()) {
    this.#database = database;
    this.#behind = new WriteBehind({
      clock,
      delayMs: WRITE_RETRY_MS,
      retryMs: WRITE_RETRY_MS,
      isPending: () => this.#unwritten.size > 0,
      write: () => this.#writeAgain(),
      ...reportWrites({ what: 'sent notifications', meanwhile: 'they are kept in memory', log, conditions }),
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  async load(): Promise<number> {
    for (const { key, expires_at: expiresAt, content } of await this.#database.query(READ_ALL)) {
      const entry = decodeEntry(content as Uint8Array, Number(expiresAt));
      if (entry) this.#entries.set(Buffer.from(key as Uint8Array).toString(), entry);
    }
    return this.#entries.size;
  }

  /** With expired entries that are not yet collected. */
  find(key: string): LoggedNotification | undefined {
    if (this.queries.count % TIMED_ONE_IN === 0) return this.#findTimed(key);
    this.queries.add(this.#lastQuerySeconds);
    return this.#entries.get(key);
  }

  #findTimed(key: string): LoggedNotification | undefined {
    const startedAt = monotonicSeconds();
    const entry = this.#entries.get(key);
    this.#lastQuerySeconds = monotonicSeconds() - startedAt;
    this.queries.add(this.#lastQuerySeconds);
    return entry;
  }

  /** Whether a notification is being sent for the key. */
  isBusy(key: string): boolean {
    return this.#busy.has(key);
  }

  /** Runs `send` after any earlier one with the same key. */
  async exclusively<T>(key: string, send: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(key);
    const running = before ? before.then(send, send) : send();
    this.#busy.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#busy.get(key) === running) this.#busy.delete(key);
    }
  }

  /** In force at once; returns the statement that stores it. */
  set(key: string, notification: LoggedNotification, expiresAt: number): Statement {
    // Field by field: V8 makes a hidden class of its own for each spread that more fields follow.
    const { at, firing, resolved, receiverData } = notification;
    const entry = { at, firing, resolved, receiverData, expiresAt };
    this.#entries.set(key, entry);
    return statementOf(key, entry);
  }

  /** The entry could not be written: it is retried until it is on disk. */
  writeLater(key: string): void {
    this.#unwritten.add(key);
    this.#behind.soon();
  }

  /** Writes the failed entries again; rejects when that fails. */
  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async #writeAgain(): Promise<void> {
    const keys = this.#unwritten;
    if (keys.size === 0) return;
    this.#unwritten = new Set();
    const statements: Statement[] = [];
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry) statements.push(statementOf(key, entry));
    }
    try {
      await this.#database.write(statements, 'system');
    } catch (error) {
      for (const key of keys) this.#unwritten.add(key);
      throw error;
    }
  }

  /**
   * Deletes expired entries, except those of existing groups: their resolved notifications must still be sent, and a later
   * notification must not reuse an idempotency key. Returns the number of deleted entries.
   */
  async collectGarbage(now: number, isAlive: (groupKey: string) => boolean): Promise<number> {
    const removed: Statement[] = [];
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now || isAlive(groupKeyOf(key))) continue;
      this.#entries.delete(key);
      removed.push({ sql: DELETE, values: [Buffer.from(key)] });
    }
    if (removed.length > 0) await this.#database.write(removed, 'system');
    return removed.length;
  }

  /** The size of the entries on disk, in bytes. */
  async countBytes(): Promise<number> {
    const [row] = await this.#database.query(COUNT_BYTES);
    return Number(row?.bytes ?? 0);
  }
}

function statementOf(key: string, entry: Entry): Statement {
  return { sql: WRITE, values: [Buffer.from(key), entry.expiresAt, encodeEntry(entry)] };
}

function encodeEntry({ at, firing, resolved, receiverData }: LoggedNotification): Uint8Array {
  return Buffer.from(JSON.stringify({ at, firing: [...firing], resolved: [...resolved], receiverData }));
}

interface StoredEntry {
  readonly at: number;
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
  readonly receiverData: LoggedNotification['receiverData'];
}

/** Undefined: written by 0.1.0 before any notification was sent. */
function decodeEntry(content: Uint8Array, expiresAt: number): Entry | undefined {
  const { at, firing, resolved, receiverData } = JSON.parse(Buffer.from(content).toString()) as StoredEntry;
  if (at === 0) return undefined;
  return { at, firing: new Set(firing), resolved: new Set(resolved), receiverData, expiresAt };
}
