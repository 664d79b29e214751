import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AUTHORITY, SERVER } from '../kernel/testdata/tls-certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { openSse } from '../testing/http/sse-client.ts';
import {
  type Cleanup,
  Janitor,
  OPSDECK,
  type RunningServer,
  runProcess,
  temporaryFolder,
} from '../testing/processes.ts';
import { ENV_ID, SDK_KEY } from './testing/app.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { portOf, relayConfigFile, startRelayProcess } from './testing/process.ts';

const AUTHORIZED = { authorization: SDK_KEY };
/** Enough connections for each of two workers to get some. */
const CONNECTIONS = 24;
const WORKERS = ['--workers', '2'];

async function start(t: Cleanup) {
  const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 'value') }, goals: [{ key: 'g' }] });
  const config = relayConfigFile(t, { upstream: upstream.url });
  const relay = await startRelayProcess(t, ['--config', config, ...WORKERS]);
  await eventually('data', async () => (await fetch(`${relay.url}/readyz`)).ok);
  return { upstream, relay };
}

const openAll = ({ url }: RunningServer, count = CONNECTIONS) =>
  Promise.all(Array.from({ length: count }, () => openSse(`${url}/all`, { headers: AUTHORIZED })));

async function readMetric({ url }: RunningServer, name: RegExp): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((line) => name.test(line));
  return Number(line?.split(' ').at(-1));
}

describe('a relay with two workers', () => {
  let upstream: FakeLaunchDarkly;
  let relay: RunningServer;
  const janitor = new Janitor();
  before(async () => {
    ({ upstream, relay } = await start(janitor));
  });
  after(() => janitor.clean());

  test('sends a change to the streams of both, and counts them together', async () => {
    const streams = await openAll(relay);
    for (const stream of streams) assert.equal((await stream.next())?.event, 'put');
    assert.equal(await readMetric(relay, /_subscribers\{.*stream="all"/), CONNECTIONS);
    assert.equal(await readMetric(relay, /_connections\{platformCategory="server"/), CONNECTIONS);
    assert.equal(await readMetric(relay, /_newconnections\{/), CONNECTIONS);
    assert.equal(await readMetric(relay, /_requests\{.*route="_all"/), CONNECTIONS);
    upstream.patch('flags', plainFlag('a', 'changed', 2));
    for (const stream of streams) assert.match((await stream.next())?.data ?? '', /"version":2/);
    for (const stream of streams) stream.close();
    await eventually('no streams', async () => (await readMetric(relay, /_subscribers\{.*stream="all"/)) === 0);
  });

  test('never answers with data older than a client has seen', async () => {
    const [stream] = await openAll(relay, 1);
    await stream?.next();
    for (let version = 3; version < 20; version++) {
      upstream.patch('flags', plainFlag('a', `value ${version}`, version));
      assert.match((await stream?.next())?.data ?? '', new RegExp(`"version":${version}`));
      const again = await openAll(relay, 8);
      for (const one of again) assert.match((await one.next())?.data ?? '', new RegExp(`"version":${version}`));
      for (const one of again) one.close();
    }
  });

  test('has the same entity tags in both', async () => {
    const context = Buffer.from('{"kind":"user","key":"u"}').toString('base64url');
    const tags = await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const headers = { ...AUTHORIZED, connection: 'close' };
        return (await fetch(`${relay.url}/sdk/evalx/contexts/${context}`, { headers })).headers.get('etag');
      }),
    );
    assert.equal(new Set(tags).size, 1);
  });

  test('passes events, goals and unknown paths on to the main thread', async () => {
    const connection = 'close';
    for (let index = 0; index < CONNECTIONS; index++) {
      const body = JSON.stringify([{ kind: 'custom', key: `event ${index}`, creationDate: 1 }]);
      const headers = { ...AUTHORIZED, connection, 'x-launchdarkly-event-schema': '4' };
      assert.equal((await fetch(`${relay.url}/bulk`, { method: 'POST', headers, body })).status, 202);
    }
    const received = () => upstream.eventPosts.flatMap(({ json }) => json as readonly { readonly key: string }[]);
    await eventually('all events', () => received().length === CONNECTIONS);
    const keys = new Set(received().map(({ key }) => key));
    assert.equal(keys.size, CONNECTIONS);
    assert.equal(await readMetric(relay, /_events_received_total\{/), CONNECTIONS);
    const empty = await fetch(`${relay.url}/bulk`, { method: 'POST', headers: AUTHORIZED, body: '' });
    assert.deepEqual([empty.status, await empty.text()], [400, '{"message":"body may not be empty"}']);
    const goals = await fetch(`${relay.url}/sdk/goals/${ENV_ID}`);
    assert.deepEqual(await goals.json(), [{ key: 'g' }]);
    const unknown = await fetch(`${relay.url}/unknown`);
    assert.deepEqual([unknown.status, await unknown.text()], [404, '404 page not found\n']);
    const refused = await fetch(`${relay.url}/status`, { method: 'DELETE' });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET']);
  });

  test('ends all streams when it is stopped, and sends the remaining events', async (t) => {
    const { upstream, relay } = await start(t);
    const streams = await openAll(relay);
    for (const stream of streams) await stream.next();
    const body = '[{"kind":"custom","key":"last","creationDate":1}]';
    const headers = { ...AUTHORIZED, 'x-launchdarkly-event-schema': '4' };
    assert.equal((await fetch(`${relay.url}/bulk`, { method: 'POST', headers, body })).status, 202);
    assert.deepEqual(await relay.stop(), { code: 0, signal: null });
    for (const stream of streams) assert.equal(await stream.over, 'ended');
    assert.deepEqual(
      upstream.eventPosts.flatMap(({ json }) => (json as readonly { readonly key: string }[]).map(({ key }) => key)),
      ['last'],
    );
  });

  test('refuses a port in use, even by another one', async (t) => {
    const args = [
      ...OPSDECK.slice(1),
      'relay',
      'serve',
      '--host',
      '127.0.0.1',
      '--port',
      String(portOf(relay)),
      ...WORKERS,
    ];
    const ended = await runProcess(OPSDECK[0], args, { cwd: temporaryFolder(t) });
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stderr, /^opsdeck: cannot listen on .*the port is taken/m);
  });

  test('secures connections in both, and keeps foreign host names out', async (t) => {
    const upstream = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 'value') } });
    const folder = temporaryFolder(t);
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, SERVER.cert);
    writeFileSync(key, SERVER.key);
    const main = ['tlsEnabled = true', `tlsCert = ${cert}`, `tlsKey = ${key}`];
    const config = relayConfigFile(t, { upstream: upstream.url, main });
    const relay = await startRelayProcess(t, ['--config', config, '--allowed-host', 'flags.example', ...WORKERS]);
    const url = `${relay.url.replace('http:', 'https:')}/sdk/flags`;
    const read = async (headers: Record<string, string>) => {
      const request = get(url, {
        headers: { ...AUTHORIZED, ...headers },
        ca: AUTHORITY,
        servername: 'localhost',
        agent: false,
      });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    await eventually('data', async () => (await read({})) === 200);
    const statuses = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: CONNECTIONS }, () => read(headers)));
    assert.deepEqual(new Set(await statuses({ host: 'flags.example' })), new Set([200]));
    assert.deepEqual(new Set(await statuses({ host: 'other.example' })), new Set([403]));
  });
});
