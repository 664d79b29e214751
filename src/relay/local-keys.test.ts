import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  executablePath,
  listeningAddress,
  type RunningServer,
  runProcess,
  startServer,
  temporaryFolder,
} from '../testing/processes.ts';
import { openLocalKeys, readLocalKeys } from './local-keys.ts';

const FILE = join('opsdeck', 'relay-keys.json');

test('keys are made once, for this user alone, and are the same afterwards', (t) => {
  const XDG_STATE_HOME = temporaryFolder(t);
  assert.equal(readLocalKeys({ XDG_STATE_HOME }), undefined);
  const keys = openLocalKeys({ XDG_STATE_HOME });
  assert.match(keys.sdkKey, /^sdk-[\da-f]{32}$/);
  assert.deepEqual([openLocalKeys({ XDG_STATE_HOME }), readLocalKeys({ XDG_STATE_HOME })], [keys, keys]);
  assert.equal(statSync(join(XDG_STATE_HOME, FILE)).mode & 0o777, 0o600);
  assert.equal(statSync(join(XDG_STATE_HOME, 'opsdeck')).mode & 0o077, 0);
  assert.deepEqual(readdirSync(join(XDG_STATE_HOME, 'opsdeck')), ['relay-keys.json']);
  const HOME = temporaryFolder(t);
  assert.notDeepEqual(openLocalKeys({ HOME }), keys);
  assert.deepEqual(openLocalKeys({ HOME, XDG_STATE_HOME: 'relative' }), readLocalKeys({ HOME }));
});

test('keys that others could read, or that are spoiled, are replaced', (t) => {
  const XDG_STATE_HOME = temporaryFolder(t);
  const path = join(XDG_STATE_HOME, FILE);
  const first = openLocalKeys({ XDG_STATE_HOME });
  chmodSync(path, 0o644);
  const second = openLocalKeys({ XDG_STATE_HOME });
  assert.notDeepEqual(second, first);
  assert.deepEqual(readLocalKeys({ XDG_STATE_HOME }), second);
  writeFileSync(path, '{"sdkKey": "sdk-local"}');
  const third = openLocalKeys({ XDG_STATE_HOME });
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), third);
});

test('without a writable file keys are generated anew each time', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'taken', FILE, 'x'), { recursive: true });
  for (const variables of [{}, { HOME: join(folder, 'file') }, { XDG_STATE_HOME: join(folder, 'taken') }])
    assert.notDeepEqual(openLocalKeys(variables), openLocalKeys(variables));
});

const serve = (t: Parameters<typeof startServer>[0], folder: string, args: readonly string[]): Promise<RunningServer> =>
  startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'relay', 'serve', '--port', '0', ...args],
    cwd: folder,
    env: { XDG_STATE_HOME: join(folder, 'state') },
    addressIn: listeningAddress,
  });

test('flags of a file cannot be read with a well-known key; the owner needs no key', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'flags.json'), '{"flagValues": {"launch": "secret-plan"}}');
  const relay = await serve(t, folder, ['--flags', 'flags.json']);
  const page = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  const context = Buffer.from('{"kind":"user","key":"a"}').toString('base64url');
  const answers = await Promise.all([
    fetch(`${relay.url}/sdk/evalx/local/contexts/${context}`, { headers: page }),
    fetch(`${relay.url}/sdk/latest-all`, { headers: { ...page, Authorization: 'sdk-local' } }),
    fetch(`${relay.url}/msdk/evalx/contexts/${context}`, { headers: { Authorization: 'mob-local' } }),
    fetch(`${relay.url}/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      headers: { ...page, Authorization: 'Bearer sdk-local', 'Content-Type': 'application/json' },
      body: '{"context": {"targetingKey": "a"}}',
    }),
  ]);
  for (const answer of answers) {
    assert.ok([401, 404].includes(answer.status), `${answer.url}: ${answer.status}`);
    assert.doesNotMatch(await answer.text(), /secret-plan/);
  }
  const evaluate = (state: string, ...args: string[]) =>
    runProcess(
      process.execPath,
      [executablePath(), 'relay', 'eval', 'launch', '-c', '{"kind":"user","key":"a"}', '--url', relay.url, ...args],
      { env: { XDG_STATE_HOME: state } },
    );
  assert.match((await evaluate(join(folder, 'state'))).stdout, /^"secret-plan"\n/);
  // Another user of this machine.
  assert.equal((await evaluate(temporaryFolder(t))).code, 4);
});

test('a page under development uses the relay as before, and a page with its name rebound to this address does not', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'flags.json'), '{"flagValues": {"launch": true}}');
  const relay = await serve(t, folder, ['--flags', 'flags.json', '--allowed-host', 'relay.example.org']);
  const { envId, sdkKey } = openLocalKeys({ XDG_STATE_HOME: join(folder, 'state') });
  const path = `/sdk/evalx/${envId}/contexts/${Buffer.from('{"kind":"user","key":"a"}').toString('base64url')}`;
  const ask = async (headers: Readonly<Record<string, string>>, ask = path) => {
    const { PlainClient } = await import('../testing/http/client.ts');
    return new PlainClient(t, relay.url).send({ method: 'GET', path: ask, headers });
  };
  const own = await ask({ Origin: 'http://localhost:3000', Host: `localhost:${new URL(relay.url).port}` });
  assert.deepEqual([own.status, own.headers['access-control-allow-origin']], [200, 'http://localhost:3000']);
  assert.equal((await ask({ Host: 'relay.example.org' })).status, 200);
  for (const other of [path, '/status', '/metrics', '/sdk/latest-all', `/ping/${envId}`])
    assert.equal((await ask({ Host: 'evil.example', Authorization: sdkKey }, other)).status, 403, other);
});
