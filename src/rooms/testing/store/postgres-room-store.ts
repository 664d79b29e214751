import { after, type TestContext } from 'node:test';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { openTestDatabase } from '../../../testing/postgres.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import { connectRoomDatabase } from '../../nodes/database.ts';
import { PostgresRoomStore } from '../../store/postgres/store.ts';
import type { OpenStore } from './rules.ts';

/** A migrated database of its own, closed after the test. */
export async function openRoomDatabase(t: Cleanup, database = openTestDatabase()): Promise<Postgres> {
  const { url } = await database;
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const { postgres } = await connectRoomDatabase({ url, name: 'test', waitMs: 0, clock: systemClock, log });
  t.after(() => postgres.close());
  return postgres;
}

export interface TestNodeOptions {
  readonly lines?: string[];
  readonly announce?: () => void;
  /** Of its timers. */
  readonly clock?: Clock;
}

/** A store of one of several nodes, loaded. */
export async function openTestNode(
  t: TestContext,
  postgres: Postgres,
  { lines = [], announce = () => {}, clock = systemClock }: TestNodeOptions = {},
): Promise<PostgresRoomStore> {
  const log = createLog({
    level: 'warn',
    format: 'logfmt',
    clock: systemClock,
    write: (line) => void lines.push(line),
  });
  const incarnation = crypto.randomUUID();
  const store = new PostgresRoomStore({ postgres, incarnation, clock, log, announce });
  t.after(() => store.close());
  await store.load();
  return store;
}

/** Removes all rows, as after the migrations. */
async function empty(postgres: Postgres): Promise<void> {
  const [found] = await postgres.query<{ tables: string }>(
    `SELECT string_agg(format('opsdeck.%I', tablename), ', ') AS tables
     FROM pg_tables WHERE schemaname = 'opsdeck' AND tablename LIKE 'room%'`,
  );
  await postgres.query(`TRUNCATE ${found?.tables} RESTART IDENTITY`);
}

/** Stores of a suite in one database, emptied for each: a new one takes most of the time of a test. */
export function sharePostgresTestStore(): OpenStore {
  let shared: Promise<Postgres> | undefined;
  const closings: (() => unknown)[] = [];
  after(() => Promise.all(closings.map((close) => close())));
  return async (t) => {
    shared ??= openRoomDatabase({ after: (close) => void closings.push(close) });
    const postgres = await shared;
    await empty(postgres);
    return { store: await openTestNode(t, postgres), reopen: () => openTestNode(t, postgres) };
  };
}
