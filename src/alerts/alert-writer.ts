import type { Clock } from '../kernel/clock.ts';
import type { Database, SqlValue, Statement } from '../kernel/database.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { AlertSlot } from './alert-slot.ts';
import { type Alert, printAnnotations } from './domain/alert.ts';
import { createLabelSet, fingerprintOf, labelsJson } from './domain/label-set.ts';

/**
 * What an alert says lies apart from its times: most posts repeat the one and move the other. Both tables are in the
 * order in which alerts came, so that those which are posted together lie together.
 */
export const ALERT_MIGRATION = `
  CREATE TABLE alerts (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
  CREATE TABLE alert_times (id INTEGER PRIMARY KEY, times TEXT NOT NULL)`;

const WRITE_CONTENT = `
  INSERT INTO alerts (id, content) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content`;
const WRITE_TIMES = `
  INSERT INTO alert_times (id, times) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET times = excluded.times`;
const READ_ALL = 'SELECT a.id, a.content, t.times FROM alerts a JOIN alert_times t ON t.id = a.id ORDER BY a.id';

/** Posts are repeated every minute, so the disk may follow behind: an alert is on it at most so long after its answer. */
const WRITE_BEHIND_MS = 500;
/** After a failed write, for instance on a full disk. */
const WRITE_RETRY_MS = 5_000;
/** Alerts in one transaction: about 10 ms of the event loop. */
const WRITE_BATCH = 2_000;

export interface StoredAlert {
  readonly id: number;
  readonly alert: Alert;
}

/** Keeps the disk behind the alert store. */
export class AlertWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  #changed = new Set<AlertSlot>();
  #removed = new Set<number>();
  #writing: Promise<void> | undefined;
  #timer: (() => void) | undefined;

  constructor(database: Database, clock: Clock, log: Log) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads what the disk holds, in the order of ids. */
  async load(): Promise<readonly StoredAlert[]> {
    const rows = await this.#database.query(READ_ALL);
    return rows.map(({ id, content, times }) => ({
      id: Number(id),
      alert: decodeAlert(content as Uint8Array, String(times)),
    }));
  }

  /** The alert of the slot has changed. */
  change(slot: AlertSlot): void {
    this.#changed.add(slot);
    this.#writeSoon(WRITE_BEHIND_MS);
  }

  /** The slot is no longer held. */
  remove(slot: AlertSlot): void {
    this.#changed.delete(slot);
    this.#removed.add(slot.id);
    this.#writeSoon(WRITE_BEHIND_MS);
  }

  /** Resolves when all that has changed is on disk; rejects when it cannot be written. */
  async flush(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    await this.#writing?.catch(() => {});
    await this.#write();
  }

  #writeSoon(delayMs: number): void {
    if (this.#timer || this.#writing) return;
    this.#timer = this.#clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#writing = this.#write()
        .then(
          () => WRITE_BEHIND_MS,
          (error) => {
            this.#log.error('alerts could not be written to disk; trying again', { err: messageOf(error) });
            return WRITE_RETRY_MS;
          },
        )
        .then((nextMs) => {
          this.#writing = undefined;
          if (this.#changed.size + this.#removed.size > 0) this.#writeSoon(nextMs);
        });
    });
  }

  async #write(): Promise<void> {
    while (this.#changed.size + this.#removed.size > 0) {
      const removed = takeSome(this.#removed);
      const changed = takeSome(this.#changed);
      const fresh = changed.filter((slot) => slot.hasNewContent);
      // Taken back now, and not afterwards: what changes while the write is under way is new again.
      for (const slot of fresh) slot.hasNewContent = false;
      const statements = [...removed.flatMap(deletionsOf), ...fresh.map(contentOf), ...changed.map(timesOf)];
      try {
        // Without an fsync: what a power cut takes of the last seconds, Prometheus posts again.
        await this.#database.write(statements, 'system');
      } catch (error) {
        for (const slot of fresh) slot.hasNewContent = true;
        for (const slot of changed) if (!this.#removed.has(slot.id)) this.#changed.add(slot);
        for (const id of removed) this.#removed.add(id);
        throw error;
      }
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
  const { labels, annotationsJson, generatorURL } = alert;
  const content = `{"labels":${labelsJson(labels)},"annotations":${annotationsJson},"generatorURL":${JSON.stringify(generatorURL)}}`;
  return { sql: WRITE_CONTENT, values: [id, Buffer.from(content)] };
}

function timesOf({ id, alert: { startsAt, endsAt, updatedAt, timeout } }: AlertSlot): Statement {
  const values: SqlValue[] = [id, `${startsAt} ${endsAt} ${updatedAt} ${Number(timeout)}`];
  return { sql: WRITE_TIMES, values };
}

function decodeAlert(content: Uint8Array, times: string): Alert {
  const stored = JSON.parse(Buffer.from(content).toString()) as {
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
    readonly generatorURL: string;
  };
  const [startsAt = 0, endsAt = 0, updatedAt = 0, timeout = 0] = times.split(' ').map(Number);
  const labels = createLabelSet(stored.labels);
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotationsJson: printAnnotations(stored.annotations),
    generatorURL: stored.generatorURL,
    startsAt,
    endsAt,
    updatedAt,
    timeout: timeout === 1,
  };
}
