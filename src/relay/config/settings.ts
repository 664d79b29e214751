import { LOG_FORMATS, type LogFormat } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import {
  durationOf,
  readBoolean,
  readCount,
  readEventMode,
  readList,
  readLogLevel,
  readPort,
  readSize,
  readText,
  readTlsVersion,
  readUrl,
} from './setting-text.ts';

/** One thing that can be set, in a file or by a variable of the environment. */
export interface Setting<T> {
  /** For an environment or a filter: what the name follows. */
  readonly variable: string;
  readonly read: (text: string) => Outcome<T>;
  /** What the key alone, without `=`, means; undefined: it needs a value. */
  readonly bare?: T;
  /** Repeating the key adds to the list; of others, the last counts. */
  readonly isList?: true;
  /** It may be set, and nothing follows from it here; the text says why. */
  readonly withoutEffect?: string;
}

type Settings = Readonly<Record<string, Setting<unknown>>>;

/** A value with where it was given: `relay.conf:3: Main.port`, or `PORT`. */
export interface Given<T> {
  readonly value: T;
  readonly place: string;
}

/** What was given of a section; what was left out or empty is absent. */
export type Values<S extends Settings> = {
  readonly [K in keyof S]?: S[K] extends Setting<infer T> ? Given<T> : never;
};

const setting = <T>(variable: string, read: (text: string) => Outcome<T>): Setting<T> => ({ variable, read });
const boolean = (variable: string): Setting<boolean> => ({ variable, read: readBoolean, bare: true });
const list = (variable: string): Setting<readonly string[]> => ({ variable, read: readList, isList: true });
const idle = <T>(one: Setting<T>, withoutEffect: string): Setting<T> => ({ ...one, withoutEffect });

const NO_STORE = 'there is no persistent store';
const readDuration = durationOf(0);
/** What repeats: more often would only keep the machine busy. */
const readInterval = durationOf(100);
const readSomeTime = durationOf(1);

function readLogFormat(text: string): Outcome<LogFormat> {
  const word = text.toLowerCase();
  const format = word === 'text' ? 'logfmt' : LOG_FORMATS.find((one) => one === word);
  return format ? accepted(format) : refused(`${JSON.stringify(text)} is no form of a log: write text or json`);
}

export const MAIN = {
  streamUri: setting('STREAM_URI', readUrl),
  baseUri: setting('BASE_URI', readUrl),
  clientSideBaseUri: setting('CLIENT_SIDE_BASE_URI', readUrl),
  exitOnError: boolean('EXIT_ON_ERROR'),
  exitAlways: boolean('EXIT_ALWAYS'),
  ignoreConnectionErrors: boolean('IGNORE_CONNECTION_ERRORS'),
  port: setting('PORT', readPort),
  host: setting('LISTEN_HOST', readText),
  initTimeout: setting('INIT_TIMEOUT', readSomeTime),
  heartbeatInterval: setting('HEARTBEAT_INTERVAL', readSomeTime),
  maxClientConnectionTime: setting('MAX_CLIENT_CONNECTION_TIME', readDuration),
  maxClientWriteTime: idle(
    setting('MAX_CLIENT_WRITE_TIME', readDuration),
    'a client that does not read is dropped when its buffer is full',
  ),
  maxClientRequestBodySize: setting('MAX_CLIENT_REQUEST_BODY_SIZE', readSize),
  disconnectedStatusTime: setting('DISCONNECTED_STATUS_TIME', readDuration),
  tlsEnabled: boolean('TLS_ENABLED'),
  tlsCert: setting('TLS_CERT', readText),
  tlsKey: setting('TLS_KEY', readText),
  tlsMinVersion: setting('TLS_MIN_VERSION', readTlsVersion),
  logLevel: setting('LOG_LEVEL', readLogLevel),
  logFormat: setting('LOG_FORMAT', readLogFormat),
  bigSegmentsStaleAsDegraded: boolean('BIG_SEGMENTS_STALE_AS_DEGRADED'),
  bigSegmentsStaleThreshold: idle(setting('BIG_SEGMENTS_STALE_THRESHOLD', readDuration), NO_STORE),
  expiredCredentialCleanupInterval: idle(
    setting('EXPIRED_CREDENTIAL_CLEANUP_INTERVAL', readInterval),
    'a credential ends at its own instant',
  ),
  pingStreamJitterTime: setting('PING_STREAM_JITTER_TIME', readDuration),
  gracefulShutdownTimeout: setting('GRACEFUL_SHUTDOWN_TIMEOUT', readDuration),
  evaluatedStreams: boolean('EVALUATED_STREAMS'),
  recordPath: setting('RECORD_PATH', readText),
};

export const OFFLINE = {
  fileDataSource: setting('FILE_DATA_SOURCE', readText),
  fileDataSourceMonitoringInterval: setting('FILE_DATA_SOURCE_MONITORING_INTERVAL', readInterval),
  envAllowedOrigin: list('ENV_ALLOWED_ORIGIN'),
  envAllowedHeader: list('ENV_ALLOWED_HEADER'),
  envDatastorePrefix: idle(setting('ENV_DATASTORE_PREFIX', readText), NO_STORE),
  envDatastoreTableName: idle(setting('ENV_DATASTORE_TABLE_NAME', readText), NO_STORE),
};

export const EVENTS = {
  sendEvents: boolean('USE_EVENTS'),
  mode: setting('EVENTS_MODE', readEventMode),
  eventsUri: setting('EVENTS_HOST', readUrl),
  flushInterval: setting('EVENTS_FLUSH_INTERVAL', readSomeTime),
  capacity: setting('EVENTS_CAPACITY', readCount),
  inlineUsers: idle(boolean('EVENTS_INLINE_USERS'), 'the present form of events has no users in line'),
  maxInboundPayloadSize: setting('EVENTS_MAX_INBOUND_PAYLOAD_SIZE', readSize),
  metricsCapacity: idle(setting('EVENTS_METRICS_CAPACITY', readCount), 'no usage of the relay itself is reported'),
};

export const ENVIRONMENT = {
  sdkKey: setting('LD_ENV_', readText),
  mobileKey: setting('LD_MOBILE_KEY_', readText),
  envId: setting('LD_CLIENT_SIDE_ID_', readText),
  secureMode: boolean('LD_SECURE_MODE_'),
  prefix: idle(setting('LD_PREFIX_', readText), NO_STORE),
  tableName: idle(setting('LD_TABLE_NAME_', readText), NO_STORE),
  allowedOrigin: list('LD_ALLOWED_ORIGIN_'),
  allowedHeader: list('LD_ALLOWED_HEADER_'),
  logLevel: setting('LD_LOG_LEVEL_', readLogLevel),
  ttl: setting('LD_TTL_', readDuration),
  projKey: setting('LD_PROJ_KEY_', readText),
  dataFile: setting('LD_DATA_FILE_', readText),
};

export const FILTERS = { keys: list('LD_FILTER_KEYS_') };

export const PROMETHEUS = {
  enabled: boolean('USE_PROMETHEUS'),
  prefix: setting('PROMETHEUS_PREFIX', readText),
  port: setting('PROMETHEUS_PORT', readPort),
};

export const PROXY = {
  url: setting('PROXY_URL', readUrl),
  user: setting('PROXY_AUTH_USER', readText),
  password: setting('PROXY_AUTH_PASSWORD', readText),
  domain: setting('PROXY_AUTH_DOMAIN', readText),
  ntlmAuth: boolean('PROXY_AUTH_NTLM'),
  caCertFiles: list('PROXY_CA_CERTS'),
};

const TUNING = 'this relay needs no such limits';

export const HTTP = { enableCompression: idle(boolean('HTTP_ENABLE_COMPRESSION'), 'answers are not compressed') };

export const CONCURRENCY = {
  maxConcurrent: idle(setting('INIT_MAX_CONCURRENT', readText), TUNING),
  maxQueued: idle(setting('INIT_MAX_QUEUED', readText), TUNING),
  sendTimeout: idle(setting('INIT_SEND_TIMEOUT', readText), TUNING),
};

/** Sections that stand once. */
export const SINGLE_SECTIONS = {
  Main: MAIN,
  OfflineMode: OFFLINE,
  Events: EVENTS,
  Prometheus: PROMETHEUS,
  Proxy: PROXY,
  Http: HTTP,
  Concurrency: CONCURRENCY,
} satisfies Readonly<Record<string, Settings>>;

/** Sections that stand once for each name. */
export const NAMED_SECTIONS = { Environment: ENVIRONMENT, Filters: FILTERS } satisfies Readonly<
  Record<string, Settings>
>;

/** A section of ld-relay's that this version refuses, if it is turned on. */
export interface ForeignSection {
  /** Other keys are spelled wrongly; undefined: all are let through. */
  readonly keys: readonly string[] | undefined;
  /** Which keys turn it on, and by which variable the environment does; a boolean one only when true. */
  readonly switches: Readonly<Record<string, string | undefined>>;
  readonly reason: string;
}

const storeReason = (name: string) =>
  `this version keeps no flags in ${name}: leave it out; recordPath keeps the last data on disk`;
const metricsReason = (name: string) =>
  `this version sends nothing to ${name}: [Prometheus] enabled = true has metrics`;

export const FOREIGN_SECTIONS: Readonly<Record<string, ForeignSection>> = {
  AutoConfig: {
    keys: [
      'key',
      'envDatastorePrefix',
      'envDatastoreTableName',
      'envAllowedOrigin',
      'envAllowedHeader',
      'cacheKey',
      'cacheEncryptionKey',
    ],
    switches: {
      key: 'AUTO_CONFIG_KEY',
      cacheKey: 'AUTO_CONFIG_CACHE_KEY',
      cacheEncryptionKey: 'AUTO_CONFIG_CACHE_ENCRYPTION_KEY',
      envDatastorePrefix: undefined,
      envDatastoreTableName: undefined,
      envAllowedOrigin: undefined,
      envAllowedHeader: undefined,
    },
    reason: 'this version has no automatic configuration: write an [Environment "name"] for each environment',
  },
  Redis: {
    keys: [
      'host',
      'port',
      'url',
      'tls',
      'username',
      'password',
      'localTtl',
      'clientCertificateFile',
      'clientKeyFile',
      'caFile',
      'atomicUpsert',
      'connectTimeout',
      'readTimeout',
    ],
    switches: { host: undefined, port: undefined, url: undefined, enabled: 'USE_REDIS' },
    reason: storeReason('Redis'),
  },
  Consul: {
    keys: ['host', 'token', 'tokenFile', 'localTtl'],
    switches: { host: undefined, enabled: 'USE_CONSUL' },
    reason: storeReason('Consul'),
  },
  DynamoDB: {
    keys: ['enabled', 'tableName', 'url', 'localTtl'],
    switches: { enabled: 'USE_DYNAMODB' },
    reason: storeReason('DynamoDB'),
  },
  Datadog: {
    keys: ['enabled', 'prefix', 'traceAddr', 'statsAddr', 'tag'],
    switches: { enabled: 'USE_DATADOG' },
    reason: metricsReason('Datadog'),
  },
  Stackdriver: {
    keys: ['enabled', 'prefix', 'projectID'],
    switches: { enabled: 'USE_STACKDRIVER' },
    reason: metricsReason('Stackdriver'),
  },
  OpenTelemetry: {
    keys: undefined,
    switches: { enabled: 'USE_OTLP' },
    reason: metricsReason('OpenTelemetry'),
  },
};

/** Keys and variables of older versions, with what took their place. */
export const OBSOLETE_KEYS: Readonly<Record<string, string>> = {
  'environment.apikey': 'use sdkKey',
  'environment.ttlminutes': 'use ttl, a duration such as 5m',
  'events.samplinginterval': 'leave it out',
};
export const OBSOLETE_VARIABLES: readonly (readonly [prefix: string, advice: string])[] = [
  ['EVENTS_SAMPLING_INTERVAL', 'leave it out'],
  ['REDIS_TTL', 'use CACHE_TTL'],
  ['LD_TTL_MINUTES_', 'use LD_TTL_'],
];
