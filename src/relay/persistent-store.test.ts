import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { init, type LDClient } from '@launchdarkly/node-server-sdk';
import { RedisFeatureStore } from '@launchdarkly/node-server-sdk-redis';
import { createClient } from '@redis/client';
import { systemClock } from '../kernel/clock.ts';
import { eventually, HANG_MS } from '../testing/eventually.ts';
import { executablePath, runProcess, temporaryFolder } from '../testing/processes.ts';
import type { RelayOptions } from './config/relay-options.ts';
import { type RelayServer, startRelay } from './server.ts';
import type { EnvironmentStatus } from './status/status.ts';
import { SDK_KEY } from './testing/app.ts';
import { RELAY_DEFAULTS } from './testing/config.ts';
import { startRedis, type TestRedis } from './testing/databases/redis.ts';
import { packArchive } from './testing/launchdarkly/archive.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { plainEnvironment, RecordingLog } from './testing/launchdarkly/parts.ts';
import { relayConfigFile, startRelayProcess } from './testing/process.ts';

// A real Redis, and LaunchDarkly's SDK for Node with its store for Redis.

const PASSWORD = 'a p@ssword:/';
const ADA = { kind: 'user', key: 'ada' } as const;
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };

interface World {
  readonly redis: TestRedis;
  readonly prefix: string;
  readonly fake: FakeLaunchDarkly;
}

const storeOf = ({ url }: Pick<TestRedis, 'url'>): RelayOptions['store'] => ({
  database: 'redis',
  redis: {
    url,
    username: undefined,
    password: PASSWORD,
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
    connectTimeoutMs: 1000,
    readTimeoutMs: 1000,
  },
  cacheTtlMs: 1000,
});

interface TestRelay extends RelayServer {
  readonly log: RecordingLog;
}

async function relayOf(
  t: TestContext,
  { redis, prefix, fake }: World,
  options: Partial<RelayOptions> = {},
): Promise<TestRelay> {
  const environments = [plainEnvironment({ sdkKey: SDK_KEY, storePrefix: prefix })];
  const listening = { host: '127.0.0.1', port: 0, streamUri: fake.url, gracefulShutdownMs: HANG_MS };
  const log = new RecordingLog();
  const whole = { ...RELAY_DEFAULTS, ...listening, environments, store: storeOf(redis), ...options };
  const relay = await startRelay(whole, systemClock, log);
  t.after(() => relay.close());
  return { ...relay, log };
}

async function statusOf({ url }: { readonly url: string }): Promise<EnvironmentStatus> {
  const answer = await fetch(`${url}/status`);
  const { environments } = (await answer.json()) as { environments: Record<string, EnvironmentStatus> };
  return Object.values(environments)[0] as EnvironmentStatus;
}

const storeStateOf = async (relay: { readonly url: string }) => (await statusOf(relay)).dataStoreStatus.state;

/** An SDK that streams from a relay. */
async function streamingSdk(t: TestContext, { url }: { readonly url: string }): Promise<LDClient> {
  const hosts = { baseUri: url, streamUri: url, eventsUri: url };
  const client = init(SDK_KEY, {
    ...hosts,
    sendEvents: false,
    logger: SILENT,
    streamInitialReconnectDelay: 0.2,
  });
  t.after(() => client.close());
  await client.waitForInitialization({ timeout: HANG_MS / 1000 });
  return client;
}

function redisFeatures({ redis, prefix }: World) {
  return RedisFeatureStore({
    redisOpts: { host: '127.0.0.1', port: redis.port, password: PASSWORD },
    prefix,
    cacheTTL: 0,
  });
}

/** An SDK in daemon mode: it only reads the store. */
async function daemonSdk(t: TestContext, world: World): Promise<LDClient> {
  const client = init(SDK_KEY, {
    useLdd: true,
    featureStore: redisFeatures(world),
    sendEvents: false,
    logger: SILENT,
  });
  t.after(() => client.close());
  await client.waitForInitialization({ timeout: HANG_MS / 1000 });
  return client;
}

const colorOf = (client: LDClient) => client.variation('color', ADA, 'none');

async function shows(client: LDClient, color: string): Promise<void> {
  await eventually(`the color ${color}`, async () => (await colorOf(client)) === color);
}

function paint({ fake }: World, color: string, version: number): void {
  fake.patch('flags', plainFlag('color', color, version));
}

test('flags in Redis', async (t) => {
  const redis = await startRedis(t, ['--requirepass', PASSWORD]);
  if (!redis) return;
  const admin = createClient({ url: redis.url, password: PASSWORD });
  admin.on('error', () => {});
  await admin.connect();
  t.after(() => admin.destroy());
  let worlds = 0;
  const createWorld = async (sub: TestContext): Promise<World> => {
    const fake = await startFakeLaunchDarkly(sub, { flags: { color: plainFlag('color', 'red') } });
    return { redis, fake, prefix: `env-${++worlds}` };
  };
  const storedColor = async ({ prefix }: World) => {
    const text = await admin.hGet(`${prefix}:features`, 'color');
    return text === null ? undefined : (JSON.parse(text) as { variations: unknown[]; version: number });
  };

  await t.test('an SDK in daemon mode reads what the relay writes', async (sub) => {
    const world = await createWorld(sub);
    const relay = await relayOf(sub, world);
    await eventually('the data', () => storedColor(world));
    const sdk = await daemonSdk(sub, world);
    await shows(sdk, 'red');
    paint(world, 'green', 2);
    await shows(sdk, 'green');
    world.fake.patch('segments', { key: 's', version: 1, included: ['ada'] });
    world.fake.delete('flags', 'color', 3);
    await shows(sdk, 'none');
    const { dataStoreStatus } = await statusOf(relay);
    const { stateSince, ...others } = dataStoreStatus;
    assert.deepEqual(others, { state: 'VALID', database: 'redis', dbServer: redis.url, dbPrefix: world.prefix });
    assert.ok(Date.now() - stateSince < HANG_MS);
  });

  await t.test('the relay serves what an SDK has written, while LaunchDarkly is away', async (sub) => {
    const world = await createWorld(sub);
    const hosts = { baseUri: world.fake.url, streamUri: world.fake.url, eventsUri: world.fake.url };
    const options = { ...hosts, featureStore: redisFeatures(world), sendEvents: false, logger: SILENT };
    const writer = init(SDK_KEY, options);
    sub.after(() => writer.close());
    await writer.waitForInitialization({ timeout: HANG_MS / 1000 });
    world.fake.patch('flags', plainFlag('gone', true));
    world.fake.delete('flags', 'gone', 2);
    await eventually('the deletion', () => admin.hGet(`${world.prefix}:features`, 'gone'));
    await world.fake.stop();
    const relay = await relayOf(sub, world);
    const reader = await streamingSdk(sub, relay);
    await shows(reader, 'red');
    assert.deepEqual(Object.keys((await reader.allFlagsState(ADA)).allValues()), ['color']);
    const { connectionStatus } = await statusOf(relay);
    assert.equal(connectionStatus.state, 'INITIALIZING');
    await world.fake.listen();
    paint(world, 'green', 2);
    await shows(reader, 'green');
    await eventually('the new data in the store', async () => (await storedColor(world))?.version === 2);
  });

  await t.test('Redis hangs, is killed, is full: streams go on, and Redis is made up to date', async (sub) => {
    const world = await createWorld(sub);
    const relay = await relayOf(sub, world);
    const sdk = await streamingSdk(sub, relay);
    let version = 1;
    const outage = async (name: string, begin: () => unknown, end: () => unknown) => {
      await begin();
      paint(world, name, ++version);
      await shows(sdk, name);
      await eventually(`${name}: reported`, async () => (await storeStateOf(relay)) === 'INTERRUPTED');
      const { connectionStatus } = await statusOf(relay);
      assert.deepEqual([connectionStatus.state, connectionStatus.lastError?.kind], ['INTERRUPTED', 'STORE_ERROR']);
      await end();
      await eventually(`${name}: available`, async () => (await storeStateOf(relay)) === 'VALID');
      assert.equal((await statusOf(relay)).connectionStatus.state, 'VALID');
      assert.deepEqual((await storedColor(world))?.variations, [name]);
    };
    await outage('hanging', redis.pause, redis.resume);
    await outage('killed', redis.kill, async () => {
      await redis.start();
      await eventually('the client of the test', () => admin.isReady);
    });
    await outage(
      'full',
      () => admin.configSet('maxmemory', '1'),
      () => admin.configSet('maxmemory', '0'),
    );
    assert.ok(!JSON.stringify(relay.log.lines).includes('p@ssword'));
  });

  await t.test('a relay that was stopped for a while brings nothing older', async (sub) => {
    const world = await createWorld(sub);
    const late = await startRelayProcess(sub, ['--config', configOf(sub, world)]);
    await eventually('the data', () => storedColor(world));
    process.kill(late.pid, 'SIGSTOP');
    // In the socket of the stopped relay when it continues.
    paint(world, 'old', 2);
    const { fake } = world;
    const other = await startFakeLaunchDarkly(sub, { flags: { color: plainFlag('color', 'new', 9) } });
    await relayOf(sub, { ...world, fake: other });
    await eventually('the newer data', async () => (await storedColor(world))?.version === 9);
    process.kill(late.pid, 'SIGCONT');
    fake.patch('flags', plainFlag('last', true));
    await eventually('the relay goes on', () => admin.hExists(`${world.prefix}:features`, 'last'));
    assert.equal((await storedColor(world))?.version, 9);
    const sdk = await streamingSdk(sub, late);
    await shows(sdk, 'new');
  });

  await t.test('an archive is written below the prefixes of its environments, an older one too', async (sub) => {
    const world = await createWorld(sub);
    const path = join(temporaryFolder(sub), 'flags.tar.gz');
    const save = (version: number) => {
      const data = { flags: { color: plainFlag('color', `color ${version}`, version) } };
      writeFileSync(path, packArchive(['one', 'two'].map((id) => ({ id, dataId: String(version), data }))));
    };
    save(5);
    const lists = { allowedOrigins: [], allowedHeaders: [], storePrefix: `${world.prefix}-$CID` };
    await relayOf(sub, world, { environments: [], isLocal: true, archive: { path, intervalMs: 100, ...lists } });
    const stored = async () => {
      const places = ['one', 'two'].map((id) => ({ ...world, prefix: `${world.prefix}-${id}` }));
      return (await Promise.all(places.map(storedColor))).map((flag) => flag?.version).join();
    };
    await eventually('the data', async () => (await stored()) === '5,5');
    save(4);
    await eventually('the data of before', async () => (await stored()) === '4,4');
  });

  await t.test('exitAlways ends when the data are stored, and fails if they cannot be', async (sub) => {
    const world = await createWorld(sub);
    const fill = (file: string) => runProcess(process.execPath, [executablePath(), 'relay', 'serve', '--config', file]);
    const filled = await fill(configOf(sub, world, ['exitAlways = true']));
    assert.equal(filled.code, 0, filled.stderr);
    assert.equal((await storedColor(world))?.version, 1);
    assert.equal(await admin.get(`${world.prefix}:$inited`), '');
    await admin.configSet('maxmemory', '1');
    paint(world, 'green', 2);
    const failed = await fill(configOf(sub, world, ['exitAlways = true']));
    await admin.configSet('maxmemory', '0');
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /the flags of production could not be stored; see the log/);
    assert.ok(!`${filled.stderr}${failed.stderr}`.includes('p@ssword'));
  });
});

function configOf(t: TestContext, { redis, prefix, fake }: World, main: readonly string[] = []): string {
  const url = new URL(redis.url);
  url.password = encodeURIComponent(PASSWORD);
  const environment = [`prefix = ${prefix}`, '[Redis]', `url = ${JSON.stringify(url.href)}`];
  return relayConfigFile(t, { upstream: fake.url, main, environment });
}
