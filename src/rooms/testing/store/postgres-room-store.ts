import type { TestContext } from 'node:test';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { openTestDatabase } from '../../../testing/postgres.ts';
import { connectRoomDatabase } from '../../nodes/database.ts';
import { PostgresRoomStore } from '../../store/postgres/store.ts';
import type { StoreUnderTest } from './rules.ts';

/** A migrated database of its own, closed after the test. */
export async function openRoomDatabase(t: TestContext, database = openTestDatabase()): Promise<Postgres> {
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

export async function openPostgresTestStore(t: TestContext): Promise<StoreUnderTest> {
  const postgres = await openRoomDatabase(t);
  return { store: await openTestNode(t, postgres), reopen: () => openTestNode(t, postgres) };
}
