import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { systemClock } from '../kernel/clock.ts';
import { CommandError } from '../kernel/errors.ts';
import { OTHER_SERVER, SERVER } from '../kernel/testdata/tls-certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { temporaryFolder } from '../testing/processes.ts';
import type { RelayOptions } from './config/relay-options.ts';
import { type RelayServer, startRelay } from './server.ts';
import { environment, RELAY_DEFAULTS } from './testing/config.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { RecordingLog } from './testing/launchdarkly/parts.ts';

// A relay that takes over another configuration while it runs.

interface Running {
  readonly relay: RelayServer;
  readonly log: RecordingLog;
  /** Reloads with other options than at the start. */
  reload(options: Partial<RelayOptions>): Promise<void>;
}

async function start(t: TestContext, options: Partial<RelayOptions>): Promise<Running> {
  const log = new RecordingLog();
  const whole = { ...RELAY_DEFAULTS, host: '127.0.0.1', port: 0, ...options };
  const relay = await startRelay(whole, systemClock, log);
  t.after(() => relay.close());
  await relay.settled;
  return { relay, log, reload: (changes) => relay.reload({ ...whole, ...changes }) };
}

/** A relay whose environments have files as data. */
async function startLocal(t: TestContext, names: readonly string[]) {
  const folder = temporaryFolder(t);
  const dataFile = join(folder, 'flags.json');
  await writeFile(dataFile, '{"flagValues":{"a":1}}');
  const local = (name: string, more = {}) => environment(name, `sdk-${name}`, { dataFile, ...more });
  const running = await start(t, { isLocal: true, environments: names.map((name) => local(name)) });
  const statusOf = async (authorization: string) =>
    (await fetch(`${running.relay.url}/sdk/flags`, { headers: { authorization } })).status;
  return { ...running, folder, local, statusOf };
}

const openStream = async ({ relay }: Running, authorization: string) => {
  const stream = await openSse(`${relay.url}/all`, { headers: { authorization } });
  assert.equal((await stream.next())?.event, 'put');
  return stream;
};

describe('environments', () => {
  test('are added and removed; streams of the others go on', async (t) => {
    const running = await startLocal(t, ['kept', 'gone']);
    const { reload, relay, log, local, statusOf } = running;
    const [kept, gone] = [await openStream(running, 'sdk-kept'), await openStream(running, 'sdk-gone')];
    await reload({ environments: [local('kept'), local('new')] });
    assert.equal(await gone.over, 'ended');
    assert.deepEqual(await Promise.all(['sdk-kept', 'sdk-gone', 'sdk-new'].map(statusOf)), [200, 401, 200]);
    relay.environments[0]?.store.remove('flags', 'a', 9);
    assert.equal((await kept.next())?.event, 'delete');
    assert.deepEqual(
      log.lines
        .filter(({ message }) => message.startsWith('environment'))
        .map(({ message, fields }) => [message, fields]),
      [
        ['environment removed', { env: 'gone' }],
        ['environment added', { env: 'new' }],
      ],
    );
    kept.close();
  });

  test('get another key: streams of the former one end, the data stays', async (t) => {
    const running = await startLocal(t, ['one']);
    const stream = await openStream(running, 'sdk-one');
    await running.reload({ environments: [running.local('one', { sdkKey: 'sdk-other' })] });
    assert.equal(await stream.over, 'ended');
    assert.deepEqual(await Promise.all(['sdk-one', 'sdk-other'].map(running.statusOf)), [401, 200]);
    assert.doesNotMatch(running.log.text, /sdk-o/);
  });

  test('are made anew for another source of their data', async (t) => {
    const { reload, relay, local, folder } = await startLocal(t, ['one']);
    const dataFile = join(folder, 'other.json');
    await writeFile(dataFile, '{"flagValues":{"b":1}}');
    await reload({ environments: [local('one', { dataFile })] });
    assert.deepEqual(
      relay.environments.map(({ store }) => store.flags().map(({ flag }) => flag.key)),
      [['b']],
    );
  });

  test('read their files at once', async (t) => {
    const { reload, relay, local, folder } = await startLocal(t, ['one']);
    await writeFile(join(folder, 'flags.json'), '{"flagValues":{"changed":1}}');
    await reload({ environments: [local('one')] });
    assert.deepEqual(
      relay.environments[0]?.store.flags().map(({ flag }) => flag.key),
      ['changed'],
    );
  });

  test('whose key was refused are tried again at once', async (t) => {
    const sdkKeys: string[] = [];
    const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) }, sdkKeys });
    const environments = [environment('one', 'sdk-late')];
    const { relay, reload } = await start(t, { streamUri: upstream.url, environments });
    assert.equal(relay.environments[0]?.connection.state, 'OFF');
    sdkKeys.push('sdk-late');
    await reload({});
    await eventually('data', () => relay.environments[0]?.readiness === 'ready');
  });
});

test('certificates are read again; a bad one changes nothing', async (t) => {
  const folder = temporaryFolder(t);
  const tls = { certFile: join(folder, 'cert'), keyFile: join(folder, 'key'), minVersion: undefined };
  const save = async ({ cert, key }: { readonly cert: string; readonly key: string }) => {
    await writeFile(tls.certFile, cert);
    await writeFile(tls.keyFile, key);
  };
  await save(SERVER);
  const { relay, reload } = await start(t, { tls });
  const port = Number(new URL(relay.url).port);
  const fingerprint = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const first = await fingerprint();
  await save({ cert: OTHER_SERVER.cert, key: SERVER.key });
  await assert.rejects(reload({ environments: [environment('one', 'sdk-one')] }), CommandError);
  assert.deepEqual([await fingerprint(), relay.environments], [first, []]);
  await save(OTHER_SERVER);
  await reload({});
  assert.notEqual(await fingerprint(), first);
});

test('environments stay if the next configuration leaves them to LaunchDarkly: that needs a restart', async (t) => {
  const { reload, log, statusOf } = await startLocal(t, ['one']);
  const autoConfig = { key: 'rel-1', allowedOrigins: [], allowedHeaders: [], cache: undefined };
  await reload({ environments: [], autoConfig });
  assert.equal(await statusOf('sdk-one'), 200);
  assert.ok(log.lines.some(({ fields }) => fields.settings === 'autoConfig'));
});

test('settings that need a restart are named', async (t) => {
  const { log, reload } = await start(t, {});
  await reload({ port: 1, heartbeatMs: 5, environments: [] });
  const { message, fields } = log.lines.at(-1) ?? {};
  assert.deepEqual([message, fields], ['some settings change with a restart only', { settings: 'port, heartbeatMs' }]);
});
