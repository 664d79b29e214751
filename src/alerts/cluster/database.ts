import { type ConnectedDatabase, connectDatabase, type DatabaseOptions } from '../../kernel/postgres/database.ts';
import { ALERT_STEPS } from './schema.ts';

export const COMPONENT = 'alerts';

/** Connects to PostgreSQL and brings its tables up to date; a CommandError says why it cannot. */
export function connectAlertDatabase(options: DatabaseOptions): Promise<ConnectedDatabase> {
  return connectDatabase(options, { name: COMPONENT, steps: ALERT_STEPS, flag: '--storage.url' });
}
