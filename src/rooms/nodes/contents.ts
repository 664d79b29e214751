import { resolve } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { FileContents } from '../files/contents/contents.ts';
import { FolderContents } from '../files/contents/folder.ts';
import { PostgresFileContents } from '../files/contents/postgres.ts';
import type { Queries } from '../store/postgres/queries.ts';

/** The bytes of files: in a folder that all nodes share, or in the database. */
export function openContents(folder: string | undefined, queries: Queries, clock: Clock): FileContents {
  return folder === undefined
    ? new PostgresFileContents(queries)
    : new FolderContents(resolve(folder), { sharedBy: clock });
}
