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
import { storePlaceOf } from '../stores/names.ts';
import type { StoreOptions } from '../stores/options.ts';
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
  const { store } = options;
  if (!store || store.database === 'consul') return undefined;
  const { baseUri, streamUri } = options;
  const log = environmentLog(parts.log, environment.options);
  const isOffline = options.archive !== undefined || environment.options.dataFile !== undefined;
  const sdkKey = () => environment.options.sdkKey;
  return new BigSegments({
    flags: environment.store,
    openStore: () => openStore(store, environment.options, parts, log),
    upstream: isOffline ? undefined : new BigSegmentUpstream({ baseUri, streamUri, sdkKey, http, clock }),
    staleAfterMs: options.bigSegments.staleAfterMs,
    logsPatches: options.bigSegments.logsPatches,
    clock,
    log,
  });
}

function openStore(
  store: Exclude<StoreOptions, { database: 'consul' }>,
  environment: EnvironmentOptions,
  { http, clock }: BigSegmentParts,
  log: Log,
): BigSegmentStore {
  const { prefix, table = '' } = storePlaceOf(store, environment);
  if (store.database === 'redis')
    return new RedisBigSegmentStore({ connection: openRedis(store.redis, log, clock), prefix });
  return new DynamoDbBigSegmentStore({ client: openDynamoDb(store.dynamoDb, { http, clock }), table, prefix });
}
