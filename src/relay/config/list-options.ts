import { type Given, valuesOf } from '../../kernel/settings/settings.ts';
import type { RelayOptions } from './relay-options.ts';
import { AUTO_CONFIG, LIST_DEFAULTS, OFFLINE } from './settings.ts';
import type { GivenSettings } from './settings-draft.ts';

/** Variables of both sections: they belong to the one that is used. */
const SHARED: readonly string[] = Object.values(LIST_DEFAULTS).map(({ variable }) => variable);

/** The source that names the environments, if they are not configured here; adds to `problems`. */
export function readListOptions(
  given: GivenSettings,
  problems: string[],
): Pick<RelayOptions, 'archive' | 'autoConfig'> {
  const { key } = given.AutoConfig;
  const { fileDataSource } = given.OfflineMode;
  if (key && fileDataSource)
    problems.push(`${fileDataSource.place}: automatic configuration needs LaunchDarkly: leave out one of them`);
  for (const [source, place] of [
    ['automatic configuration', key?.place],
    ['the archive', fileDataSource?.place],
  ] as const) {
    if (place === undefined) continue;
    if (given.Environment.size > 0)
      problems.push(`${place}: ${source} names its environments, so none can be configured beside it`);
    if (given.Filters.size > 0)
      problems.push(`${place}: ${source} names its filters, so none can be configured beside it`);
  }
  return { archive: readArchive(given, problems), autoConfig: readAutoConfig(given, problems) };
}

/** Warns if the configuration cannot be kept in the database. */
export function checkConfigurationCache(
  { autoConfig, store }: Pick<RelayOptions, 'autoConfig' | 'store'>,
  warnings: string[],
): void {
  if (!autoConfig?.cache || store?.database === 'redis') return;
  if (store?.database === 'dynamodb' && store.dynamoDb.tableName !== undefined) return;
  warnings.push(
    'AutoConfig cacheKey (AUTO_CONFIG_CACHE_KEY) has no effect: it needs Redis, or DynamoDB with a tableName; recordPath keeps the configuration on disk',
  );
}

function readArchive({ OfflineMode: given, AutoConfig }: GivenSettings, problems: string[]): RelayOptions['archive'] {
  const { fileDataSource, ...others } = given;
  if (!fileDataSource) {
    for (const { place } of Object.values(others)) {
      if (!SHARED.includes(place)) problems.push(`${place}: it needs OfflineMode fileDataSource (FILE_DATA_SOURCE)`);
      else if (!AutoConfig.key) problems.push(`${place}: it needs AUTO_CONFIG_KEY or FILE_DATA_SOURCE`);
    }
    return undefined;
  }
  const values = valuesOf(OFFLINE, given);
  return {
    path: fileDataSource.value,
    intervalMs: values.fileDataSourceMonitoringInterval,
    allowedOrigins: values.envAllowedOrigin,
    allowedHeaders: values.envAllowedHeader,
    storePrefix: values.envDatastorePrefix,
    storeTable: values.envDatastoreTableName,
  };
}

function readAutoConfig({ AutoConfig: given }: GivenSettings, problems: string[]): RelayOptions['autoConfig'] {
  const { key, ...others } = given;
  if (!key) {
    for (const { place } of Object.values(others) as Given<unknown>[])
      if (!SHARED.includes(place)) problems.push(`${place}: it needs AutoConfig key (AUTO_CONFIG_KEY)`);
    return undefined;
  }
  if (/\s/.test(key.value)) problems.push(`${key.place}: the key contains white space`);
  if (others.cacheEncryptionKey && !others.cacheKey)
    problems.push(`${others.cacheEncryptionKey.place}: it needs AutoConfig cacheKey (AUTO_CONFIG_CACHE_KEY)`);
  const values = valuesOf(AUTO_CONFIG, given);
  return {
    key: key.value,
    cache:
      values.cacheKey === undefined
        ? undefined
        : { key: values.cacheKey, secret: values.cacheEncryptionKey ?? key.value },
    allowedOrigins: values.envAllowedOrigin,
    allowedHeaders: values.envAllowedHeader,
    storePrefix: values.envDatastorePrefix,
    storeTable: values.envDatastoreTableName,
  };
}
