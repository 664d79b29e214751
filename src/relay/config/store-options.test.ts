import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Variables } from '../../kernel/settings/settings.ts';
import type { StoreOptions } from '../stores/options.ts';
import { ENVIRONMENT, loaded, optionsOf, problemsOf } from '../testing/config.ts';

const REDIS = {
  url: 'redis://localhost:6379',
  username: undefined,
  password: undefined,
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  connectTimeoutMs: 5000,
  readTimeoutMs: 5000,
};
const redis = (more: Partial<typeof REDIS> | Record<string, unknown> = {}): StoreOptions => ({
  database: 'redis',
  redis: { ...REDIS, ...more },
  cacheTtlMs: 30_000,
});
const consul = (more: Record<string, unknown> = {}): StoreOptions => ({
  database: 'consul',
  consul: { url: 'http://localhost:8500', token: undefined, tokenFile: undefined, ...more },
  cacheTtlMs: 30_000,
});
const dynamoDb = (more: Record<string, unknown> = {}): StoreOptions => ({
  database: 'dynamodb',
  dynamoDb: { tableName: 't', url: undefined, ...more },
  cacheTtlMs: 30_000,
});

// Lines of a file, the same as variables, and what they mean.
const stores: [file: string | undefined, variables: Variables | undefined, expected: StoreOptions | undefined][] = [
  [undefined, { USE_REDIS: '1' }, redis()],
  [undefined, { REDIS_HOST: 'h', REDIS_PORT: 'tcp://h:1', REDIS_URL: 'https://other.use', CACHE_TTL: '3s' }, undefined],
  ['[Redis]\nlocalTtl = 3s', { USE_REDIS: 'false' }, undefined],
  ['[Redis]\nhost = h', { USE_REDIS: '1', REDIS_HOST: 'h' }, redis({ url: 'redis://h:6379' })],
  ['[Redis]\nport = 1', { USE_REDIS: '1', REDIS_PORT: '1' }, redis({ url: 'redis://localhost:1' })],
  [undefined, { USE_REDIS: '1', REDIS_PORT: 'tcp://10.0.0.1:6380' }, redis({ url: 'redis://10.0.0.1:6380' })],
  ['[Redis]\nhost = h\ntls', { USE_REDIS: '1', REDIS_HOST: 'h', REDIS_TLS: 'true' }, redis({ url: 'rediss://h:6379' })],
  [
    '[Redis]\nurl = rediss://u:p%40@h:1/2',
    { USE_REDIS: '1', REDIS_URL: 'rediss://u:p%40@h:1/2' },
    redis({ url: 'rediss://h:1/2', username: 'u', password: 'p@' }),
  ],
  [
    '[Redis]\nurl = redis://:own@h\nusername = u\npassword = p',
    { USE_REDIS: '1', REDIS_URL: 'redis://:own@h', REDIS_USERNAME: 'u', REDIS_PASSWORD: 'p' },
    redis({ url: 'redis://h:6379', username: 'u', password: 'own' }),
  ],
  [
    '[Redis]\nhost = h\ncaFile = ca\nclientCertificateFile = c\nclientKeyFile = k',
    { USE_REDIS: '1', REDIS_HOST: 'h', REDIS_CA_FILE: 'ca', REDIS_CLIENT_CERT_FILE: 'c', REDIS_CLIENT_KEY_FILE: 'k' },
    redis({ url: 'redis://h:6379', caFile: 'ca', certFile: 'c', keyFile: 'k' }),
  ],
  [
    '[Redis]\nhost = h\nconnectTimeout = 1s\nreadTimeout = 200ms\nlocalTtl = -1s',
    { USE_REDIS: '1', REDIS_HOST: 'h', REDIS_CONNECT_TIMEOUT: '1s', REDIS_READ_TIMEOUT: '200ms', CACHE_TTL: '-1s' },
    { ...redis({ url: 'redis://h:6379', connectTimeoutMs: 1000, readTimeoutMs: 200 }), cacheTtlMs: -1000 },
  ],
  [undefined, { USE_CONSUL: '1', CACHE_TTL: '0' }, { ...consul(), cacheTtlMs: 0 }],
  [
    '[Consul]\nhost = h\ntoken = x',
    { USE_CONSUL: '1', CONSUL_HOST: 'h', CONSUL_TOKEN: 'x' },
    consul({ url: 'http://h:8500', token: 'x' }),
  ],
  [
    '[Consul]\nhost = h:80\ntokenFile = f',
    { USE_CONSUL: '1', CONSUL_HOST: 'h:80', CONSUL_TOKEN_FILE: 'f' },
    consul({ url: 'http://h:80', tokenFile: 'f' }),
  ],
  ['[Consul]\nhost = https://h', { USE_CONSUL: '1', CONSUL_HOST: 'https://h' }, consul({ url: 'https://h:8500' })],
  ['[DynamoDB]\nenabled = true\ntableName = t', { USE_DYNAMODB: '1', DYNAMODB_TABLE: 't' }, dynamoDb()],
  [
    '[DynamoDB]\nenabled\ntableName = t\nurl = http://u:p@h:1/',
    { USE_DYNAMODB: '1', DYNAMODB_TABLE: 't', DYNAMODB_URL: 'http://u:p@h:1' },
    dynamoDb({ url: 'http://h:1' }),
  ],
];
for (const [file, variables, expected] of stores) {
  test(`config: the store of ${JSON.stringify(file ?? variables)}`, () => {
    if (file !== undefined) assert.deepEqual(optionsOf({ file: `${ENVIRONMENT}prefix = p\n${file}` }).store, expected);
    if (variables)
      assert.deepEqual(optionsOf({ variables: { LD_ENV_N: 'sdk-1', LD_PREFIX_N: 'p', ...variables } }).store, expected);
  });
}

test('config: variables of a database change what a file has put to use', () => {
  const file = `${ENVIRONMENT}prefix = p\n[Redis]\nhost = h`;
  const { store } = optionsOf({ file, variables: { REDIS_PORT: '7', REDIS_PASSWORD: 'p' } });
  assert.deepEqual(store, redis({ url: 'redis://h:7', password: 'p' }));
});

const mistakes: [settings: string, expected: RegExp][] = [
  [
    '[Redis]\nurl = redis://h\nport = 1',
    /^relay.conf:\d+: Redis url: Redis has a URL and also .*Redis port: leave out one/,
  ],
  ['[Redis]\nurl = http://u:secret@h', /Redis url: the URL is invalid; write one such as redis:\/\/host:6379/],
  ['[Redis]\nurl = redis://h/x', /the URL is invalid/],
  ['[Redis]\nhost = a b', /"a b" is not a host name/],
  ['[Redis]\nport = 70000', /write a port from 1 to 65535, or tcp:\/\/host:port/],
  [
    '[Redis]\nhost = h\nclientKeyFile = k',
    /Redis clientKeyFile: Redis needs clientCertificateFile and clientKeyFile together/,
  ],
  ['[Redis]\nhost = h\n[Consul]\nhost = h', /^several databases are in use \(Redis, Consul\): choose one of them$/],
  ['[Redis]\nhost = h\nlocalTtl = soon', /write a duration such as 30s; 0 reads again every second, -1s never/],
  ['[Consul]\nhost = h\ntoken = secret\ntokenFile = f', /Consul token: Consul has also .*tokenFile: leave out one/],
  ['[Consul]\nhost = http://h/path', /write a host such as consul.example.org:8500/],
  [
    '[DynamoDB]\nenabled',
    /^Environment "N": DynamoDB needs a table: set tableName of the section DynamoDB or of the environment$/,
  ],
];
for (const [settings, expected] of mistakes) {
  test(`config: ${JSON.stringify(settings)} is refused`, () => {
    const problems = problemsOf({ file: `${ENVIRONMENT}prefix = p\n${settings}` });
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', expected);
    assert.doesNotMatch(problems[0] ?? '', /secret/);
  });
}

const TWO = '[Environment "A"]\nsdkKey = sdk-a\n[Environment "B"]\nsdkKey = sdk-b\n';

test('config: with a database, environments need places of their own', () => {
  const file = `${TWO}[Redis]\nhost = h`;
  assert.deepEqual(problemsOf({ file }), [
    'Environment "B": its data would replace those of "A" in the database: give each a prefix',
  ]);
  const one = loaded({ file: `${ENVIRONMENT}[Redis]\nhost = h` });
  assert.deepEqual(one.warnings, ['Environment "N" has no prefix: a second environment would need one']);
  const tables = TWO.replaceAll(/sdkKey = sdk-(.)/g, '$&\ntableName = $1');
  const { environments } = optionsOf({ file: `${tables}[DynamoDB]\nenabled` });
  assert.deepEqual(
    environments.map(({ storeTable }) => storeTable),
    ['a', 'b'],
  );
});

test('config: a payload filter has its own place below the prefix of its environment', () => {
  const file = `${ENVIRONMENT}projKey = j\nprefix = p\n[Filters "j"]\nkeys = f, g\n[Redis]\nhost = h`;
  const { environments } = optionsOf({ file });
  assert.deepEqual(
    environments.map(({ storePrefix }) => storePrefix),
    ['p', 'p/f', 'p/g'],
  );
});

test('config: an archive in a database needs a template to keep its environments apart', () => {
  const file = '[OfflineMode]\nfileDataSource = a.tar.gz\n[Redis]\nhost = h\n';
  assert.match(loaded({ file }).warnings.join(), /share one place in the database: set envDatastorePrefix/);
  const { options, warnings } = loaded({ file: `${file}[OfflineMode]\nenvDatastorePrefix = ld-$CID` });
  assert.deepEqual(warnings, []);
  assert.equal(options.archive?.storePrefix, 'ld-$CID');
});

test('config: an address in a variable without USE_… is pointed out', () => {
  const { options, warnings } = loaded({ variables: { LD_ENV_N: 'sdk-1', REDIS_URL: 'redis://h', CONSUL_TOKEN: 'x' } });
  assert.equal(options.store, undefined);
  assert.deepEqual(warnings, ['REDIS_URL has no effect without USE_REDIS=true']);
});

test('config: the automatic configuration can be kept in Redis, and in a table of DynamoDB', () => {
  const key = '[AutoConfig]\nkey = rel-1\ncacheKey = c\nenvDatastorePrefix = ld-$CID\n';
  const cases: readonly (readonly [database: string, isUsed: boolean])[] = [
    ['[Redis]\nhost = h', true],
    ['[DynamoDB]\nenabled = true\ntableName = t', true],
    ['[DynamoDB]\nenabled = true', false],
    ['[Consul]\nhost = h', false],
    ['', false],
  ];
  for (const [database, isUsed] of cases) {
    const { options, warnings } = loaded({ file: key + database });
    assert.deepEqual(options.autoConfig?.cache, { key: 'c', secret: 'rel-1' });
    assert.equal(!warnings.join().includes('cacheKey (AUTO_CONFIG_CACHE_KEY) has no effect'), isUsed, database);
  }
});
