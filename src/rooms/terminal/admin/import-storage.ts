import { resolve } from 'node:path';
import { holdProcess } from '../../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { openContents } from '../../nodes/contents.ts';
import { connectRoomDatabase } from '../../nodes/database.ts';
import type { ImportCount } from '../../nodes/import/copy.ts';
import { importDirectory } from '../../nodes/import/import.ts';

export interface ImportStorageOptions {
  readonly storageUrl: string | undefined;
  readonly storageWaitMs: number;
  readonly filesDir: string | undefined;
}

/** Rows between two lines of progress. */
const EVERY = 50_000;
const MAX_SHOWN = 20;

/** `rooms import-storage`: the data directory of a single server becomes the rooms of several. */
export async function importStorage(path: string, options: ImportStorageOptions, terminal: Terminal): Promise<void> {
  const { storageUrl: url, storageWaitMs: waitMs, filesDir } = options;
  if (url === undefined)
    throw new CommandError('name the database with --storage-url or OPSDECK_STORAGE_URL', ExitCode.usage);
  const { clock, err: write, env } = terminal;
  const log = createLog({ level: 'warn', format: 'logfmt', clock, write });
  const { postgres, place } = await connectRoomDatabase({ url, name: 'import', waitMs, clock, log });
  const release = holdProcess();
  try {
    const progress = ({ what, count }: ImportCount) => {
      if (count > 0 && count % EVERY === 0) write(`${count} ${what}\n`);
    };
    const contents = openContents(filesDir, postgres, clock);
    const secretKey = env.OPSDECK_SECRET_KEY || undefined;
    const parts = { path: resolve(path), postgres, contents, clock, log, secretKey, progress };
    const { counts, missing } = await importDirectory(parts);
    terminal.out(`imported ${path} into ${place}\n`);
    for (const { what, count } of counts) terminal.out(`  ${count} ${what}\n`);
    for (const hash of missing.slice(0, MAX_SHOWN)) write(`the bytes of files with the hash ${hash} are missing\n`);
    if (missing.length > MAX_SHOWN) write(`and those of ${missing.length - MAX_SHOWN} more\n`);
  } finally {
    release();
    await postgres.close();
  }
}
