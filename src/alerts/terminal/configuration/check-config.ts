import { dirname } from 'node:path';
import { CommandError } from '../../../kernel/errors.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { AlertmanagerConfig } from '../../config/alertmanager-config.ts';
import { BUILT_IN, findConfigFile } from '../../config/config-source.ts';
import { loadTemplates } from '../../template/load-templates.ts';
import { readText } from '../json-input.ts';
import { templateProblems } from './inline-templates.ts';
import { type LocalConfigOptions, printableLines, readConfigText } from './local-config.ts';

export type CheckConfigOptions = LocalConfigOptions;

/** amtool's name for standard input. */
const STDIN = '/dev/stdin';

/** The text after `FAILED:`: one problem on the same line, several below it. */
function failure(reason: string): string {
  const lines = printableLines(reason);
  return `  FAILED:${lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join('')}\n`;
}

function foundParts({ inhibitRules, receivers, templates }: AlertmanagerConfig): string {
  const parts = [
    'global config',
    'route',
    `${inhibitRules.length} inhibit rules`,
    `${receivers.length} receivers`,
    `${templates.length} templates`,
  ];
  return `Found:\n${parts.map((part) => ` - ${part}\n`).join('')}`;
}

/** Checks the template files and the inline templates; prints the same about the files as amtool. */
async function checkTemplates(config: AlertmanagerConfig, terminal: Terminal): Promise<boolean> {
  const templates = await loadTemplates(config.templates, { clock: terminal.clock });
  if (!templates.ok) {
    terminal.out(failure(templates.reason));
    return false;
  }
  if (config.templates.length > 0) terminal.out('  SUCCESS\n');
  const problems = templateProblems(config);
  if (problems.length > 0) terminal.out(failure(problems.join('\n')));
  return problems.length === 0;
}

interface Source {
  /** As amtool writes it. */
  readonly name: string;
  /** For relative paths in it. */
  readonly folder: string;
  readonly expandEnv: boolean;
  readText(): Promise<string> | string;
}

/** Checks one file; false when it has problems. */
async function checkSource({ name, readText, ...rest }: Source, terminal: Terminal): Promise<boolean> {
  terminal.out(`Checking '${name}'`);
  let text: string;
  try {
    text = await readText();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    terminal.out(failure(error.message));
    return false;
  }
  const config = readConfigText(text, { ...rest, environment: terminal.env });
  if (!config.ok) {
    terminal.out(failure(config.reason));
    return false;
  }
  terminal.out(`  SUCCESS\n${foundParts(config.value)}`);
  const { warnings, notices } = config.value;
  for (const remark of [...warnings, ...notices]) terminal.err(`${name}: ${printableLines(remark).join(' ')}\n`);
  return checkTemplates(config.value, terminal);
}

function sourceOf(path: string, options: CheckConfigOptions, terminal: Terminal): Source {
  const isStdin = path === '-' || path === STDIN;
  return {
    name: isStdin ? STDIN : path,
    folder: isStdin ? '.' : dirname(path),
    expandEnv: options['config.expandEnv'] === true,
    readText: () => readText(isStdin ? '-' : path, terminal),
  };
}

/** Without files: standard input, as with amtool; if nothing is passed there, what `serve` would load here. */
function defaultSource(options: CheckConfigOptions, terminal: Terminal): Source {
  if (!terminal.isTyped) return sourceOf('-', options, terminal);
  const found = findConfigFile();
  if (found !== undefined) return sourceOf(found, options, terminal);
  return { name: 'the built-in configuration', folder: '.', expandEnv: false, readText: () => BUILT_IN };
}

/** `alerts check-config`: checks files like amtool, and prints all problems of each. */
export async function checkConfig(
  files: readonly string[],
  options: CheckConfigOptions,
  terminal: Terminal,
): Promise<void> {
  const sources = files.map((file) => sourceOf(file, options, terminal));
  let failed = 0;
  for (const source of files.length === 0 ? [defaultSource(options, terminal)] : sources) {
    if (!(await checkSource(source, terminal))) failed++;
    terminal.out('\n');
  }
  if (failed > 0) throw new CommandError(`failed to validate ${failed} file(s)`);
}
