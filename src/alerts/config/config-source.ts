import { existsSync, readFileSync } from 'node:fs';
import sample from '../../../data/sample/alertmanager.yml';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { type Outcome, refused } from '../domain/outcome.ts';
import { type Route, type RouteTable, routeAllTo } from '../domain/route.ts';
import { type AlertmanagerConfig, readConfig } from './alertmanager-config.ts';

/** Alertmanager's own default, looked for in the working directory. */
const DEFAULT_FILE = 'alertmanager.yml';

/** Where the configuration comes from: the file that was named, the default one if there is one, or what is built in. */
export class ConfigSource {
  /** Undefined: the built-in configuration. */
  readonly file: string | undefined;
  readonly #classicNames: boolean;

  constructor(file: string | undefined, classicNames: boolean) {
    this.file = file ?? (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined);
    this.#classicNames = classicNames;
  }

  /** Reads it now; a refusal names the file, the line and what is wrong. */
  read(): Outcome<AlertmanagerConfig> {
    if (this.file === undefined) return readConfig(sample, this.#classicNames);
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      const reasons: Record<string, string> = {
        ENOENT: 'there is no such file',
        EACCES: 'this user may not read it',
        EISDIR: 'it is a directory',
      };
      return refused(
        `cannot read the configuration file ${this.file}: ${reasons[systemCodeOf(error) ?? ''] ?? messageOf(error)}`,
      );
    }
    const config = readConfig(text, this.#classicNames);
    return config.ok ? config : refused(`${this.file}: ${config.reason}`);
  }
}

/** The route table that a configuration describes. */
export function routeTableOf({ route }: AlertmanagerConfig): RouteTable {
  const { receiver, groupBy, groupWaitMs, groupIntervalMs, repeatIntervalMs } = route;
  const root: Route = {
    key: '{}',
    receiver,
    groupBy: groupBy?.includes('...') ? 'all' : new Set(groupBy),
    groupWaitMs,
    groupIntervalMs,
    repeatIntervalMs,
  };
  return routeAllTo(root);
}
