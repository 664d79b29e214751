export const MIN_CACHE_TTL_MS = 1000;

/** The persistent store of all environments. Durations are milliseconds. */
export type StoreOptions = {
  /** Time after which data of other writers are read again, at least MIN_CACHE_TTL_MS; negative: never. */
  readonly cacheTtlMs: number;
} & (
  | { readonly database: 'redis'; readonly redis: RedisOptions }
  | { readonly database: 'dynamodb'; readonly dynamoDb: DynamoDbOptions }
  | { readonly database: 'consul'; readonly consul: ConsulOptions }
);

export interface RedisOptions {
  /** `redis://host:port/number`, or `rediss:` for TLS; without user and password. */
  readonly url: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** PEM files; undefined: the authorities of Node, and no client certificate. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly connectTimeoutMs: number;
  /** For the answer to a command. */
  readonly readTimeoutMs: number;
}

export interface DynamoDbOptions {
  /** Of environments without a table of their own. */
  readonly tableName: string | undefined;
  /** Without a user and password; undefined: that of the region. */
  readonly url: string | undefined;
}

export interface ConsulOptions {
  /** `http://host:port` or `https://…`, without a user and password. */
  readonly url: string;
  readonly token: string | undefined;
  /** Read before each request, as tokens are renewed; undefined: `token`. */
  readonly tokenFile: string | undefined;
}
