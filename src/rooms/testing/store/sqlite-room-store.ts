import type { TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { createLog, type Log } from '../../../kernel/log.ts';
import { answerCalls, Caller, callerProxy } from '../../../kernel/threads/calls.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import type { RoomEngine } from '../../store/engine.ts';
import { reviveEngineError } from '../../store/engine-thread.ts';
import { type OpenEngine, openRoomStoreOn } from '../../store/open.ts';
import { openSqliteRoomEngine } from '../../store/sqlite/open.ts';
import type { RoomStore } from '../../store/store.ts';
import { START } from './parts.ts';
import type { StoreUnderTest } from './rules.ts';

export interface SqliteStoreUnderTest extends StoreUnderTest {
  readonly path: string;
  readonly clock: FakeClock;
}

export interface TestStoreOptions {
  readonly path?: string;
  /** Wraps the engine. */
  readonly wrap?: (engine: RoomEngine, log: Log) => OpenEngine;
}

/** An engine in this thread. */
export const direct = (engine: RoomEngine): OpenEngine => ({
  engine,
  died: new Promise(() => {}),
  end: async () => {},
});

/** The engine behind a port, in this thread. */
export function overPort(engine: RoomEngine, log: Log): OpenEngine {
  const { port1, port2 } = new MessageChannel();
  answerCalls(port1, engine);
  const caller = new Caller(port2, { log, revive: reviveEngineError });
  return { ...direct(callerProxy<RoomEngine>(caller)), end: async () => port1.close() };
}

/** A store in a new folder; both are removed after the test. */
export async function openTestStore(t: TestContext, options: TestStoreOptions = {}): Promise<SqliteStoreUnderTest> {
  const { path = temporaryFolder(t), wrap = direct } = options;
  const clock = new FakeClock(START);
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: () => {} });
  let store: RoomStore | undefined;
  const open = async () => {
    await store?.close();
    const engine = await openSqliteRoomEngine({ directory: { path }, durability: 'full', clock, log });
    store = await openRoomStoreOn(wrap(engine, log), { clock, log });
    return store;
  };
  t.after(() => store?.close());
  return { path, clock, store: await open(), reopen: open };
}
