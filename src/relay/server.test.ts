import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { CommandError } from '../kernel/errors.ts';
import { createLog } from '../kernel/log.ts';
import { OTHER_SERVER, SERVER } from '../kernel/testdata/tls-certificates.ts';
import { eventually, HANG_MS } from '../testing/eventually.ts';
import { startHttpSink } from '../testing/http/sink.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { ENVIRONMENT_DEFAULTS } from './config/relay-defaults.ts';
import type { EnvironmentOptions, RelayOptions } from './config/relay-options.ts';
import { type RelayServer, startRelay } from './server.ts';
import { RELAY_DEFAULTS } from './testing/config.ts';
import { packArchive } from './testing/launchdarkly/archive.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';

const SDK_KEY = 'sdk-00000000-0000-4000-8000-00000000000a';
const PRODUCTION: EnvironmentOptions = {
  ...ENVIRONMENT_DEFAULTS,
  name: 'production',
  sdkKey: SDK_KEY,
  mobileKey: 'mob-b',
  envId: 'id-c',
};
const CONTEXT = 'eyJraW5kIjoidXNlciIsImtleSI6ImEifQ';

async function start(t: TestContext, options: Partial<RelayOptions>): Promise<{ relay: RelayServer; lines: string[] }> {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'logfmt', clock: systemClock, write: (line) => lines.push(line) });
  const relay = await startRelay(
    { ...RELAY_DEFAULTS, host: '127.0.0.1', port: 0, gracefulShutdownMs: HANG_MS, ...options },
    systemClock,
    log,
  );
  t.after(() => relay.close());
  return { relay, lines };
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

const hostsOf = (url: string): Partial<RelayOptions> => ({
  streamUri: url,
  baseUri: url,
  clientSideBaseUri: url,
  events: { ...RELAY_DEFAULTS.events, mode: 'forward', uri: url, flushMs: 20 },
});

const evaluate = async (relay: RelayServer, authorization = SDK_KEY) => {
  const answer = await fetch(`${relay.url}/sdk/evalx/contexts/${CONTEXT}`, { headers: { authorization } });
  return [answer.status, await answer.text()];
};

describe('between upstream and SDKs', () => {
  test('flags come down, changes follow, events go up, goals pass through', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) }, goals: [{ id: 'g' }] });
    const { relay, lines } = await start(t, { ...hostsOf(upstream.url), environments: [PRODUCTION] });
    assert.deepEqual(await relay.settled, []);
    assert.deepEqual(await evaluate(relay), [200, '{"a":{"value":1,"variation":0,"version":1}}']);

    const stream = await openSse(`${relay.url}/all`, { headers: { authorization: SDK_KEY } });
    assert.equal((await stream.next())?.event, 'put');
    upstream.patch('flags', plainFlag('a', 2, 2));
    const patch = await stream.next();
    assert.deepEqual([patch?.event, JSON.parse(patch?.data ?? '').data.variations], ['patch', [2]]);

    const post = {
      method: 'POST',
      headers: { authorization: SDK_KEY, 'x-launchdarkly-event-schema': '4' },
      body: '[{}]',
    };
    assert.equal((await fetch(`${relay.url}/bulk`, post)).status, 202);
    await upstream.until(({ eventPosts }) => eventPosts.length === 1);
    assert.deepEqual(await (await fetch(`${relay.url}/sdk/goals/id-c`)).json(), [{ id: 'g' }]);

    const status = (await (await fetch(`${relay.url}/status`)).json()) as {
      status: string;
      environments: Record<string, { sdkKey: string; status: string; connectionStatus: { state: string } }>;
    };
    const { production } = status.environments;
    assert.deepEqual(
      [status.status, production?.status, production?.connectionStatus.state],
      ['healthy', 'connected', 'VALID'],
    );
    assert.equal(production?.sdkKey, 'sdk-********-****-****-****-*******0000a');
    assert.equal((await fetch(`${relay.url}/readyz`)).status, 200);
    assert.match(await (await fetch(`${relay.url}/metrics`)).text(), /launchdarkly_relay_requests\{/);

    await relay.close();
    assert.equal(await stream.over, 'ended');
    assert.doesNotMatch(lines.join(''), new RegExp(`${SDK_KEY}|${CONTEXT}`));
  });

  test('a key that upstream refuses is unknown here too', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { sdkKeys: ['sdk-other'] });
    const { relay } = await start(t, { ...hostsOf(upstream.url), environments: [PRODUCTION] });
    const [failed] = await relay.settled;
    assert.equal(failed?.options.name, 'production');
    assert.equal((await evaluate(relay))[0], 401);
    assert.equal((await fetch(`${relay.url}/readyz`)).status, 503);
  });

  test('another relay can be upstream', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
    const { relay: first } = await start(t, { ...hostsOf(upstream.url), environments: [PRODUCTION] });
    await first.settled;
    const { relay: second } = await start(t, { ...hostsOf(first.url), environments: [PRODUCTION] });
    assert.deepEqual(await second.settled, []);
    assert.deepEqual(await evaluate(second), [200, '{"a":{"value":1,"variation":0,"version":1}}']);
  });

  test('the last data are on disk for a start during an outage', async (t) => {
    const recordPath = await folderOf(t);
    const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
    const options = { ...hostsOf(upstream.url), environments: [PRODUCTION], recordPath };
    const { relay: first } = await start(t, options);
    await first.settled;
    await first.close();
    await upstream.stop();
    const { relay: second } = await start(t, options);
    assert.deepEqual(await second.settled, []);
    assert.deepEqual(await evaluate(second), [200, '{"a":{"value":1,"variation":0,"version":1}}']);
  });
});

describe('recorded data of a revoked key', () => {
  test('is not served after a start', async (t) => {
    const recordPath = await folderOf(t);
    const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
    const options = { ...hostsOf(upstream.url), environments: [PRODUCTION], recordPath };
    const { relay: first } = await start(t, options);
    await first.settled;
    await first.close();
    const refusing = await startFakeLaunchDarkly(t, { sdkKeys: ['sdk-other'] });
    const { relay: second } = await start(t, { ...options, ...hostsOf(refusing.url) });
    assert.equal((await second.settled).length, 1);
    assert.equal((await evaluate(second))[0], 401);
  });
});

describe('without upstream', () => {
  test('flags come from a file; a saved one reaches streams; there are no goals, and events are accepted', async (t) => {
    const dataFile = join(await folderOf(t), 'flags.json');
    await writeFile(dataFile, '{"flagValues":{"a":1}}');
    const { relay } = await start(t, { isLocal: true, environments: [{ ...PRODUCTION, dataFile }] });
    assert.deepEqual(await relay.settled, []);
    const stream = await openSse(`${relay.url}/flags`, { headers: { authorization: SDK_KEY } });
    await stream.next();
    await writeFile(dataFile, '{"flagValues":{"a":2}}');
    assert.equal((await stream.next())?.event, 'patch');
    assert.equal(await (await fetch(`${relay.url}/sdk/goals/id-c`)).text(), '[]');
    const post = { method: 'POST', headers: { authorization: SDK_KEY }, body: '[{}]' };
    assert.equal((await fetch(`${relay.url}/bulk`, post)).status, 202);
    stream.close();
  });

  test('an archive adds and removes environments, and changes their keys', async (t) => {
    const path = join(await folderOf(t), 'archive.tar.gz');
    const save = async (samples: Parameters<typeof packArchive>[0]) => {
      await writeFile(`${path}.new`, packArchive(samples));
      await rename(`${path}.new`, path);
    };
    const data = { flags: { a: plainFlag('a', 1) }, segments: {} };
    await save([
      { id: 'one', data },
      { id: 'two', data },
    ]);
    const archive = { path, intervalMs: 100, allowedOrigins: [], allowedHeaders: [] };
    const { relay } = await start(t, { archive });
    const open = (authorization: string) => openSse(`${relay.url}/all`, { headers: { authorization } });
    const [one, two] = [await open('sdk-one'), await open('sdk-two')];

    const rotated = {
      sdkKey: { value: 'sdk-new', expiring: { value: 'sdk-one', timestamp: Date.now() + 3_600_000 } },
      version: 2,
    };
    await save([{ id: 'one', data, env: rotated }]);
    assert.equal(await two.over, 'ended');
    await eventually('the new key', async () => (await evaluate(relay, 'sdk-new'))[0] === 200);
    assert.deepEqual([(await evaluate(relay, 'sdk-one'))[0], (await evaluate(relay, 'sdk-two'))[0]], [200, 401]);
    const { environments } = (await (await fetch(`${relay.url}/status`)).json()) as {
      environments: Record<string, Record<string, unknown>>;
    };
    assert.deepEqual(Object.keys(environments), ['one']);
    assert.equal(environments.one?.envName, 'Production');
    assert.equal(environments.one?.expiringSdkKey, 'sdk-one');

    const fresh = await open('sdk-new');
    await save([{ id: 'one', data, env: { sdkKey: { value: 'sdk-new' }, version: 3 } }]);
    assert.equal(await one.over, 'ended');
    assert.equal((await evaluate(relay, 'sdk-one'))[0], 401);
    await save([
      {
        id: 'one',
        data: { flags: { a: plainFlag('a', 2, 2) }, segments: {} },
        dataId: 'data-2',
        env: { sdkKey: { value: 'sdk-new' }, version: 3 },
      },
    ]);
    assert.equal((await fresh.next())?.event, 'put');
    assert.match((await fresh.next())?.data ?? '', /"variations":\[2\]/);
    fresh.close();
  });
});

describe('a start that fails leaves nothing behind', () => {
  const tlsOf = (folder: string, { cert, key }: { readonly cert: string; readonly key: string }) => {
    const tls = { certFile: join(folder, 'cert'), keyFile: join(folder, 'key'), minVersion: undefined };
    writeFileSync(tls.certFile, cert);
    writeFileSync(tls.keyFile, key, { mode: 0o600 });
    return { tls };
  };
  const cases: readonly (readonly [name: string, options: (folder: string) => Partial<RelayOptions>, said: RegExp])[] =
    [
      [
        'a missing archive',
        (folder) => ({
          archive: { path: join(folder, 'none'), intervalMs: 1000, allowedOrigins: [], allowedHeaders: [] },
        }),
        /none cannot be used: ENOENT/,
      ],
      [
        'a missing certificate',
        (folder) => ({ tls: { certFile: join(folder, 'cert'), keyFile: join(folder, 'key'), minVersion: undefined } }),
        /cannot read .*cert: there is no such file/,
      ],
      [
        'a missing file of authorities',
        (folder) => ({ proxy: { url: undefined, caCertFiles: [join(folder, 'ca.pem')] } }),
        /cannot read .*ca\.pem: there is no such file/,
      ],
      [
        'a key of another certificate',
        (folder) => tlsOf(folder, { cert: SERVER.cert, key: OTHER_SERVER.key }),
        /cannot be used for TLS: .*key values mismatch/,
      ],
      [
        'an invalid certificate',
        (folder) => tlsOf(folder, { cert: '', key: SERVER.key }),
        /cannot be used for TLS: there is no certificate/,
      ],
      ['an address that cannot be had', () => ({ host: '192.0.2.1' }), /cannot listen on 192\.0\.2\.1/],
    ];
  for (const [name, options, said] of cases) {
    test(name, async (t) => {
      const folder = await folderOf(t);
      await assert.rejects(
        start(t, options(folder)),
        (error) => error instanceof CommandError && said.test(error.message),
      );
    });
  }
});

test('Prometheus has its own listener if configured', async (t) => {
  const { lines } = await start(t, { prometheus: { prefix: 'mine', port: 0 } });
  const addresses = lines.flatMap((line) => /address=(127\.0\.0\.1:\d+)/.exec(line)?.[1] ?? []);
  assert.equal(addresses.length, 2);
  const own = await fetch(`http://${addresses[1]}/metrics`);
  assert.match(await own.text(), /\bmine_/);
  assert.equal((await fetch(`http://${addresses[1]}/status`)).status, 404);
});

test('metrics are sent to a collector of OpenTelemetry, the last ones at the end', async (t) => {
  const sink = await startHttpSink(t);
  const otlp = {
    url: `${sink.url}/v1/metrics`,
    isJson: true,
    isCompressed: false,
    headers: {},
    timeoutMs: 10_000,
    intervalMs: 60_000,
    resource: { 'service.name': 'ld-relay' },
  };
  const { relay } = await start(t, { otlp });
  await relay.close();
  const [request] = sink.requests;
  assert.match(
    request?.body ?? '',
    /"name":"launchdarkly_relay_connections".*"name":"launchdarkly.relay.events.sent.size"/,
  );
});
