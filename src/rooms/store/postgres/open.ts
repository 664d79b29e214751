import { migrate } from '../../../kernel/postgres/migrations.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { KERNEL_MIN_READER, KERNEL_STEPS } from '../../../kernel/postgres/schema.ts';
import { ROOM_STEPS } from './schema.ts';
import type { SharedLogParts } from './shared-log.ts';
import { PostgresRoomStore } from './store.ts';

/** Brings the tables up to date; fails with a CommandError. */
export async function migrateRooms(postgres: Postgres): Promise<void> {
  await migrate(postgres, 'kernel', KERNEL_STEPS, { minReader: KERNEL_MIN_READER });
  await migrate(postgres, 'rooms', ROOM_STEPS);
}

/** The rooms of a migrated database. The caller wakes it with `catchUp`, and closes the database after it. */
export function openPostgresRoomStore(parts: SharedLogParts): PostgresRoomStore {
  return new PostgresRoomStore(parts);
}
