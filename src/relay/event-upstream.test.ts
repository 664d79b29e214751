import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { basicLogger, init } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import { systemClock } from '../kernel/clock.ts';
import { listen } from '../kernel/http/server.ts';
import { HttpClient } from '../kernel/http-client/http-client.ts';
import { createLog } from '../kernel/log.ts';
import { eventually } from '../testing/eventually.ts';
import { Inflater } from './event/body.ts';
import { EventForwarder } from './event/forwarder.ts';
import { FlagStore } from './flag-store.ts';
import { createEventApp } from './testing/event-app.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { EVENT_ENVIRONMENT } from './testing/test-forwarder.ts';

/** The paths of events on a real socket, forwarded to a real upstream. */
async function startIngestion(t: TestContext, uri: string, flushMs = 60_000) {
  const store = new FlagStore();
  const lines: string[] = [];
  const http = new HttpClient();
  const forwarder = new EventForwarder({
    environment: EVENT_ENVIRONMENT,
    options: {
      events: { mode: 'forward', uri, flushMs, capacity: 1000, maxPayloadBytes: 0 },
      isLocal: false,
      archive: undefined,
    },
    http,
    inflater: new Inflater(),
    flag: (key) => store.flag(key)?.flag,
    userAgent: 'LDRelay/1.2.3',
    clock: systemClock,
    log: createLog({ level: 'debug', format: 'json', clock: systemClock, write: (line) => lines.push(line) }),
  });
  const app = createEventApp(forwarder);
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(async () => {
    await listener.close(0);
    await forwarder.close(0);
    await http.close();
  });
  const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(listener.url + path, {
      method: 'POST',
      body,
      headers: { Authorization: 'key', 'X-LaunchDarkly-Event-Schema': '4', ...headers },
    });
  return { url: listener.url, forwarder, store, lines, post };
}

const EVENTS = '[{"kind":"custom","key":"ü"}]';

test('posts of SDKs reach upstream, on each path and with the credential of each kind of SDK', async (t) => {
  const upstream = await startFakeLaunchDarkly(t);
  const { forwarder, post, url } = await startIngestion(t, upstream.url);
  const paths = ['/bulk', '/mobile', '/mobile/events', '/mobile/events/bulk', '/events/bulk/env-id'];
  for (const path of paths) assert.equal((await post(path, EVENTS)).status, 202);
  assert.equal((await post('/bulk', gzipSync(EVENTS), { 'Content-Encoding': 'gzip' })).status, 202);
  const encoded = encodeURIComponent(Buffer.from(EVENTS).toString('base64'));
  assert.equal((await fetch(`${url}/a/env-id.gif?d=${encoded}`)).status, 200);
  await forwarder.flush();
  const sent = upstream.eventPosts.map(({ path, headers, json }) => [
    path,
    headers.authorization,
    headers['x-launchdarkly-event-schema'],
    (json as unknown[]).length,
  ]);
  assert.deepEqual(sent.sort(), [
    ['/bulk', 'sdk-key', '4', 2],
    ['/events/bulk/env-id', undefined, '3', 1],
    ['/events/bulk/env-id', undefined, '4', 1],
    ['/mobile', 'mob-key', '4', 3],
  ]);
  assert.ok(
    upstream.eventPosts.every(({ headers, body }) => headers['content-encoding'] === 'gzip' && body.includes('ü')),
  );
  assert.equal(forwarder.counts.sent, 7);
});

for (const enableEventCompression of [false, true]) {
  test(`the events and diagnostics of a real SDK arrive, ${enableEventCompression ? 'as gzip' : 'plain'}`, async (t) => {
    const upstream = await startFakeLaunchDarkly(t);
    const { url, forwarder, lines } = await startIngestion(t, upstream.url);
    const data = new TestData();
    await data.update(data.flag('f').booleanFlag().variationForAll(true));
    const client = init('sdk-key', {
      eventsUri: url,
      updateProcessor: data.getFactory(),
      application: { id: 'shop' },
      enableEventCompression,
      logger: basicLogger({ level: 'none' }),
    });
    t.after(() => client.close());
    await client.waitForInitialization();
    const context = { kind: 'user', key: 'u', name: 'ü' };
    assert.equal(await client.variation('f', context, false), true);
    client.track('bought', context, null, 2.5);
    await client.flush();
    await forwarder.flush();
    await upstream.until(() => upstream.eventPosts.some(({ path }) => path === '/diagnostic'));
    const sent = upstream.eventPosts.find(({ path }) => path === '/bulk');
    assert.deepEqual(
      ((sent?.json ?? []) as readonly { kind: string }[]).map(({ kind }) => kind),
      ['index', 'custom', 'summary'],
    );
    assert.match(sent?.body ?? '', /"name":"ü"/);
    assert.equal(sent?.headers['x-launchdarkly-tags'], 'application-id/shop');
    assert.deepEqual(lines, []);
  });
}

test('diagnostics reach upstream at once, under their own paths', async (t) => {
  const upstream = await startFakeLaunchDarkly(t);
  const { post } = await startIngestion(t, upstream.url);
  const paths = ['/diagnostic', '/mobile/events/diagnostic', '/events/diagnostic/env-id'];
  for (const path of paths) assert.equal((await post(path, '{"id":1}', { 'User-Agent': 'SDK/1' })).status, 202);
  await upstream.until(() => upstream.eventPosts.length === 3);
  assert.deepEqual(upstream.eventPosts.map(({ path }) => path).sort(), [...paths].sort());
  for (const { headers, body } of upstream.eventPosts) {
    assert.equal(headers['user-agent'], 'SDK/1');
    assert.equal(body, '{"id":1}');
  }
});

test("events of an old SDK are summarised with the environment's data of the flag", async (t) => {
  const upstream = await startFakeLaunchDarkly(t);
  const { forwarder, store, post } = await startIngestion(t, upstream.url);
  store.replace({ flags: { f: { key: 'f', version: 7, variations: ['a', 'b'], trackEvents: true } }, segments: {} });
  const event = {
    kind: 'feature',
    creationDate: 1,
    key: 'f',
    user: { key: 'u' },
    version: 7,
    value: 'b',
    default: 'c',
  };
  await post('/bulk', JSON.stringify([event]), { 'X-LaunchDarkly-Event-Schema': '' });
  await forwarder.flush();
  const [sent] = upstream.eventPosts;
  const { kind, creationDate, key, version, value, default: fallback } = { ...event, kind: 'feature' };
  assert.deepEqual(sent?.json, [
    { kind: 'index', creationDate, context: { key: 'u' } },
    { kind, creationDate, key, version, context: { key: 'u' }, variation: 1, value, default: fallback },
    {
      kind: 'summary',
      startDate: 1,
      endDate: 1,
      features: {
        f: {
          default: 'c',
          contextKinds: ['user'],
          counters: [{ variation: 1, version: 7, value: 'b', count: 1 }],
        },
      },
    },
  ]);
});

test('a flush comes by itself', async (t) => {
  const upstream = await startFakeLaunchDarkly(t);
  const { post } = await startIngestion(t, upstream.url, 50);
  await post('/bulk', EVENTS);
  await upstream.until(() => upstream.eventPosts.length === 1);
});

test('after an answer of 503 the same payload comes again a second later', async (t) => {
  const upstream = await startFakeLaunchDarkly(t);
  upstream.answerEventsNext(503);
  const { forwarder, post } = await startIngestion(t, upstream.url);
  await post('/bulk', EVENTS);
  await forwarder.flush();
  const [first, second] = upstream.eventPosts;
  assert.equal(second?.headers['x-launchdarkly-payload-id'], first?.headers['x-launchdarkly-payload-id']);
  assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 990);
  assert.equal(forwarder.counts.sent, 1);
});

test('an upstream that accepts connections without responding does not delay the close', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const address = silent.address();
  const { forwarder, post } = await startIngestion(
    t,
    `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
  );
  await post('/bulk', EVENTS);
  await forwarder.close(50);
  assert.equal(forwarder.counts.failed, 1);
});

test('many concurrent gzip bombs use no more memory than a few', async (t) => {
  const upstream = await startFakeLaunchDarkly(t);
  const { forwarder, post } = await startIngestion(t, upstream.url);
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
  const held = () => process.memoryUsage().arrayBuffers;
  const before = held();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, held());
  }, 5);
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => post('/bulk', bomb, { 'Content-Encoding': 'gzip' })),
  ).finally(() => clearInterval(watch));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [413]);
  assert.ok(most - before < 300 * 2 ** 20, `${Math.round((most - before) / 2 ** 20)} MB more`);
  assert.equal((await post('/bulk', EVENTS)).status, 202);
  await forwarder.flush();
  await eventually('the good post is sent', () => forwarder.counts.sent === 1);
});
