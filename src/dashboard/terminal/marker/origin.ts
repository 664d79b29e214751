import { join, resolve } from 'node:path';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { MarkerDocument } from '../../contract/markers.ts';
import { MARKER_FILE, MarkerStore } from '../../marker-store/marker-store.ts';

export interface MarkerOriginOptions {
  readonly url?: string;
  /** A project's folder, whose file is changed directly. */
  readonly folder?: string;
}

/** Where markers are kept: a running dashboard, or the file itself. */
export interface MarkerOrigin {
  /** For messages: a URL or a path. */
  readonly place: string;
  read(): Promise<MarkerDocument>;
  /** Calls `change` again after a concurrent write. */
  update(change: (document: MarkerDocument) => MarkerDocument): Promise<MarkerDocument>;
}

/**
 * The dashboard of --url; the file of --folder; else the dashboard at the default address if it runs, or the current
 * folder's file.
 */
export async function openMarkers(options: MarkerOriginOptions, terminal: Terminal): Promise<MarkerOrigin> {
  if (options.url !== undefined && options.folder !== undefined)
    throw new CommandError('give --url or --folder, not both', ExitCode.usage);
  if (options.folder !== undefined) return openFile(options.folder, terminal);
  const { MarkerClient } = await import('./client.ts');
  const named = options.url ?? (terminal.env.OPSDECK_DASHBOARD_URL || undefined);
  if (named !== undefined) return new MarkerClient(readAddress(named), terminal);
  const port = /^\d{1,5}$/.test(terminal.env.USAGE_WEB_PORT ?? '') ? terminal.env.USAGE_WEB_PORT : '8060';
  const usual = new MarkerClient(`http://127.0.0.1:${port}`, { clock: terminal.clock });
  return (await usual.isThere()) ? usual : openFile('.', terminal);
}

async function openFile(folder: string, terminal: Terminal): Promise<MarkerOrigin> {
  const path = join(resolve(folder), MARKER_FILE);
  const log = createLog({ level: 'warn', format: 'logfmt', clock: terminal.clock, write: terminal.err });
  const store = await MarkerStore.open({ path, clock: terminal.clock, log });
  return {
    place: path,
    read: async () => (await store.read()).document,
    update: async (change) => {
      try {
        return (await store.update(change)).document;
      } catch (error) {
        if (error instanceof CommandError) throw error;
        throw new CommandError(`cannot write ${path}: ${systemCodeOf(error) ?? messageOf(error)}`);
      }
    },
  };
}

function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash)
    return url.href.replace(/\/+$/, '');
  throw new CommandError('--url: write an http or https URL, such as http://127.0.0.1:8060', ExitCode.usage);
}
