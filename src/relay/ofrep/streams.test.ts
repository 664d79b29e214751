import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import { ENV_ID, flagOf, type RelayAppOptions, SDK_KEY } from '../testing/app.ts';
import { createOfrepRelay } from '../testing/ofrep-relay.ts';
import { findOfrepStream, nameOfrepStream } from './streams.ts';

type Relay = ReturnType<typeof createOfrepRelay>;
type Test = Parameters<typeof createOfrepRelay>[0];

const ASK = '{"context":{"targetingKey":"a"}}';

async function start(t: Test, options: RelayAppOptions = {}): Promise<{ relay: Relay; url: string }> {
  const relay = createOfrepRelay(t, { data: { flags: { f: flagOf('f') } }, ...options });
  return { relay, url: await relay.listen() };
}

/** The stream URL in a bulk response. */
async function streamPath(relay: Relay, key = SDK_KEY): Promise<string> {
  const answer = await relay.send('POST', '/ofrep/v1/evaluate/flags', { authorization: `Bearer ${key}` }, ASK);
  const [stream] = JSON.parse(answer.text).eventStreams;
  assert.deepEqual(Object.keys(stream), ['type', 'endpoint']);
  assert.equal(stream.type, 'sse');
  return stream.endpoint.requestUri;
}

async function open(t: Test, url: string, headers: Record<string, string> = {}): Promise<SseStream> {
  const stream = await openSse(url, { headers });
  t.after(() => stream.close());
  return stream;
}

const change = ({ environment }: Relay, version: number, key = 'f') =>
  environment.store.upsert('flags', key, flagOf(key, { version }));

function changeEvent({ environment }: Relay): object {
  const data = {
    type: 'refetchEvaluation',
    etag: environment.revision,
    lastModified: Math.floor(environment.changedAt / 1000),
  };
  return { kind: 'event', event: 'message', data: JSON.stringify(data), id: environment.revision };
}

describe('OFREP change stream', () => {
  test('an up-to-date client gets only the id of the revision', async (t) => {
    const { relay, url } = await start(t);
    const stream = await open(t, url + (await streamPath(relay)));
    assert.equal(stream.status, 200);
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers['access-control-allow-origin'], '*');
    await eventually('the beginning', () => stream.text() === `id: ${relay.environment.revision}\n\n`);
  });

  test('a change is sent after it has taken effect', async (t) => {
    const { relay, url } = await start(t);
    const stream = await open(t, url + (await streamPath(relay)));
    change(relay, 2);
    relay.clock.advance(100);
    assert.deepEqual(await stream.next(), changeEvent(relay));
  });

  test('consecutive changes are one event, including deletions and replacements', async (t) => {
    const { relay, url } = await start(t);
    const stream = await open(t, url + (await streamPath(relay)));
    for (let version = 2; version < 50; version++) change(relay, version);
    relay.environment.store.remove('flags', 'f', 50);
    relay.environment.store.replace({ flags: {}, segments: {} });
    relay.clock.advance(1000);
    assert.deepEqual(await stream.next(), changeEvent(relay));
    change(relay, 51, 'g');
    relay.clock.advance(100);
    assert.deepEqual(await stream.next(), changeEvent(relay));
    assert.equal(stream.text().match(/refetchEvaluation/g)?.length, 2);
  });

  test('a change between response and stream is sent at once', async (t) => {
    const { relay, url } = await start(t);
    const path = await streamPath(relay);
    change(relay, 2);
    const stream = await open(t, url + path);
    assert.deepEqual(await stream.next(), changeEvent(relay));
  });

  test('a reconnect sends the last revision, and receives missed changes', async (t) => {
    const { relay, url } = await start(t);
    const path = await streamPath(relay);
    const heard = relay.environment.revision;
    change(relay, 2);
    const behind = await open(t, url + path, { 'last-event-id': heard });
    assert.deepEqual(await behind.next(), changeEvent(relay));
    const upToDate = await open(t, url + path, { 'last-event-id': relay.environment.revision });
    await eventually('the beginning', () => upToDate.text() === `id: ${relay.environment.revision}\n\n`);
    const fromBeforeARestart = await open(t, url + path, { 'last-event-id': 'AAAAAAAA1' });
    assert.deepEqual(await fromBeforeARestart.next(), changeEvent(relay));
  });

  test('many clients are notified over the jitter time, not at once', async (t) => {
    const shares = [0, 0.5, 0.999];
    let asked = 0;
    const random = () => shares[asked++] ?? 0;
    const { relay, url } = await start(t, { pingJitterMs: 10_000, random });
    const path = await streamPath(relay);
    const streams = [await open(t, url + path), await open(t, url + path), await open(t, url + path)];
    change(relay, 2);
    const notified = () => streams.map((stream) => stream.text().includes('refetchEvaluation'));
    relay.clock.advance(4999);
    assert.deepEqual(notified(), [false, false, false]);
    relay.clock.advance(1);
    await eventually('the first', () => notified()[0]);
    assert.deepEqual(notified(), [true, false, false]);
    relay.clock.advance(4999);
    await eventually('the second', () => notified()[1]);
    assert.deepEqual(notified(), [true, true, false]);
    relay.clock.advance(1);
    await eventually('the third', () => notified()[2]);
  });

  test('a removed environment ends its streams', async (t) => {
    const { relay, url } = await start(t);
    const stream = await open(t, url + (await streamPath(relay)));
    assert.equal(relay.streams.size(relay.environment), 1);
    await relay.streams.forget(relay.environment);
    assert.equal(await stream.over, 'ended');
    assert.equal(relay.streams.size(relay.environment), 0);
    change(relay, 2);
    relay.clock.advance(1000);
    assert.ok(!stream.text().includes('refetchEvaluation'));
  });

  test('a disconnected client is removed', async (t) => {
    const { relay, url } = await start(t);
    const stream = await open(t, url + (await streamPath(relay)));
    stream.close();
    await eventually('the departure', () => relay.streams.size(relay.environment) === 0);
    change(relay, 2);
    relay.clock.advance(1000);
  });

  test('the URL is the same for every credential, and reveals none of them', async (t) => {
    const { relay } = await start(t);
    const path = await streamPath(relay);
    assert.equal(await streamPath(relay, ENV_ID), path);
    assert.match(path, /^\/ofrep\/v1\/streams\/[\w-]{32}\?since=/);
    for (const secret of [SDK_KEY.slice(4), ENV_ID]) assert.ok(!path.includes(secret));
    const other = createOfrepRelay(t, { environments: [{ name: 'elsewhere' }] });
    assert.equal(nameOfrepStream(other.environment), nameOfrepStream(relay.environment));
  });

  test('the URL of a replaced key is valid as long as the key', async (t) => {
    const { relay } = await start(t);
    const { environment } = relay;
    const before = nameOfrepStream(environment);
    const find = () => findOfrepStream([environment], before);
    const renewed = { ...environment.options, sdkKey: 'sdk-new' };
    environment.reconfigure({
      ...renewed,
      additionalKeys: [{ sdkKind: 'server', key: SDK_KEY, expiresAt: 1 }],
    });
    assert.notEqual(nameOfrepStream(environment), before);
    assert.equal(find(), environment);
    environment.reconfigure({ ...renewed, additionalKeys: [] });
    assert.equal(find(), undefined);
  });

  test('a payload filter has a stream of its own', async (t) => {
    const { relay } = await start(t, { environments: [{}, { name: 'production/few', filter: 'few' }] });
    const [whole, few] = relay.environments;
    assert.ok(whole && few);
    assert.notEqual(nameOfrepStream(few), nameOfrepStream(whole));
  });

  test('an unknown URL: 404; too early: 503', async (t) => {
    const { relay } = await start(t);
    for (const name of ['x', 'x'.repeat(32), SDK_KEY, ENV_ID]) {
      const answer = await relay.get(`/ofrep/v1/streams/${name}`);
      assert.equal(answer.status, 404);
      assert.equal(answer.text, '{"errorDetails":"unknown stream"}');
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    }
    const early = createOfrepRelay(t, { data: 'none' });
    const path = `/ofrep/v1/streams/${nameOfrepStream(early.environment)}`;
    assert.equal((await early.get(path)).status, 503);
    early.environment.connection.refused({ kind: 'ERROR_RESPONSE', time: 1 });
    assert.equal((await early.get(path)).status, 404);
  });
});
