import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { doEach } from './each-silence.ts';
import { readIds } from './json-input.ts';
import { type OutputOptions, printIds } from './output.ts';

export interface ExpireSilencesOptions extends ConnectionOptions, OutputOptions {}

/** `alerts silence expire`: expires silences and prints their ids, one per line. */
export async function expireSilences(
  args: readonly string[],
  options: ExpireSilencesOptions,
  terminal: Terminal,
): Promise<void> {
  const client = new AlertmanagerClient(options, terminal);
  const ids = await readIds(args, terminal);
  if (ids.length === 0) terminal.err('no silence ids on standard input\n');
  const expire = async (id: string) => {
    await client.expireSilence(id);
    return id;
  };
  const nameOf = (id: string) => `silence ${id}`;
  const { done, failure } = await doEach(ids, expire, { verb: 'expire', workers: 1, nameOf, terminal });
  printIds(done, options, terminal);
  if (failure) throw failure;
}
