import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../../kernel/storage/database.ts';
import { decodeSnapshot } from '../contract/snapshot.ts';
import type { Silence } from '../domain/silence.ts';
import { upsertOf } from './storage.ts';
import type { SilenceStore } from './store.ts';

/** Imported files: each is imported once, also when its silences have been deleted since. */
export const IMPORT_MIGRATION = 'CREATE TABLE imports (name TEXT PRIMARY KEY)';

/** The name under which Alertmanager keeps its silences in the storage path. */
export const SNAPSHOT_NAME = 'silences';

export interface ImportParts {
  /** Alertmanager's storage path. */
  readonly path: string;
  readonly database: Database;
  readonly silences: SilenceStore;
  readonly log: Log;
}

/**
 * Imports the silences that Alertmanager left in the storage path, at the first start there. The file stays as it is, so
 * that a way back remains. An unreadable file or silence is logged; the server starts all the same.
 */
export async function importSnapshot({ path, database, silences, log }: ImportParts): Promise<void> {
  const found = await findSnapshot({ path, database, log });
  if (!found) return;
  const fresh = found.filter(({ id }) => !silences.get(id));
  await database.write([
    ...fresh.map(upsertOf),
    { sql: 'INSERT INTO imports (name) VALUES (?)', values: [SNAPSHOT_NAME] },
  ]);
  silences.apply(fresh.map((after) => ({ before: undefined, after })));
  log.info('Silences of Alertmanager taken over', { file: join(path, SNAPSHOT_NAME), silences: fresh.length });
}

/** The silences that Alertmanager left; undefined where there are none, or they are imported already. */
export async function findSnapshot({
  path,
  database,
  log,
}: Omit<ImportParts, 'silences'>): Promise<readonly Silence[] | undefined> {
  const file = join(path, SNAPSHOT_NAME);
  const done = await database.query('SELECT name FROM imports WHERE name = ?', [SNAPSHOT_NAME]);
  return done.length > 0 || !existsSync(file) ? undefined : readSnapshot(file, log);
}

function readSnapshot(file: string, log: Log): readonly Silence[] | undefined {
  const logFailure = (err: string) => log.error('Silences of Alertmanager could not be taken over', { file, err });
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    logFailure(messageOf(error));
    return undefined;
  }
  const snapshot = decodeSnapshot(bytes);
  if (!snapshot.ok) {
    logFailure(snapshot.reason);
    return undefined;
  }
  return snapshot.value.flatMap((silence) => {
    if (silence.ok) return silence.value;
    logFailure(silence.reason);
    return [];
  });
}
