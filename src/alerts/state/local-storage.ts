import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { Conditions } from '../../kernel/conditions.ts';
import type { Log } from '../../kernel/log.ts';
import { ownDataDirectory } from '../../kernel/storage/data-directory.ts';
import { type Database, openDatabase } from '../../kernel/storage/database.ts';
import { reportWrites } from '../../kernel/storage/write-report.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import { GROUP_FLUSHED_MIGRATION, GROUP_TIMERS_MIGRATION, GroupTimers } from '../pipeline/group-timers.ts';
import { NOTIFICATION_HISTORY_MIGRATION, NotificationHistory } from '../pipeline/notification/history.ts';
import { LocalNotifications, NOTIFICATION_LOG_MIGRATION } from '../pipeline/notification/storage.ts';
import { IMPORT_MIGRATION, importSnapshot } from '../silences/import.ts';
import { LocalSilences, SILENCE_MIGRATION } from '../silences/storage.ts';
import { ALERT_MIGRATION, AlertWriter, SETTLED_MIGRATION } from '../store/writer.ts';
import { restoreState } from './alert-state.ts';
import type { AlertServerStorage, OpenStorage } from './storage.ts';

export const DATABASE_NAME = 'alerts.db';

/** Never change one: a data directory has been through all that were there before. */
export const MIGRATIONS = [
  SILENCE_MIGRATION,
  ALERT_MIGRATION,
  IMPORT_MIGRATION,
  SETTLED_MIGRATION,
  GROUP_TIMERS_MIGRATION,
  NOTIFICATION_LOG_MIGRATION,
  NOTIFICATION_HISTORY_MIGRATION,
  GROUP_FLUSHED_MIGRATION,
];

export interface LocalStorageParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How long notifications stay in the history, in milliseconds. */
  readonly retentionMs: number;
}

/** The storage of a single node. */
export function localStorage({ database, clock, log, retentionMs }: LocalStorageParts): AlertServerStorage {
  const conditions = new Conditions();
  const history = new NotificationHistory(database, retentionMs);
  const report = reportWrites({ what: 'sent notifications', meanwhile: 'they are kept in memory', log, conditions });
  return {
    silences: new LocalSilences(database),
    alerts: new AlertWriter(database, clock, log, conditions),
    timers: new GroupTimers(database, clock, log, conditions),
    notifications: new LocalNotifications(database, history, report),
    conditions,
    commit: () => void database.writeNow([], 'system').catch(() => {}),
  };
}

/** Opens the data directory; a CommandError says why it cannot. */
export async function openLocalStorage(
  options: Pick<AlertServerOptions, 'storagePath' | 'importPath' | 'retentionMs'>,
  clock: Clock,
  log: Log,
): Promise<OpenStorage> {
  const { storagePath, importPath, retentionMs } = options;
  const directory = await ownDataDirectory(storagePath, clock, (message) => log.warn(message));
  try {
    const database = await openDatabase({ directory, name: DATABASE_NAME, migrations: MIGRATIONS });
    removeHandoverLog(directory.path);
    return {
      storage: localStorage({ database, clock, log, retentionMs }),
      clock,
      nodes: undefined,
      async load(state) {
        log.info('State restored', await restoreState(state, clock.now()));
        await importSnapshot({ path: importPath, database, silences: state.silences, log });
      },
      async close() {
        await database.close();
        directory.release();
      },
    };
  } catch (error) {
    directory.release();
    throw error;
  }
}

/** What 0.1.0 left of the process that sent notifications: it says nothing of what their receivers have acknowledged. */
function removeHandoverLog(path: string): void {
  for (const name of ['notifications.sent', 'notifications.sent.new', 'sender']) {
    rmSync(join(path, name), { recursive: true, force: true });
  }
}
