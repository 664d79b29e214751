import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { WRITE_RETRY_MS, WriteBehind } from '../../kernel/storage/write-behind.ts';
import { type Alert, isResolvedAt } from '../domain/alert.ts';
import type { AlertSlot } from '../store/slot.ts';
import { type AlertStorage, decodeContent, encodeContent, type StoredAlert } from '../store/storage.ts';
import { LOAD } from './load.ts';
import { reportFailures } from './report.ts';

/** Maximum delay from the answer to a post until other nodes can read it. */
const WRITE_BEHIND_MS = 250;
/** Alerts per statement: two or three milliseconds of the event loop. */
const MAX_BATCH = 250;

/** Two nodes write the same alerts in the same order, so that neither waits for the other in a circle. */
const WRITE = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[], $7::boolean[])
      AS t (fingerprint, content, starts_at, ends_at, updated_at, timeout, settled)
  ), written AS (
    INSERT INTO opsdeck.alert AS a SELECT * FROM input ORDER BY fingerprint
    ON CONFLICT (fingerprint) DO UPDATE
    SET (content, starts_at, ends_at, updated_at, timeout, settled) = (
      SELECT j.content, j.starts_at, j.ends_at, j.updated_at, j.timeout, j.settled
      FROM opsdeck.join_alerts(a, ROW(excluded.*)::opsdeck.alert) j)
    WHERE opsdeck.says_more(a, opsdeck.join_alerts(a, ROW(excluded.*)::opsdeck.alert))
    RETURNING a.*
  )
  SELECT count(*) AS written, opsdeck.log_changes(
    array_agg('alert'::text), array_agg(fingerprint),
    array_agg(concat_ws(' ', starts_at, ends_at, updated_at, timeout::int, settled::int, content))
  ) FROM written`;
const DELETE = `
  DELETE FROM opsdeck.alert WHERE settled AND fingerprint IN (
    SELECT fingerprint FROM opsdeck.alert WHERE fingerprint = ANY ($1::text[]) ORDER BY fingerprint FOR UPDATE)`;
const READ_ALL = `
  SELECT fingerprint, concat_ws(' ', starts_at, ends_at, updated_at, timeout::int, settled::int, content) AS body
  FROM opsdeck.alert`;

/** What PostgreSQL has of an alert. */
interface Stored {
  readonly alert: Alert;
  readonly isSettled: boolean;
}

/** Alerts in PostgreSQL, written behind, and only where a post says something new. */
export class ClusterAlerts implements AlertStorage {
  readonly #postgres: Postgres;
  readonly #behind: WriteBehind;
  readonly #stored = new Map<string, Stored>();
  readonly #changed = new Set<AlertSlot>();
  readonly #removed = new Set<string>();

  constructor(postgres: Postgres, clock: Clock, log: Log) {
    this.#postgres = postgres;
    this.#behind = new WriteBehind({
      clock,
      delayMs: WRITE_BEHIND_MS,
      retryMs: WRITE_RETRY_MS,
      isPending: () => this.#changed.size + this.#removed.size > 0,
      write: () => this.#write(),
      ...reportFailures('alerts', log),
    });
  }

  async load(): Promise<readonly StoredAlert[]> {
    const rows = await this.#postgres.query(READ_ALL, [], LOAD);
    this.#stored.clear();
    return rows.map(({ fingerprint, body }, index) => {
      const stored = decodeAlert(String(fingerprint), String(body));
      this.#stored.set(stored.alert.fingerprint, stored);
      return { id: index + 1, ...stored, isAnnounced: false };
    });
  }

  /** Reads a logged version; undefined when it is what this node has written. */
  receive(fingerprint: string, body: string): Stored | undefined {
    const known = this.#stored.get(fingerprint);
    if (known && encodeAlert(known) === body) return undefined;
    const stored = decodeAlert(fingerprint, body);
    this.#stored.set(fingerprint, stored);
    return stored;
  }

  /** Whether PostgreSQL has any version of the alert. */
  has(fingerprint: string): boolean {
    return this.#stored.has(fingerprint);
  }

  change(slot: AlertSlot): void {
    if (!saysMore(slot, this.#stored.get(slot.alert.fingerprint))) return;
    this.#changed.add(slot);
    this.#behind.soon();
  }

  remove(slot: AlertSlot): void {
    const { fingerprint } = slot.alert;
    this.#changed.delete(slot);
    this.#stored.delete(fingerprint);
    this.#removed.add(fingerprint);
    this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async writeNow(slots: readonly AlertSlot[]): Promise<void> {
    const changed = slots.filter((slot) => this.#changed.delete(slot));
    if (changed.length === 0) return;
    // A failed one is written with the next batch.
    await this.#writeSome(changed).catch(() => this.#behind.soon());
  }

  /** Stores those that say more than what PostgreSQL has; returns their number. */
  async import(alerts: readonly Stored[]): Promise<number> {
    let written = 0;
    for (let start = 0; start < alerts.length; start += MAX_BATCH) {
      written += await this.#merge(alerts.slice(start, start + MAX_BATCH));
    }
    return written;
  }

  async #write(): Promise<void> {
    while (this.#changed.size > 0) {
      const some = [...this.#changed].slice(0, MAX_BATCH);
      for (const slot of some) this.#changed.delete(slot);
      await this.#writeSome(some);
    }
    if (this.#removed.size === 0) return;
    const removed = [...this.#removed];
    await this.#postgres.query(DELETE, [removed]);
    for (const fingerprint of removed) this.#removed.delete(fingerprint);
  }

  async #writeSome(slots: readonly AlertSlot[]): Promise<void> {
    const written = slots.map(({ alert, isSettled }) => ({ alert, isSettled }));
    try {
      await this.#merge(written);
    } catch (error) {
      for (const slot of slots) if (!this.#removed.has(slot.alert.fingerprint)) this.#changed.add(slot);
      throw error;
    }
    // Until the feed brings the stored version.
    for (const stored of written) this.#stored.set(stored.alert.fingerprint, stored);
  }

  /** Returns the number of changed rows. */
  async #merge(alerts: readonly Stored[]): Promise<number> {
    const [result] = await this.#postgres.query<{ readonly written: number }>(WRITE, [
      alerts.map(({ alert }) => alert.fingerprint),
      alerts.map(({ alert }) => encodeContent(alert)),
      alerts.map(({ alert }) => alert.startsAt),
      alerts.map(({ alert }) => alert.endsAt),
      alerts.map(({ alert }) => alert.updatedAt),
      alerts.map(({ alert }) => alert.timeout),
      alerts.map(({ isSettled }) => isSettled),
    ]);
    return result?.written ?? 0;
  }
}

/**
 * Prometheus repeats every alert each minute to each node with a later end: written only when the end moves by more than a
 * third of the time that is left. The counterpart of says_more in schema.ts.
 */
export function saysMore(
  { alert, isSettled }: Pick<AlertSlot, 'alert' | 'isSettled'>,
  stored: Stored | undefined,
): boolean {
  if (!stored) return true;
  const { alert: known } = stored;
  if (alert.annotationsJson !== known.annotationsJson || alert.generatorURL !== known.generatorURL) return true;
  if (alert.startsAt !== known.startsAt || alert.timeout !== known.timeout || isSettled !== stored.isSettled)
    return true;
  const { updatedAt: now, endsAt } = alert;
  if (isResolvedAt(alert, now) !== isResolvedAt(known, now)) return true;
  return 3 * Math.abs(endsAt - known.endsAt) > Math.abs(endsAt - now);
}

/** As the statements above print it. */
function encodeAlert({ alert, isSettled }: Stored): string {
  const { startsAt, endsAt, updatedAt, timeout } = alert;
  return `${startsAt} ${endsAt} ${updatedAt} ${Number(timeout)} ${Number(isSettled)} ${encodeContent(alert)}`;
}

const BODY = /^(-?\d+) (-?\d+) (-?\d+) ([01]) ([01]) (.*)$/s;

function decodeAlert(fingerprint: string, body: string): Stored {
  const [, startsAt, endsAt, updatedAt, timeout, settled, content = '{}'] = BODY.exec(body) ?? [];
  const times = { startsAt: Number(startsAt), endsAt: Number(endsAt), updatedAt: Number(updatedAt) };
  return {
    alert: { fingerprint, ...decodeContent(content), ...times, timeout: timeout === '1' },
    isSettled: settled === '1',
  };
}
