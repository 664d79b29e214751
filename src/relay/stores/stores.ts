import { readFileSync } from 'node:fs';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { SendsRequests } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';
import { fileErrorOf } from '../../kernel/settings/settings.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import type { DataStoreStatus } from '../status/status.ts';
import type { BlobStore } from './blobs.ts';
import { ConsulDriver } from './consul/driver.ts';
import type { StoreDriver } from './driver.ts';
import { DynamoDbBlobs } from './dynamodb/blobs.ts';
import { openDynamoDb } from './dynamodb/client.ts';
import { DynamoDbDriver } from './dynamodb/driver.ts';
import { serverOf, storePlaceOf } from './names.ts';
import type { StoreOptions } from './options.ts';
import { PersistentStore } from './persistent-store.ts';
import { RedisBlobs } from './redis/blobs.ts';
import { openRedis, type RedisConnection } from './redis/client.ts';
import { RedisDriver } from './redis/driver.ts';
import { StoredSource } from './source.ts';
import { Turns } from './turns.ts';

export interface StoresParts {
  readonly options: StoreOptions;
  /** With exitAlways: only writes, since the relay ends as soon as an environment has data. */
  readonly isWriteOnly: boolean;
  readonly http: SendsRequests;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps the data of environments in one database. */
export class Stores {
  readonly #parts: StoresParts;
  readonly #sources = new WeakMap<DataSink, { readonly source: StoredSource; readonly options: EnvironmentOptions }>();
  readonly #turns = new Turns();
  #redis: Promise<RedisConnection> | undefined;
  #dynamoDb: Promise<DynamoDB> | undefined;

  /** Throws a CommandError if a certificate cannot be read. */
  constructor(parts: StoresParts) {
    this.#parts = parts;
    const { options, http, clock, log } = parts;
    if (options.database === 'redis') {
      for (const file of [options.redis.caFile, options.redis.certFile, options.redis.keyFile]) checkReadable(file);
      this.#redis = openRedis(options.redis, log, clock);
    } else if (options.database === 'dynamodb') this.#dynamoDb = openDynamoDb(options.dynamoDb, { http, clock });
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
    const { options, isWriteOnly, clock } = this.#parts;
    const store = new PersistentStore({ driver: this.#driver(environment), environment, isLocal, log });
    const isRestored = !isLocal && !isWriteOnly;
    const { cacheTtlMs } = options;
    const stored = new StoredSource(source, sink, { store, isRestored, isLocal, cacheTtlMs, clock, log });
    this.#sources.set(sink, { source: stored, options: environment });
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

  statusOf(sink: DataSink): DataStoreStatus | undefined {
    const found = this.#sources.get(sink);
    if (!found) return undefined;
    const { options } = this.#parts;
    const { prefix, table } = storePlaceOf(options, found.options);
    return {
      ...found.source.state,
      database: options.database,
      ...shown('dbServer', serverOf(options)),
      ...shown('dbPrefix', prefix),
      ...shown('dbTable', table),
    };
  }

  async close(): Promise<void> {
    const connection = await this.#redis?.catch(() => undefined);
    connection?.close();
  }

  #driver(environment: EnvironmentOptions): StoreDriver {
    const { options, http, clock } = this.#parts;
    const { prefix, table = '' } = storePlaceOf(options, environment);
    switch (options.database) {
      case 'redis':
        return new RedisDriver({ connection: this.#redis as Promise<RedisConnection>, prefix, turns: this.#turns });
      case 'dynamodb':
        return new DynamoDbDriver({ client: this.#dynamoDb as Promise<DynamoDB>, table, prefix });
      case 'consul':
        return new ConsulDriver({ options: options.consul, prefix, http, clock });
    }
  }
}

function shown(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value ? { [name]: value } : {};
}

function checkReadable(file: string | undefined): void {
  if (file === undefined) return;
  try {
    readFileSync(file);
  } catch (error) {
    throw new CommandError(
      `cannot read ${file}, a certificate or key for Redis: ${fileErrorOf(error)}`,
      ExitCode.usage,
    );
  }
}
