import { type Clock, holdProcess } from '../clock.ts';
import { CommandError, ExitCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { Availability } from './availability.ts';
import { AwakeTime } from './awake-time.ts';
import { type Connection, Connector, type Row } from './connection.ts';
import { type ConnectionTarget, printTarget } from './connection-url.ts';
import { DatabaseClock } from './database-clock.ts';
import { Pool } from './pool.ts';
import { refusalOf } from './start-refusal.ts';
import { isReadOnly, isRepeatable, reasonOf, StorageAwayError } from './storage-error.ts';

export interface PostgresOptions {
  readonly target: ConnectionTarget;
  /** `opsdeck/<this>` is shown in pg_stat_activity. */
  readonly applicationName: string;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
  /** The time an unreachable database gets at the start, in milliseconds. */
  readonly waitMs: number;
}

export interface QueryOptions {
  /** Awake time for the whole call, in milliseconds; 2 s by default. More, for a load, takes a connection of its own. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 2_000;
const POOL_SIZE = 4;
const HEARTBEAT_MS = 1_000;
/** Between two attempts to reach a database that is away. */
const PROBE_MS = 500;
/** Before a statement is sent once more: no connection, or a deadlock. */
const RETRY_MS = 50;

/**
 * The message makes the heartbeat a durable commit: with a synchronous standby missing, reads are answered and commits hang. A
 * standby refuses it, so it is asked first.
 */
const HEARTBEAT = `
  SELECT clock_timestamp() AS at, current_setting('synchronous_commit') AS commits,
    CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN NULL
      ELSE pg_logical_emit_message(true, 'opsdeck', '')::text END AS written`;

interface Heartbeat {
  readonly at: number;
  readonly commits: string;
  readonly written: string | null;
}

/** Connects, and waits for an unreachable database; a CommandError is the one line to end with. */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const postgres = new Postgres(options);
  const release = holdProcess();
  try {
    await postgres.start(options.waitMs);
    return postgres;
  } catch (error) {
    await postgres.close();
    throw error;
  } finally {
    release();
  }
}

/** A PostgreSQL database, directly or behind a pooler in transaction mode. */
export class Postgres {
  readonly #target: ConnectionTarget;
  readonly #log: Log;
  readonly #base: Clock;
  readonly #connector: Connector;
  readonly #pool: Pool;
  /** Its own connection: busy statements must not delay it. */
  readonly #heartbeats: Pool;
  readonly #availability: Availability;
  readonly #clock: DatabaseClock;
  /** Time for deadlines of remote answers. */
  readonly awake: AwakeTime;
  #cancelHeartbeat = () => {};
  #isClosed = false;
  #weakness: string | undefined;

  constructor({ target, applicationName, clock, log }: PostgresOptions) {
    this.#target = target;
    this.#log = log;
    this.#base = clock;
    this.awake = new AwakeTime(clock);
    this.#connector = new Connector(target, `opsdeck/${applicationName}`, this.awake);
    this.#pool = new Pool(this.#connector, this.awake, POOL_SIZE);
    this.#heartbeats = new Pool(this.#connector, this.awake, 1);
    this.#clock = new DatabaseClock(clock, log);
    this.#availability = new Availability({ awake: this.awake, clock, log, place: printTarget(target) });
    this.#availability.subscribe((isUp) => {
      if (!isUp) this.#pool.clear();
    });
  }

  /** The database's time; timers are those of the machine. */
  get clock(): Clock {
    return this.#clock;
  }

  /** The machine's clock minus the database's, in milliseconds. */
  get skewMs(): number {
    return this.#clock.skewMs;
  }

  get isUp(): boolean {
    return this.#availability.isUp;
  }

  /** Milliseconds since the Unix epoch; undefined while it is up. */
  get awaySince(): number | undefined {
    return this.#availability.awaySince;
  }

  /** Why it is away; undefined while it is up. */
  get awayReason(): string | undefined {
    return this.isUp ? undefined : this.#availability.reason;
  }

  /** Why an acknowledged write may be lost, and what to set; undefined if none is. As of the start. */
  get weakness(): string | undefined {
    return this.#weakness;
  }

  /** Calls `listener` when the database goes away or is back; the returned function ends that. */
  subscribe(listener: (isUp: boolean) => void): () => void {
    return this.#availability.subscribe(listener);
  }

  /**
   * Runs one statement, which is one transaction and one round trip. Repeats it after a deadlock, and connects again, within the
   * deadline. While the database is away it rejects at once with a StorageAwayError; other errors are those of pg, with `code`.
   * int8 is a number, timestamptz milliseconds since the Unix epoch, bytea a Buffer; arrays are values too, for `unnest`.
   */
  async query<R = Row>(
    sql: string,
    values: readonly unknown[] = [],
    { deadlineMs = DEADLINE_MS }: QueryOptions = {},
  ): Promise<readonly R[]> {
    const deadlineAt = this.awake.now() + deadlineMs;
    for (;;) {
      this.#refuseWhileAway();
      try {
        return (await this.#once(sql, values, deadlineAt, deadlineMs)) as readonly R[];
      } catch (error) {
        const mayRepeat = isRepeatable(error) || (error instanceof StorageAwayError && !error.isUncertain);
        if (!mayRepeat || this.awake.now() + RETRY_MS >= deadlineAt) throw error;
      }
      await this.#pause(RETRY_MS);
    }
  }

  /**
   * A connection of its own, for LISTEN and for transactions; the caller ends it. Rejects with a StorageAwayError.
   * `statementTimeoutMs` is the server's limit, 5 s by default.
   */
  async connect(statementTimeoutMs?: number): Promise<Connection> {
    this.#refuseWhileAway();
    return this.#connector.open({
      deadlineAt: this.awake.now() + DEADLINE_MS,
      ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
    });
  }

  /** An error of the start as the one line to end with: of rights and the like, or that it cannot be reached. */
  explain(error: unknown): unknown {
    const isAway = error instanceof StorageAwayError;
    return refusalOf(error, this.#target) ?? (isAway ? this.#unreachable(error) : error);
  }

  /** Waits for statements under way, then closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelHeartbeat();
    await Promise.all([this.#pool.close(), this.#heartbeats.close()]);
    this.awake.close();
  }

  /** Waits for the database, then keeps up with it; {@link openPostgres} calls it. */
  async start(waitMs: number): Promise<void> {
    const { commits } = await this.#reach(waitMs);
    if (commits !== 'on' && !commits.startsWith('remote_')) {
      this.#weakness = `synchronous_commit is ${commits}: what was acknowledged is lost when PostgreSQL crashes; set it to on`;
      this.#log.warn(this.#weakness);
    }
    this.awake.onWake(() => {
      this.#clock.woke();
      // During a long sleep a firewall forgets connections: a heartbeat on one would find no answer.
      this.#pool.clear();
      this.#heartbeats.clear();
      this.#cancelHeartbeat();
      this.#keepBeating(0);
    });
    this.#keepBeating(HEARTBEAT_MS);
  }

  async #reach(waitMs: number): Promise<Heartbeat> {
    const place = printTarget(this.#target);
    const givenUpAt = this.awake.now() + waitMs;
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.#heartbeat();
      } catch (error) {
        const refusal = refusalOf(error, this.#target);
        if (refusal) throw refusal;
        if (this.awake.now() >= givenUpAt) throw this.#unreachable(error);
        if (isFirst) this.#log.warn('waiting for PostgreSQL', { database: place, reason: reasonOf(error) });
      }
      await this.#pause(Math.min(PROBE_MS, waitMs));
    }
  }

  #unreachable(cause: unknown): CommandError {
    const place = printTarget(this.#target);
    const sentence = `PostgreSQL at ${place} cannot be reached (${reasonOf(cause)}): start it, or correct the storage URL`;
    return new CommandError(sentence, ExitCode.unreachable, { cause });
  }

  #refuseWhileAway(): void {
    if (this.#isClosed) throw new StorageAwayError('the connection is closed', { isUncertain: false });
    if (!this.isUp) throw new StorageAwayError(this.#availability.reason, { isUncertain: false });
  }

  async #once(
    sql: string,
    values: readonly unknown[],
    deadlineAt: number,
    deadlineMs: number,
  ): Promise<readonly Row[]> {
    const run = (connection: Connection) => connection.query(sql, values, deadlineAt - this.awake.now());
    try {
      const rows = await (deadlineMs > DEADLINE_MS
        ? this.#alone(deadlineAt, deadlineMs, run)
        : this.#pool.use(deadlineAt, run));
      this.#availability.answered();
      return rows;
    } catch (error) {
      if (error instanceof StorageAwayError) this.#availability.failed(error.reason, isReadOnly(error.cause));
      else this.#availability.answered();
      throw error;
    }
  }

  async #alone<T>(
    deadlineAt: number,
    statementTimeoutMs: number,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const connection = await this.#connector.open({ deadlineAt, statementTimeoutMs });
    try {
      return await work(connection);
    } finally {
      await connection.end();
    }
  }

  #keepBeating(inMs: number): void {
    if (this.#isClosed) return;
    this.#cancelHeartbeat = this.#base.after(inMs, async () => {
      let isCurrent = true;
      this.#cancelHeartbeat = () => {
        isCurrent = false;
      };
      this.#availability.asked();
      const isAnswered = await this.#heartbeat().then(
        () => true,
        (error) => {
          this.#availability.failed(reasonOf(error), true);
          return false;
        },
      );
      if (isAnswered) this.#availability.confirmed();
      if (isCurrent) this.#keepBeating(isAnswered ? HEARTBEAT_MS : PROBE_MS);
    });
  }

  async #heartbeat(): Promise<Heartbeat> {
    const deadlineAt = this.awake.now() + DEADLINE_MS;
    return this.#heartbeats.use(deadlineAt, async (connection) => {
      const sentAt = this.#base.monotonic();
      const rows = await connection.query(HEARTBEAT, [], deadlineAt - this.awake.now());
      const heartbeat = rows[0] as unknown as Heartbeat;
      if (heartbeat.written === null) {
        // A new connection may lead to the new primary.
        connection.destroy();
        throw readOnly();
      }
      this.#clock.take({ databaseTime: heartbeat.at, sentAt, receivedAt: this.#base.monotonic() });
      return heartbeat;
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#base.after(ms, resolve));
  }
}

/** As PostgreSQL itself refuses a write. */
function readOnly(): StorageAwayError {
  const cause = Object.assign(new Error('it is read-only'), { code: '25006', severity: 'ERROR' });
  return new StorageAwayError(cause.message, { isUncertain: false, cause });
}
