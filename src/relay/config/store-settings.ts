import { anyText, boolean, kindOf } from '../../kernel/settings/kind.ts';
import type { SettingsTable } from '../../kernel/settings/settings.ts';
import { goDuration, httpUrl } from './setting-kinds.ts';

// The persistent store. The variables of a database are read only if it is in use.

const positiveDuration = goDuration(1);
const anyDuration = goDuration(Number.NEGATIVE_INFINITY);
const cacheTtl = kindOf('a duration such as 30s; 0 reads again every second, -1s never', (found) => {
  const read = anyDuration.read(found);
  return read.ok ? read.value : undefined;
});
const localTtl = { variable: 'CACHE_TTL', kind: cacheTtl, default: '30s' } as const;

export const REDIS = {
  enabled: { variable: 'USE_REDIS', kind: boolean },
  host: { variable: 'REDIS_HOST', kind: anyText },
  port: { variable: 'REDIS_PORT', kind: anyText },
  url: { variable: 'REDIS_URL', kind: anyText, isSecret: true },
  tls: { variable: 'REDIS_TLS', kind: boolean },
  username: { variable: 'REDIS_USERNAME', kind: anyText },
  password: { variable: 'REDIS_PASSWORD', kind: anyText, isSecret: true },
  localTtl,
  caFile: { variable: 'REDIS_CA_FILE', kind: anyText },
  clientCertificateFile: { variable: 'REDIS_CLIENT_CERT_FILE', kind: anyText },
  clientKeyFile: { variable: 'REDIS_CLIENT_KEY_FILE', kind: anyText },
  connectTimeout: { variable: 'REDIS_CONNECT_TIMEOUT', kind: positiveDuration, default: '5s' },
  readTimeout: { variable: 'REDIS_READ_TIMEOUT', kind: positiveDuration, default: '5s' },
  atomicUpsert: {
    variable: 'REDIS_ATOMIC_UPSERT',
    kind: boolean,
    withoutEffect: 'changes are atomic without scripts',
  },
} as const satisfies SettingsTable;

export const CONSUL = {
  enabled: { variable: 'USE_CONSUL', kind: boolean },
  host: { variable: 'CONSUL_HOST', kind: anyText },
  token: { variable: 'CONSUL_TOKEN', kind: anyText, isSecret: true },
  tokenFile: { variable: 'CONSUL_TOKEN_FILE', kind: anyText },
  localTtl,
} as const satisfies SettingsTable;

export const DYNAMODB = {
  enabled: { variable: 'USE_DYNAMODB', kind: boolean },
  tableName: { variable: 'DYNAMODB_TABLE', kind: anyText },
  url: { variable: 'DYNAMODB_URL', kind: httpUrl },
  localTtl,
} as const satisfies SettingsTable;

/** The keys beside `enabled` that put a database to use. Their variables alone do not. */
export const STORE_SWITCHES = {
  Redis: ['host', 'port', 'url'],
  Consul: ['host'],
  DynamoDB: [],
} as const;
