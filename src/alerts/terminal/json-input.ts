import * as v from 'valibot';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** The text of a file, or of standard input for `-`. Throws for wrong usage. */
export function readText(path: string, terminal: Terminal): Promise<string> | string {
  if (path === '-') return terminal.stdin();
  try {
    return terminal.readFile(path);
  } catch (error) {
    const code = systemCodeOf(error);
    throw new CommandError(`cannot read ${path}: ${(code && FILE_TROUBLE[code]) || messageOf(error)}`, ExitCode.usage);
  }
}

/**
 * Reads a JSON file, or standard input for `-`, by a schema; `shape` describes the expected value in errors. Throws for
 * wrong usage, with the place of the first problem.
 */
export async function readJson<T>(
  path: string,
  schema: v.GenericSchema<unknown, T>,
  shape: string,
  terminal: Terminal,
): Promise<T> {
  const source = path === '-' ? 'standard input' : path;
  const text = await readText(path, terminal);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${source} is not JSON: ${messageOf(error)}`, ExitCode.usage);
  }
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const place = v.getDotPath(issue);
  const isMissing = issue.received === 'undefined';
  const fault = isMissing ? `${place} is missing` : `expected ${issue.expected}, found ${issue.received}`;
  throw new CommandError(
    `${source} is not ${shape}: ${place && !isMissing ? `at ${place} ` : ''}${fault}`,
    ExitCode.usage,
  );
}

/** The ids of a command line without duplicates; `-` stands for ids on standard input, separated by white space. */
export async function readIds(args: readonly string[], terminal: Terminal): Promise<string[]> {
  const ids = args.filter((arg) => arg !== '-');
  if (ids.length < args.length) ids.push(...(await terminal.stdin()).split(/\s+/).filter(Boolean));
  return [...new Set(ids)];
}
