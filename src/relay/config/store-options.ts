import { type Given, type GivenValues, valuesOf } from '../../kernel/settings/settings.ts';
import { CID, storePlaceOf } from '../stores/names.ts';
import type { ConsulOptions, DynamoDbOptions, RedisOptions, StoreOptions } from '../stores/options.ts';
import type { EnvironmentOptions, RelayOptions } from './relay-options.ts';
import type { GivenSettings } from './settings-draft.ts';
import { CONSUL, DYNAMODB, REDIS, STORE_SWITCHES } from './store-settings.ts';

type Database = keyof typeof STORE_SWITCHES;
type GivenDatabases = Pick<GivenSettings, Database>;

/** Of Redis. */
const DEFAULT_PORT = 6379;

const DATABASES = Object.keys(STORE_SWITCHES) as readonly Database[];

/** The database of a configuration; undefined if none is in use. Adds contradictions to `problems`. */
export function readStore(given: GivenDatabases, problems: string[]): StoreOptions | undefined {
  const used = DATABASES.filter((name) => isUsed(given, name));
  const [database] = used;
  if (used.length > 1) problems.push(`several databases are in use (${used.join(', ')}): choose one of them`);
  switch (database) {
    case 'Redis':
      return { database: 'redis', redis: readRedis(given.Redis, problems), cacheTtlMs: ttlOf(REDIS, given.Redis) };
    case 'Consul':
      return {
        database: 'consul',
        consul: readConsul(given.Consul, problems),
        cacheTtlMs: ttlOf(CONSUL, given.Consul),
      };
    case 'DynamoDB':
      return {
        database: 'dynamodb',
        dynamoDb: readDynamoDb(given.DynamoDB),
        cacheTtlMs: ttlOf(DYNAMODB, given.DynamoDB),
      };
    default:
      return undefined;
  }
}

/** Whether a database is in use: it is enabled, or its address is given. */
export function isUsed(given: GivenDatabases, name: Database): boolean {
  const values = given[name] as Readonly<Record<string, Given<unknown> | undefined>>;
  return values.enabled?.value === true || STORE_SWITCHES[name].some((key) => values[key] !== undefined);
}

function ttlOf(
  table: typeof REDIS | typeof CONSUL | typeof DYNAMODB,
  { localTtl }: GivenValues<typeof CONSUL>,
): number {
  return valuesOf({ localTtl: table.localTtl }, localTtl ? { localTtl } : {}).localTtl;
}

function readRedis(given: GivenValues<typeof REDIS>, problems: string[]): RedisOptions {
  const { url, host, port, clientCertificateFile, clientKeyFile } = given;
  const values = valuesOf(REDIS, given);
  if (url && (host || port))
    problems.push(`${url.place}: Redis has a URL and also ${(host ?? port)?.place}: leave out one of them`);
  const { host: linkedHost, port: portNumber } = readPort(port, problems);
  const target = url ?? { value: `redis://${linkedHost ?? host?.value ?? 'localhost'}:${portNumber}`, place: '' };
  const parsed = parseRedisUrl(target.value);
  if (!parsed)
    problems.push(
      url
        ? `${url.place}: the URL is invalid; write one such as redis://host:6379 or rediss://user:password@host:6379/0`
        : `${host?.place}: ${JSON.stringify(host?.value)} is not a host name`,
    );
  if (!clientCertificateFile !== !clientKeyFile)
    problems.push(
      `${(clientCertificateFile ?? clientKeyFile)?.place}: Redis needs clientCertificateFile and clientKeyFile together`,
    );
  const { username = '', password = '', address = target.value } = parsed ?? {};
  return {
    url: values.tls ? address.replace(/^redis:/, 'rediss:') : address,
    username: username || values.username || undefined,
    password: password || values.password || undefined,
    caFile: values.caFile,
    certFile: values.clientCertificateFile,
    keyFile: values.clientKeyFile,
    connectTimeoutMs: values.connectTimeout,
    readTimeoutMs: values.readTimeout,
  };
}

/** A port, or what Docker and Kubernetes set for a linked service: `tcp://host:port`. */
function readPort(
  given: Given<string> | undefined,
  problems: string[],
): { readonly host?: string; readonly port: number } {
  if (!given) return { port: DEFAULT_PORT };
  const [, host, digits = given.value] = /^tcp:\/\/([^:/]+|\[[^\]]+\]):(\d+)$/.exec(given.value) ?? [];
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  if (port < 1 || port > 65_535) {
    problems.push(`${given.place}: write a port from 1 to 65535, or tcp://host:port`);
    return { port: DEFAULT_PORT };
  }
  return { port, ...(host === undefined ? {} : { host }) };
}

interface RedisTarget {
  /** Without user and password. */
  readonly address: string;
  readonly username: string;
  readonly password: string;
}

function parseRedisUrl(text: string): RedisTarget | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || url.search || url.hash) return undefined;
  if (!/^\/?\d{0,5}$/.test(url.pathname)) return undefined;
  try {
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    const database = url.pathname.slice(1);
    const address = `${url.protocol}//${url.hostname}:${url.port || DEFAULT_PORT}${database === '' ? '' : `/${database}`}`;
    return { address, username, password };
  } catch {
    return undefined;
  }
}

function readConsul(given: GivenValues<typeof CONSUL>, problems: string[]): ConsulOptions {
  const { host, token, tokenFile } = given;
  if (token && tokenFile) problems.push(`${token.place}: Consul has also ${tokenFile.place}: leave out one of them`);
  const written = host?.value ?? 'localhost';
  const text = /^https?:\/\//.test(written) ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.pathname !== '/' || url.search || url.hash)
    problems.push(`${host?.place}: write a host such as consul.example.org:8500 or https://consul.example.org`);
  // A scheme's own port is not Consul's.
  const port = url?.port || (/:\d+\/?$/.test(text) ? (url?.protocol === 'https:' ? '443' : '80') : '8500');
  return {
    url: url ? `${url.protocol}//${url.hostname}:${port}` : text,
    token: token?.value,
    tokenFile: tokenFile?.value,
  };
}

function readDynamoDb(given: GivenValues<typeof DYNAMODB>): DynamoDbOptions {
  const { tableName, url } = given;
  const withoutUser = url && new URL(url.value);
  if (withoutUser) withoutUser.username = withoutUser.password = '';
  return { tableName: tableName?.value, url: withoutUser?.href.replace(/\/$/, '') };
}

/** With a database, environments need places of their own. */
export function checkStorePlaces(
  environments: readonly EnvironmentOptions[],
  { store, archive, autoConfig }: { readonly store: StoreOptions } & Pick<RelayOptions, 'archive' | 'autoConfig'>,
  problems: string[],
  warnings: string[],
): void {
  const isDynamoDb = store.database === 'dynamodb';
  const what = isDynamoDb ? 'prefix or tableName' : 'prefix';
  const owners = new Map<string, string>();
  for (const { name, filter, storePrefix, storeTable } of environments) {
    const { prefix, table } = storePlaceOf(store, { storePrefix, storeTable });
    if (isDynamoDb && table === undefined)
      problems.push(
        `Environment ${JSON.stringify(name)}: DynamoDB needs a table: set tableName of the section DynamoDB or of the environment`,
      );
    const place = JSON.stringify([prefix, table]);
    const owner = owners.get(place);
    if (owner !== undefined)
      problems.push(
        `Environment ${JSON.stringify(name)}: its data would replace those of ${JSON.stringify(owner)} in the database: give each a ${what}`,
      );
    owners.set(place, name);
    const isNamed = storePrefix !== undefined || (isDynamoDb && storeTable !== undefined);
    if (!isNamed && filter === undefined && environments.length === 1)
      warnings.push(`Environment ${JSON.stringify(name)} has no ${what}: a second environment would need one`);
  }
  const sharesPlace = (list: RelayOptions['archive'] | RelayOptions['autoConfig']) =>
    list && ![list.storePrefix, isDynamoDb ? list.storeTable : undefined].some((one) => one?.includes(CID));
  const remedy = `set envDatastorePrefix (ENV_DATASTORE_PREFIX) to a text with ${CID}`;
  if (sharesPlace(autoConfig))
    problems.push(`automatic configuration: a database needs a place for each environment: ${remedy}`);
  if (sharesPlace(archive)) warnings.push(`the environments of the archive share one place in the database: ${remedy}`);
}
