import { DECK_URL } from '../../kernel/deck/setting.ts';
import { anyText, boolean } from '../../kernel/settings/kind.ts';
import type { SettingsTable } from '../../kernel/settings/settings.ts';
import {
  count,
  credential,
  durationOrSeconds,
  eventMode,
  goDuration,
  httpUrl,
  list,
  logFormat,
  logLevel,
  pageToken,
  port,
  size,
  strictList,
  tlsVersion,
  workerCount,
} from './setting-kinds.ts';
import { CONSUL, DYNAMODB, REDIS } from './store-settings.ts';

// The settings of files and variables. The variable of an environment or a filter ends in its name.

const ONLY_METRICS = 'only metrics are sent';
const duration = goDuration(0);
const positiveDuration = goDuration(1);
/** The time between repetitions: a shorter one would only keep the machine busy. */
const interval = goDuration(100);

export const MAIN = {
  streamUri: { variable: 'STREAM_URI', kind: httpUrl, default: 'https://stream.launchdarkly.com' },
  baseUri: { variable: 'BASE_URI', kind: httpUrl },
  clientSideBaseUri: { variable: 'CLIENT_SIDE_BASE_URI', kind: httpUrl },
  exitOnError: { variable: 'EXIT_ON_ERROR', kind: boolean },
  exitAlways: { variable: 'EXIT_ALWAYS', kind: boolean },
  ignoreConnectionErrors: { variable: 'IGNORE_CONNECTION_ERRORS', kind: boolean },
  port: { variable: 'PORT', kind: port, default: '8030' },
  host: { variable: 'LISTEN_HOST', kind: anyText },
  initTimeout: { variable: 'INIT_TIMEOUT', kind: positiveDuration, default: '10s' },
  heartbeatInterval: { variable: 'HEARTBEAT_INTERVAL', kind: durationOrSeconds, default: '3m' },
  maxClientConnectionTime: { variable: 'MAX_CLIENT_CONNECTION_TIME', kind: duration, default: '0' },
  maxClientWriteTime: {
    variable: 'MAX_CLIENT_WRITE_TIME',
    kind: duration,
    withoutEffect: 'a client that does not read is dropped when its buffer is full',
  },
  maxClientRequestBodySize: { variable: 'MAX_CLIENT_REQUEST_BODY_SIZE', kind: size, default: '5MiB' },
  disconnectedStatusTime: { variable: 'DISCONNECTED_STATUS_TIME', kind: duration, default: '1m' },
  tlsEnabled: { variable: 'TLS_ENABLED', kind: boolean },
  tlsCert: { variable: 'TLS_CERT', kind: anyText },
  tlsKey: { variable: 'TLS_KEY', kind: anyText },
  tlsMinVersion: { variable: 'TLS_MIN_VERSION', kind: tlsVersion },
  logLevel: { variable: 'LOG_LEVEL', kind: logLevel, default: 'info' },
  logFormat: { variable: 'LOG_FORMAT', kind: logFormat },
  bigSegmentsStaleAsDegraded: { variable: 'BIG_SEGMENTS_STALE_AS_DEGRADED', kind: boolean },
  bigSegmentsStaleThreshold: { variable: 'BIG_SEGMENTS_STALE_THRESHOLD', kind: duration },
  traceLogBigSegments: { variable: 'LD_TRACE_LOG_BIG_SEGMENTS', kind: boolean },
  expiredCredentialCleanupInterval: {
    variable: 'EXPIRED_CREDENTIAL_CLEANUP_INTERVAL',
    kind: interval,
    withoutEffect: 'a credential ends at its own instant',
  },
  pingStreamJitterTime: { variable: 'PING_STREAM_JITTER_TIME', kind: duration, default: '0' },
  gracefulShutdownTimeout: { variable: 'GRACEFUL_SHUTDOWN_TIMEOUT', kind: duration, default: '30s' },
  evaluatedStreams: { variable: 'EVALUATED_STREAMS', kind: boolean },
  pageToken: { variable: 'PAGE_TOKEN', kind: pageToken, isSecret: true },
  deckUrl: { variable: 'OPSDECK_DECK_URL', kind: DECK_URL.kind },
  recordPath: { variable: 'RECORD_PATH', kind: anyText },
  workers: { variable: 'RELAY_WORKERS', kind: workerCount },
} as const satisfies SettingsTable;

/** Settings of every environment of an archive or of automatic configuration. */
export const LIST_DEFAULTS = {
  envAllowedOrigin: { variable: 'ENV_ALLOWED_ORIGIN', kind: list },
  envAllowedHeader: { variable: 'ENV_ALLOWED_HEADER', kind: list },
  envDatastorePrefix: { variable: 'ENV_DATASTORE_PREFIX', kind: anyText },
  envDatastoreTableName: { variable: 'ENV_DATASTORE_TABLE_NAME', kind: anyText },
} as const satisfies SettingsTable;

export const AUTO_CONFIG = {
  key: { variable: 'AUTO_CONFIG_KEY', kind: credential, isSecret: true },
  cacheKey: { variable: 'AUTO_CONFIG_CACHE_KEY', kind: credential },
  cacheEncryptionKey: { variable: 'AUTO_CONFIG_CACHE_ENCRYPTION_KEY', kind: credential, isSecret: true },
  ...LIST_DEFAULTS,
} as const satisfies SettingsTable;

export const OFFLINE = {
  fileDataSource: { variable: 'FILE_DATA_SOURCE', kind: anyText },
  fileDataSourceMonitoringInterval: { variable: 'FILE_DATA_SOURCE_MONITORING_INTERVAL', kind: interval, default: '1s' },
  ...LIST_DEFAULTS,
} as const satisfies SettingsTable;

export const EVENTS = {
  sendEvents: { variable: 'USE_EVENTS', kind: boolean },
  mode: { variable: 'EVENTS_MODE', kind: eventMode },
  eventsUri: { variable: 'EVENTS_HOST', kind: httpUrl, default: 'https://events.launchdarkly.com' },
  flushInterval: { variable: 'EVENTS_FLUSH_INTERVAL', kind: positiveDuration, default: '5s' },
  capacity: { variable: 'EVENTS_CAPACITY', kind: count, default: '1000' },
  inlineUsers: {
    variable: 'EVENTS_INLINE_USERS',
    kind: boolean,
    withoutEffect: 'the present form of events has no users in line',
  },
  maxInboundPayloadSize: { variable: 'EVENTS_MAX_INBOUND_PAYLOAD_SIZE', kind: size },
  metricsCapacity: {
    variable: 'EVENTS_METRICS_CAPACITY',
    kind: count,
    withoutEffect: 'no usage of the relay itself is reported',
  },
} as const satisfies SettingsTable;

export const ENVIRONMENT = {
  sdkKey: { variable: 'LD_ENV_', kind: credential, isSecret: true },
  mobileKey: { variable: 'LD_MOBILE_KEY_', kind: credential, isSecret: true },
  envId: { variable: 'LD_CLIENT_SIDE_ID_', kind: credential },
  secureMode: { variable: 'LD_SECURE_MODE_', kind: boolean },
  prefix: { variable: 'LD_PREFIX_', kind: anyText },
  tableName: { variable: 'LD_TABLE_NAME_', kind: anyText },
  allowedOrigin: { variable: 'LD_ALLOWED_ORIGIN_', kind: list },
  allowedHeader: { variable: 'LD_ALLOWED_HEADER_', kind: list },
  logLevel: { variable: 'LD_LOG_LEVEL_', kind: logLevel },
  ttl: { variable: 'LD_TTL_', kind: duration, default: '0' },
  projKey: { variable: 'LD_PROJ_KEY_', kind: anyText },
  dataFile: { variable: 'LD_DATA_FILE_', kind: anyText },
} as const satisfies SettingsTable;

export const FILTERS = { keys: { variable: 'LD_FILTER_KEYS_', kind: strictList } } as const;

export const PROMETHEUS = {
  enabled: { variable: 'USE_PROMETHEUS', kind: boolean },
  prefix: { variable: 'PROMETHEUS_PREFIX', kind: anyText, default: 'launchdarkly_relay' },
  port: { variable: 'PROMETHEUS_PORT', kind: port, default: '8031' },
} as const satisfies SettingsTable;

/** The variables are those of OpenTelemetry, which may be meant for other programs. */
export const OPEN_TELEMETRY = {
  enabled: { variable: 'USE_OTLP', kind: boolean },
  endpoint: { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', kind: anyText },
  metricsEndpoint: { variable: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', kind: anyText },
  protocol: { variable: 'OTEL_EXPORTER_OTLP_PROTOCOL', kind: anyText },
  metricsProtocol: { variable: 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', kind: anyText },
  headers: { variable: 'OTEL_EXPORTER_OTLP_HEADERS', kind: anyText, isSecret: true },
  metricsHeaders: { variable: 'OTEL_EXPORTER_OTLP_METRICS_HEADERS', kind: anyText, isSecret: true },
  compression: { variable: 'OTEL_EXPORTER_OTLP_COMPRESSION', kind: anyText },
  timeout: { variable: 'OTEL_EXPORTER_OTLP_TIMEOUT', kind: anyText },
  interval: { variable: 'OTEL_METRIC_EXPORT_INTERVAL', kind: anyText },
  serviceName: { variable: 'OTEL_SERVICE_NAME', kind: anyText },
  resourceAttributes: { variable: 'OTEL_RESOURCE_ATTRIBUTES', kind: anyText },
  metricsExporter: { variable: 'OTEL_METRICS_EXPORTER', kind: anyText },
  metricsCardinalityLimit: {
    variable: 'OTEL_METRICS_CARDINALITY_LIMIT',
    kind: anyText,
    withoutEffect: 'user agents beyond the first hundred are counted together',
  },
  environmentStatusMetrics: {
    variable: 'OTEL_ENVIRONMENT_STATUS_METRICS',
    kind: anyText,
    withoutEffect: 'the state of every environment is among the metrics',
  },
  logsExporter: { variable: 'OTEL_LOGS_EXPORTER', kind: anyText, withoutEffect: ONLY_METRICS },
  tracesExporter: { variable: 'OTEL_TRACES_EXPORTER', kind: anyText, withoutEffect: ONLY_METRICS },
} as const satisfies SettingsTable;

export const PROXY = {
  url: { variable: 'PROXY_URL', kind: httpUrl },
  user: { variable: 'PROXY_AUTH_USER', kind: anyText },
  password: { variable: 'PROXY_AUTH_PASSWORD', kind: anyText, isSecret: true },
  domain: { variable: 'PROXY_AUTH_DOMAIN', kind: anyText, withoutEffect: 'a domain is for NTLM' },
  ntlmAuth: { variable: 'PROXY_AUTH_NTLM', kind: boolean },
  caCertFiles: { variable: 'PROXY_CA_CERTS', kind: list },
} as const satisfies SettingsTable;

const TUNING = 'this relay needs no such limits';
const CONNECTIONS = 'the connections to LaunchDarkly need no tuning';

export const HTTP = {
  enableCompression: {
    variable: 'HTTP_ENABLE_COMPRESSION',
    kind: boolean,
    withoutEffect: 'answers are not compressed',
  },
  idleConnTimeout: { variable: 'HTTP_IDLE_CONN_TIMEOUT', kind: anyText, withoutEffect: CONNECTIONS },
  maxIdleConns: { variable: 'HTTP_MAX_IDLE_CONNS', kind: anyText, withoutEffect: CONNECTIONS },
  maxIdleConnsPerHost: { variable: 'HTTP_MAX_IDLE_CONNS_PER_HOST', kind: anyText, withoutEffect: CONNECTIONS },
  disableKeepAlives: { variable: 'HTTP_DISABLE_KEEPALIVE', kind: boolean, withoutEffect: CONNECTIONS },
} as const satisfies SettingsTable;

export const CONCURRENCY = {
  maxConcurrent: { variable: 'INIT_MAX_CONCURRENT', kind: anyText, withoutEffect: TUNING },
  maxQueued: { variable: 'INIT_MAX_QUEUED', kind: anyText, withoutEffect: TUNING },
  sendTimeout: { variable: 'INIT_SEND_TIMEOUT', kind: anyText, withoutEffect: TUNING },
} as const satisfies SettingsTable;

/** Sections that exist once. */
export const SINGLE_SECTIONS = {
  Main: MAIN,
  AutoConfig: AUTO_CONFIG,
  OfflineMode: OFFLINE,
  Events: EVENTS,
  Prometheus: PROMETHEUS,
  OpenTelemetry: OPEN_TELEMETRY,
  Proxy: PROXY,
  Http: HTTP,
  Concurrency: CONCURRENCY,
  Redis: REDIS,
  Consul: CONSUL,
  DynamoDB: DYNAMODB,
} satisfies Readonly<Record<string, SettingsTable>>;

/** Sections that exist once for each name. */
export const NAMED_SECTIONS = { Environment: ENVIRONMENT, Filters: FILTERS } satisfies Readonly<
  Record<string, SettingsTable>
>;

/** A section of ld-relay's that this version refuses, if it is turned on. */
export interface ForeignSection {
  /** The valid keys; undefined: any. */
  readonly keys: readonly string[] | undefined;
  /** The keys that turn it on, with their variables; a boolean one only if true. */
  readonly switches: Readonly<Record<string, string | undefined>>;
  readonly reason: string;
}

const metricsReason = (name: string, receiver: string) =>
  `metrics reach ${name} by OTLP: leave this out, and set OTEL_EXPORTER_OTLP_ENDPOINT to ${receiver}, such as http://localhost:4318`;

export const FOREIGN_SECTIONS: Readonly<Record<string, ForeignSection>> = {
  Datadog: {
    keys: ['enabled', 'prefix', 'traceAddr', 'statsAddr', 'tag'],
    switches: { enabled: 'USE_DATADOG' },
    reason: metricsReason('Datadog', 'the OTLP port of its agent'),
  },
  Stackdriver: {
    keys: ['enabled', 'prefix', 'projectID'],
    switches: { enabled: 'USE_STACKDRIVER' },
    reason: metricsReason('Stackdriver', "Google's collector"),
  },
};

/** Keys and variables of older versions, with their replacements. */
export const OBSOLETE_KEYS: Readonly<Record<string, string>> = {
  'environment.apikey': 'use sdkKey',
  'environment.ttlminutes': 'use ttl, a duration such as 5m',
  'events.samplinginterval': 'leave it out',
};
export const OBSOLETE_VARIABLES: readonly (readonly [prefix: string, advice: string])[] = [
  ['EVENTS_SAMPLING_INTERVAL', 'leave it out'],
  ['LD_TTL_MINUTES_', 'use LD_TTL_'],
];
/** Variables of older versions that change nothing, with their replacements. */
export const IGNORED_VARIABLES: Readonly<Record<string, string>> = {
  REDIS_TTL: 'it is no longer supported; use CACHE_TTL',
};
