import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

export interface ImportStorageOptions {
  readonly storageUrl: string | undefined;
  readonly storageWaitMs: number;
}

/** `alerts import-storage`: the data directory of a single server becomes the state of several. */
export async function importStorage(path: string, options: ImportStorageOptions, terminal: Terminal): Promise<void> {
  const { storageUrl: url, storageWaitMs: waitMs } = options;
  if (url === undefined) {
    throw new CommandError('name the database with --storage.url or OPSDECK_STORAGE_URL', ExitCode.usage);
  }
  const { clock, err: write } = terminal;
  const log = createLog({ level: 'warn', format: 'logfmt', clock, write });
  const { importDirectory } = await import('../cluster/import.ts');
  const { place, counts } = await importDirectory({ path, url, waitMs, clock, log });
  terminal.out(`imported ${path} into ${place}\n`);
  for (const { what, found, imported } of counts) terminal.out(`  ${imported} of ${found} ${what}\n`);
}
