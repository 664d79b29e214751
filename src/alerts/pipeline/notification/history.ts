import type { Database, SqlRow, SqlValue, Statement } from '../../../kernel/storage/database.ts';
import { filterMatches, type Matcher } from '../../domain/matcher/matcher.ts';
import type { NotificationReason, Pairs } from '../../domain/notification.ts';

export const NOTIFICATION_HISTORY_MIGRATION = `
  CREATE TABLE notification_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, receiver BLOB NOT NULL, integration TEXT NOT NULL,
    group_key BLOB NOT NULL, failed INTEGER NOT NULL, content BLOB NOT NULL
  );
  CREATE INDEX notification_history_at ON notification_history (at)`;

const WRITE = `
  INSERT INTO notification_history (at, receiver, integration, group_key, failed, content) VALUES (?, ?, ?, ?, ?, ?)`;
const DELETE_OLD = 'DELETE FROM notification_history WHERE at < ?';
const DELETE_SURPLUS = `
  DELETE FROM notification_history WHERE id <= (SELECT max(id) FROM notification_history) - ?`;

/** Two queries: SQLite answers min and max in one only by a scan. */
const ENDS = `
  SELECT (SELECT min(id) FROM notification_history) AS first, (SELECT max(id) FROM notification_history) AS last`;

/** Kept notifications. */
const MAX_RECORDS = 100_000;
/** Records read per turn of the event loop. */
const PAGE_SIZE = 200;
/** Named alerts per record. */
export const MAX_NAMED_ALERTS = 20;

/** A notification to one integration, sent or failed. Instants are epoch milliseconds. */
export interface NotificationRecord {
  readonly at: number;
  readonly receiver: string;
  readonly integration: string;
  readonly index: number;
  readonly groupKey: string;
  readonly groupLabels: Pairs;
  readonly reason: NotificationReason;
  readonly attempts: number;
  readonly durationMs: number;
  readonly firing: number;
  readonly resolved: number;
  /** At most MAX_NAMED_ALERTS of them. */
  readonly alerts: readonly NamedAlert[];
  /** Undefined: it was sent. */
  readonly error: string | undefined;
  /** The node that sent it; undefined where there is only one. */
  readonly node?: string;
  /** The fields in which other words stood for a template, and its errors; undefined: all could be rendered. */
  readonly templateError?: string | undefined;
}

export interface NamedAlert {
  readonly fingerprint: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Pairs;
}

export interface HistoryQuery {
  readonly receiver?: string | undefined;
  readonly integration?: string | undefined;
  readonly groupKey?: string | undefined;
  /** Epoch milliseconds. */
  readonly since?: number | undefined;
  readonly failed?: boolean | undefined;
  /** All must match the labels of the group, or of one alert that the record names. */
  readonly filter?: readonly Matcher[];
  readonly limit: number;
}

export type StoredNotification = NotificationRecord & { readonly id: number };

/** The notifications of the last days: what was sent, when and why. */
export class NotificationHistory {
  readonly #database: Database;
  readonly #retentionMs: number;
  readonly #mostRecords: number;

  constructor(database: Database, retentionMs: number, mostRecords = MAX_RECORDS) {
    this.#database = database;
    this.#retentionMs = retentionMs;
    this.#mostRecords = mostRecords;
  }

  /** The statement that stores the record. */
  add({ at, receiver, integration, groupKey, error, ...rest }: NotificationRecord): Statement {
    const content = Buffer.from(JSON.stringify({ error, ...rest }));
    const values = [
      at,
      Buffer.from(receiver),
      integration,
      Buffer.from(groupKey),
      Number(error !== undefined),
      content,
    ];
    return { sql: WRITE, values };
  }

  /** Newest first. Reads page by page, yielding in between, as a filter may pass over many records. */
  async list({ filter = [], limit, ...query }: HistoryQuery): Promise<readonly StoredNotification[]> {
    const found: StoredNotification[] = [];
    const [ends] = await this.#database.query(ENDS);
    for (let before = Number(ends?.last ?? 0) + 1; before > Number(ends?.first ?? before); before -= PAGE_SIZE) {
      const page = await this.#readPage(query, before, filter.length > 0 ? PAGE_SIZE : limit - found.length);
      found.push(...page.filter((record) => filter.length === 0 || isConcernedBy(record, filter)));
      if (found.length >= limit) break;
      await new Promise<void>((done) => setImmediate(done));
    }
    return found.slice(0, limit);
  }

  /** At most `limit` records of the page that ends before this id. */
  async #readPage(
    query: Omit<HistoryQuery, 'filter' | 'limit'>,
    before: number,
    limit: number,
  ): Promise<readonly StoredNotification[]> {
    const conditions = ['id < ?', 'id >= ?'];
    const values: SqlValue[] = [before, before - PAGE_SIZE];
    const ask = (condition: string, value: SqlValue | undefined) => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    ask('receiver = ?', query.receiver === undefined ? undefined : Buffer.from(query.receiver));
    ask('integration = ?', query.integration);
    ask('group_key = ?', query.groupKey === undefined ? undefined : Buffer.from(query.groupKey));
    // The unary plus makes SQLite use the ids and not the index of times.
    ask('+at >= ?', query.since);
    ask('failed = ?', query.failed === undefined ? undefined : Number(query.failed));
    const rows = await this.#database.query(
      `SELECT id, at, receiver, integration, group_key, content FROM notification_history
       WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ?`,
      [...values, limit],
    );
    return rows.map(decodeRecord);
  }

  /** Deletes records beyond the retention or MAX_RECORDS. */
  async collectGarbage(now: number): Promise<void> {
    await this.#database.write(
      [
        { sql: DELETE_OLD, values: [now - this.#retentionMs] },
        { sql: DELETE_SURPLUS, values: [this.#mostRecords] },
      ],
      'system',
    );
  }
}

function decodeRecord(row: SqlRow): StoredNotification {
  return {
    ...(JSON.parse(Buffer.from(row.content as Uint8Array).toString()) as NotificationRecord),
    id: Number(row.id),
    at: Number(row.at),
    receiver: Buffer.from(row.receiver as Uint8Array).toString(),
    integration: String(row.integration),
    groupKey: Buffer.from(row.group_key as Uint8Array).toString(),
  };
}

/** Whether all matchers match the group, or one alert that the record names. */
export function isConcernedBy({ alerts, groupLabels }: NotificationRecord, matchers: readonly Matcher[]): boolean {
  const sets = [groupLabels, ...alerts.map(({ labels }) => labels)];
  return sets.some((labels) =>
    matchers.every((matcher) =>
      filterMatches(matcher, Object.hasOwn(labels, matcher.name) ? labels[matcher.name] : undefined),
    ),
  );
}
