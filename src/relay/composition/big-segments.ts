import type { Clock } from '../../kernel/clock.ts';
import type { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';
import { BigSegments } from '../big-segments/big-segments.ts';
import { DynamoDbBigSegmentStore } from '../big-segments/dynamodb-store.ts';
import { RedisBigSegmentStore } from '../big-segments/redis-store.ts';
import type { BigSegmentStore } from '../big-segments/store.ts';
import { BigSegmentUpstream } from '../big-segments/upstream.ts';
import type { EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import type { Environment } from '../environment.ts';
import { environmentLog } from '../environment-log.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import { openDynamoDb } from '../stores/dynamodb/client.ts';
import { openRedis } from '../stores/redis/client.ts';

export interface BigSegmentParts {
  readonly options: RelayOptions;
  readonly set: Pick<EnvironmentSet, 'subscribe'>;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly log: Log;
}

/** Adds big segments to every environment of the set, if there is a store that can hold them. Returns what ends them. */
export function addBigSegments(parts: BigSegmentParts): () => Promise<void> {
  const served = new Map<Environment, BigSegments>();
  parts.set.subscribe({
    added(environment) {
      const bigSegments = openBigSegments(environment, parts);
      if (!bigSegments) return;
      environment.bigSegments = bigSegments;
      served.set(environment, bigSegments);
    },
    removed(environment) {
      void served.get(environment)?.close();
      served.delete(environment);
    },
  });
  return async () => {
    await Promise.all([...served.values()].map((bigSegments) => bigSegments.close()));
  };
}

/** Undefined if there is no store, or one that cannot hold them. */
function openBigSegments(environment: Environment, parts: BigSegmentParts): BigSegments | undefined {
  const { options, http, clock } = parts;
  if (!options.store || options.store.database === 'consul') return undefined;
  const { baseUri, streamUri } = options;
  const log = environmentLog(parts.log, environment.options);
  const isOffline = options.archive !== undefined || environment.options.dataFile !== undefined;
  const sdkKey = () => environment.options.sdkKey;
  return new BigSegments({
    flags: environment.store,
    openStore: () => openStore(environment.options, parts, log),
    upstream: isOffline ? undefined : new BigSegmentUpstream({ baseUri, streamUri, sdkKey, http, clock }),
    staleAfterMs: options.bigSegments.staleAfterMs,
    logsPatches: options.bigSegments.logsPatches,
    clock,
    log,
  });
}

/** The prefix of LaunchDarkly's SDKs. */
const DEFAULT_REDIS_PREFIX = 'launchdarkly';

function openStore(
  { storePrefix: prefix, storeTable }: EnvironmentOptions,
  { options: { store }, http, clock }: BigSegmentParts,
  log: Log,
): BigSegmentStore {
  if (store?.database === 'redis') {
    const connection = openRedis(store.redis, log, clock);
    return new RedisBigSegmentStore({ connection, prefix: prefix ?? DEFAULT_REDIS_PREFIX });
  }
  if (store?.database !== 'dynamodb') throw new Error('the store cannot hold big segments');
  const { dynamoDb } = store;
  const client = openDynamoDb(dynamoDb, { http, clock });
  return new DynamoDbBigSegmentStore({ client, table: storeTable ?? dynamoDb.tableName ?? '', prefix });
}
