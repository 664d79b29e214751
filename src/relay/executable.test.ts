import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { initialize } from 'launchdarkly-node-client-sdk';
import { eventually } from '../testing/eventually.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { executablePath, listeningAddress, runProcess, startServer, temporaryFolder } from '../testing/processes.ts';
import { ENV_ID, SDK_KEY } from './testing/app.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { portOf, readStatus, relayConfigFile, startRelayProcess } from './testing/process.ts';

const FLAGS = { a: plainFlag('a', 'value') };
const AUTHORIZED = { authorization: SDK_KEY };

describe('the executable', () => {
  test('starts without configuration, and prints how to reach its sample', async (t) => {
    const cwd = temporaryFolder(t);
    const child = spawn(process.execPath, [executablePath(), 'relay', 'serve', '--port', '0'], { cwd });
    t.after(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [, key = '', url = ''] = await eventually('a command to paste', () =>
      /^ {2}curl -H 'Authorization: (\S+)' (\S+)$/m.exec(said),
    );
    const answer = await fetch(url, { headers: { authorization: key } });
    assert.equal(answer.status, 200);
    assert.ok(Object.keys((await answer.json()) as object).length > 0);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('puts contexts into the same buckets where Node compiles no texts', async (t) => {
    const halves = [0, 1].map((variation) => ({ variation, weight: 50_000 }));
    const flags = {
      half: { ...plainFlag('half', 0), variations: [0, 1], fallthrough: { rollout: { variations: halves } } },
    };
    const file = join(temporaryFolder(t), 'flags.json');
    writeFileSync(file, JSON.stringify({ flags }));
    const command = [executablePath(), 'relay', 'eval', 'half', '--flags', file, '-c', '{"key": "ada"}', '--explain'];
    const usual = await runProcess(process.execPath, command);
    assert.match(usual.stdout, /bucket of user .*: 0\.\d+/);
    const without = await runProcess(process.execPath, ['--disallow-code-generation-from-strings', ...command]);
    assert.equal(without.stdout, usual.stdout);
  });

  test('takes its configuration from the environment', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: FLAGS });
    const relay = await startServer(t, {
      command: process.execPath,
      args: [executablePath(), 'relay', 'serve', '--from-env', '--host', '127.0.0.1', '--port', '0'],
      cwd: temporaryFolder(t),
      env: { PORT: '1', STREAM_URI: upstream.url, LD_ENV_shop: SDK_KEY, LD_CLIENT_SIDE_ID_shop: ENV_ID },
      addressIn: listeningAddress,
    });
    const flags = await eventually('data', async () => {
      const answer = await fetch(`${relay.url}/sdk/flags`, { headers: AUTHORIZED });
      return answer.ok && ((await answer.json()) as object);
    });
    assert.deepEqual(flags, FLAGS);
  });

  test('ends its streams and sends the remaining events when it is stopped', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: FLAGS });
    const config = relayConfigFile(t, { upstream: upstream.url, events: ['flushInterval = 1h'] });
    const relay = await startRelayProcess(t, ['--config', config]);
    const stream = await eventually('a stream', async () => {
      const opened = await openSse(`${relay.url}/all`, { headers: AUTHORIZED });
      return opened.status === 200 && opened;
    });
    assert.equal((await stream.next())?.event, 'put');
    const headers = { ...AUTHORIZED, 'x-launchdarkly-event-schema': '4' };
    const post = { method: 'POST', headers, body: '[{"kind":"custom","key":"last"}]' };
    assert.equal((await fetch(`${relay.url}/bulk`, post)).status, 202);
    assert.equal(upstream.eventPosts.length, 0);
    assert.deepEqual(await relay.stop(), { code: 0, signal: null });
    assert.equal(await stream.over, 'ended');
    assert.deepEqual(upstream.eventPosts[0]?.json, [{ kind: 'custom', key: 'last' }]);
  });

  test('says last that a flag file is missing, and serves it as soon as it is there', async (t) => {
    const file = join(temporaryFolder(t), 'flags.json');
    const relay = await startRelayProcess(t, ['--flags', file]);
    const said = () => relay.stderr().trimEnd().split('\n').at(-1);
    const expected = `opsdeck: there are no flags to serve yet: ${file}: no such file or folder`;
    await eventually('the message', () => said() === expected);
    writeFileSync(file, '{"flagValues":{"a":1}}');
    await eventually('the flags', async () => (await fetch(`${relay.url}/readyz`)).ok);
  });

  test('reads its configuration again at SIGHUP', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: FLAGS });
    const config = relayConfigFile(t, { upstream: upstream.url });
    const relay = await startRelayProcess(t, ['--config', config]);
    appendFileSync(config, '[Environment "second"]\nsdkKey = sdk-second\n');
    process.kill(relay.pid, 'SIGHUP');
    await eventually('the environment', async () => 'second' in (await readStatus(relay)).environments);
  });

  test('in secure mode it accepts only signed contexts', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: FLAGS });
    const config = relayConfigFile(t, { upstream: upstream.url, environment: ['secureMode = true'] });
    const { url } = await startRelayProcess(t, ['--config', config]);
    await eventually('data', async () => (await fetch(`${url}/readyz`)).ok);
    const open = (hash: string) => {
      const silent = { error() {}, warn() {}, info() {}, debug() {} };
      const hosts = { baseUrl: url, streamUrl: url, eventsUrl: url };
      const client = initialize(ENV_ID, { kind: 'user', key: 'ada' }, { ...hosts, hash, logger: silent });
      t.after(() => client.close());
      return client;
    };
    const trusted = open(createHmac('sha256', SDK_KEY).update('ada').digest('hex'));
    await trusted.waitForInitialization();
    assert.equal(trusted.variation('a'), 'value');
    await assert.rejects(open('0'.repeat(64)).waitForInitialization());
  });

  test('reports in one line why it cannot start', async (t) => {
    const { url } = await startRelayProcess(t, []);
    const cwd = temporaryFolder(t);
    const cases: readonly (readonly [args: readonly string[], code: number, said: RegExp])[] = [
      [['--port', String(portOf({ url }))], 1, /^opsdeck: cannot listen on .*the port is taken/m],
      [['--config', 'missing.conf'], 2, /missing\.conf/],
      [['--flags', 'missing.json', '--port', 'x'], 2, /--port: "x" is invalid; write a whole number from 0/],
    ];
    for (const [args, code, said] of cases) {
      const ended = await runProcess(process.execPath, [executablePath(), 'relay', 'serve', ...args], { cwd });
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, said);
      assert.doesNotMatch(ended.stderr, /\n {4}at /);
    }
  });
});
