import type { AdditionalKey, EnvironmentOptions } from '../config/relay-options.ts';
import { maskKey } from '../masking.ts';
import type { ConnectionError, ConnectionState, ConnectionStatus } from './connection-status.ts';

/** The properties of an environment that its status reports. Times are epoch milliseconds. */
export interface ReportedEnvironment {
  readonly options: Pick<
    EnvironmentOptions,
    'name' | 'sdkKey' | 'envId' | 'mobileKey' | 'filter' | 'additionalKeys' | 'labels'
  >;
  readonly connection: Pick<ConnectionStatus, 'state' | 'stateSince' | 'lastError' | 'isConnected'>;
  readonly createdAt: number;
}

/** Optional properties. */
export interface EnvironmentDetails {
  readonly dataStore?: DataStoreStatus | undefined;
  readonly bigSegments?: BigSegmentStatus | undefined;
}

export interface DataStoreStatus {
  readonly state: 'VALID' | 'INTERRUPTED';
  readonly stateSince: number;
  readonly database?: 'redis' | 'consul' | 'dynamodb';
  readonly dbServer?: string;
  readonly dbPrefix?: string;
  readonly dbTable?: string;
}

export interface BigSegmentStatus {
  readonly available?: boolean;
  readonly potentiallyStale: boolean;
  readonly lastSynchronizedOn: number;
}

export interface StatusSources<E extends ReportedEnvironment = ReportedEnvironment> {
  readonly environments: () => Iterable<E>;
  readonly details?: (environment: E) => EnvironmentDetails;
  /** Whether the list of environments is known. */
  readonly isComplete: () => boolean;
  /** The connection of automatic configuration; undefined without it. */
  readonly autoConfig?: Pick<ConnectionStatus, 'state' | 'stateSince' | 'lastError'>;
  readonly now: () => number;
  readonly disconnectedStatusMs: number;
  readonly bigSegmentsStaleAsDegraded: boolean;
  /** Of the relay. */
  readonly version: string;
  /** Of the compatible server-side SDK. */
  readonly clientVersion: string;
}

/** The `GET /status` of ld-relay, in its property order; JSON omits undefined properties. */
export interface StatusReport {
  readonly environments: Readonly<Record<string, EnvironmentStatus>>;
  readonly autoConfigStatus: ConnectionReport | undefined;
  readonly status: 'healthy' | 'degraded';
  readonly version: string;
  readonly clientVersion: string;
}

export interface ConnectionReport {
  readonly state: ConnectionState;
  readonly stateSince: number;
  readonly lastError: ConnectionError | undefined;
}

export interface EnvironmentStatus {
  readonly sdkKey: string | undefined;
  readonly envId: string | undefined;
  readonly envKey: string | undefined;
  readonly envName: string | undefined;
  readonly projKey: string | undefined;
  readonly projName: string | undefined;
  readonly mobileKey: string | undefined;
  readonly expiringSdkKey: string | undefined;
  readonly additionalSdkKeys: readonly string[] | undefined;
  readonly additionalMobileKeys: readonly string[] | undefined;
  readonly status: 'connected' | 'disconnected';
  readonly connectionStatus: ConnectionReport;
  readonly dataStoreStatus: DataStoreStatus;
  readonly bigSegmentStatus: BigSegmentStatus | undefined;
}

/** The current status of the relay. */
export function reportStatus<E extends ReportedEnvironment>(sources: StatusSources<E>): StatusReport {
  const { isComplete, autoConfig, version, clientVersion } = sources;
  const entries = [...sources.environments()].map(
    (environment) => [environment.options.name, describeEnvironment(environment, sources)] as const,
  );
  const isHealthy = isComplete() && entries.every(([, environment]) => isWell(environment, sources));
  return {
    environments: Object.fromEntries(entries),
    autoConfigStatus: autoConfig && describeConnection(autoConfig),
    status: isHealthy ? 'healthy' : 'degraded',
    version,
    clientVersion,
  };
}

/** The current status of one environment. */
export function describeEnvironment<E extends ReportedEnvironment>(
  environment: E,
  { details, now, disconnectedStatusMs }: StatusSources<E>,
): EnvironmentStatus {
  const { options, connection, createdAt } = environment;
  const { dataStore, bigSegments } = details?.(environment) ?? {};
  return {
    sdkKey: shown(options.sdkKey, maskKey),
    envId: shown(options.envId),
    envKey: shown(options.labels?.envKey),
    envName: shown(options.labels?.envName),
    projKey: shown(options.labels?.projKey),
    projName: shown(options.labels?.projName),
    mobileKey: shown(options.mobileKey, maskKey),
    ...describeKeys(options.additionalKeys),
    status: connection.isConnected(now(), disconnectedStatusMs) ? 'connected' : 'disconnected',
    connectionStatus: describeConnection(connection),
    // A store in memory cannot fail.
    dataStoreStatus: dataStore ?? { state: 'VALID', stateSince: createdAt },
    bigSegmentStatus: bigSegments,
  };
}

/** The first SDK key that ends is shown as the expiring one, all others as additional ones. */
function describeKeys(
  keys: readonly AdditionalKey[] = [],
): Pick<EnvironmentStatus, 'expiringSdkKey' | 'additionalSdkKeys' | 'additionalMobileKeys'> {
  const expiring = keys.find(({ sdkKind, expiresAt }) => sdkKind === 'server' && expiresAt !== undefined);
  const others = (kind: AdditionalKey['sdkKind']) => {
    const masked = keys.filter((one) => one.sdkKind === kind && one !== expiring).map(({ key }) => maskKey(key));
    return masked.length === 0 ? undefined : masked;
  };
  return {
    expiringSdkKey: shown(expiring?.key, maskKey),
    additionalSdkKeys: others('server'),
    additionalMobileKeys: others('mobile'),
  };
}

function describeConnection({ state, stateSince, lastError }: ConnectionReport): ConnectionReport {
  return { state, stateSince, lastError };
}

function shown(text: string | undefined, print = (text: string) => text): string | undefined {
  return text === undefined || text === '' ? undefined : print(text);
}

function isWell(
  { status, bigSegmentStatus }: EnvironmentStatus,
  { bigSegmentsStaleAsDegraded }: Pick<StatusSources, 'bigSegmentsStaleAsDegraded'>,
): boolean {
  if (status !== 'connected') return false;
  if (!bigSegmentStatus) return true;
  const { available, potentiallyStale } = bigSegmentStatus;
  return available !== false && !(potentiallyStale && bigSegmentsStaleAsDegraded);
}

/** The environment that a status request names. */
export type StatusTarget =
  | { readonly identifier: string; readonly filter: string | undefined }
  | { readonly projKey: string; readonly envKey: string; readonly filter: string | undefined };

/** Finds an environment by name, id, or project and environment key; a name may include the filter: `name/filter`. */
export function findTarget<E extends ReportedEnvironment>(
  { environments }: Pick<StatusSources<E>, 'environments'>,
  target: StatusTarget,
): E | undefined {
  for (const environment of environments()) {
    const { name, envId, filter, labels } = environment.options;
    if ('identifier' in target) {
      const full = target.filter === undefined ? target.identifier : `${target.identifier}/${target.filter}`;
      if (name === full || (envId === target.identifier && filter === target.filter)) return environment;
    } else {
      if (labels?.projKey === target.projKey && labels.envKey === target.envKey && filter === target.filter)
        return environment;
    }
  }
  return undefined;
}
