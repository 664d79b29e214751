import type { Clock } from '../../kernel/clock.ts';
import { Conditions } from '../../kernel/conditions.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database, SqlValue, Statement } from '../../kernel/storage/database.ts';
import { WRITE_RETRY_MS, WriteBehind } from '../../kernel/storage/write-behind.ts';
import { reportWrites } from '../../kernel/storage/write-report.ts';
import type { Alert } from '../domain/alert.ts';
import { fingerprintOf } from '../domain/label-set.ts';
import type { AlertSlot } from './slot.ts';
import { type AlertStorage, decodeContent, encodeContent, type StoredAlert } from './storage.ts';

/**
 * Texts and times are in separate tables: most posts repeat the texts and move the times. Both tables are in the order of
 * arrival, so that alerts that are posted together lie together.
 */
export const ALERT_MIGRATION = `
  CREATE TABLE alerts (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
  CREATE TABLE alert_times (id INTEGER PRIMARY KEY, times TEXT NOT NULL)`;

/** One of the marks: with `settled`, every group has sent the resolved notification, and none does so after a restart. */
export const SETTLED_MIGRATION = 'ALTER TABLE alert_times ADD COLUMN settled INTEGER NOT NULL DEFAULT 0';

/** The values of the column `settled`: nothing was sent, settled, or a notification may have been sent. */
const MARKS = { none: 0, settled: 1, announced: 2 };

const WRITE_CONTENT = `
  INSERT INTO alerts (id, content) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content`;
const WRITE_TIMES = `
  INSERT INTO alert_times (id, times, settled) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET times = excluded.times, settled = excluded.settled`;
const READ_ALL =
  'SELECT a.id, a.content, t.times, t.settled FROM alerts a JOIN alert_times t ON t.id = a.id ORDER BY a.id';

/** Maximum delay from the answer to a post until it is on disk; posts are repeated every minute. */
const WRITE_BEHIND_MS = 500;
/** Alerts per transaction: two or three milliseconds of the event loop. */
const WRITE_BATCH = 500;

/** Writes the alert store to the data directory, in the background. */
export class AlertWriter implements AlertStorage {
  readonly #database: Database;
  readonly #behind: WriteBehind;
  #changed = new Set<AlertSlot>();
  #removed = new Set<number>();

  constructor(database: Database, clock: Clock, log: Log, conditions = new Conditions()) {
    this.#database = database;
    this.#behind = new WriteBehind({
      clock,
      delayMs: WRITE_BEHIND_MS,
      retryMs: WRITE_RETRY_MS,
      isPending: () => this.#changed.size + this.#removed.size > 0,
      write: () => this.#write(),
      ...reportWrites({ what: 'alerts', meanwhile: 'they are kept in memory and notified', log, conditions }),
    });
  }

  async load(): Promise<readonly StoredAlert[]> {
    const rows = await this.#database.query(READ_ALL);
    return rows.map(({ id, content, times, settled }) => ({
      id: Number(id),
      alert: decodeAlert(content as Uint8Array, String(times)),
      isSettled: settled === MARKS.settled,
      isAnnounced: settled === MARKS.announced,
    }));
  }

  change(slot: AlertSlot): void {
    this.#changed.add(slot);
    this.#behind.soon();
  }

  remove(slot: AlertSlot): void {
    this.#changed.delete(slot);
    this.#removed.add(slot.id);
    this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async writeNow(slots: readonly AlertSlot[]): Promise<void> {
    const changed = slots.filter((slot) => this.#changed.delete(slot));
    if (changed.length === 0) return;
    try {
      await this.#commit(changed, []);
    } catch {
      // The next attempt logs the reason if it fails too.
      this.#behind.soon();
    }
  }

  async #write(): Promise<void> {
    while (this.#changed.size + this.#removed.size > 0) {
      await this.#commit(takeSome(this.#changed), takeSome(this.#removed));
    }
  }

  async #commit(changed: readonly AlertSlot[], removed: readonly number[]): Promise<void> {
    const fresh = changed.filter((slot) => slot.hasNewContent);
    // Cleared before the write: a change during it counts as new.
    for (const slot of fresh) slot.hasNewContent = false;
    const statements = [...removed.flatMap(deletionsOf), ...fresh.map(contentOf), ...changed.map(timesOf)];
    try {
      // Without an fsync: Prometheus posts again what a power cut takes.
      await this.#database.write(statements, 'system');
    } catch (error) {
      for (const slot of fresh) slot.hasNewContent = true;
      for (const slot of changed) if (!this.#removed.has(slot.id)) this.#changed.add(slot);
      for (const id of removed) this.#removed.add(id);
      throw error;
    }
  }
}

function takeSome<T>(items: Set<T>): readonly T[] {
  const some: T[] = [];
  for (const item of items) {
    if (some.length === WRITE_BATCH) break;
    some.push(item);
    items.delete(item);
  }
  return some;
}

function deletionsOf(id: number): readonly Statement[] {
  return ['alerts', 'alert_times'].map((table) => ({ sql: `DELETE FROM ${table} WHERE id = ?`, values: [id] }));
}

function contentOf({ id, alert }: AlertSlot): Statement {
  return { sql: WRITE_CONTENT, values: [id, Buffer.from(encodeContent(alert))] };
}

function timesOf({ id, isSettled, isAnnounced, alert }: AlertSlot): Statement {
  const { startsAt, endsAt, updatedAt, timeout } = alert;
  const unsettled = isAnnounced ? MARKS.announced : MARKS.none;
  const mark = isSettled ? MARKS.settled : unsettled;
  const values: SqlValue[] = [id, `${startsAt} ${endsAt} ${updatedAt} ${Number(timeout)}`, mark];
  return { sql: WRITE_TIMES, values };
}

function decodeAlert(bytes: Uint8Array, times: string): Alert {
  const [startsAt = 0, endsAt = 0, updatedAt = 0, timeout = 0] = times.split(' ').map(Number);
  const content = decodeContent(Buffer.from(bytes).toString());
  return {
    fingerprint: fingerprintOf(content.labels),
    ...content,
    startsAt,
    endsAt,
    updatedAt,
    timeout: timeout === 1,
  };
}
