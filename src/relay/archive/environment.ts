import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { DataSink } from '../data-source.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { type FlagData, readFlagData } from '../flag-store.ts';
import type { EnvironmentFiles } from './files.ts';

/** A key that is valid in addition to the SDK key and mobile key of the options. */
export interface AdditionalKey {
  readonly sdkKind: 'server' | 'mobile';
  readonly key: string;
  /** Epoch milliseconds; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** Names of the environment and its project; empty if absent. */
export interface EnvironmentLabels {
  readonly envKey: string;
  readonly envName: string;
  readonly projKey: string;
  readonly projName: string;
}

/** An environment of an offline archive. Stays the same object when the archive is read again without changes to it. */
export interface ArchivedEnvironment {
  /** Named by the environment's id. */
  readonly options: EnvironmentOptions;
  readonly labels: EnvironmentLabels;
  /** Version of the options and labels. */
  readonly version: number;
  /** Changes with the data. */
  readonly dataId: string;
  /** Without expired keys. */
  readonly additionalKeys: readonly AdditionalKey[];
  /** Parses the flags and segments at each call, so that they need not be held in memory. */
  readData(): Outcome<FlagData>;
}

/** Settings that the configuration adds to every environment of an archive. */
export type ArchiveDefaults = Partial<Pick<EnvironmentOptions, 'allowedOrigins' | 'allowedHeaders' | 'logLevel'>>;

/** Reads the metadata of an environment. Source: ld-relay's internal/filedata and internal/envfactory. */
export function readArchivedEnvironment(
  { id, metadata, data }: EnvironmentFiles,
  now: number,
  { allowedOrigins = [], allowedHeaders = [], logLevel }: ArchiveDefaults = {},
): Outcome<ArchivedEnvironment> {
  const json = parse(metadata);
  if (!isJsonObject(json) || !isJsonObject(json.env)) return refused(`${id}.json has no environment`);
  const { env, dataId } = json;
  const { sdkKey } = env;
  if (!isJsonObject(sdkKey) || text(sdkKey.value) === '') return refused(`${id}.json has no SDK key`);
  const envId = text(env.envID) || id;
  const projKey = text(env.projKey);
  return accepted({
    options: {
      name: envId,
      sdkKey: text(sdkKey.value),
      mobileKey: text(env.mobKey) || undefined,
      envId,
      secureMode: env.secureMode === true,
      allowedOrigins,
      allowedHeaders,
      ttlMs: Math.max(0, number(env.defaultTtl)) * 60_000,
      logLevel,
      projKey: projKey || undefined,
      filter: undefined,
      dataFile: undefined,
      storePrefix: undefined,
      storeTable: undefined,
    },
    labels: { envKey: text(env.envKey), envName: text(env.envName), projKey, projName: text(env.projName) },
    version: number(env.version),
    dataId: text(dataId),
    additionalKeys: unexpired(
      [...readSdkKeys(env, sdkKey), ...readKeyList('mobile', env.mobileKeys, text(env.mobKey))],
      now,
    ),
    readData: () => readFlagData(parse(data)),
  });
}

/** Replaces the data in the store; refused if broken, with the store unchanged. */
export function applyArchivedData(
  environment: ArchivedEnvironment,
  { store, connection }: DataSink,
  now: number,
): Outcome<void> {
  const data = environment.readData();
  if (!data.ok) return data;
  const replaced = store.replace(data.value);
  if (replaced.ok) connection.succeeded(now);
  return replaced;
}

/** Difference between two versions of an archive. */
export interface EnvironmentChanges {
  readonly added: readonly ArchivedEnvironment[];
  readonly removed: readonly ArchivedEnvironment[];
  /** `hasNewData` is false if only options, labels or keys have changed. */
  readonly changed: readonly {
    readonly before: ArchivedEnvironment;
    readonly after: ArchivedEnvironment;
    readonly hasNewData: boolean;
  }[];
}

export function compareEnvironments(
  before: readonly ArchivedEnvironment[],
  after: readonly ArchivedEnvironment[],
): EnvironmentChanges {
  const known = new Map(before.map((environment) => [environment.options.name, environment]));
  const added: ArchivedEnvironment[] = [];
  const changed: EnvironmentChanges['changed'][number][] = [];
  for (const environment of after) {
    const earlier = known.get(environment.options.name);
    known.delete(environment.options.name);
    if (!earlier) added.push(environment);
    else if (earlier !== environment) {
      changed.push({ before: earlier, after: environment, hasNewData: earlier.dataId !== environment.dataId });
    }
  }
  return { added, removed: [...known.values()], changed };
}

export function unexpired(keys: readonly AdditionalKey[], now: number): readonly AdditionalKey[] {
  return keys.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
}

/** `sdkKeys` of newer archives takes precedence; the older form has one expiring key. */
function readSdkKeys(
  { sdkKeys }: { readonly [name: string]: Json },
  { value, expiring }: { readonly [name: string]: Json },
): readonly AdditionalKey[] {
  if (Array.isArray(sdkKeys) && sdkKeys.length > 0) return readKeyList('server', sdkKeys, text(value));
  if (!isJsonObject(expiring) || text(expiring.value) === '') return [];
  return [{ sdkKind: 'server', key: text(expiring.value), expiresAt: number(expiring.timestamp) }];
}

function readKeyList(
  sdkKind: AdditionalKey['sdkKind'],
  list: Json | undefined,
  primary: string,
): readonly AdditionalKey[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly Json[]).flatMap((entry) => {
    if (!isJsonObject(entry) || text(entry.value) === '' || entry.value === primary) return [];
    const expiresAt = typeof entry.expiry === 'number' ? entry.expiry : undefined;
    return [{ sdkKind, key: text(entry.value), expiresAt }];
  });
}

function text(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}

function number(json: Json | undefined): number {
  return typeof json === 'number' ? json : 0;
}

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}
