import type { Clock } from '../../kernel/clock.ts';
import { Conditions } from '../../kernel/conditions.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database, Statement } from '../../kernel/storage/database.ts';
import { WRITE_RETRY_MS, WriteBehind } from '../../kernel/storage/write-behind.ts';
import { reportWrites } from '../../kernel/storage/write-report.ts';

export const GROUP_TIMERS_MIGRATION =
  'CREATE TABLE group_timers (id BLOB PRIMARY KEY, next_flush_at INTEGER NOT NULL) WITHOUT ROWID';

/** Whether a group has been flushed. Groups of 0.1.0, which did not store it, count as flushed: they are evaluated at once. */
export const GROUP_FLUSHED_MIGRATION = 'ALTER TABLE group_timers ADD COLUMN flushed INTEGER NOT NULL DEFAULT 1';

const WRITE = `
  INSERT INTO group_timers (id, next_flush_at, flushed) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET next_flush_at = excluded.next_flush_at, flushed = excluded.flushed`;
const DELETE = 'DELETE FROM group_timers WHERE id = ?';

const WRITE_BEHIND_MS = 500;
/** Timers per transaction: two or three milliseconds of the event loop. */
const WRITE_BATCH = 500;

/** The stored timer of a group. */
export interface RememberedTimer {
  /** Its next flush; epoch milliseconds. */
  readonly at: number;
  /** Whether there was one before. */
  readonly isFlushed: boolean;
}

/** Undefined: the group is gone. */
type Timer = readonly [id: string, timer: RememberedTimer | undefined];

/** Where the next flush of each group is kept, for a restart. */
export interface TimerStorage {
  /** By group id. */
  load(): Promise<ReadonlyMap<string, RememberedTimer>>;
  /** Undefined: the group is gone. */
  set(id: string, timer: RememberedTimer | undefined): void;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

/** Group timers in the data directory. */
export class GroupTimers implements TimerStorage {
  readonly #database: Database;
  readonly #behind: WriteBehind;
  /** By the id of the group; undefined: the group is gone. */
  readonly #changed = new Map<string, RememberedTimer | undefined>();

  constructor(database: Database, clock: Clock, log: Log, conditions = new Conditions()) {
    this.#database = database;
    this.#behind = new WriteBehind({
      clock,
      delayMs: WRITE_BEHIND_MS,
      retryMs: WRITE_RETRY_MS,
      isPending: () => this.#changed.size > 0,
      write: () => this.#write(),
      ...reportWrites({ what: 'group timers', meanwhile: 'they are kept in memory', log, conditions }),
    });
  }

  async load(): Promise<ReadonlyMap<string, RememberedTimer>> {
    const rows = await this.#database.query('SELECT id, next_flush_at, flushed FROM group_timers');
    return new Map(
      rows.map(({ id, next_flush_at: at, flushed }) => [
        Buffer.from(id as Uint8Array).toString(),
        { at: Number(at), isFlushed: flushed === 1 },
      ]),
    );
  }

  set(id: string, timer: RememberedTimer | undefined): void {
    this.#changed.set(id, timer);
    this.#behind.soon();
  }

  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async #write(): Promise<void> {
    while (this.#changed.size > 0) {
      const changed = this.#takeSome();
      try {
        await this.#database.write(changed.map(statementOf), 'system');
      } catch (error) {
        // Changes made meanwhile are newer.
        for (const [id, timer] of changed) if (!this.#changed.has(id)) this.#changed.set(id, timer);
        throw error;
      }
    }
  }

  #takeSome(): readonly Timer[] {
    const some: Timer[] = [];
    for (const timer of this.#changed) {
      if (some.length === WRITE_BATCH) break;
      some.push(timer);
      this.#changed.delete(timer[0]);
    }
    return some;
  }
}

function statementOf([id, timer]: Timer): Statement {
  const key = Buffer.from(id);
  return timer ? { sql: WRITE, values: [key, timer.at, Number(timer.isFlushed)] } : { sql: DELETE, values: [key] };
}
