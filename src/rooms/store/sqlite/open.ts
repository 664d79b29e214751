import type { DataDirectory } from '../../../kernel/storage/data-directory.ts';
import { openDatabase } from '../../../kernel/storage/database.ts';
import { hasJournal } from '../earlier-journal.ts';
import type { RoomEngine } from '../engine.ts';
import { type SqliteEngineParts, SqliteRoomEngine } from './engine.ts';
import { MIGRATIONS } from './schema.ts';

export interface RoomEngineOptions extends Omit<SqliteEngineParts, 'database'> {
  /** Owned by this process. */
  readonly directory: Pick<DataDirectory, 'path'>;
}

/** Opens or creates `rooms.sqlite` in the data directory; fails with a CommandError. */
export async function openSqliteRoomEngine({
  directory,
  durability,
  clock,
  log,
}: RoomEngineOptions): Promise<RoomEngine> {
  const database = await openDatabase({
    directory: { path: directory.path, release() {} },
    name: 'rooms.sqlite',
    migrations: MIGRATIONS,
  });
  const engine = new SqliteRoomEngine({ database, durability, clock, log });
  try {
    await engine.open();
    if (hasJournal(directory.path)) await engine.importJournal(directory.path);
    return engine;
  } catch (error) {
    await database.close();
    throw error;
  }
}
