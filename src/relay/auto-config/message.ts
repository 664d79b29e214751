import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { countParts, MAX_PARTS } from '../data-size.ts';
import { isJsonObject, type Json } from '../domain/json.ts';

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
  if (event !== 'put' && event !== 'patch' && event !== 'delete') return ignored(`event ${JSON.stringify(event)}`);
  if (data.length > MAX_PARTS && countParts(data) > MAX_PARTS)
    return refused(`the data of a ${event} holds more than ${MAX_PARTS} objects and lists`);
  const message = parse(data);
  if (!isJsonObject(message)) return refused(`the data of a ${event} is not a JSON object`);
  const { path = '' } = message;
  if (typeof path !== 'string') return refused(`the path of a ${event} is not a string`);
  if (event === 'put') return path === '' || path === '/' ? readPut(message.data) : ignored(`put of ${path}`);
  const place = readPath(path);
  if (!place) return ignored(`${event} of ${path}`);
  if (event === 'delete') {
    const { version } = message;
    if (typeof version !== 'number') return refused(`the delete of ${path} has no version`);
    return accepted({ kind: 'delete', ...place, version });
  }
  if (message.data === undefined) return refused(`the patch of ${path} has no data`);
  return accepted({ kind: 'patch', ...place, item: message.data });
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

function ignored(what: string): Outcome<ConfigurationChange> {
  return accepted({ kind: 'ignored', what });
}

function readPath(path: string): { readonly items: ConfigurationKind; readonly id: string } | undefined {
  for (const items of KINDS) {
    const prefix = `/${items}/`;
    if (path.startsWith(prefix) && path.length > prefix.length) return { items, id: path.slice(prefix.length) };
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
