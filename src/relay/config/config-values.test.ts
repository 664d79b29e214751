import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Variables } from '../../kernel/settings/settings.ts';
import { environment, optionsOf, RELAY_DEFAULTS } from '../testing/config.ts';

import type { EnvironmentOptions, RelayOptions } from './relay-options.ts';

// Each row: one option, in the file and as a variable, and its value. The names are repeated here on purpose.
const settings: [file: string, variables: Variables, options: Partial<RelayOptions>][] = [
  ['[Main]\nstreamUri = http://s', { STREAM_URI: 'http://s' }, { streamUri: 'http://s' }],
  ['[Main]\nbaseUri = http://b', { BASE_URI: 'http://b' }, { baseUri: 'http://b', clientSideBaseUri: 'http://b' }],
  ['[Main]\nbaseUri = https://app.launchdarkly.com', { BASE_URI: 'https://app.launchdarkly.com/' }, {}],
  ['[Main]\nbaseUri = https://sdk.launchdarkly.com', { BASE_URI: 'https://sdk.launchdarkly.com' }, {}],
  ['[Main]\nclientSideBaseUri = http://c', { CLIENT_SIDE_BASE_URI: 'http://c' }, { clientSideBaseUri: 'http://c' }],
  ['[Main]\nexitOnError = true', { EXIT_ON_ERROR: 'true' }, { exitOnError: true }],
  ['[Main]\nexitOnError', { EXIT_ON_ERROR: '1' }, { exitOnError: true }],
  ['[Main]\nexitOnError = no', { EXIT_ON_ERROR: 'no' }, {}],
  ['[Main]\nexitAlways = yes', { EXIT_ALWAYS: 'YES' }, { exitAlways: true }],
  ['[Main]\nignoreConnectionErrors = 1', { IGNORE_CONNECTION_ERRORS: '1' }, { ignoreConnectionErrors: true }],
  ['[Main]\nport = 8333', { PORT: '8333' }, { port: 8333 }],
  ['[main]\nPORT = "8333" ; remark', { PORT: '8333' }, { port: 8333 }],
  ['[Main]\nport =', { PORT: '' }, {}],
  ['[Main]\nhost = 127.0.0.1', { LISTEN_HOST: '127.0.0.1' }, { host: '127.0.0.1' }],
  ['[Main]\ninitTimeout = 30s', { INIT_TIMEOUT: '30s' }, { initTimeoutMs: 30_000 }],
  ['[Main]\nheartbeatInterval = 90s', { HEARTBEAT_INTERVAL: '90s' }, { heartbeatMs: 90_000 }],
  ['[Main]\nheartbeatInterval = 0', { HEARTBEAT_INTERVAL: '0s' }, { heartbeatMs: 0 }],
  // ld-relay's reference: seconds, if there is no unit.
  ['[Main]\nheartbeatInterval = 30', { HEARTBEAT_INTERVAL: '30' }, { heartbeatMs: 30_000 }],
  [
    '[Main]\nmaxClientConnectionTime = 30m',
    { MAX_CLIENT_CONNECTION_TIME: '30m' },
    { maxClientConnectionMs: 1_800_000 },
  ],
  ['[Main]\ndisconnectedStatusTime = 3m', { DISCONNECTED_STATUS_TIME: '3m' }, { disconnectedStatusMs: 180_000 }],
  ['[Main]\nmaxClientRequestBodySize = 1MiB', { MAX_CLIENT_REQUEST_BODY_SIZE: '1MiB' }, { maxBodyBytes: 1_048_576 }],
  ['[Main]\npingStreamJitterTime = 5m', { PING_STREAM_JITTER_TIME: '5m' }, { pingJitterMs: 300_000 }],
  ['[Main]\ngracefulShutdownTimeout = 1s', { GRACEFUL_SHUTDOWN_TIMEOUT: '1s' }, { gracefulShutdownMs: 1_000 }],
  ['[Main]\nlogLevel = WARN', { LOG_LEVEL: 'warn' }, { logLevel: 'warn' }],
  ['[Main]\nlogLevel = none', { LOG_LEVEL: 'none' }, { logLevel: 'none' }],
  [
    '[Main]\nbigSegmentsStaleAsDegraded = true',
    { BIG_SEGMENTS_STALE_AS_DEGRADED: 'true' },
    { bigSegmentsStaleAsDegraded: true },
  ],
  [
    '[Main]\nbigSegmentsStaleThreshold = 10m\ntraceLogBigSegments = true',
    { BIG_SEGMENTS_STALE_THRESHOLD: '10m', LD_TRACE_LOG_BIG_SEGMENTS: 'true' },
    { bigSegments: { staleAfterMs: 600_000, logsPatches: true } },
  ],
  ['[Main]\nexpiredCredentialCleanupInterval = 1m', { EXPIRED_CREDENTIAL_CLEANUP_INTERVAL: '100ms' }, {}],
  ['[Main]\nmaxClientWriteTime = 45s', { MAX_CLIENT_WRITE_TIME: '45s' }, {}],
  ['[Main]\nevaluatedStreams = true', { EVALUATED_STREAMS: 'true' }, { evaluatedStreams: true }],
  ['[Main]\npageToken = 0123456789abcdef', { PAGE_TOKEN: '0123456789abcdef' }, { pageToken: '0123456789abcdef' }],
  ['[Main]\nrecordPath = /var/r', { RECORD_PATH: '/var/r' }, { recordPath: '/var/r' }],
  ['[Main]\nworkers = 3', { RELAY_WORKERS: '3' }, { workers: 3 }],
  [
    '[Main]\ntlsEnabled = 1\ntlsCert = c\ntlsKey = k\ntlsMinVersion = 1.2',
    { TLS_ENABLED: '1', TLS_CERT: 'c', TLS_KEY: 'k', TLS_MIN_VERSION: '1.2' },
    { tls: { certFile: 'c', keyFile: 'k', minVersion: 'TLSv1.2' } },
  ],
  ['[Main]\ntlsCert = c\ntlsKey = k', { TLS_CERT: 'c', TLS_KEY: 'k' }, {}],
  ['[Http]\nenableCompression = true', { HTTP_ENABLE_COMPRESSION: 'true' }, {}],
  ['[Concurrency]\nmaxConcurrent = 5', { INIT_MAX_CONCURRENT: '5' }, {}],
  [
    '[Prometheus]\nenabled = true\nprefix = pre\nport = 8333',
    { USE_PROMETHEUS: 'true', PROMETHEUS_PREFIX: 'pre', PROMETHEUS_PORT: '8333' },
    { prometheus: { prefix: 'pre', port: 8333 } },
  ],
  ['[Prometheus]\nenabled', { USE_PROMETHEUS: '1' }, { prometheus: { prefix: 'launchdarkly_relay', port: 8031 } }],
  ['[Prometheus]\nport = 9000', { PROMETHEUS_PORT: '9000' }, {}],
  [
    '[Proxy]\nurl = http://p:3128',
    { PROXY_URL: 'http://p:3128/' },
    { proxy: { url: 'http://p:3128', caCertFiles: [] } },
  ],
  [
    '[Proxy]\nurl = http://p\nuser = u\npassword = "a@b"\ncaCertFiles = one\ncaCertFiles = two',
    { PROXY_URL: 'http://p', PROXY_AUTH_USER: 'u', PROXY_AUTH_PASSWORD: 'a@b', PROXY_CA_CERTS: 'one,two' },
    { proxy: { url: 'http://u:a%40b@p', caCertFiles: ['one', 'two'] } },
  ],
  [
    '[Proxy]\ncaCertFiles = ca.pem',
    { PROXY_CA_CERTS: 'ca.pem' },
    { proxy: { url: undefined, caCertFiles: ['ca.pem'] } },
  ],
  [
    '[OfflineMode]\nfileDataSource = a.tar.gz\nenvAllowedOrigin = http://o\nenvAllowedHeader = H',
    { FILE_DATA_SOURCE: 'a.tar.gz', ENV_ALLOWED_ORIGIN: 'http://o', ENV_ALLOWED_HEADER: 'H' },
    {
      isLocal: true,
      archive: {
        path: 'a.tar.gz',
        intervalMs: 1_000,
        allowedOrigins: ['http://o'],
        allowedHeaders: ['H'],
        storePrefix: undefined,
        storeTable: undefined,
      },
      events: { ...RELAY_DEFAULTS.events, mode: 'discard' },
    },
  ],
  [
    '[AutoConfig]\nkey = rel-1\ncacheKey = c\ncacheEncryptionKey = e\nenvAllowedOrigin = http://o\nenvAllowedHeader = H',
    {
      AUTO_CONFIG_KEY: 'rel-1',
      AUTO_CONFIG_CACHE_KEY: 'c',
      AUTO_CONFIG_CACHE_ENCRYPTION_KEY: 'e',
      ENV_ALLOWED_ORIGIN: 'http://o',
      ENV_ALLOWED_HEADER: 'H',
    },
    {
      autoConfig: {
        key: 'rel-1',
        cache: { key: 'c', secret: 'e' },
        allowedOrigins: ['http://o'],
        allowedHeaders: ['H'],
        storePrefix: undefined,
        storeTable: undefined,
      },
    },
  ],
  [
    '[OfflineMode]\nfileDataSource = a\nfileDataSourceMonitoringInterval = 100ms',
    { FILE_DATA_SOURCE: 'a', FILE_DATA_SOURCE_MONITORING_INTERVAL: '100ms' },
    {
      isLocal: true,
      archive: {
        path: 'a',
        intervalMs: 100,
        allowedOrigins: [],
        allowedHeaders: [],
        storePrefix: undefined,
        storeTable: undefined,
      },
      events: { ...RELAY_DEFAULTS.events, mode: 'discard' },
    },
  ],
  ['[Redis]\nlocalTtl = 3s', { REDIS_HOST: 'h', REDIS_PORT: 'tcp://h:1', REDIS_URL: 'redis://h', CACHE_TTL: '3s' }, {}],
  ['[DynamoDB]\nenabled = false\ntableName = t', { USE_DYNAMODB: 'false', DYNAMODB_TABLE: 't' }, {}],
  ['[Datadog]\nenabled = 0\ntag = a:b', { USE_DATADOG: '0', DATADOG_TAG_a: 'b' }, {}],
];
for (const [name, events] of [
  ['sendEvents = true', { mode: 'forward' }],
  ['sendEvents = false', { mode: 'off' }],
  ['mode = discard', { mode: 'discard' }],
  ['mode = forward', { mode: 'forward' }],
  ['eventsUri = http://e', { uri: 'http://e' }],
  ['flushInterval = 120s', { flushMs: 120_000 }],
  ['capacity = 500', { capacity: 500 }],
  ['maxInboundPayloadSize = 50KiB', { maxPayloadBytes: 51_200 }],
  ['inlineUsers = true', {}],
  ['metricsCapacity = 50', {}],
] as [string, Partial<RelayOptions['events']>][]) {
  const variable: Record<string, string> = {
    sendEvents: 'USE_EVENTS',
    mode: 'EVENTS_MODE',
    eventsUri: 'EVENTS_HOST',
    flushInterval: 'EVENTS_FLUSH_INTERVAL',
    capacity: 'EVENTS_CAPACITY',
    maxInboundPayloadSize: 'EVENTS_MAX_INBOUND_PAYLOAD_SIZE',
    inlineUsers: 'EVENTS_INLINE_USERS',
    metricsCapacity: 'EVENTS_METRICS_CAPACITY',
  };
  const [key = '', value = ''] = name.split(' = ');
  settings.push([
    `[Events]\n${name}`,
    { [variable[key] ?? '']: value },
    { events: { ...RELAY_DEFAULTS.events, ...events } },
  ]);
}
for (const [file, variables, options] of settings) {
  test(`config: ${JSON.stringify(file)} comes to the same as ${JSON.stringify(variables)}`, () => {
    const expected = { ...RELAY_DEFAULTS, ...options };
    assert.deepEqual(optionsOf({ file }), expected);
    assert.deepEqual(optionsOf({ variables }), expected);
  });
}

const ofEnvironments: [file: string, variables: Variables, expected: readonly EnvironmentOptions[]][] = [
  ['[Environment "N"]\nsdkKey = s', { LD_ENV_N: 's' }, [environment('N', 's')]],
  [
    '[environment "earth"]\nSDKKEY = s\nmobileKey = m\nenvId = e\nprefix = p\ntableName = t\nlogLevel = debug\nttl = 5m',
    {
      LD_ENV_earth: 's',
      LD_MOBILE_KEY_earth: 'm',
      LD_CLIENT_SIDE_ID_earth: 'e',
      LD_PREFIX_earth: 'p',
      LD_TABLE_NAME_earth: 't',
      LD_LOG_LEVEL_earth: 'debug',
      LD_TTL_earth: '5m',
    },
    [
      environment('earth', 's', {
        mobileKey: 'm',
        envId: 'e',
        logLevel: 'debug',
        ttlMs: 300_000,
        storePrefix: 'p',
        storeTable: 't',
      }),
    ],
  ],
  [
    '[Environment "k p"]\nsdkKey = s\nsecureMode = true\nallowedOrigin = https://oa\nallowedOrigin = https://rann\nallowedHeader = A\nallowedHeader = B',
    {
      'LD_ENV_k p': 's',
      'LD_SECURE_MODE_k p': '1',
      'LD_ALLOWED_ORIGIN_k p': 'https://oa,https://rann',
      'LD_ALLOWED_HEADER_k p': 'A,B',
    },
    [
      environment('k p', 's', {
        secureMode: true,
        allowedOrigins: ['https://oa', 'https://rann'],
        allowedHeaders: ['A', 'B'],
      }),
    ],
  ],
  [
    '[Environment "a"]\nsdkKey = s1\nprojKey = p\n[Environment "b"]\nsdkKey = s2\nprojKey = q\n[Filters "p"]\nkeys = x,y',
    { LD_ENV_a: 's1', LD_PROJ_KEY_a: 'p', LD_ENV_b: 's2', LD_PROJ_KEY_b: 'q', LD_FILTER_KEYS_p: 'x,y' },
    [
      environment('a', 's1', { projKey: 'p' }),
      environment('a/x', 's1', { projKey: 'p', filter: 'x', storePrefix: '/x' }),
      environment('a/y', 's1', { projKey: 'p', filter: 'y', storePrefix: '/y' }),
      environment('b', 's2', { projKey: 'q' }),
    ],
  ],
];
for (const [file, variables, expected] of ofEnvironments) {
  test(`config: ${JSON.stringify(file)} is the environments of ${JSON.stringify(variables)}`, () => {
    assert.deepEqual(optionsOf({ file }).environments, expected);
    assert.deepEqual(optionsOf({ variables }).environments, expected);
  });
}
