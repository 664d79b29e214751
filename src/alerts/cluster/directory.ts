import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode, messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { ownDataDirectory } from '../../kernel/storage/data-directory.ts';
import { openDatabase } from '../../kernel/storage/database.ts';
import type { Silence } from '../domain/silence.ts';
import type { RememberedTimer } from '../pipeline/group-timers.ts';
import type { NotificationRecord } from '../pipeline/notification/history.ts';
import type { LogEntry } from '../pipeline/notification/storage.ts';
import { findSnapshot, SNAPSHOT_NAME } from '../silences/import.ts';
import { DATABASE_NAME, localStorage, MIGRATIONS } from '../state/local-storage.ts';
import type { StoredAlert } from '../store/storage.ts';

/** What a single node has stored. */
export interface DirectoryContent {
  /** With those of Alertmanager, unless they were imported before. */
  readonly silences: readonly Silence[];
  readonly alerts: readonly StoredAlert[];
  readonly timers: ReadonlyMap<string, RememberedTimer>;
  readonly log: readonly LogEntry[];
  /** Oldest first. */
  readonly history: readonly NotificationRecord[];
}

const REMEDY = 'name the --storage.path of a server, such as data/alerts';

/** Reads a data directory that no server uses, and leaves it as it is. A CommandError says why it cannot be read. */
export async function readDirectory(path: string, clock: Clock, log: Log): Promise<DirectoryContent> {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`there is no folder ${path}: ${REMEDY}`);
  }
  if (![DATABASE_NAME, SNAPSHOT_NAME].some((name) => existsSync(join(path, name)))) {
    const missing = `neither the database ${DATABASE_NAME} nor Alertmanager's ${SNAPSHOT_NAME}`;
    throw new CommandError(`${path} is no data directory of an alert server, it has ${missing}: ${REMEDY}`);
  }
  const directory = await ownDataDirectory(path, clock, (message) => log.warn(message));
  // Opening a database writes to it.
  const copy = mkdtempSync(join(tmpdir(), 'opsdeck-import-'));
  try {
    for (const name of [DATABASE_NAME, `${DATABASE_NAME}-wal`]) {
      if (existsSync(join(path, name))) copyFileSync(join(path, name), join(copy, name));
    }
    return await readCopy(copy, path, clock, log);
  } catch (error) {
    const reason = messageOf(error instanceof CommandError && error.cause !== undefined ? error.cause : error);
    const file = join(path, DATABASE_NAME);
    const sentence = `cannot import ${file}: ${reason}; name a directory of this opsdeck or an earlier one`;
    throw new CommandError(sentence, ExitCode.failed, { cause: error });
  } finally {
    rmSync(copy, { recursive: true, force: true });
    directory.release();
  }
}

async function readCopy(copy: string, path: string, clock: Clock, log: Log): Promise<DirectoryContent> {
  const owned = { path: copy, release() {} };
  const database = await openDatabase({ directory: owned, name: DATABASE_NAME, migrations: MIGRATIONS });
  try {
    const { silences, alerts, timers, notifications } = localStorage({ database, clock, log, retentionMs: 0 });
    const own = await silences.load();
    const ids = new Set(own.map(({ id }) => id));
    const foreign = (await findSnapshot({ path, database, log })) ?? [];
    const history = await notifications.list({ limit: Number.MAX_SAFE_INTEGER });
    return {
      silences: [...own, ...foreign.filter(({ id }) => !ids.has(id))],
      alerts: await alerts.load(),
      timers: await timers.load(),
      log: await notifications.loadLog(),
      history: history.map(({ id, ...record }) => record).reverse(),
    };
  } finally {
    await database.close();
  }
}
