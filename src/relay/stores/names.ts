import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { StoreOptions } from './options.ts';

/** The prefixes of ld-relay and the SDKs. */
const DEFAULT_PREFIXES: Readonly<Record<StoreOptions['database'], string>> = {
  redis: 'launchdarkly',
  consul: 'launchdarkly',
  dynamodb: '',
};

/** Where the data of an environment are in a database. */
export interface StorePlace {
  /** Empty: none. */
  readonly prefix: string;
  /** Undefined except for DynamoDB, or if none is configured. */
  readonly table: string | undefined;
}

export function storePlaceOf(
  options: StoreOptions,
  { storePrefix, storeTable }: Pick<EnvironmentOptions, 'storePrefix' | 'storeTable'>,
): StorePlace {
  const prefix = storePrefix ?? DEFAULT_PREFIXES[options.database];
  return { prefix, table: options.database === 'dynamodb' ? (storeTable ?? options.dynamoDb.tableName) : undefined };
}

/** The variant of a payload filter has a prefix of its own. */
export function filteredPrefix(prefix: string | undefined, filter: string): string {
  return `${prefix ?? ''}/${filter}`;
}

/** Fills in a template of automatic configuration or an archive; undefined without one. */
export function fillTemplate(template: string | undefined, envId: string, filter?: string): string | undefined {
  return template?.replaceAll(CID, filter === undefined ? envId : `${envId}.${filter}`);
}

/** Stands for the id of an environment in a template. */
export const CID = '$CID';

/** The address of a database; undefined if AWS's client finds it. */
export function serverOf(options: StoreOptions): string | undefined {
  if (options.database === 'redis') return options.redis.url;
  return options.database === 'consul' ? options.consul.url : options.dynamoDb.url;
}
