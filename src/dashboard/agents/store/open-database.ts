import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Database, openDatabase, openTemporaryDatabase } from '../../../kernel/storage/database.ts';
import { isDamage, isRefusedSql } from '../../../kernel/storage/database-error.ts';
import { MIGRATIONS, UsageDatabase } from './usage-database.ts';

/** The name of the file in the data directory; the dashboard serves no file whose name begins with a dot. */
export const AGENTS_FILE = '.agents.sqlite';

/**
 * Opens the usage of earlier readings. A damaged file is moved aside; without a data directory, or write access to it, everything is
 * read again at each start. `isSuspect`: the whole file is checked, which takes a second for a million events.
 */
export async function openUsageDatabase(
  dataDir: string | undefined,
  clock: Clock,
  log: Log,
  isSuspect = false,
): Promise<UsageDatabase> {
  if (dataDir === undefined) return openTemporary();
  const path = join(dataDir, AGENTS_FILE);
  try {
    mkdirSync(dataDir, { recursive: true });
    return await openChecked(dataDir, isSuspect);
  } catch (error) {
    if (!isForeign(error)) return openTemporarily(path, error, log);
    const movedTo = `${path}.corrupt-${clock.now()}`;
    log.error(
      'the usage of coding assistants could not be opened; the file was moved aside, and their logs are read again',
      {
        file: path,
        movedTo,
        err: messageOf(error),
      },
    );
    moveAside(path, movedTo);
  }
  try {
    return await openChecked(dataDir);
  } catch (error) {
    return openTemporarily(path, error, log);
  }
}

/** The tables are not those of this program, or damaged. */
class ForeignSchemaError extends Error {
  override readonly name = 'ForeignSchemaError';
}

/** Whether the file is no database, damaged, or of another program. */
function isForeign(error: unknown): boolean {
  if (error instanceof ForeignSchemaError) return true;
  return error instanceof Error && (isDamage(error.cause) || isRefusedSql(error.cause));
}

async function openChecked(dataDir: string, isSuspect = false): Promise<UsageDatabase> {
  const directory = { path: dataDir, release() {} };
  const database = await openDatabase({ directory, name: AGENTS_FILE, migrations: MIGRATIONS, isShared: true });
  try {
    await configure(database);
    if (isSuspect) await checkPages(database);
    const usage = new UsageDatabase(database);
    await usage.check();
    return usage;
  } catch (error) {
    await database.close();
    throw new ForeignSchemaError(messageOf(error), { cause: error });
  }
}

async function openTemporarily(path: string, error: unknown, log: Log): Promise<UsageDatabase> {
  const err = messageOf(error);
  log.warn('the usage of coding assistants cannot be stored; it is read again at each start', {
    file: path,
    err,
  });
  return openTemporary();
}

async function openTemporary(): Promise<UsageDatabase> {
  const database = openTemporaryDatabase(MIGRATIONS);
  await configure(database);
  return new UsageDatabase(database);
}

/** Keys are spread over the whole index: 32 MB, which hold that of a million events, save a sixth of the time of a commit. */
async function configure(database: Database): Promise<void> {
  await database.query('PRAGMA cache_size = -8000');
}

async function checkPages(database: Database): Promise<void> {
  const [row] = await database.query('PRAGMA quick_check(1)');
  if (row?.quick_check !== 'ok') throw new Error(String(row?.quick_check));
}

function moveAside(path: string, movedTo: string): void {
  for (const end of ['', '-wal', '-shm']) if (existsSync(path + end)) renameSync(path + end, movedTo + end);
}
