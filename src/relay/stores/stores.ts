import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../kernel/clock.ts';
import { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import type { Environment } from '../environment.ts';
import type { DataStoreStatus } from '../status/status.ts';
import type { BlobStore } from './blobs.ts';
import { ConsulDriver } from './consul/driver.ts';
import type { StoreDriver } from './driver.ts';
import { DynamoDbBlobs } from './dynamodb/blobs.ts';
import { openDynamoDb } from './dynamodb/client.ts';
import { DynamoDbDriver } from './dynamodb/driver.ts';
import { serverOf, storePlaceOf } from './names.ts';
import type { StoreOptions } from './options.ts';
import { PersistentStore, type StoredEnvironment } from './persistent-store.ts';
import { RedisBlobs } from './redis/blobs.ts';
import { openRedis, type RedisConnection } from './redis/client.ts';
import { RedisDriver } from './redis/driver.ts';
import { StoredSource } from './source.ts';
import { Turns } from './turns.ts';

export interface StoresParts {
  readonly options: StoreOptions;
  /** With exitAlways: only writes, since the relay ends as soon as an environment has data. */
  readonly isWriteOnly: boolean;
  /** What identifies an environment: its id if that is known, as keys change. */
  readonly identity: 'sdkKey' | 'envId';
  readonly clock: Clock;
  readonly log: Log;
}

const CONNECT_TIMEOUT_MS = 3000;

/** Keeps the data of environments in one database. */
export class Stores {
  readonly #parts: StoresParts;
  readonly #sources = new WeakMap<DataSink, StoredSource>();
  /** Not that of LaunchDarkly: its proxy leads out of the network in which databases are. */
  readonly #http = new HttpClient({ variables: process.env, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  readonly #turns = new Turns();
  #redis: Promise<RedisConnection> | undefined;
  #dynamoDb: Promise<DynamoDB> | undefined;

  constructor(parts: StoresParts) {
    this.#parts = parts;
    const { options, clock, log } = parts;
    if (options.database === 'redis') this.#redis = openRedis(options.redis, log, clock);
    else if (options.database === 'dynamodb')
      this.#dynamoDb = openDynamoDb(options.dynamoDb, { http: this.#http, clock });
    // Each use of a store reports the failure again.
    this.#redis?.catch(() => {});
    this.#dynamoDb?.catch(() => {});
  }

  /** The source of an environment, with its data in the database; `isLocal` if it is a file or an archive. */
  open(
    source: DataSource,
    sink: DataSink,
    { environment, isLocal, log }: { environment: EnvironmentOptions; isLocal: boolean; log: Log },
  ): DataSource {
    const { options, isWriteOnly, identity, clock } = this.#parts;
    const openDriver = (one: StoredEnvironment) => this.#driver(one);
    const store = new PersistentStore({ openDriver, environment, identity, isLocal, log });
    const isRestored = !isLocal && !isWriteOnly;
    const { cacheTtlMs } = options;
    const stored = new StoredSource(source, sink, { store, isRestored, isLocal, cacheTtlMs, clock, log });
    this.#sources.set(sink, stored);
    return stored;
  }

  /** Bytes beside the data of environments; undefined for Consul. */
  openBlobs(name: string): BlobStore | undefined {
    const { options } = this.#parts;
    if (this.#redis) return new RedisBlobs({ connection: this.#redis, hash: name, turns: this.#turns });
    const table = options.database === 'dynamodb' ? options.dynamoDb.tableName : undefined;
    if (!this.#dynamoDb || table === undefined) return undefined;
    return new DynamoDbBlobs({ client: this.#dynamoDb, table, namespace: name });
  }

  statusOf(environment: Environment): DataStoreStatus | undefined {
    const source = this.#sources.get(environment);
    if (!source) return undefined;
    const { options } = this.#parts;
    const { prefix, table } = storePlaceOf(options, environment.options);
    return {
      ...source.state,
      database: options.database,
      ...shown('dbServer', serverOf(options)),
      ...shown('dbPrefix', prefix),
      ...shown('dbTable', table),
    };
  }

  async close(): Promise<void> {
    const connection = await this.#redis?.catch(() => undefined);
    connection?.close();
    await this.#http.close();
  }

  #driver(environment: StoredEnvironment): StoreDriver {
    const { options, clock } = this.#parts;
    const { prefix, table = '' } = storePlaceOf(options, environment);
    switch (options.database) {
      case 'redis':
        return new RedisDriver({ connection: this.#redis as Promise<RedisConnection>, prefix, turns: this.#turns });
      case 'dynamodb':
        return new DynamoDbDriver({ client: this.#dynamoDb as Promise<DynamoDB>, table, prefix });
      case 'consul':
        return new ConsulDriver({ options: options.consul, prefix, http: this.#http, clock });
    }
  }
}

function shown(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value ? { [name]: value } : {};
}
