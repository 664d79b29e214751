import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as LaunchDarkly from '@launchdarkly/node-server-sdk';
import { RedisBigSegmentStore } from '@launchdarkly/node-server-sdk-redis';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { eventually } from '../testing/eventually.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { hashContextKey } from './big-segments/membership-cache.ts';
import { ENVIRONMENT_DEFAULTS } from './config/relay-defaults.ts';
import { type RelayServer, startRelay } from './server.ts';
import type { StoreOptions } from './stores/options.ts';
import { RELAY_DEFAULTS } from './testing/config.ts';
import { startDynamoDb } from './testing/databases/dynamodb.ts';
import { startRedis, type TestRedis } from './testing/databases/redis.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { RecordingLog } from './testing/launchdarkly/parts.ts';

const SDK_KEY = 'sdk-00000000-0000-4000-8000-00000000000a';
const PREFIX = 'shop';
/** How many times faster time passes, so that a retry needs a fraction of a second. */
const HURRY = { redis: 50, dynamodb: 10 };

const hurriedClock = (hurry: number): Clock => ({
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() * hurry,
  after: (ms, action) => systemClock.after(ms / hurry, action),
  every: (ms, action) => systemClock.every(ms / hurry, action),
});

const big = (key: string, more: object = {}) => ({
  key,
  version: 1,
  salt: 's',
  unbounded: true,
  generation: 3,
  ...more,
});

/** True for the members of a segment. */
const flagFor = (segment: string) => ({
  ...plainFlag(`in-${segment}`, true),
  variations: [true, false],
  rules: [{ id: 'r', variation: 0, clauses: [{ attribute: '', op: 'segmentMatch', values: [segment] }] }],
  fallthrough: { variation: 1 },
});

const SEGMENTS = {
  users: big('users'),
  ruled: big('ruled', {
    rules: [{ id: 'r', clauses: [{ contextKind: 'user', attribute: 'plan', op: 'in', values: ['gold'] }] }],
  }),
  orgs: big('orgs', { unboundedContextKind: 'org' }),
};

const CONTEXTS = {
  ann: { kind: 'user', key: 'ann', plan: 'gold' },
  bob: { kind: 'user', key: 'bob', plan: 'gold' },
  cyd: { kind: 'user', key: 'cyd' },
  both: { kind: 'multi', user: { key: 'cyd' }, org: { key: 'ann' } },
  none: { kind: 'device', key: 'ann' },
} as const;

const hashed = (...keys: readonly string[]) => ({ add: keys.map(hashContextKey) });

/** A relay with this store, and the members of all segments upstream. */
async function start(
  t: TestContext,
  store: Exclude<StoreOptions, { database: 'consul' }>,
): Promise<{ relay: RelayServer; upstream: FakeLaunchDarkly }> {
  const flags = Object.fromEntries(Object.keys(SEGMENTS).map((segment) => [`in-${segment}`, flagFor(segment)]));
  const upstream = await startFakeLaunchDarkly(t, { flags, segments: SEGMENTS });
  const { bigSegments } = upstream;
  bigSegments.changeSilently('users.g3', { included: hashed('ann', 'bob') });
  bigSegments.changeSilently('users.g2', { included: hashed('cyd') });
  bigSegments.changeSilently('ruled.g3', { included: hashed('cyd'), excluded: hashed('bob') });
  bigSegments.changeSilently('orgs.g3', { included: hashed('ann') });
  const environment = { ...ENVIRONMENT_DEFAULTS, name: 'e', sdkKey: SDK_KEY, envId: 'id', storePrefix: PREFIX };
  const hosts = { host: '127.0.0.1', port: 0, streamUri: upstream.url, baseUri: upstream.url };
  const options = { ...RELAY_DEFAULTS, ...hosts, environments: [environment], store };
  const relay = await startRelay(options, hurriedClock(HURRY[store.database]), new RecordingLog());
  t.after(() => relay.close());
  return { relay, upstream };
}

const redisAt = ({ url }: TestRedis) => ({
  url,
  username: undefined,
  password: undefined,
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  connectTimeoutMs: 5000,
  readTimeoutMs: 5000 * HURRY.redis,
});

type Evaluated = Readonly<Record<string, { readonly value: unknown; readonly reason: Record<string, unknown> }>>;

async function askRelay({ url }: RelayServer, context: object): Promise<Evaluated> {
  const encoded = Buffer.from(JSON.stringify(context)).toString('base64url');
  const path = `${url}/sdk/evalx/contexts/${encoded}?withReasons=true`;
  return (await (await fetch(path, { headers: { authorization: SDK_KEY } })).json()) as Evaluated;
}

async function bigSegmentStatus({ url }: RelayServer) {
  const status = (await (await fetch(`${url}/status`)).json()) as {
    readonly status: string;
    readonly environments: { readonly e: { readonly bigSegmentStatus?: { readonly available?: boolean } } };
  };
  return [status.status, status.environments.e.bigSegmentStatus?.available];
}

/** Whether `ann`, `bob` and `cyd` are in the segment `users`. */
async function users(relay: RelayServer): Promise<string> {
  const evaluated = await Promise.all([CONTEXTS.ann, CONTEXTS.bob, CONTEXTS.cyd].map((one) => askRelay(relay, one)));
  return evaluated.map((flags) => `${flags['in-users']?.value} ${flags['in-users']?.reason.bigSegmentsStatus}`).join();
}

const MEMBERS = ['ann in users', 'ann in ruled', 'bob in users', 'cyd in ruled', 'both in ruled', 'both in orgs'];
const [IN, OUT, LOST] = ['true HEALTHY', 'false HEALTHY', 'false STORE_ERROR'];

test('a real SDK reads the big segments that the relay has written, and both evaluate alike', async (t) => {
  const redis = await startRedis(t);
  if (!redis) return;
  const { relay, upstream } = await start(t, { database: 'redis', cacheTtlMs: 30_000, redis: redisAt(redis) });
  await eventually('the big segments', async () => (await users(relay)) === [IN, IN, OUT].join());
  const store = RedisBigSegmentStore({ prefix: PREFIX, redisOpts: { port: redis.port } });
  const uri = relay.url;
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const hosts = { streamUri: uri, baseUri: uri, eventsUri: uri, sendEvents: false, logger };
  const client = LaunchDarkly.init(SDK_KEY, { ...hosts, bigSegments: { store, userCacheTime: 0.001 } });
  t.after(() => client.close());
  await client.waitForInitialization({ timeout: 60 });
  const seen = [];
  for (const [name, context] of Object.entries(CONTEXTS)) {
    const ofRelay = await askRelay(relay, context);
    for (const segment of Object.keys(SEGMENTS)) {
      const { value, reason } = await client.variationDetail(
        `in-${segment}`,
        context as LaunchDarkly.LDContext,
        'none',
      );
      assert.deepEqual([ofRelay[`in-${segment}`]?.value, ofRelay[`in-${segment}`]?.reason], [value, reason]);
      if (value === true) seen.push(`${name} in ${segment}`);
    }
  }
  assert.deepEqual(seen, MEMBERS);

  await t.test('a change reaches clients as a ping, then the relay, and the SDK by the store', async () => {
    const pings = await openSse(`${relay.url}/ping/id`);
    assert.equal((await pings.next())?.event, 'ping');
    upstream.bigSegments.change('users.g3', { included: { ...hashed('cyd'), remove: hashed('ann').add } });
    assert.equal((await pings.next())?.event, 'ping');
    assert.equal(await users(relay), [OUT, IN, IN].join());
    const ask = async (context: LaunchDarkly.LDContext) => client.variation('in-users', context, 'none');
    await eventually('the change', async () => (await ask(CONTEXTS.cyd)) === true && !(await ask(CONTEXTS.ann)));
    pings.close();
  });

  await t.test('a stream that is dropped, sends garbage or skips a patch is repaired by polls', async () => {
    const { bigSegments } = upstream;
    const faults = [
      () => bigSegments.drop(),
      () => bigSegments.drop('end'),
      () => bigSegments.write('data: {"garbage":\n\n'),
      () =>
        bigSegments.send({ segmentId: 'users.g3', version: 'x', previousVersion: 'nothing', included: hashed('x') }),
    ];
    for (const fault of faults) {
      await eventually('the stream', () => bigSegments.openStreams === 1);
      bigSegments.failNext('poll', 'reset', { status: 401 });
      fault();
      bigSegments.changeSilently('users.g3', { included: { remove: hashed('bob').add } });
      await eventually('bob has left', async () => (await users(relay)) === [OUT, OUT, IN].join());
      await eventually('the stream', () => bigSegments.openStreams === 1);
      bigSegments.change('users.g3', { included: hashed('bob') });
      await eventually('bob is back', async () => (await users(relay)) === [OUT, IN, IN].join());
    }
  });

  await t.test('while the store is away, results and status say so; afterwards nothing is lost', async () => {
    await redis.kill();
    await eventually('the outage', async () => (await users(relay)) === [LOST, LOST, LOST].join());
    assert.deepEqual(await bigSegmentStatus(relay), ['degraded', false]);
    upstream.bigSegments.change('users.g3', { included: hashed('ann') });
    await redis.start();
    await eventually('the change', async () => (await users(relay)) === [IN, IN, IN].join());
    assert.deepEqual(await bigSegmentStatus(relay), ['healthy', true]);
  });
});

test('big segments in DynamoDB have the same members', async (t) => {
  const database = await startDynamoDb(t, 'flags');
  const dynamoDb = { tableName: 'flags', url: database.url };
  const { relay, upstream } = await start(t, { database: 'dynamodb', cacheTtlMs: 30_000, dynamoDb });
  await eventually('the big segments', async () => (await users(relay)) === [IN, IN, OUT].join());
  const wrong: string[] = [];
  // On a busy machine a query may end too late for its evaluation: then a member is missing, but nobody is a wrong one.
  await eventually('the members', async () => {
    const seen: string[] = [];
    for (const [name, context] of Object.entries(CONTEXTS)) {
      const evaluated = await askRelay(relay, context);
      for (const segment of Object.keys(SEGMENTS))
        if (evaluated[`in-${segment}`]?.value === true) seen.push(`${name} in ${segment}`);
    }
    wrong.push(...seen.filter((member) => !MEMBERS.includes(member)));
    assert.deepEqual(seen, MEMBERS);
    return true;
  });
  assert.deepEqual(wrong, []);
  await database.stop();
  await eventually('the outage', async () => (await users(relay)) === [LOST, LOST, LOST].join());
  upstream.bigSegments.change('users.g3', { included: hashed('cyd') });
  await database.start();
  await eventually('the change', async () => (await users(relay)) === [IN, IN, IN].join());
});
