import { after, type TestContext } from 'node:test';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { openTestDatabase } from '../../../testing/postgres.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import { connectRoomDatabase } from '../../nodes/database.ts';
import { PostgresRoomStore } from '../../store/postgres/store.ts';
import type { OpenStore } from './rules.ts';

/** Databases that tests have left: to make and migrate a new one would take most of a test's time. */
const left: string[] = [];

/** A migrated database of its own, without rows; closed after the test. */
export async function openRoomDatabase(t: Cleanup): Promise<Postgres> {
  const used = left.pop();
  const url = used ?? (await openTestDatabase()).url;
  const postgres = await openNewRoomDatabase(t, url);
  t.after(() => left.push(url));
  if (used) await empty(postgres);
  return postgres;
}

/** As {@link openRoomDatabase}, in a database that no test has used. */
export async function openNewRoomDatabase(t: Cleanup, url: string): Promise<Postgres> {
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const { postgres } = await connectRoomDatabase({ url, name: 'test', waitMs: 0, clock: systemClock, log });
  t.after(() => postgres.close());
  return postgres;
}

/** As after the migrations. */
async function empty(postgres: Postgres): Promise<void> {
  await postgres.query(`
    DO $$ BEGIN
      EXECUTE (
        SELECT 'TRUNCATE ' || string_agg(format('opsdeck.%I', tablename), ', ') || ' RESTART IDENTITY' FROM pg_tables
        WHERE schemaname = 'opsdeck' AND tablename NOT IN ('schema_version', 'change_pruned')
      );
      UPDATE opsdeck.change_pruned SET seq = 0;
      ALTER SEQUENCE opsdeck.lease_fence RESTART;
    END $$`);
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

/** Stores of a suite in one database, whose connections stay open; emptied for each. */
export function sharePostgresTestStore(): OpenStore {
  let shared: Promise<Postgres> | undefined;
  const closings: (() => unknown)[] = [];
  after(async () => {
    for (const close of closings) await close();
  });
  return async (t) => {
    shared ??= openRoomDatabase({ after: (close) => void closings.push(close) });
    const postgres = await shared;
    await empty(postgres);
    return { store: await openTestNode(t, postgres), reopen: () => openTestNode(t, postgres) };
  };
}
