import { Chalk } from 'chalk';
import { refuseConfig } from '../../kernel/settings/settings.ts';
import { formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { CommandLine } from '../config/command-line.ts';
import { loadConfig, systemFiles } from '../config/config-source.ts';
import { printOptions } from '../config/print-options.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import { loadFlags } from '../file-source/files.ts';
import { makeLocalKeys, readLocalKeys } from '../local-keys.ts';

/**
 * `relay check-config`: prints the effective configuration with masked keys. Throws all mistakes, also of flag files and
 * those that `checkFiles` finds in other ones.
 */
export async function checkConfig(
  source: CommandLine,
  terminal: Terminal,
  checkFiles: (options: RelayOptions) => Promise<readonly string[]>,
): Promise<void> {
  // A check creates no key file.
  const files = { ...systemFiles(terminal.env), localKeys: () => readLocalKeys(terminal.env) ?? makeLocalKeys() };
  const outcome = loadConfig(source, terminal.env, files);
  if (!outcome.ok) throw refuseConfig(outcome.problems);
  const { options, warnings } = outcome.value;
  const flagFiles = new Set(options.environments.flatMap(({ dataFile }) => dataFile ?? []));
  const flagProblems = [...flagFiles].flatMap((file) => {
    const flags = loadFlags(file);
    return flags.ok ? [] : flags.reason.split('\n');
  });
  const problems = [...flagProblems, ...(await checkFiles(options))];
  if (problems.length > 0) throw refuseConfig(problems);
  for (const warning of warnings) terminal.err(`warning: ${warning}\n`);
  const { bold } = new Chalk({ level: terminal.colors ? 1 : 0 });
  terminal.out(formatTable(printOptions(options).map(([name, value]) => [{ text: name, style: bold }, value])));
}
