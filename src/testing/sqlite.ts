import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase, type SqlRow } from '../kernel/storage/database.ts';

export interface SqliteFolder {
  /** Opens the database again, as after a restart. */
  open(): Promise<Database>;
}

/** A folder for a database with this schema, removed after the test. */
export function createSqliteFolder(
  t: { after(end: () => Promise<void>): void },
  ...migrations: readonly string[]
): SqliteFolder {
  const path = mkdtempSync(join(tmpdir(), 'opsdeck-sqlite-'));
  let database: Database | undefined;
  t.after(async () => {
    await database?.close();
    rmSync(path, { recursive: true, force: true });
  });
  return {
    async open() {
      await database?.close();
      database = await openDatabase({ directory: { path, release: () => {} }, name: 'test.db', migrations });
      return database;
    },
  };
}

/** Rows for deepEqual: those of the database have no prototype. */
export const plainRows = (rows: readonly SqlRow[]): readonly SqlRow[] => rows.map((row) => ({ ...row }));
