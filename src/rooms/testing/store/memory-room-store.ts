import type { Clock } from '../../../kernel/clock.ts';
import { createLog, type Log } from '../../../kernel/log.ts';
import { type DatabaseFile, openMemoryDatabase } from '../../../kernel/storage/database.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { openRoomStoreOn } from '../../store/open.ts';
import { SqliteRoomEngine } from '../../store/sqlite/engine.ts';
import { MIGRATIONS } from '../../store/sqlite/schema.ts';
import type { RoomStore } from '../../store/store.ts';
import { START } from './parts.ts';
import type { StoreUnderTest } from './rules.ts';
import { direct } from './sqlite-room-store.ts';

/** The tables of rooms in memory. They outlive the stores that are opened on them, as a file does. */
export function makeRoomTables(): DatabaseFile {
  const database = openMemoryDatabase(MIGRATIONS);
  return {
    write: (...args) => database.write(...args),
    writeNow: (...args) => database.writeNow(...args),
    query: (...args) => database.query(...args),
    copy: (file) => database.copy(file),
    close: async () => {},
  };
}

export async function openMemoryRoomStore(database: DatabaseFile, clock: Clock, log: Log): Promise<RoomStore> {
  const engine = new SqliteRoomEngine({ database, durability: 'off', clock, log });
  await engine.open();
  return openRoomStoreOn(direct(engine), { clock, log });
}

export async function openMemoryTestStore(): Promise<StoreUnderTest> {
  const clock = new FakeClock(START);
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: () => {} });
  const tables = makeRoomTables();
  let store = await openMemoryRoomStore(tables, clock, log);
  return {
    store,
    async reopen() {
      await store.close();
      store = await openMemoryRoomStore(tables, clock, log);
      return store;
    },
  };
}
