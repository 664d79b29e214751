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
import type { Journals } from '../journal/journal.ts';
import { openDynamoDb } from '../stores/dynamodb/client.ts';
import { storePlaceOf } from '../stores/names.ts';
import type { StoreOptions } from '../stores/options.ts';
import { openRedis } from '../stores/redis/client.ts';

export interface BigSegmentParts {
  readonly options: RelayOptions;
  readonly set: Pick<EnvironmentSet, 'subscribe'>;
  readonly journals: Journals;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly log: Log;
}

/** Adds big segments to every environment of the set, if there is a store that can hold them. Returns what ends them. */
export function addBigSegments(parts: BigSegmentParts): () => Promise<void> {
  const { store } = parts.options;
  if (!store || store.database === 'consul') return async () => {};
  const served = new Map<Environment, { readonly bigSegments: BigSegments; readonly place: string }>();
  const open = (environment: Environment) => {
    const bigSegments = openBigSegments(environment, store, parts);
    environment.bigSegments = bigSegments;
    served.set(environment, { bigSegments, place: placeOf(store, environment) });
  };
  parts.set.subscribe({
    added: open,
    changed(environment) {
      const before = served.get(environment);
      if (before?.place === placeOf(store, environment)) return;
      open(environment);
      void before?.bigSegments.close();
      environment.store.changeMembers();
    },
    removed(environment) {
      void served.get(environment)?.bigSegments.close();
      served.delete(environment);
    },
  });
  return async () => {
    await Promise.all([...served.values()].map(({ bigSegments }) => bigSegments.close()));
  };
}

type BigSegmentStoreOptions = Exclude<StoreOptions, { database: 'consul' }>;

/** Changes if the data of the environment move in the database. */
const placeOf = (store: StoreOptions, { options }: Environment): string => JSON.stringify(storePlaceOf(store, options));

function openBigSegments(environment: Environment, store: BigSegmentStoreOptions, parts: BigSegmentParts): BigSegments {
  const { options, http, clock, journals } = parts;
  const { baseUri, streamUri } = options;
  const log = journals.record(environment, environmentLog(parts.log, environment.options));
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
  store: BigSegmentStoreOptions,
  environment: EnvironmentOptions,
  { http, clock }: BigSegmentParts,
  log: Log,
): BigSegmentStore {
  const { prefix, table = '' } = storePlaceOf(store, environment);
  if (store.database === 'dynamodb')
    return new DynamoDbBigSegmentStore({ client: openDynamoDb(store.dynamoDb, { http, clock }), table, prefix });
  // Failures of the connection are those of operations, which are logged.
  const quiet: Log = { ...log, info: log.debug, warn: log.debug, error: log.debug };
  return new RedisBigSegmentStore({ connection: openRedis(store.redis, quiet, clock), prefix });
}
