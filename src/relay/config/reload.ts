import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Variables } from '../../kernel/settings/settings.ts';
import type { CommandLine } from './command-line.ts';
import { type FileAccess, loadConfig } from './config-source.ts';
import type { RelayOptions } from './relay-options.ts';

/** A running relay. */
interface Reloadable {
  reload(options: RelayOptions): Promise<void>;
}

/** Reads the configuration again and hands it to the relay. A broken one is reported, and the previous one stays in use. */
export async function reloadConfig(
  source: CommandLine,
  variables: Variables,
  relay: Reloadable,
  log: Log,
  files?: FileAccess,
): Promise<void> {
  const refuse = (error: string) =>
    log.error('The configuration cannot be reloaded, the previous one stays in use', { error });
  const outcome = loadConfig(source, variables, files);
  if (!outcome.ok) {
    for (const problem of outcome.problems) refuse(problem);
    return;
  }
  for (const warning of outcome.value.warnings) log.warn(warning);
  try {
    await relay.reload(outcome.value.options);
    log.info('The configuration has been reloaded');
  } catch (error) {
    refuse(messageOf(error));
  }
}

/** Options that follow from others. */
const DERIVED: readonly string[] = ['environments', 'isLocal', 'site'];

/** The names of changed settings that a running relay does not take over. */
export function needingRestart(running: RelayOptions, next: RelayOptions): readonly string[] {
  const names = Object.keys(next) as (keyof RelayOptions)[];
  return names.filter((name) => {
    if (DERIVED.includes(name) || isDeepStrictEqual(running[name], next[name])) return false;
    // Files of other names are taken over, but no listener changes to TLS or back.
    return name !== 'tls' || !running.tls || !next.tls;
  });
}
