import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { HANG_MS } from '../../testing/eventually.ts';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import { createTestRelay, ENV_ID, flagOf, MOBILE_KEY, SDK_KEY, type TestRelay } from '../testing/app.ts';

const server = { authorization: SDK_KEY };
const mobile = { authorization: MOBILE_KEY };
const CONTEXT = Buffer.from('{"kind":"user","key":"a"}').toString('base64url');

const open = async (relay: TestRelay, path: string, headers: Record<string, string> = {}): Promise<SseStream> =>
  openSse(`${await relay.listen()}${path}`, { headers });

async function wire(stream: SseStream, events: number): Promise<string> {
  for (let seen = 0; seen < events; seen++) assert.ok(await stream.next());
  return stream.text();
}

test('a stream ends if it turns out that the key was revoked, and its data is not served', async (t) => {
  const relay = createTestRelay(t, { data: 'none' });
  relay.environment.store.replace({ flags: { a: flagOf('a') }, segments: {} });
  const stream = await open(relay, '/all', server);
  await stream.next();
  relay.environment.connection.refused({ kind: 'ERROR_RESPONSE', time: 0, statusCode: 401 });
  assert.equal(await stream.over, 'ended');
  assert.equal((await relay.get('/sdk/flags', server)).status, 401);
});

describe('/all and /flags, on the wire', () => {
  const A = '{"key":"a","version":1,"on":false,"unknown":{"kept":true}}';
  const data = {
    flags: { a: JSON.parse(A), gone: { key: 'gone', version: 9, deleted: true } },
    segments: { s: { key: 's', version: 2 } },
  };

  const change = ({ environment: { store } }: TestRelay) => {
    store.upsert('flags', 'b/"', { key: 'b/"', version: 1 });
    store.upsert('segments', 's', { key: 's', version: 3 });
    store.upsert('flags', 'a', { key: 'a', version: 1 });
    store.remove('flags', 'a', 2);
    store.upsert('segments', 's', { key: 's', version: 4, deleted: true });
    store.replace({ flags: {}, segments: {} });
  };

  test('/all begins with everything except deleted items, then sends flags and segments as received', async (t) => {
    const relay = createTestRelay(t, { data });
    const stream = await open(relay, '/all', server);
    await stream.next();
    change(relay);
    assert.equal(
      await wire(stream, 6),
      [
        `event: put\ndata: {"path":"/","data":{"flags":{"a":${A}},"segments":{"s":{"key":"s","version":2}}}}`,
        'event: patch\ndata: {"path":"/flags/b/\\"","data":{"key":"b/\\"","version":1}}',
        'event: patch\ndata: {"path":"/segments/s","data":{"key":"s","version":3}}',
        // Not newer than the known version: SDKs ignore it.
        'event: patch\ndata: {"path":"/flags/a","data":{"key":"a","version":1}}',
        'event: delete\ndata: {"path":"/flags/a","version":2}',
        'event: delete\ndata: {"path":"/segments/s","version":4}',
        'event: put\ndata: {"path":"/","data":{"flags":{},"segments":{}}}',
        '',
      ].join('\n\n'),
    );
  });

  test('/flags has no segments', async (t) => {
    const relay = createTestRelay(t, { data });
    const stream = await open(relay, '/flags', server);
    await stream.next();
    change(relay);
    assert.equal(
      await wire(stream, 4),
      [
        `event: put\ndata: {"a":${A}}`,
        'event: patch\ndata: {"path":"/b/\\"","data":{"key":"b/\\"","version":1}}',
        'event: patch\ndata: {"path":"/a","data":{"key":"a","version":1}}',
        'event: delete\ndata: {"path":"/a","version":2}',
        'event: put\ndata: {}',
        '',
      ].join('\n\n'),
    );
  });

  test('a client that connects between two changes gets the first in the snapshot and the second as a change', async (t) => {
    const relay = createTestRelay(t);
    const url = await relay.listen();
    relay.environment.store.upsert('flags', 'a', { key: 'a', version: 1 });
    const stream = await openSse(`${url}/flags`, { headers: server });
    relay.environment.store.upsert('flags', 'a', { key: 'a', version: 2 });
    assert.equal((await stream.next())?.data, '{"a":{"key":"a","version":1}}');
    assert.equal((await stream.next())?.data, '{"path":"/a","data":{"key":"a","version":2}}');
  });

  test('a payload filter has a stream of its own', async (t) => {
    const relay = createTestRelay(t, { environments: [{}, { name: 'production/small', filter: 'small' }] });
    const url = await relay.listen();
    const all = await openSse(`${url}/flags`, { headers: server });
    const small = await openSse(`${url}/flags?filter=small`, { headers: server });
    relay.environments[1]?.store.upsert('flags', 'a', { key: 'a', version: 1 });
    relay.environments[0]?.store.upsert('flags', 'b', { key: 'b', version: 1 });
    for (const stream of [all, small]) assert.equal((await stream.next())?.data, '{}');
    assert.match((await all.next())?.data ?? '', /"path":"\/b"/);
    assert.match((await small.next())?.data ?? '', /"path":"\/a"/);
  });
});

describe('pings', () => {
  const paths = [
    ['/mping', mobile],
    [`/meval/${CONTEXT}`, mobile],
    [`/ping/${ENV_ID}`, {}],
    [`/eval/${ENV_ID}/${CONTEXT}`, {}],
  ] as const;
  for (const [path, headers] of paths) {
    test(`${path}: one at once, and one with each change of a flag, a segment or everything`, async (t) => {
      const relay = createTestRelay(t);
      const stream = await open(relay, path, headers);
      await stream.next();
      relay.environment.store.upsert('flags', 'a', flagOf('a'));
      relay.environment.store.upsert('segments', 's', { key: 's', version: 1 });
      relay.environment.store.remove('flags', 'a', 2);
      relay.environment.store.replace({ flags: {}, segments: {} });
      assert.equal(await wire(stream, 4), 'event: ping\ndata:  \n\n'.repeat(5));
    });
  }
});

describe('life of a stream', () => {
  test('a heartbeat is a colon and one newline, at the same moment for every stream', async (t) => {
    const relay = createTestRelay(t, { heartbeatMs: 180_000 });
    const url = await relay.listen();
    const streams = [
      await openSse(`${url}/all`, { headers: server }),
      await openSse(`${url}/mping`, { headers: mobile }),
      await openSse(`${url}/ping/${ENV_ID}`),
    ];
    for (const stream of streams) await stream.next();
    relay.clock.advance(360_000);
    relay.environment.store.upsert('flags', 'a', { key: 'a', version: 1 });
    for (const stream of streams) {
      assert.ok(await stream.next());
      assert.match(stream.text(), /\n\n:\n:\nevent: (patch|ping)\n/);
    }
  });

  test('it is ended after its time, so that the SDK comes back', async (t) => {
    const relay = createTestRelay(t, { maxConnectionMs: 60_000 });
    const stream = await open(relay, '/all', server);
    await stream.next();
    relay.clock.advance(60_000);
    assert.equal(await stream.over, 'ended');
  });

  test('it is ended when its environment is removed, and later requests are refused', async (t) => {
    const relay = createTestRelay(t);
    const stream = await open(relay, '/all', server);
    relay.credentials.remove(relay.environment);
    const closed = relay.environment.close();
    assert.equal(await stream.over, 'ended');
    await closed;
    assert.equal((await relay.get('/all', server)).status, 401);
  });

  test('the counts follow connects and disconnects', async (t) => {
    const relay = createTestRelay(t);
    const { streams } = relay.environment;
    const stream = await open(relay, '/all', server);
    await stream.next();
    assert.deepEqual([streams.size('all'), streams.size('flags'), relay.openStreams()], [1, 0, 1]);
    stream.close();
    while (relay.openStreams() > 0) await new Promise(setImmediate);
    assert.equal(streams.size('all'), 0);
  });

  test('a client that does not read is disconnected; the others get everything', { timeout: HANG_MS }, async (t) => {
    const relay = createTestRelay(t);
    const url = new URL(await relay.listen());
    const deaf = connect(Number(url.port), url.hostname);
    t.after(() => deaf.destroy());
    deaf.write(`GET /all HTTP/1.1\r\nHost: x\r\nAuthorization: ${SDK_KEY}\r\n\r\n`);
    await once(deaf, 'readable');
    const reader = await openSse(`${url.origin}/all`, { headers: server });
    await reader.next();
    const { store, streams } = relay.environment;
    const note = 'x'.repeat(256 * 1024);
    let version = 0;
    while (streams.dropped === 0) {
      store.upsert('flags', 'a', { key: 'a', version: ++version, note });
      const event = await reader.next();
      assert.match(event?.data.slice(0, 60) ?? '', new RegExp(`"version":${version},`));
      assert.ok(version < 200, 'no client is dropped');
    }
    assert.deepEqual([streams.dropped, streams.size('all')], [1, 1]);
  });
});

describe('work that is done once', () => {
  test('concurrent clients and polls share one copy of the snapshot', async (t) => {
    const relay = createTestRelay(t, { data: { flags: { a: flagOf('a') } } });
    const { snapshots } = relay.environment.streams;
    const { all } = snapshots;
    assert.equal(snapshots.all, all);
    assert.equal(all.body.buffer, all.frame.bytes.buffer);
    relay.environment.store.upsert('flags', 'b', flagOf('b'));
    assert.notEqual(snapshots.all, all);
    const { flags } = snapshots;
    relay.environment.store.upsert('segments', 's', { key: 's', version: 1 });
    assert.equal(snapshots.flags, flags);
  });
});
