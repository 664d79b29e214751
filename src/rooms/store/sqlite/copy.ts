import { basename, dirname, resolve } from 'node:path';
import { type DatabaseFile, openDatabase } from '../../../kernel/storage/database.ts';
import { MIGRATIONS, setMeta } from './schema.ts';

/** Copies the database. The copy has no epoch: a server that is started on it gets a new one. */
export async function copyDatabase(database: DatabaseFile, file: string): Promise<void> {
  await database.copy(file);
  const directory = { path: dirname(resolve(file)), release() {} };
  const copy = await openDatabase({ directory, name: basename(file), migrations: MIGRATIONS });
  try {
    await copy.write([setMeta('epoch', '')]);
  } finally {
    await copy.close();
  }
}
