// Several nodes on one database, in this process.
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { createLog, type Log } from '../../kernel/log.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { MemoryTickets } from '../authentication/tickets.ts';
import type { OpenStorage } from '../composition/storage.ts';
import { PostgresFileContents } from '../files/contents/postgres.ts';
import type { RoomNodes } from '../nodes/nodes.ts';
import { SharedJobs } from '../nodes/shared-jobs.ts';
import { SharedSignals } from '../nodes/signals.ts';
import { PostgresRoomStore } from '../store/postgres/store.ts';
import { openTestRooms, type TestRooms } from './app.ts';
import { openRoomDatabase } from './store/postgres-room-store.ts';

export interface TestNode {
  readonly rooms: TestRooms;
  readonly signals: SharedSignals;
  readonly incarnation: string;
  /** Of its jobs: each second of it renews their leases, and looks for those of lost nodes. */
  readonly clock: FakeClock;
}

/** Their rooms live in the time of this machine. */
export async function openTestNodes(t: TestContext, count: number) {
  const postgres = await openRoomDatabase(t);
  const nodes: TestNode[] = [];
  for (let index = 0; index < count; index++) nodes.push(await openTestNode(t, postgres));
  return { postgres, nodes: nodes as [TestNode, TestNode, ...TestNode[]] };
}

/** Fails at the first error that is logged. */
export const strictLog: Log = createLog({
  level: 'error',
  format: 'logfmt',
  clock: systemClock,
  write: (line) => {
    throw new Error(line);
  },
});

async function openTestNode(t: TestContext, postgres: Postgres): Promise<TestNode> {
  const clock = new FakeClock();
  const incarnation = crypto.randomUUID();
  const common = { postgres, incarnation, log: strictLog };
  const signals = new SharedSignals({ ...common, clock: systemClock });
  const store = new PostgresRoomStore({ ...common, clock: systemClock, announce: () => signals.announce() });
  const jobs = new SharedJobs({ ...common, clock });
  const nodes: RoomNodes = {
    ...{ away: undefined, weakness: undefined, violations: 0, secretKey: 'a key that only tests use' },
    ...{ jobs, signals, contents: new PostgresFileContents(store.queries) },
    start: () => signals.start(store.log),
    openTickets: (state) => new MemoryTickets({ clock: systemClock, state, random: randomBytes }),
    subscribe: () => {},
  };
  const close = async () => {
    await jobs.close();
    await signals.close();
    await store.close();
  };
  const storage: OpenStorage = {
    kind: 'postgres',
    store,
    nodes,
    clock: systemClock,
    dataDir: temporaryFolder(t),
    close,
  };
  const rooms = await openTestRooms(t, { storage });
  return { rooms, signals, incarnation, clock };
}

/** As if the nodes that hold leases had been silent for too long. */
export async function endLeases(postgres: Postgres): Promise<void> {
  await postgres.query("UPDATE opsdeck.lease SET lease_until = clock_timestamp() - interval '1 ms'");
}
