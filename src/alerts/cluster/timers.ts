import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { decodeText, encodeText } from '../../kernel/postgres/text.ts';
import { WRITE_RETRY_MS, WriteBehind } from '../../kernel/storage/write-behind.ts';
import type { RememberedTimer, TimerStorage } from '../pipeline/group-timers.ts';
import { LOAD } from './load.ts';
import { reportFailures } from './report.ts';

const WRITE_BEHIND_MS = 250;
/** Timers per statement of an import. */
const MAX_BATCH = 1_000;

/** The first flush of a new group; later ones are written with the end of the flush before. What is stored stays. */
const WRITE = `
  INSERT INTO opsdeck.flush (id, next_at, flushed, in_doubt, lease_until, fence)
  SELECT id, to_timestamp(at / 1000), flushed, false, '-infinity', 0
  FROM unnest($1::text[], $2::float8[], $3::boolean[]) AS t (id, at, flushed) ORDER BY id
  ON CONFLICT (id) DO NOTHING RETURNING id`;
/** Of groups that no configuration has any more. */
const DELETE_OLD = `
  DELETE FROM opsdeck.flush WHERE owner IS NULL AND next_at < clock_timestamp() - interval '30 days'`;
const READ_ALL = 'SELECT id, next_at, flushed FROM opsdeck.flush';

interface FlushRow {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly next_at: number;
  readonly flushed: boolean;
}

/** Group timers of all nodes. */
export class ClusterTimers implements TimerStorage {
  readonly #postgres: Postgres;
  readonly #behind: WriteBehind;
  readonly #added = new Map<string, number>();

  constructor(postgres: Postgres, clock: Clock, log: Log) {
    this.#postgres = postgres;
    this.#behind = new WriteBehind({
      clock,
      delayMs: WRITE_BEHIND_MS,
      retryMs: WRITE_RETRY_MS,
      isPending: () => this.#added.size > 0,
      write: () => this.#write(),
      ...reportFailures('group timers', log),
    });
  }

  async load(): Promise<ReadonlyMap<string, RememberedTimer>> {
    await this.#postgres.query(DELETE_OLD, [], LOAD);
    const rows = await this.#postgres.query<FlushRow>(READ_ALL, [], LOAD);
    return new Map(rows.map(({ id, next_at: at, flushed }) => [decodeText(id), { at, isFlushed: flushed }]));
  }

  set(id: string, timer: RememberedTimer | undefined): void {
    if (!timer || timer.isFlushed) {
      this.#added.delete(id);
      return;
    }
    this.#added.set(id, timer.at);
    this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  /**
   * Stores the timers of groups that PostgreSQL does not know; returns their number. As at a restart, a group that was flushed
   * is due at once, as its last notification may not be recorded.
   */
  async import(timers: ReadonlyMap<string, RememberedTimer>): Promise<number> {
    const now = this.#postgres.clock.now();
    const due = [...timers].map(([id, { at, isFlushed }]) => [id, { at: isFlushed ? now : at, isFlushed }] as const);
    let written = 0;
    for (let start = 0; start < due.length; start += MAX_BATCH) {
      written += await this.#insert(due.slice(start, start + MAX_BATCH));
    }
    return written;
  }

  async #write(): Promise<void> {
    if (this.#added.size === 0) return;
    const added = [...this.#added];
    await this.#insert(added.map(([id, at]) => [id, { at, isFlushed: false }]));
    for (const [id, at] of added) if (this.#added.get(id) === at) this.#added.delete(id);
  }

  /** Returns the number of those that were not stored yet. */
  async #insert(timers: readonly (readonly [id: string, timer: RememberedTimer])[]): Promise<number> {
    const rows = await this.#postgres.query(WRITE, [
      timers.map(([id]) => encodeText(id)),
      timers.map(([, { at }]) => at),
      timers.map(([, { isFlushed }]) => isFlushed),
    ]);
    return rows.length;
  }
}
