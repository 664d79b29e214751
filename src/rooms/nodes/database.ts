import { type ConnectedDatabase, connectDatabase, type DatabaseOptions } from '../../kernel/postgres/database.ts';
import { ROOM_STEPS } from '../store/postgres/schema.ts';

export const COMPONENT = 'rooms';

/** Connects to PostgreSQL and brings its tables up to date; a CommandError says why it cannot. */
export function connectRoomDatabase(options: DatabaseOptions): Promise<ConnectedDatabase> {
  return connectDatabase(options, { name: COMPONENT, steps: ROOM_STEPS, flag: '--storage-url' });
}
