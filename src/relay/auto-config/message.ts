import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { readStreamMessage } from '../upstream/message.ts';

/** Environments by id, and payload filters by their own id, as received. */
export interface Configuration {
  readonly environments: ReadonlyMap<string, Json>;
  readonly filters: ReadonlyMap<string, Json>;
}

export type ConfigurationKind = keyof Configuration;
const KINDS: readonly ConfigurationKind[] = ['environments', 'filters'];

/** The change of an event of the automatic configuration stream. */
export type ConfigurationChange =
  | { readonly kind: 'put'; readonly configuration: Configuration }
  | { readonly kind: 'patch'; readonly items: ConfigurationKind; readonly id: string; readonly item: Json }
  | { readonly kind: 'delete'; readonly items: ConfigurationKind; readonly id: string; readonly version: number }
  | { readonly kind: 'reconnect' }
  /** Unknown event or path; LaunchDarkly may add some. */
  | { readonly kind: 'ignored'; readonly what: string };

/** Reads an event; refuses invalid ones. A refusal quotes no data, which holds keys. */
export function readConfigurationEvent(event: string, data: string): Outcome<ConfigurationChange> {
  if (event === 'reconnect') return accepted({ kind: 'reconnect' });
  const read = readStreamMessage(event, data, KINDS);
  if (!read.ok) return read;
  const message = read.value;
  if (message.kind === 'put') return readPut(message.data);
  if (message.kind === 'ignored') return accepted(message);
  const { key: id, ...change } = message;
  return accepted({ ...change, id });
}

/** Reads `{"environments":{…},"filters":{…}}`; without environments it is refused, as it would remove all. */
export function readConfiguration(json: unknown): Outcome<Configuration> {
  if (!isJsonObject(json)) return refused('the configuration is not an object');
  const { environments, filters } = json;
  if (!isJsonObject(environments)) return refused('the configuration has no environments');
  if (filters !== undefined && filters !== null && !isJsonObject(filters))
    return refused('the filters of the configuration are not an object');
  return accepted({
    environments: new Map(Object.entries(environments)),
    filters: new Map(Object.entries(filters ?? {})),
  });
}

function readPut(data: Json | undefined): Outcome<ConfigurationChange> {
  const read = readConfiguration(data);
  return read.ok ? accepted({ kind: 'put', configuration: read.value }) : refused(`put: ${read.reason}`);
}
