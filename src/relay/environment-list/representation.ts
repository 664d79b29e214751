import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { AdditionalKey, EnvironmentOptions } from '../config/relay-options.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { fillTemplate } from '../stores/names.ts';

/** Settings that the configuration adds to every environment of a list; those of the store are templates. */
export type ListDefaults = Partial<
  Pick<EnvironmentOptions, 'allowedOrigins' | 'allowedHeaders' | 'logLevel' | 'storePrefix' | 'storeTable'>
>;

/** An environment of automatic configuration or of an archive: both have the same form. */
export interface RepresentedEnvironment {
  /** Named by the environment's id. */
  readonly options: EnvironmentOptions &
    Required<Pick<EnvironmentOptions, 'additionalKeys'>> & { readonly envId: string };
  readonly version: number;
}

type Fields = Readonly<Record<string, Json>>;

/** Keys travel in a header. */
const KEY = /^[!-~]+$/;

/** Reads an environment; `id` is its name without an `envID`. Source: ld-relay's internal/envfactory. */
export function readRepresentation(
  json: Json | undefined,
  id: string,
  { allowedOrigins = [], allowedHeaders = [], logLevel, storePrefix, storeTable }: ListDefaults = {},
): Outcome<RepresentedEnvironment> {
  if (!isJsonObject(json)) return refused('it is not an object');
  const env: Fields = json;
  const { sdkKey } = env;
  if (!isJsonObject(sdkKey) || text(sdkKey.value) === '') return refused('it has no SDK key');
  if (!KEY.test(text(sdkKey.value))) return refused('its SDK key has characters that no key has');
  const envId = text(env.envID) || id;
  const projKey = text(env.projKey);
  const mobileKey = text(env.mobKey);
  return accepted({
    options: {
      name: envId,
      sdkKey: text(sdkKey.value),
      mobileKey: mobileKey || undefined,
      envId,
      secureMode: env.secureMode === true,
      allowedOrigins,
      allowedHeaders,
      ttlMs: Math.max(0, number(env.defaultTtl)) * 60_000,
      logLevel,
      projKey: projKey || undefined,
      filter: undefined,
      dataFile: undefined,
      storePrefix: fillTemplate(storePrefix, envId),
      storeTable: fillTemplate(storeTable, envId),
      additionalKeys: [...readSdkKeys(env, sdkKey), ...readKeyList('mobile', env.mobileKeys, mobileKey)],
      labels: { envKey: text(env.envKey), envName: text(env.envName), projKey, projName: text(env.projName) },
    },
    version: number(env.version),
  });
}

/** Whether an environment has the list of all SDK keys, which older ones lack. */
export function listsAllKeys(json: Json | undefined): boolean {
  return isJsonObject(json) && Array.isArray(json.sdkKeys) && json.sdkKeys.length > 0;
}

/** `sdkKeys` takes precedence; the older form has one expiring key. */
function readSdkKeys(env: Fields, { value, expiring }: Fields): readonly AdditionalKey[] {
  if (listsAllKeys(env)) return readKeyList('server', env.sdkKeys, text(value));
  if (!isJsonObject(expiring)) return [];
  return readKeyList('server', [{ value: text(expiring.value), expiry: number(expiring.timestamp) }], text(value));
}

function readKeyList(
  sdkKind: AdditionalKey['sdkKind'],
  list: Json | undefined,
  primary: string,
): readonly AdditionalKey[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly Json[]).flatMap((entry) => {
    if (!isJsonObject(entry)) return [];
    const key = text(entry.value);
    if (!KEY.test(key) || key === primary) return [];
    return [{ sdkKind, key, expiresAt: typeof entry.expiry === 'number' ? entry.expiry : undefined }];
  });
}

function text(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}

function number(json: Json | undefined): number {
  return typeof json === 'number' ? json : 0;
}
