import type { Clock } from '../kernel/clock.ts';
import type { Database, Statement } from '../kernel/database.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { type Alert, isResolvedAt, mergeAlerts, printAnnotations } from './domain/alert.ts';
import type { AlertStatus } from './domain/alert-status.ts';
import { createLabelSet, labelsJson } from './domain/label-set.ts';

/** Where the newest version of one alert is found; it stays the same object as long as the alert is held. */
export interface AlertSlot {
  alert: Alert;
  /** How the alert was last listed. */
  printed?: PrintedAlert;
}

/** The text of an alert, with all that it was made of: it serves as long as these are the same. */
export interface PrintedAlert {
  readonly alert: Alert;
  readonly silencedBy: readonly string[];
  readonly status: AlertStatus;
  readonly receiversJson: string;
  readonly text: string;
}

export interface AlertListener {
  /** `isNew`: no alert with these labels was held before. */
  put(slot: AlertSlot, isNew: boolean): void;
  removed(slot: AlertSlot): void;
}

/** An alert is one value: the database never searches in it, and what is not taken apart is written faster. */
export const ALERT_MIGRATION = 'CREATE TABLE alerts (fingerprint TEXT PRIMARY KEY, alert BLOB NOT NULL)';

const UPSERT = `
  INSERT INTO alerts (fingerprint, alert) VALUES (?, ?)
  ON CONFLICT (fingerprint) DO UPDATE SET alert = excluded.alert`;

/** Posts are repeated every minute, so the disk may follow behind: an alert is on it at most so long after its answer. */
const WRITE_BEHIND_MS = 500;
/** After a failed write, for instance on a full disk. */
const WRITE_RETRY_MS = 5_000;
/** Alerts in one transaction: about 10 ms of the event loop. */
const WRITE_BATCH = 2_000;

/** Every alert that is held, by fingerprint. It tells its listeners in the order in which they subscribed. */
export class AlertStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #slots = new Map<string, AlertSlot>();
  readonly #listeners: AlertListener[] = [];
  /** In the order of fingerprints; new slots wait until somebody lists. */
  #sorted: AlertSlot[] = [];
  #added: AlertSlot[] = [];
  /** Fingerprints whose alert, or whose absence, is not yet on disk. */
  #unwritten = new Set<string>();
  #writing: Promise<void> | undefined;
  #writeTimer: (() => void) | undefined;

  constructor(database: Database, clock: Clock, log: Log) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads what the disk holds and tells the listeners of it. Returns how many alerts that is. */
  async load(): Promise<number> {
    const rows = await this.#database.query('SELECT fingerprint, alert FROM alerts');
    for (const { fingerprint, alert } of rows) this.#hold(decodeAlert(String(fingerprint), alert as Uint8Array));
    return this.#slots.size;
  }

  subscribe(listener: AlertListener): void {
    this.#listeners.push(listener);
  }

  get size(): number {
    return this.#slots.size;
  }

  get(fingerprint: string): Alert | undefined {
    return this.#slots.get(fingerprint)?.alert;
  }

  /** Takes accepted alerts in, merging each with what is known of it. All is visible when this returns. */
  put(alerts: readonly Alert[]): void {
    for (const alert of alerts) {
      this.#hold(alert);
      this.#unwritten.add(alert.fingerprint);
    }
    this.#writeSoon(WRITE_BEHIND_MS);
  }

  /** Every alert, in the order of fingerprints. The array is not to be changed, and is current until the next put. */
  sorted(): readonly AlertSlot[] {
    if (this.#added.length > 0) {
      this.#sorted = mergeSorted(this.#sorted, this.#added.sort(bySlotFingerprint));
      this.#added = [];
    }
    return this.#sorted;
  }

  /** Forgets the alerts that are resolved; returns how many. */
  collectGarbage(now: number): number {
    const resolved = this.sorted().filter(({ alert }) => isResolvedAt(alert, now));
    if (resolved.length === 0) return 0;
    for (const slot of resolved) {
      this.#slots.delete(slot.alert.fingerprint);
      this.#unwritten.add(slot.alert.fingerprint);
      for (const listener of this.#listeners) listener.removed(slot);
    }
    this.#sorted = this.#sorted.filter(({ alert }) => this.#slots.has(alert.fingerprint));
    this.#writeSoon(WRITE_BEHIND_MS);
    return resolved.length;
  }

  /** Resolves when all that was put so far is on disk; rejects when it cannot be written. */
  async flush(): Promise<void> {
    this.#writeTimer?.();
    this.#writeTimer = undefined;
    await this.#writing?.catch(() => {});
    await this.#write();
  }

  #hold(alert: Alert): void {
    const known = this.#slots.get(alert.fingerprint);
    const slot = known ?? { alert };
    if (known) known.alert = keepTexts(known.alert, mergeAlerts(known.alert, alert));
    else {
      this.#slots.set(alert.fingerprint, slot);
      this.#added.push(slot);
    }
    for (const listener of this.#listeners) listener.put(slot, !known);
  }

  #writeSoon(delayMs: number): void {
    if (this.#writeTimer || this.#writing) return;
    this.#writeTimer = this.#clock.after(delayMs, () => {
      this.#writeTimer = undefined;
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
          if (this.#unwritten.size > 0) this.#writeSoon(nextMs);
        });
    });
  }

  async #write(): Promise<void> {
    while (this.#unwritten.size > 0) {
      const batch = [...this.#unwritten].slice(0, WRITE_BATCH);
      for (const fingerprint of batch) this.#unwritten.delete(fingerprint);
      try {
        // Without an fsync: what a power cut takes of the last seconds, Prometheus posts again.
        await this.#database.write(
          batch.map((fingerprint) => this.#statementFor(fingerprint)),
          'system',
        );
      } catch (error) {
        for (const fingerprint of batch) this.#unwritten.add(fingerprint);
        throw error;
      }
    }
  }

  #statementFor(fingerprint: string): Statement {
    const alert = this.#slots.get(fingerprint)?.alert;
    if (!alert) return { sql: 'DELETE FROM alerts WHERE fingerprint = ?', values: [fingerprint] };
    return { sql: UPSERT, values: [fingerprint, encodeAlert(alert)] };
  }
}

/** A post that repeats the texts of the last one keeps the old objects, so that the new ones do not grow old. */
function keepTexts(known: Alert, alert: Alert): Alert {
  return {
    ...alert,
    fingerprint: known.fingerprint,
    labels: known.labels,
    annotationsJson: known.annotationsJson === alert.annotationsJson ? known.annotationsJson : alert.annotationsJson,
    generatorURL: known.generatorURL === alert.generatorURL ? known.generatorURL : alert.generatorURL,
  };
}

/** Fingerprints are of one length and of hexadecimal digits: any order of texts is the order of bytes. */
function bySlotFingerprint(a: AlertSlot, b: AlertSlot): number {
  return a.alert.fingerprint < b.alert.fingerprint ? -1 : 1;
}

function mergeSorted(old: readonly AlertSlot[], added: readonly AlertSlot[]): AlertSlot[] {
  if (old.length === 0) return [...added];
  const merged: AlertSlot[] = [];
  let next = 0;
  for (const slot of old) {
    while (next < added.length && bySlotFingerprint(added[next] as AlertSlot, slot) < 0)
      merged.push(added[next++] as AlertSlot);
    merged.push(slot);
  }
  for (; next < added.length; next++) merged.push(added[next] as AlertSlot);
  return merged;
}

function encodeAlert({
  labels,
  annotationsJson,
  generatorURL,
  startsAt,
  endsAt,
  updatedAt,
  timeout,
}: Alert): Uint8Array {
  const times = `"startsAt":${startsAt},"endsAt":${endsAt},"updatedAt":${updatedAt},"timeout":${timeout}`;
  return Buffer.from(
    `{"labels":${labelsJson(labels)},"annotations":${annotationsJson},"generatorURL":${JSON.stringify(generatorURL)},${times}}`,
  );
}

interface StoredAlert extends Pick<Alert, 'generatorURL' | 'startsAt' | 'endsAt' | 'updatedAt' | 'timeout'> {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

function decodeAlert(fingerprint: string, bytes: Uint8Array): Alert {
  const { labels: pairs, annotations, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as StoredAlert;
  return {
    ...rest,
    fingerprint,
    labels: createLabelSet(pairs),
    annotationsJson: printAnnotations(annotations),
  };
}
