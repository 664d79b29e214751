import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { ClusterAlerts } from './alerts.ts';
import { connectAlertDatabase } from './database.ts';
import { type DirectoryContent, readDirectory } from './directory.ts';
import { ClusterNotifications } from './notifications.ts';
import { ClusterSilences } from './silences.ts';
import { ClusterTimers } from './timers.ts';

export interface ImportOptions {
  /** The data directory of a single node. */
  readonly path: string;
  /** Of the database; with the password. */
  readonly url: string;
  /** The time an unreachable database gets, in milliseconds. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Numbers of one kind of state. */
export interface ImportCount {
  readonly what: string;
  /** In the directory. */
  readonly found: number;
  /** The database has the others, as they are or younger. */
  readonly imported: number;
}

/** Brings the state of a single node into the database; it can be repeated. A CommandError says why it cannot. */
export async function importDirectory({
  path,
  url,
  waitMs,
  clock,
  log,
}: ImportOptions): Promise<{ readonly place: string; readonly counts: readonly ImportCount[] }> {
  const content = await readDirectory(path, clock, log);
  const { postgres, place } = await connectAlertDatabase({ url, name: 'import', waitMs, clock, log });
  try {
    return { place, counts: await writeContent(content, postgres, log) };
  } catch (error) {
    if (!(error instanceof StorageAwayError)) throw postgres.explain(error);
    throw new CommandError(`the import is incomplete, ${error.message}: run it again`, ExitCode.unreachable, {
      cause: error,
    });
  } finally {
    await postgres.close();
  }
}

/** Alerts last: a running node that reads one knows what was sent of it, and what silences it. */
async function writeContent(
  { silences, alerts, timers, log: entries, history }: DirectoryContent,
  postgres: Postgres,
  log: Log,
): Promise<readonly ImportCount[]> {
  const { clock } = postgres;
  const notifications = new ClusterNotifications(postgres, {
    fenceOf: () => undefined,
    retentionMs: 0,
    node: undefined,
    log,
  });
  const count = async (what: string, found: number, imported: Promise<number>): Promise<ImportCount> => ({
    what,
    found,
    imported: await imported,
  });
  return [
    await count('silences', silences.length, new ClusterSilences(postgres).import(silences)),
    await count('entries of the notification log', entries.length, notifications.importLog(entries)),
    await count('notifications of the history', history.length, notifications.importHistory(history)),
    await count('group timers', timers.size, new ClusterTimers(postgres, clock, log).import(timers)),
    await count('alerts', alerts.length, new ClusterAlerts(postgres, clock, log).import(alerts)),
  ];
}
