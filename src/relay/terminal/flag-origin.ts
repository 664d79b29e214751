import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { suggestWord } from '../config/suggestion.ts';
import { loadFlags } from '../file-source/files.ts';
import { dataOf } from '../file-source/source.ts';
import { FlagStore } from '../flag-store.ts';
import { type ConnectionOptions, RelayClient } from './relay-client.ts';

export interface FlagOriginOptions extends ConnectionOptions {
  readonly flags?: string;
  readonly json?: boolean;
}

/** The flags of files or of a relay; undefined if the relay does not return them. */
export async function openFlags(options: FlagOriginOptions, terminal: Terminal): Promise<FlagStore | undefined> {
  if (options.flags !== undefined && options.url !== undefined)
    throw new CommandError('use either --flags or --url, not both', ExitCode.usage);
  const data = options.flags === undefined ? await new RelayClient(options, terminal).data() : readFiles(options.flags);
  if (!data) return undefined;
  const store = new FlagStore();
  const replaced = store.replace(data);
  if (!replaced.ok) throw new CommandError(replaced.reason);
  return store;
}

function readFiles(path: string): ReturnType<typeof dataOf> {
  const items = loadFlags(path);
  if (!items.ok) throw new CommandError(items.reason, ExitCode.usage);
  return dataOf(items.value);
}

export function unknownFlag(key: string, known: Iterable<string>): CommandError {
  const like = suggestWord(key, known);
  return new CommandError(`unknown flag ${JSON.stringify(key)}${like ? `; did you mean ${printable(like)}?` : ''}`);
}
