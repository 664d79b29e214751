import { LineCounter, parseDocument } from 'yaml';
import { CommandError, ExitCode, messageOf } from '../../kernel/errors.ts';
import { fileErrorOf } from '../../kernel/settings/settings.ts';
import type { ConfigFile } from './config.ts';

/** Parses a configuration file, YAML or JSON. A CommandError names file and line. */
export async function readConfigFile(path: string, readFile: (path: string) => string): Promise<ConfigFile> {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new CommandError(`--config: cannot read ${path}: ${fileErrorOf(error)}`, ExitCode.usage);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new CommandError(`--config: ${path}:${line}:${col}: ${fault.message}`, ExitCode.usage);
  }
  try {
    return { path, content: document.toJS({ maxAliasCount: 20 }) };
  } catch (error) {
    throw new CommandError(`--config: ${path}: ${messageOf(error)}`, ExitCode.usage);
  }
}
