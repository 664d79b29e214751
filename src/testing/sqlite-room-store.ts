import type { TestContext } from 'node:test';
import { createLog } from '../kernel/log.ts';
import { openRoomStore } from '../rooms/store/open-room-store.ts';
import type { RoomStore } from '../rooms/store/room-store.ts';
import { FakeClock } from './fake-clock.ts';
import { temporaryFolder } from './processes.ts';
import { START } from './room-store-parts.ts';
import type { StoreUnderTest } from './room-store-rules.ts';

export interface SqliteStoreUnderTest extends StoreUnderTest {
  readonly path: string;
  readonly clock: FakeClock;
}

/** A store in a folder of its own; both go with the test. */
export async function openTestStore(t: TestContext, path = temporaryFolder(t)): Promise<SqliteStoreUnderTest> {
  const clock = new FakeClock(START);
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: () => {} });
  let store: RoomStore | undefined;
  const open = async () => {
    await store?.close();
    const directory = { path, release() {} };
    store = await openRoomStore({ directory, clock, durability: 'full', log });
    return store;
  };
  t.after(() => store?.close());
  return { path, clock, store: await open(), reopen: open };
}
