import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { eventually } from '../testing/eventually.ts';
import { FakeTerminal } from '../testing/fake/terminal.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { temporaryFolder } from '../testing/processes.ts';
import type { RelayOptions } from './config/relay-options.ts';
import { type RelayServer, startRelay } from './server.ts';
import { runRelay } from './testing/command.ts';
import { RELAY_DEFAULTS } from './testing/config.ts';
import { startRedis } from './testing/databases/redis.ts';
import { AUTO_CONFIG_KEY, configurationPut, representation } from './testing/launchdarkly/auto-config.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { answerStatus, plainFlag, sseEvent } from './testing/launchdarkly/faults.ts';
import { NODE_SDKS, type SdkClient } from './testing/sdks.ts';

// Automatic configuration: LaunchDarkly's SDK for Node, the relay, and a fake LaunchDarkly that changes, drops and lies.

const [SDK] = NODE_SDKS;
const AUTO_CONFIG = { key: AUTO_CONFIG_KEY, cache: undefined, allowedOrigins: [], allowedHeaders: [] };

/** Waits shorter, so that connections are opened again soon. */
const HURRIED: Clock = { ...systemClock, after: (ms, action) => systemClock.after(ms / 10, action) };

async function start(t: TestContext, { url }: FakeLaunchDarkly, options: Partial<RelayOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'logfmt', clock: systemClock, write: (line) => lines.push(line) });
  const relay = await startRelay(
    {
      ...RELAY_DEFAULTS,
      host: '127.0.0.1',
      port: 0,
      streamUri: url,
      autoConfig: AUTO_CONFIG,
      events: { ...RELAY_DEFAULTS.events, mode: 'forward', uri: url, flushMs: 20 },
      ...options,
    },
    HURRIED,
    log,
  );
  t.after(() => relay.close());
  return { relay, log: () => lines.join('') };
}

async function openSdk(t: TestContext, relay: RelayServer, key: string): Promise<SdkClient> {
  assert.ok(SDK);
  const client = await SDK.open(relay.url, key);
  t.after(() => client.close());
  return client;
}

const textOf = async (client: SdkClient) => (await client.read('text', 'none')).value;
const flagsOf = (text: string, version = 1) => ({ flags: { text: plainFlag('text', text, version) } });

interface Status {
  readonly status: string;
  readonly environments: Readonly<Record<string, { readonly sdkKey: string; readonly expiringSdkKey?: string }>>;
  readonly autoConfigStatus: { readonly state: string; readonly lastError?: { readonly kind: string } };
}

const statusOf = async ({ url }: RelayServer) => (await (await fetch(`${url}/status`)).json()) as Status;

const eventuallyState = (relay: RelayServer, state: string) =>
  eventually(`automatic configuration ${state}`, async () => {
    const { autoConfigStatus } = await statusOf(relay);
    return autoConfigStatus.state === state ? autoConfigStatus : undefined;
  });

/** The status of a request with this key. */
async function knock({ url }: RelayServer, authorization: string, query = ''): Promise<number> {
  return (await fetch(`${url}/sdk/flags${query}`, { headers: { authorization } })).status;
}

const eventuallyKnows = (relay: RelayServer, key: string, status = 200) =>
  eventually(`${status} for ${key}`, async () => (await knock(relay, key)) === status);

test('a relay that LaunchDarkly configures', async (t) => {
  const fake = await startFakeLaunchDarkly(t, flagsOf('common'));
  fake.autoConfig.fault = answerStatus(503);
  const { relay, log } = await start(t, fake);

  await t.test('has no list at first, says so, and is not ready', async () => {
    assert.equal(await knock(relay, 'sdk-a'), 503);
    assert.equal((await fetch(`${relay.url}/readyz`)).status, 503);
    const { status, environments, autoConfigStatus } = await statusOf(relay);
    assert.deepEqual([status, environments, autoConfigStatus.state], ['degraded', {}, 'INITIALIZING']);
  });

  fake.put(flagsOf('of a'), { sdkKey: 'sdk-a' });
  fake.autoConfig.put = configurationPut([representation('a'), representation('b')]);
  fake.autoConfig.fault = undefined;
  assert.deepEqual(await relay.settled, []);
  const a = await openSdk(t, relay, 'sdk-a');

  await t.test('serves the environments of the list', async () => {
    assert.equal(await textOf(a), 'of a');
    assert.equal(await textOf(await openSdk(t, relay, 'sdk-b')), 'common');
    assert.equal((await fetch(`${relay.url}/readyz`)).status, 200);
    const { status, environments } = await statusOf(relay);
    assert.deepEqual([status, Object.keys(environments)], ['healthy', ['a', 'b']]);
    assert.match(await (await fetch(`${relay.url}/metrics`)).text(), /_environment_ready\{env="Shop Name of a"\} 1/);
  });

  await t.test('adds an environment, and a filter for every environment', async () => {
    fake.autoConfig.patch(representation('c'));
    await eventuallyKnows(relay, 'sdk-c');
    assert.equal(await textOf(await openSdk(t, relay, 'sdk-c')), 'common');
    const filter = { projKey: 'shop', key: 'few', version: 1 };
    fake.autoConfig.write(sseEvent('patch', { path: '/filters/f1', data: filter }));
    await eventually('the filter', async () => (await knock(relay, 'sdk-c', '?filter=few')) === 200);
    assert.deepEqual(Object.keys((await statusOf(relay)).environments).sort(), [
      'a',
      'a/few',
      'b',
      'b/few',
      'c',
      'c/few',
    ]);
    fake.autoConfig.write(sseEvent('delete', { path: '/filters/f1', version: 2 }));
    await eventually('its end', async () => (await knock(relay, 'sdk-c', '?filter=few')) === 404);
  });

  await t.test('replaces a key with a grace period, at whose end its streams end', async () => {
    const old = await openSse(`${relay.url}/all`, { headers: { authorization: 'sdk-a' } });
    assert.ok(await old.next());
    fake.put(flagsOf('of a', 2), { sdkKey: 'sdk-new' });
    const expiring = { value: 'sdk-a', timestamp: Date.now() + 1500 };
    fake.autoConfig.patch(representation('a', { version: 2, sdkKey: { value: 'sdk-new', expiring } }));
    await eventuallyKnows(relay, 'sdk-new');
    await eventually('the stream of the new key alone', () => {
      const keys = fake.streamKeys;
      return keys.includes('sdk-new') && !keys.includes('sdk-a');
    });
    const renewed = await openSdk(t, relay, 'sdk-new');
    fake.patch('flags', plainFlag('text', 'changed', 3), { sdkKey: 'sdk-new' });
    for (const client of [a, renewed]) await eventually('the change', async () => (await textOf(client)) === 'changed');
    assert.equal((await statusOf(relay)).environments.a?.expiringSdkKey, 'sdk-a');
    await renewed.report?.('bought');
    const { headers } = await eventually('the event', () =>
      fake.eventPosts.find(({ body }) => body.includes('bought')),
    );
    assert.equal(headers.authorization, 'sdk-new');
    await old.over;
    assert.ok(Date.now() >= expiring.timestamp);
    assert.equal(await knock(relay, 'sdk-a'), 401);
    assert.equal(await knock(relay, 'sdk-new'), 200);
    assert.equal((await statusOf(relay)).environments.a?.expiringSdkKey, undefined);
  });

  await t.test('removes an environment with its streams', async () => {
    const stream = await openSse(`${relay.url}/all`, { headers: { authorization: 'sdk-b' } });
    fake.autoConfig.delete('b', 2);
    await stream.over;
    assert.equal(await knock(relay, 'sdk-b'), 401);
  });

  const stream = await openSse(`${relay.url}/all`, { headers: { authorization: 'sdk-new' } });
  await stream.next();
  const current = [representation('a', { version: 3, sdkKey: { value: 'sdk-new' } }), representation('c')];
  fake.autoConfig.put = configurationPut(current);

  await t.test('serves on while the configuration drops, and follows it again', async () => {
    const { requests } = fake.autoConfig;
    fake.autoConfig.drop();
    await eventually('another stream', () => fake.autoConfig.requests > requests && fake.autoConfig.openStreams === 1);
    await eventuallyState(relay, 'VALID');
    fake.autoConfig.patch(representation('d'));
    await eventuallyKnows(relay, 'sdk-d');
  });

  await t.test('serves on through garbage and lies', async () => {
    fake.autoConfig.patch(representation('c', { version: 1, sdkKey: { value: 'sdk-lie' } }));
    const foreign = { path: '/environments/c', data: representation('a', { version: 9 }) };
    fake.autoConfig.write(sseEvent('patch', foreign));
    const { requests } = fake.autoConfig;
    fake.autoConfig.write(sseEvent('put', '{"path":"/","data":{"environments":'));
    await eventually('another stream', () => fake.autoConfig.requests > requests && fake.autoConfig.openStreams === 1);
    const { lastError } = await eventuallyState(relay, 'VALID');
    assert.equal(lastError?.kind, 'INVALID_DATA');
    assert.deepEqual([await knock(relay, 'sdk-c'), await knock(relay, 'sdk-lie')], [200, 401]);
    await eventuallyKnows(relay, 'sdk-d', 401);
  });

  await t.test('serves on while it is refused, says so, and tries again on request', async () => {
    fake.autoConfig.fault = answerStatus(401);
    fake.autoConfig.drop();
    await eventuallyState(relay, 'OFF');
    assert.equal((await statusOf(relay)).status, 'healthy');
    const late = await openSdk(t, relay, 'sdk-new');
    fake.patch('flags', plainFlag('text', 'later', 4), { sdkKey: 'sdk-new' });
    await eventually('the change', async () => (await textOf(late)) === 'later');
    assert.match((await stream.next())?.data ?? '', /later/);
    fake.autoConfig.fault = undefined;
    await relay.reload({ ...RELAY_DEFAULTS, autoConfig: AUTO_CONFIG });
    await eventuallyState(relay, 'VALID');
    assert.equal(await knock(relay, 'sdk-new'), 200);
  });

  await t.test('logs no key', () => assert.doesNotMatch(log(), new RegExp(`${AUTO_CONFIG_KEY}|sdk-new`)));
});

test('a relay starts from the last configuration while LaunchDarkly is down', async (t) => {
  const fake = await startFakeLaunchDarkly(t, flagsOf('recorded'));
  fake.autoConfig.put = configurationPut([representation('a')], { f: { projKey: 'shop', key: 'few', version: 1 } });
  const recordPath = join(temporaryFolder(t), 'records');
  const before = await start(t, fake, { recordPath });
  assert.deepEqual(await before.relay.settled, []);
  await before.relay.close();
  await fake.stop();
  const files = readdirSync(recordPath).map((name) => statSync(join(recordPath, name)).mode & 0o777);
  assert.deepEqual(files, [0o600, 0o600, 0o600]);

  const { relay } = await start(t, fake, { recordPath });
  assert.deepEqual(await relay.settled, []);
  const client = await openSdk(t, relay, 'sdk-a');
  assert.deepEqual([await textOf(client), await knock(relay, 'sdk-a', '?filter=few')], ['recorded', 200]);
  const { autoConfigStatus } = await statusOf(relay);
  assert.deepEqual([autoConfigStatus.state, autoConfigStatus.lastError?.kind], ['INITIALIZING', 'NETWORK_ERROR']);

  fake.put(flagsOf('current', 2));
  fake.autoConfig.put = configurationPut([representation('a'), representation('b')]);
  await fake.listen();
  await eventuallyState(relay, 'VALID');
  await eventually('current data', async () => (await textOf(client)) === 'current');
  await eventuallyKnows(relay, 'sdk-b');
  assert.equal(await knock(relay, 'sdk-a', '?filter=few'), 404);
});

test('a relay starts from Redis while LaunchDarkly is down', async (t) => {
  const redis = await startRedis(t);
  if (!redis) return;
  const fake = await startFakeLaunchDarkly(t, flagsOf('stored'));
  fake.autoConfig.put = configurationPut([representation('a'), representation('b')]);
  const connection = { username: undefined, password: undefined, connectTimeoutMs: 5000, readTimeoutMs: 5000 };
  const files = { caFile: undefined, certFile: undefined, keyFile: undefined };
  const options: Partial<RelayOptions> = {
    autoConfig: { ...AUTO_CONFIG, cache: { key: 'relays', secret: 'encrypts' }, storePrefix: 'ld-$CID' },
    store: { database: 'redis', cacheTtlMs: 30_000, redis: { url: redis.url, ...connection, ...files } },
  };
  const before = await start(t, fake, options);
  assert.deepEqual(await before.relay.settled, []);
  await before.relay.close();
  await fake.stop();
  const { relay } = await start(t, fake, options);
  assert.deepEqual(await relay.settled, []);
  for (const key of ['sdk-a', 'sdk-b']) assert.equal(await textOf(await openSdk(t, relay, key)), 'stored');
});

test('a relay whose key LaunchDarkly refuses at the start ends with a message', async (t) => {
  const fake = await startFakeLaunchDarkly(t);
  fake.autoConfig.fault = answerStatus(401);
  const terminal = new FakeTerminal();
  terminal.env = { AUTO_CONFIG_KEY, STREAM_URI: fake.url, LISTEN_HOST: '127.0.0.1' };
  assert.equal(await runRelay(['serve', '--from-env', '--port', '0'], terminal), 1);
  assert.match(
    terminal.stderr,
    /refuses the automatic configuration key rel-\*+.*0000c \(401\): check AUTO_CONFIG_KEY\n$/,
  );
  assert.ok(!terminal.stderr.includes(AUTO_CONFIG_KEY));
});
