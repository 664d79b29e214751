import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import { ownDataDirectory } from '../../../kernel/storage/data-directory.ts';
import { type Database, openDatabase } from '../../../kernel/storage/database.ts';
import { readSecretKey } from '../../authentication/secret-cipher.ts';
import { DATABASE_NAME } from '../../contract/backup.ts';
import type { FileContents } from '../../files/contents/contents.ts';
import { FolderContents } from '../../files/contents/folder.ts';
import { openSqliteRoomEngine } from '../../store/sqlite/open.ts';
import { MIGRATIONS } from '../../store/sqlite/schema.ts';
import { copyRooms, type ImportCount, type SecretKey } from './copy.ts';

export interface ImportOptions {
  /** The data directory of a single server. */
  readonly path: string;
  /** Migrated. */
  readonly postgres: Postgres;
  /** Of the files of all nodes. */
  readonly contents: FileContents;
  readonly clock: Clock;
  readonly log: Log;
  /** OPSDECK_SECRET_KEY of the server. */
  readonly secretKey?: string | undefined;
  /** Called after each batch. */
  readonly progress: (count: ImportCount) => void;
}

export interface ImportReport {
  readonly counts: readonly ImportCount[];
  /** Files of which the bytes were missing, or others than expected. */
  readonly missing: readonly string[];
}

/**
 * Brings the rooms of a single server into a database that has none. An earlier directory is brought up to date, and otherwise
 * stays as it is. A CommandError says why it cannot; then the database has no rooms, and it may be repeated.
 */
export async function importDirectory(options: ImportOptions): Promise<ImportReport> {
  const { path, postgres, clock, log } = options;
  if (!existsSync(join(path, DATABASE_NAME))) {
    throw new CommandError(
      `there are no rooms in ${path}, it has no ${DATABASE_NAME}: name the --data-dir of a server, such as data/rooms`,
    );
  }
  // Refuses while a server runs on it.
  const directory = await ownDataDirectory(path, clock, (message) => log.warn(message));
  try {
    // Also imports the journal of an earlier version, and gives a restored backup its epoch.
    await (await openSqliteRoomEngine({ directory, clock, log, durability: 'full' })).close();
    const source = await openDatabase({ directory, name: DATABASE_NAME, migrations: MIGRATIONS });
    try {
      const missing = await copyFiles(source, options);
      return { counts: await copyRooms(source, { ...options, secretKey: secretKeyOf(options) }), missing };
    } finally {
      await source.close();
    }
  } catch (error) {
    if (!(error instanceof StorageAwayError)) throw postgres.explain(error);
    const sentence = `nothing was imported, ${error.message}: run it again`;
    throw new CommandError(sentence, ExitCode.unreachable, { cause: error });
  } finally {
    directory.release();
  }
}

function secretKeyOf({ path, secretKey: given }: ImportOptions): SecretKey | undefined {
  const key = given ?? readSecretKey(path);
  return key === undefined ? undefined : { key, isGiven: given !== undefined };
}

/** Bytes come first: those of a failed import are removed by the servers, as no file needs them. */
async function copyFiles(
  source: Pick<Database, 'query'>,
  { path, contents, progress }: ImportOptions,
): Promise<readonly string[]> {
  const folder = new FolderContents(join(path, 'files'));
  const missing: string[] = [];
  let count = 0;
  for (const { sha256 } of await source.query('SELECT DISTINCT sha256 FROM file ORDER BY sha256')) {
    const hash = String(sha256);
    const bytes = await folder.read(hash);
    const received = bytes && (await contents.receive(crypto.randomUUID(), bytes, Infinity));
    if (received?.sha256 === hash) await received.place();
    else missing.push(hash);
    await received?.discard();
    progress({ what: 'contents of files', count: ++count });
  }
  return missing;
}
