import type { Database, Statement } from '../../../kernel/storage/database.ts';
import type { WriteReport } from '../../../kernel/storage/write-report.ts';
import type { LoggedNotification } from '../../domain/deduplication.ts';
import type { Evaluation } from '../pipeline.ts';
import type { HistoryQuery, NotificationHistory, NotificationRecord, StoredNotification } from './history.ts';

/** An entry of the notification log. */
export interface LogEntry extends LoggedNotification {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The result of one notification. */
export interface NotificationResult {
  readonly evaluation: Evaluation;
  /** Undefined: it failed. */
  readonly entry?: LogEntry | undefined;
  /** Undefined: nothing had to be sent. */
  readonly record?: NotificationRecord | undefined;
}

/** Where the notification log and the history lie. */
export interface NotificationStorage {
  /** Reports failing writes of the log. */
  readonly report: WriteReport;
  loadLog(): Promise<readonly LogEntry[]>;
  writeLog(entries: readonly LogEntry[]): Promise<void>;
  deleteLog(keys: readonly string[]): Promise<void>;
  /** The size of the log, in bytes. */
  countLogBytes(): Promise<number>;
  /** Writes entry and record together, in one commit with the alerts written in this turn. */
  writeResult(result: NotificationResult): Promise<void>;
  /** The history, newest first. */
  list(query: HistoryQuery): Promise<readonly StoredNotification[]>;
  /** Deletes old records of the history. */
  collectGarbage(now: number): Promise<void>;
}

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

/** Log and history in the data directory. */
export class LocalNotifications implements NotificationStorage {
  readonly #database: Database;
  readonly #history: NotificationHistory;

  readonly report: WriteReport;

  constructor(database: Database, history: NotificationHistory, report: WriteReport) {
    this.#database = database;
    this.#history = history;
    this.report = report;
  }

  async loadLog(): Promise<readonly LogEntry[]> {
    const rows = await this.#database.query(READ_ALL);
    return rows.flatMap(({ key, expires_at: expiresAt, content }) => {
      const notification = decodeNotification(Buffer.from(content as Uint8Array).toString());
      const entry = { key: Buffer.from(key as Uint8Array).toString(), expiresAt: Number(expiresAt), ...notification };
      // Written by 0.1.0 before any notification was sent.
      return entry.at === 0 ? [] : entry;
    });
  }

  writeLog(entries: readonly LogEntry[]): Promise<void> {
    return this.#database.write(entries.map(statementOf), 'system');
  }

  deleteLog(keys: readonly string[]): Promise<void> {
    return this.#database.write(
      keys.map((key) => ({ sql: DELETE, values: [Buffer.from(key)] })),
      'system',
    );
  }

  async countLogBytes(): Promise<number> {
    const [row] = await this.#database.query(COUNT_BYTES);
    return Number(row?.bytes ?? 0);
  }

  writeResult({ entry, record }: NotificationResult): Promise<void> {
    const statements: Statement[] = entry ? [statementOf(entry)] : [];
    if (record) statements.push(this.#history.add(record));
    return this.#database.write(statements, entry ? 'disk' : 'system');
  }

  list(query: HistoryQuery): Promise<readonly StoredNotification[]> {
    return this.#history.list(query);
  }

  collectGarbage(now: number): Promise<void> {
    return this.#history.collectGarbage(now);
  }
}

function statementOf(entry: LogEntry): Statement {
  return { sql: WRITE, values: [Buffer.from(entry.key), entry.expiresAt, Buffer.from(encodeNotification(entry))] };
}

/** A logged notification as JSON. */
export function encodeNotification({ at, firing, resolved, receiverData }: LoggedNotification): string {
  return JSON.stringify({ at, firing: [...firing], resolved: [...resolved], receiverData });
}

export function decodeNotification(text: string): LoggedNotification {
  const { at, firing, resolved, receiverData } = JSON.parse(text) as {
    readonly at: number;
    readonly firing: readonly string[];
    readonly resolved: readonly string[];
    readonly receiverData: LoggedNotification['receiverData'];
  };
  return { at, firing: new Set(firing), resolved: new Set(resolved), receiverData };
}
