import { dirname } from 'node:path';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import type { Outcome } from '../../../kernel/outcome.ts';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { type AlertmanagerConfig, readConfig } from '../../config/alertmanager-config.ts';
import { readText } from '../json-input.ts';

export interface LocalConfigOptions {
  readonly 'config.expandEnv'?: boolean;
}

/** Untrusted text made safe for a terminal; line breaks stay. */
export function printableLines(text: string): string[] {
  return text.trimEnd().split('\n').map(printable);
}

export interface ConfigText {
  /** The name of the text in errors. */
  readonly source: string;
  /** The folder for relative paths in the configuration. */
  readonly folder: string;
  readonly expandEnv: boolean;
  readonly environment: Terminal['env'];
}

/** Reads a configuration; a refusal has one line per problem. */
export function readConfigText(text: string, options: Omit<ConfigText, 'source'>): Outcome<AlertmanagerConfig> {
  return readConfig(text, { ...options, matcherMode: 'fallback' });
}

/** Reads a configuration. Throws with all its problems. */
export function parseConfig(text: string, config: ConfigText): AlertmanagerConfig {
  const read = readConfigText(text, config);
  if (read.ok) return read.value;
  const lines = printableLines(read.reason);
  const problems = lines.length === 1 ? ` ${lines[0]}` : lines.map((line) => `\n  ${line}`).join('');
  throw new CommandError(`${config.source}:${problems}`, ExitCode.usage);
}

/** The configuration in a file, or on standard input for `-`. Throws for wrong usage. */
export async function readConfigFile(
  path: string,
  options: LocalConfigOptions,
  terminal: Terminal,
): Promise<AlertmanagerConfig> {
  const text = await readText(path, terminal);
  return parseConfig(text, {
    source: path === '-' ? 'standard input' : path,
    folder: path === '-' ? '.' : dirname(path),
    expandEnv: options['config.expandEnv'] === true,
    environment: terminal.env,
  });
}
