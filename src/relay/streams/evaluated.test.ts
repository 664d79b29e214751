import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import type { Json } from '../domain/json.ts';
import { createTestRelay, ENV_ID, flagOf, MOBILE_KEY, type RelayAppOptions, type TestRelay } from '../testing/app.ts';

const rule = (clause: { readonly [name: string]: Json }, variation = 1): Json => ({
  id: 'r',
  clauses: [{ negate: false, attribute: 'key', op: 'in', values: [], ...clause }],
  variation,
});
const inSegment = (key: string) => rule({ op: 'segmentMatch', values: [key], attribute: '' });
const hidden = { usingMobileKey: false, usingEnvironmentId: false };

async function openFor(relay: TestRelay, key: string, query = ''): Promise<SseStream> {
  const context = Buffer.from(JSON.stringify({ kind: 'user', key })).toString('base64url');
  urls.set(relay, urls.get(relay) ?? relay.listen());
  const stream = await openSse(`${await urls.get(relay)}/eval/${ENV_ID}/${context}${query}`);
  streams.set(stream, await nextEvent(stream));
  return stream;
}

const urls = new WeakMap<TestRelay, Promise<string>>();
/** The first event of each stream. */
const streams = new WeakMap<SseStream, readonly [string, Json]>();

async function nextEvent(stream: SseStream): Promise<readonly [string, Json]> {
  const event = await stream.next();
  assert.ok(event, 'the stream is over');
  return [event.event, JSON.parse(event.data) as Json];
}

/** All events of a stream until a mark after the changes. */
async function changes(relay: TestRelay, stream: SseStream): Promise<readonly (readonly [string, Json])[]> {
  const version = ++marks;
  relay.environment.store.upsert('flags', 'mark', flagOf('mark', { version, variations: [version, 0] }));
  const seen: (readonly [string, Json])[] = [];
  for (;;) {
    const event = await nextEvent(stream);
    if ((event[1] as { key?: string }).key === 'mark') return seen;
    seen.push(event);
  }
}
let marks = 0;

const createRelay = (t: Parameters<typeof createTestRelay>[0], data: RelayAppOptions['data'] = {}) =>
  createTestRelay(t, { evaluatedStreams: true, data });

describe('an evaluated stream', () => {
  test('begins with the flags visible to the caller, as in a poll', async (t) => {
    const relay = createRelay(t, { flags: { a: flagOf('a'), b: flagOf('b', { clientSideAvailability: hidden }) } });
    const stream = await openFor(relay, 'u');
    assert.deepEqual(streams.get(stream), ['put', { a: { value: true, variation: 0, version: 1 } }]);
  });

  test('sends reasons if requested', async (t) => {
    const relay = createRelay(t, { flags: { a: flagOf('a') } });
    const stream = await openFor(relay, 'u', '?withReasons=true');
    relay.environment.store.upsert('flags', 'a', flagOf('a', { version: 2, on: false }));
    assert.deepEqual(await nextEvent(stream), [
      'patch',
      { key: 'a', value: false, variation: 1, version: 2, reason: { kind: 'OFF' } },
    ]);
  });

  test('notifies only clients with a changed result', async (t) => {
    const relay = createRelay(t, { flags: { a: flagOf('a') } });
    const [one, other] = [await openFor(relay, 'one'), await openFor(relay, 'other')];
    relay.environment.store.upsert('flags', 'a', flagOf('a', { version: 2, rules: [rule({ values: ['one'] })] }));
    assert.deepEqual(await changes(relay, one), [['patch', { key: 'a', value: false, variation: 1, version: 2 }]]);
    assert.equal(((await nextEvent(other))[1] as { key: string }).key, 'mark');
  });

  const removals: readonly (readonly [string, (relay: TestRelay) => void])[] = [
    ['is deleted', ({ environment }) => environment.store.remove('flags', 'a', 5)],
    [
      'comes as deleted',
      ({ environment }) => environment.store.upsert('flags', 'a', { key: 'a', version: 5, deleted: true }),
    ],
    [
      'may be seen no longer',
      ({ environment }) =>
        environment.store.upsert('flags', 'a', flagOf('a', { version: 5, clientSideAvailability: hidden })),
    ],
  ];
  for (const [name, change] of removals) {
    test(`sends a delete for a flag that ${name}, and a patch when it is back`, async (t) => {
      const relay = createRelay(t, { flags: { a: flagOf('a') } });
      const stream = await openFor(relay, 'u');
      change(relay);
      assert.deepEqual(await nextEvent(stream), ['delete', { key: 'a', version: 5 }]);
      relay.environment.store.upsert('flags', 'a', flagOf('a', { version: 6 }));
      assert.deepEqual(await nextEvent(stream), ['patch', { key: 'a', value: true, variation: 0, version: 6 }]);
    });
  }

  test('sends nothing for an older version', async (t) => {
    const relay = createRelay(t, { flags: { a: flagOf('a', { version: 7 }) } });
    const stream = await openFor(relay, 'u');
    relay.environment.store.upsert('flags', 'a', flagOf('a', { version: 7, on: false }));
    relay.environment.store.remove('flags', 'a', 6);
    assert.deepEqual(await changes(relay, stream), []);
  });

  test('sends everything anew when everything is replaced', async (t) => {
    const relay = createRelay(t, { flags: { a: flagOf('a') } });
    const stream = await openFor(relay, 'u');
    relay.environment.store.replace({ flags: { b: flagOf('b') }, segments: {} });
    assert.deepEqual(await nextEvent(stream), ['put', { b: { value: true, variation: 0, version: 1 } }]);
  });

  test('sends a put to more clients than fit in one turn, and to none twice', async (t) => {
    const relay = createRelay(t, { flags: { a: flagOf('a') } });
    const all = await Promise.all(Array.from({ length: 450 }, (_, index) => openFor(relay, `u${index}`)));
    relay.environment.store.replace({ flags: { b: flagOf('b') }, segments: {} });
    for (let turn = 0; turn < 5; turn++) relay.clock.advance(0);
    for (const stream of all) assert.equal((await nextEvent(stream))[0], 'put');
    relay.environment.store.remove('flags', 'b', 2);
    for (const stream of all) assert.equal((await nextEvent(stream))[0], 'delete');
    for (const stream of all) stream.close();
  });

  test('leaves /ping as it is, and /meval to mobile applications', async (t) => {
    const relay = createRelay(t, {
      flags: { a: flagOf('a', { clientSideAvailability: { usingMobileKey: true, usingEnvironmentId: false } }) },
    });
    const url = await relay.listen();
    const ping = await openSse(`${url}/ping/${ENV_ID}`);
    assert.equal((await ping.next())?.event, 'ping');
    const mobile = await openSse(`${url}/meval`, {
      method: 'REPORT',
      headers: { authorization: MOBILE_KEY, 'content-type': 'application/json' },
      body: '{"kind":"user","key":"u"}',
    });
    assert.deepEqual(await nextEvent(mobile), ['put', { a: { value: true, variation: 0, version: 1 } }]);
  });
});

describe('a flag that changes through another item', () => {
  const data = {
    flags: {
      base: flagOf('base', { clientSideAvailability: hidden, rules: [inSegment('outer')] }),
      near: flagOf('near', { version: 3, prerequisites: [{ key: 'base', variation: 0 }] }),
      far: flagOf('far', { version: 8, prerequisites: [{ key: 'near', variation: 0 }] }),
      apart: flagOf('apart'),
    },
    segments: {
      outer: {
        key: 'outer',
        version: 1,
        rules: [{ clauses: [{ op: 'segmentMatch', values: ['inner'], attribute: '' }] }],
      },
      inner: { key: 'inner', version: 1, included: [] as Json },
    },
  };
  const patch = (key: string, value: boolean, version: number, flagVersion: number): readonly [string, Json] => [
    'patch',
    {
      key,
      flagVersion,
      value,
      variation: value ? 0 : 1,
      version,
      ...(value && key !== 'base' ? { prerequisites: [key === 'far' ? 'near' : 'base'] } : {}),
    },
  ];

  test('is sent with a version above all earlier ones, so that SDKs accept it, and with its own version', async (t) => {
    const relay = createRelay(t, data);
    const stream = await openFor(relay, 'u');
    const { store } = relay.environment;
    store.upsert('segments', 'inner', { key: 'inner', version: 2, included: ['u'] });
    const off = await changes(relay, stream);
    assert.deepEqual(
      off.map(([event, json]) => [event, without(json, 'prerequisites')]),
      [patch('far', false, 9, 8), patch('near', false, 4, 3)],
    );
    store.upsert('segments', 'inner', { key: 'inner', version: 3 });
    assert.deepEqual(await changes(relay, stream), [patch('far', true, 10, 8), patch('near', true, 5, 3)]);
    store.upsert('flags', 'base', flagOf('base', { version: 2, on: false }));
    const versions = (await changes(relay, stream)).map(([, json]) => (json as { version: number }).version);
    assert.deepEqual(versions.length, 3);
    store.upsert('flags', 'near', flagOf('near', { version: 4, variations: ['x', 'y'] }));
    const own = (await changes(relay, stream)).map(([, json]) => json as { key: string; version: number });
    const lifted = own.find(({ key }) => key === 'near');
    assert.ok((lifted?.version ?? 0) > (versions[2] ?? 0), `${lifted?.version} is not above ${versions[2]}`);
  });

  test('is not sent to clients with an unchanged result', async (t) => {
    const relay = createRelay(t, data);
    const stream = await openFor(relay, 'stranger');
    relay.environment.store.upsert('segments', 'inner', { key: 'inner', version: 2, included: ['u'] });
    assert.deepEqual(await changes(relay, stream), []);
  });

  test('is found within circles too', async (t) => {
    const circle = (key: string, next: string) =>
      flagOf(key, {
        prerequisites: [
          { key: next, variation: 0 },
          { key: 'base', variation: 0 },
        ],
      });
    const relay = createRelay(t, {
      flags: { base: flagOf('base'), one: circle('one', 'two'), two: circle('two', 'one'), loose: flagOf('loose') },
    });
    const stream = await openFor(relay, 'u');
    relay.environment.store.upsert('flags', 'one', flagOf('one', { version: 2 }));
    const keys = (await changes(relay, stream)).map(([, json]) => (json as { key: string }).key);
    assert.deepEqual(keys, ['one', 'two']);
  });
});

function without(json: Json, name: string): Json {
  return Object.fromEntries(Object.entries(json as Record<string, Json>).filter(([key]) => key !== name));
}
