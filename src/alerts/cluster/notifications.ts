import { Batches } from '../../kernel/batches.ts';
import type { Log } from '../../kernel/log.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { decodeText, encodeText } from '../../kernel/postgres/text.ts';
import type { WriteReport } from '../../kernel/storage/write-report.ts';
import { type Failure, failureOf } from '../pipeline/notification/health.ts';
import {
  type HistoryQuery,
  isConcernedBy,
  type NotificationRecord,
  type StoredNotification,
} from '../pipeline/notification/history.ts';
import { printLogKey } from '../pipeline/notification/log.ts';
import {
  decodeNotification,
  encodeNotification,
  type LogEntry,
  type NotificationResult,
  type NotificationStorage,
} from '../pipeline/notification/storage.ts';
import { LOAD } from './load.ts';
import { reportFailures } from './report.ts';

/** The fence of the claim on a group; undefined when PostgreSQL was away and no claim was needed. */
export type FenceOf = (result: NotificationResult) => { readonly id: string; readonly fence: number } | undefined;

/** A result with its fence. */
interface FencedResult {
  readonly entry?: LogEntry | undefined;
  readonly record?: NotificationRecord | undefined;
  readonly id: string | null;
  readonly fence: number | null;
}

/**
 * Results of a claim that has passed on are dropped: its new owner repeats the notification under the same key. Without a
 * claim the younger entry stays. A record is written once, also if the first answer was lost.
 */
const WRITE = `
  WITH entry AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
      AS t (id, fence, key, at, expires_at, body)
  ), record AS (
    SELECT * FROM unnest($7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::boolean[], $14::text[])
      AS t (id, fence, at, receiver, integration, group_key, failed, body)
  ), claim AS (
    SELECT id, fence FROM opsdeck.flush WHERE id = ANY ($1::text[] || $7::text[]) ORDER BY id FOR SHARE
  ), recorded AS (
    INSERT INTO opsdeck.history (at, receiver, integration, group_key, failed, body)
    SELECT at, receiver, integration, group_key, failed, body FROM record r
    WHERE (fence IS NULL OR EXISTS (SELECT FROM claim c WHERE c.id = r.id AND c.fence = r.fence)) AND NOT EXISTS (
      SELECT FROM opsdeck.history h WHERE (h.at, h.receiver, h.integration, h.group_key, h.body)
        = (r.at, r.receiver, r.integration, r.group_key, r.body))
    RETURNING id
  ), written AS (
    INSERT INTO opsdeck.notification AS n (key, at, expires_at, body)
    SELECT key, at, expires_at, body FROM entry e
    WHERE fence IS NULL OR EXISTS (SELECT FROM claim c WHERE c.id = e.id AND c.fence = e.fence)
    ORDER BY key
    ON CONFLICT (key) DO UPDATE SET at = excluded.at, expires_at = excluded.expires_at, body = excluded.body
    WHERE n.at <= excluded.at
    RETURNING key, expires_at, body
  ), counted AS (SELECT count(*) FROM recorded), change AS (
    SELECT 'notification' AS kind, key, expires_at || ' ' || body AS body FROM written
    UNION ALL SELECT 'failure', key, body FROM unnest($15::text[], $16::text[]) AS t (key, body)
  )
  SELECT (SELECT count FROM counted) AS recorded, opsdeck.log_changes(array_agg(kind), array_agg(key), array_agg(body))
  FROM change, counted`;

/** Maximum results in one statement. */
const MAX_BATCH = 500;
/** Records kept while PostgreSQL is away. */
const MAX_UNWRITTEN = 10_000;
/** Kept notifications. */
const MAX_RECORDS = 100_000;
/** Records read at once. */
const PAGE_SIZE = 200;

/** Of a record in the history: ids are in the order of writing, which is another after an outage or an import. */
type Place = Pick<StoredNotification, 'at' | 'id'>;

export interface ClusterNotificationsOptions {
  readonly fenceOf: FenceOf;
  /** How long records stay in the history, in milliseconds. */
  readonly retentionMs: number;
  /** The name of this node; undefined at an import. */
  readonly node: string | undefined;
  readonly log: Log;
}

/** Notification log and history of all nodes, in PostgreSQL. */
export class ClusterNotifications implements NotificationStorage {
  readonly report: WriteReport;
  readonly #postgres: Postgres;
  readonly #fenceOf: FenceOf;
  readonly #retentionMs: number;
  readonly #node: string | undefined;
  readonly #results: Batches<FencedResult, undefined>;
  /** Records of the time without PostgreSQL. */
  #unwritten: NotificationRecord[] = [];

  constructor(postgres: Postgres, { fenceOf, retentionMs, node, log }: ClusterNotificationsOptions) {
    this.report = reportFailures('sent notifications', log);
    this.#postgres = postgres;
    this.#fenceOf = fenceOf;
    this.#retentionMs = retentionMs;
    this.#node = node;
    this.#results = new Batches((results) => this.#writeAll(results), MAX_BATCH);
  }

  async loadLog(): Promise<readonly LogEntry[]> {
    const sql = 'SELECT key, expires_at || $1 || body AS body FROM opsdeck.notification';
    const rows = await this.#postgres.query(sql, [' '], LOAD);
    return rows.map(({ key, body }) => this.receive(String(key), String(body)));
  }

  /** Reads a logged entry. */
  receive(key: string, text: string): LogEntry {
    const space = text.indexOf(' ');
    const expiresAt = Number(text.slice(0, space));
    return { key: decodeText(key), expiresAt, ...decodeNotification(text.slice(space + 1)) };
  }

  /** Reads a failure. */
  receiveFailure(text: string): Failure {
    return JSON.parse(text) as Failure;
  }

  /** Entries that could not be written, with the records of the same time. */
  async writeLog(entries: readonly LogEntry[]): Promise<void> {
    const records = this.#unwritten;
    this.#unwritten = [];
    const unclaimed = { id: null, fence: null };
    try {
      await Promise.all([
        ...entries.map((entry) => this.#results.add({ entry, ...unclaimed })),
        ...records.map((record) => this.#results.add({ record, ...unclaimed })),
      ]);
    } catch (error) {
      this.#unwritten = [...records, ...this.#unwritten].slice(-MAX_UNWRITTEN);
      throw error;
    }
  }

  /** Stores entries that are new or younger than what PostgreSQL has; returns their number. */
  async importLog(entries: readonly LogEntry[]): Promise<number> {
    const known = new Map((await this.loadLog()).map(({ key, at }) => [key, at]));
    const fresh = entries.filter(({ key, at }) => at > (known.get(key) ?? Number.NEGATIVE_INFINITY));
    await this.#import(fresh.map((entry) => ({ entry, id: null, fence: null })));
    return fresh.length;
  }

  /** Stores records, oldest first, that PostgreSQL does not have; returns their number. */
  importHistory(records: readonly NotificationRecord[]): Promise<number> {
    return this.#import(records.map((record) => ({ record, id: null, fence: null })));
  }

  /** Returns the number of new records. */
  async #import(results: readonly FencedResult[]): Promise<number> {
    let recorded = 0;
    for (let start = 0; start < results.length; start += MAX_BATCH) {
      recorded += await this.#writeSome(results.slice(start, start + MAX_BATCH));
    }
    return recorded;
  }

  async deleteLog(keys: readonly string[]): Promise<void> {
    await this.#postgres.query('DELETE FROM opsdeck.notification WHERE key = ANY ($1::text[])', [keys.map(encodeText)]);
  }

  async countLogBytes(): Promise<number> {
    const sql = 'SELECT sum(length(key) + length(body))::bigint AS bytes FROM opsdeck.notification';
    const [row] = await this.#postgres.query(sql);
    return Number(row?.bytes ?? 0);
  }

  async writeResult(result: NotificationResult): Promise<void> {
    const { id = null, fence = null } = this.#fenceOf(result) ?? {};
    const { entry, record } = result;
    try {
      await this.#results.add({ entry, record, id, fence });
    } catch (error) {
      if (record) this.#unwritten.push(record);
      if (this.#unwritten.length > MAX_UNWRITTEN) this.#unwritten.shift();
      throw error;
    }
  }

  async list({ filter = [], limit, ...query }: HistoryQuery): Promise<readonly StoredNotification[]> {
    const found: StoredNotification[] = [];
    for (let before: Place = { at: Number.MAX_SAFE_INTEGER, id: 0 }; found.length < limit; ) {
      const page = await this.#readPage(query, before);
      found.push(...page.filter((record) => isConcernedBy(record, filter)));
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) break;
      before = last;
    }
    return found.slice(0, limit);
  }

  async collectGarbage(now: number): Promise<void> {
    await this.#postgres.query(
      'DELETE FROM opsdeck.history WHERE at < $1 OR id <= (SELECT max(id) FROM opsdeck.history) - $2::bigint',
      [now - this.#retentionMs, MAX_RECORDS],
    );
  }

  async #readPage(
    { receiver, integration, groupKey, since, failed }: Omit<HistoryQuery, 'filter' | 'limit'>,
    before: Place,
  ): Promise<readonly StoredNotification[]> {
    const rows = await this.#postgres.query(
      `SELECT id, at, receiver, integration, group_key, body FROM opsdeck.history
       WHERE (at, id) < ($1, $2) AND ($3::text IS NULL OR receiver = $3) AND ($4::text IS NULL OR integration = $4)
         AND ($5::text IS NULL OR group_key = $5) AND ($6::bigint IS NULL OR at >= $6)
         AND ($7::boolean IS NULL OR failed = $7)
       ORDER BY at DESC, id DESC LIMIT $8`,
      [
        before.at,
        before.id,
        receiver === undefined ? null : encodeText(receiver),
        integration ?? null,
        groupKey === undefined ? null : encodeText(groupKey),
        since ?? null,
        failed ?? null,
        PAGE_SIZE,
      ],
    );
    return rows.map((row) => ({
      ...(JSON.parse(String(row.body)) as NotificationRecord),
      id: Number(row.id),
      at: Number(row.at),
      receiver: decodeText(String(row.receiver)),
      integration: String(row.integration),
      groupKey: decodeText(String(row.group_key)),
    }));
  }

  async #writeAll(results: readonly FencedResult[]): Promise<readonly undefined[]> {
    await this.#writeSome(results);
    return results.map(() => undefined);
  }

  /** Returns the number of new records. */
  async #writeSome(results: readonly FencedResult[]): Promise<number> {
    const entries = results.flatMap(({ entry, id, fence }) => (entry ? { entry, id, fence } : []));
    const records = results.flatMap(({ record, id, fence }) => (record ? { record, id, fence } : []));
    const failures = records.flatMap(({ record }) =>
      record.error === undefined ? [] : failureOf(record, record.error),
    );
    const [result] = await this.#postgres.query<{ readonly recorded: number }>(WRITE, [
      entries.map(({ id }) => id),
      entries.map(({ fence }) => fence),
      entries.map(({ entry }) => encodeText(entry.key)),
      entries.map(({ entry }) => entry.at),
      entries.map(({ entry }) => entry.expiresAt),
      entries.map(({ entry }) => encodeNotification(entry)),
      records.map(({ id }) => id),
      records.map(({ fence }) => fence),
      records.map(({ record }) => record.at),
      records.map(({ record }) => encodeText(record.receiver)),
      records.map(({ record }) => record.integration),
      records.map(({ record }) => encodeText(record.groupKey)),
      records.map(({ record }) => record.error !== undefined),
      records.map(({ record: { at, receiver, integration, groupKey, ...rest } }) =>
        JSON.stringify({ ...rest, node: this.#node }),
      ),
      failures.map((failure) => encodeText(printLogKey(failure))),
      failures.map((failure) => JSON.stringify(failure)),
    ]);
    return result?.recorded ?? 0;
  }
}
