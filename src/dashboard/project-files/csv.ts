import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { guessUser } from '../domain/csv/file.ts';
import type { ProjectFiles } from './project-files.ts';
import { isDefaultCsv } from './rules.ts';

/** The CSV files of a project's `data/` by their names, sorted. */
export async function listCsvFiles(projectDir: string): Promise<readonly string[]> {
  const names = await readdir(join(projectDir, 'data')).catch(() => []);
  return names.filter((name) => isDefaultCsv(`data/${name}`)).sort();
}

/**
 * The CSV files of the project's `data/` by user, as paths that a page can fetch. A user's label as a word of the name
 * decides; files without one belong to the first user. Private files are included: the answer to fetching one says why
 * it is not served.
 */
export async function findDefaultCsv(
  projectDir: string,
  userIds: readonly string[],
  files: Pick<ProjectFiles, 'open'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>(userIds.map((id) => [id, []]));
  for (const name of await listCsvFiles(projectDir)) {
    const file = await files.open(`data/${name}`);
    if (file === undefined) continue;
    if (file !== 'private') await file.handle.close();
    const user = guessUser(name, userIds) ?? userIds[0] ?? '';
    found.get(user)?.push(`./data/${encodeURIComponent(name)}`);
  }
  return found;
}
