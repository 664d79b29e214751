import { formatDuration } from '../../kernel/duration.ts';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import { maskKey } from '../masking.ts';
import { serverOf } from '../stores/names.ts';
import { MIN_CACHE_TTL_MS, type StoreOptions } from '../stores/options.ts';
import type { EnvironmentOptions, RelayOptions } from './relay-options.ts';

/** What would run, as rows of a name and a value; keys are masked, and passwords left out. */
export function printOptions(options: RelayOptions): readonly (readonly [name: string, value: string])[] {
  const { tls, events, prometheus, proxy, archive, autoConfig, store, isLocal } = options;
  const optional = (name: string, value: string | undefined) => (value === undefined ? [] : [[name, value] as const]);
  const duration = (ms: number) => (ms === 0 ? 'none' : ms < 1 ? `${ms}ms` : formatDuration(ms));
  const upstream = isLocal
    ? []
    : [
        ['Stream', options.streamUri] as const,
        ['Polling', options.baseUri] as const,
        ['Client-side polling', options.clientSideBaseUri] as const,
        ['Proxy', proxy?.url === undefined ? 'none' : hidePassword(proxy.url)] as const,
        ...optional('Extra CA files', proxy?.caCertFiles.join(', ') || undefined),
        ['Init timeout', duration(options.initTimeoutMs)] as const,
        ...optional('Recordings in', options.recordPath),
      ];
  return [
    ['Listens on', `${options.host ?? 'every interface'}, port ${options.port}${tls ? ', TLS' : ''}`],
    ...optional('Certificate', tls?.certFile),
    ['Threads', String(options.workers ?? 'one for each processor, at most 4')],
    ...upstream,
    [
      'Events',
      events.mode === 'forward'
        ? `forwarded to ${events.uri} every ${duration(events.flushMs)}`
        : EVENT_WORDS[events.mode],
    ],
    ['Heartbeat', duration(options.heartbeatMs)],
    ['Maximum stream', duration(options.maxClientConnectionMs)],
    ['Client streams', options.evaluatedStreams ? 'evaluated flags' : 'pings'],
    ['Disconnected after', duration(options.disconnectedStatusMs)],
    ['Maximum body', `${options.maxBodyBytes} bytes`],
    ['Page', options.pageToken === undefined ? 'on this machine only' : 'on this machine; elsewhere with its token'],
    ['Log level', options.logLevel],
    [
      'Prometheus',
      prometheus ? `port ${prometheus.port}, names begin with ${prometheus.prefix}` : 'no separate listener',
    ],
    ...optional('Metrics sent to', options.otlp && `${options.otlp.url}, every ${duration(options.otlp.intervalMs)}`),
    ...optional('Automatic configuration', autoConfig && `key ${maskKey(autoConfig.key)}`),
    ...optional('Database', store && printStore(store)),
    ...optional('Archive', archive && `${archive.path}, checked every ${duration(archive.intervalMs)}`),
    ...options.environments.map((one) => [`Environment ${one.name}`, printEnvironment(one)] as const),
  ];
}

const EVENT_WORDS: Readonly<Record<RelayOptions['events']['mode'], string>> = {
  off: 'refused with 503 (sendEvents is off)',
  discard: 'accepted and discarded',
  forward: 'forwarded',
};

function printStore(store: StoreOptions): string {
  const { cacheTtlMs: ttlMs } = store;
  const server = serverOf(store);
  const age = ttlMs < 0 ? 'read once' : `read again after ${formatDuration(Math.max(ttlMs, MIN_CACHE_TTL_MS))}`;
  return `${STORE_NAMES[store.database]}${server === undefined ? '' : ` at ${server}`}, ${age}`;
}

const STORE_NAMES: Readonly<Record<StoreOptions['database'], string>> = {
  redis: 'Redis',
  consul: 'Consul',
  dynamodb: 'DynamoDB',
};

function printEnvironment(environment: EnvironmentOptions): string {
  const { sdkKey, mobileKey, envId, filter, secureMode, allowedOrigins, ttlMs, dataFile } = environment;
  const { storePrefix, storeTable } = environment;
  return [
    `SDK key ${maskKey(sdkKey)}`,
    mobileKey === undefined ? 'no mobile key' : `mobile key ${maskKey(mobileKey)}`,
    envId === undefined ? 'no environment id' : `id ${envId}`,
    ...(filter === undefined ? [] : [`filter ${filter}`]),
    ...(secureMode ? ['secure mode'] : []),
    ...(allowedOrigins.length === 0 ? [] : [`origins ${allowedOrigins.join(' ')}`]),
    ...(ttlMs === 0 ? [] : [`TTL ${formatDuration(ttlMs)}`]),
    ...(storePrefix === undefined ? [] : [`prefix ${storePrefix}`]),
    ...(storeTable === undefined ? [] : [`table ${storeTable}`]),
    ...(dataFile === undefined ? [] : [`flags of ${dataFile === SAMPLE_FLAGS ? 'the sample' : dataFile}`]),
  ].join(', ');
}

function hidePassword(address: string): string {
  const url = new URL(address);
  if (url.password) url.password = '***';
  return url.href.replace(/\/$/, '');
}
