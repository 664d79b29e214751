import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import sample from '../../../data/sample/alertmanager.yml';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { type Outcome, refused } from '../../kernel/outcome.ts';
import { type AlertmanagerConfig, type ReadConfigOptions, readConfig } from './alertmanager-config.ts';

/** Alertmanager's own default, looked for in the working directory. */
const DEFAULT_FILE = 'alertmanager.yml';

/** Where the configuration comes from: the file that was named, the default one if there is one, or what is built in. */
export class ConfigSource {
  /** Undefined: the built-in configuration. */
  readonly file: string | undefined;
  readonly #options: Omit<ReadConfigOptions, 'folder'>;

  constructor(file: string | undefined, options: Omit<ReadConfigOptions, 'folder'>) {
    this.file = file ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
    this.#options = options;
  }

  /** Reads it now; a refusal says all that is wrong, each with file and line on a line. */
  read(): Outcome<AlertmanagerConfig> {
    if (this.file === undefined) return readConfig(sample, { ...this.#options, folder: '.', expandEnv: false });
    return readConfigFile(this.file, this.#options);
  }
}

/** Reads a file; a refusal says all that is wrong, each with file and line on a line. */
export function readConfigFile(file: string, options: Omit<ReadConfigOptions, 'folder'>): Outcome<AlertmanagerConfig> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file',
      EACCES: 'this user may not read it',
      EISDIR: 'it is a directory',
    };
    return refused(
      `cannot read the configuration file ${file}: ${reasons[systemCodeOf(error) ?? ''] ?? messageOf(error)}`,
    );
  }
  const config = readConfig(text, { ...options, folder: dirname(file) });
  if (config.ok) return config;
  return refused(
    config.reason
      .split('\n')
      .map((line) => `${file}: ${line}`)
      .join('\n'),
  );
}
