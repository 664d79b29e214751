import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { PostableSilence } from '../contract/wire.ts';
import { AlertmanagerClient, type ConnectionOptions, RefusedError } from './client.ts';
import { doEach } from './each-silence.ts';
import { readJson } from './json-input.ts';
import { type OutputOptions, printIds } from './output.ts';
import { importedSilencesSchema } from './wire.ts';

export interface ImportSilencesOptions extends ConnectionOptions, OutputOptions {
  readonly force?: boolean;
  readonly workers: string;
}

function parseWorkers(text: string): number {
  const workers = Number(text);
  if (Number.isInteger(workers) && workers >= 1 && workers <= 100) return workers;
  throw new CommandError(`--workers: must be a whole number from 1 to 100, found "${text}"`, ExitCode.usage);
}

async function readSilences(file: string, force: boolean, terminal: Terminal): Promise<PostableSilence[]> {
  const shape = 'an array of silences as `alerts silence query --json` writes them';
  const silences = await readJson(file, importedSilencesSchema, shape, terminal);
  return silences.map(({ id, matchers, startsAt, endsAt, createdBy, comment, annotations }) => ({
    ...(id && !force && { id }),
    matchers,
    startsAt,
    endsAt,
    createdBy,
    comment,
    ...(annotations && { annotations }),
  }));
}

/** Sets a silence under its own id; creates a new one when the server does not know that id. */
async function setOrCreate(client: AlertmanagerClient, silence: PostableSilence): Promise<string> {
  const { id, ...fresh } = silence;
  try {
    return await client.setSilence(silence);
  } catch (error) {
    if (id && error instanceof RefusedError && error.status === 404) return client.setSilence(fresh);
    throw error;
  }
}

/** `alerts silence import`: sets every silence of a file and prints their new ids, one per line. */
export async function importSilences(file: string, options: ImportSilencesOptions, terminal: Terminal): Promise<void> {
  const workers = parseWorkers(options.workers);
  const client = new AlertmanagerClient(options, terminal);
  const silences = await readSilences(file, options.force === true, terminal);
  const { done, failure } = await doEach(silences, (silence) => setOrCreate(client, silence), {
    verb: 'import',
    workers,
    nameOf: ({ id }) => (id ? `silence ${id}` : 'silence without an id'),
    terminal,
  });
  printIds(done, options, terminal);
  if (failure) throw failure;
}
