import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import builtIn from '../../../data/sample/alertmanager.yml';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { NotReadable, readRegularFileSync } from '../../kernel/storage/regular-file.ts';
import { type AlertmanagerConfig, type ReadConfigOptions, readConfig } from './alertmanager-config.ts';

/** Alertmanager's own default, looked for in the working directory. */
const DEFAULT_FILE = 'alertmanager.yml';

/** The text that is the configuration without a file. */
export const BUILT_IN = builtIn;

/** The default configuration file; undefined if it does not exist: the built-in configuration applies. */
export function findConfigFile(): string | undefined {
  return existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined;
}

/** The source of the configuration: the named file, the default file if it exists, or the built-in text. */
export class ConfigSource {
  /** Undefined: the built-in configuration. */
  readonly file: string | undefined;
  readonly #options: Omit<ReadConfigOptions, 'folder'>;
  #wasRead = false;

  constructor(file: string | undefined, options: Omit<ReadConfigOptions, 'folder'>) {
    this.file = file ?? findConfigFile();
    this.#options = options;
  }

  /** Reads it; the refusal has one line per problem, with file and line number. */
  read(): Outcome<AlertmanagerConfig> {
    if (this.file === undefined) return readConfig(BUILT_IN, { ...this.#options, folder: '.', expandEnv: false });
    const text = readText(this.file, this.#wasRead);
    this.#wasRead = true;
    if (!text.ok) return text;
    const config = readConfig(text.value, { ...this.#options, folder: dirname(this.file) });
    if (config.ok) return config;
    return refused(config.reason.replace(/^/gm, `${this.file}: `));
  }
}

/** A pipe, as in `--config.file <(…)`, can be read once; a second read might block. */
function readText(file: string, wasRead: boolean): Outcome<string> {
  try {
    const isPipe = !wasRead && statSync(file).isFIFO();
    return accepted(isPipe ? readFileSync(file, 'utf8') : readRegularFileSync(file));
  } catch (error) {
    const reasons: Record<string, string> = { ENOENT: 'there is no such file', EACCES: 'this user may not read it' };
    const known = error instanceof NotReadable ? `it ${error.reason}` : reasons[systemCodeOf(error) ?? ''];
    return refused(`cannot read the configuration file ${file}: ${known ?? messageOf(error)}`);
  }
}
