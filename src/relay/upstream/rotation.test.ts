import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plainFlag, sseEvent } from '../testing/launchdarkly/faults.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { plainEnvironment, SAMPLE_SDK_KEY } from '../testing/launchdarkly/parts.ts';
import { SAMPLE_PUT, startUpstream } from '../testing/launchdarkly/upstream.ts';

const OLD = { sdkKind: 'server', key: SAMPLE_SDK_KEY, expiresAt: 1 } as const;
const grace = plainEnvironment({ sdkKey: 'sdk-new', additionalKeys: [OLD] });
const after = plainEnvironment({ sdkKey: 'sdk-new' });

/** A source whose first key has delivered version 1. */
async function delivered(t: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream(t);
  const old = await upstream.http.next();
  old.stream(SAMPLE_PUT);
  await settle();
  return { ...upstream, old };
}

const patch = (version: number) => sseEvent('patch', { path: '/flags/a', data: plainFlag('a', version, version) });

describe('a replaced key', () => {
  test('is followed until the new one delivers', async (t) => {
    const { source, http, store, old, connection } = await delivered(t);
    source.use(grace);
    const next = await http.next();
    assert.equal((next.request.headers as Record<string, string>).authorization, 'sdk-new');
    old.send(patch(2));
    await settle();
    assert.deepEqual([store.version('flags', 'a'), old.isCancelled], [2, false]);
    next.stream(SAMPLE_PUT.replaceAll('"version":1', '"version":3'));
    await settle();
    assert.deepEqual([store.version('flags', 'a'), old.isCancelled, connection.state], [3, true, 'VALID']);
    next.send(patch(4));
    await settle();
    assert.equal(store.version('flags', 'a'), 4);
  });

  test('is no longer followed when it ends, whether or not the new one delivers', async (t) => {
    const { source, http, old, store } = await delivered(t);
    source.use(grace);
    await http.next();
    source.use(after);
    await settle();
    assert.ok(old.isCancelled);
    assert.equal(store.version('flags', 'a'), 1);
  });

  test('without a grace period is no longer followed at once; the data stays', async (t) => {
    const { source, http, old, store } = await delivered(t);
    source.use(after);
    const next = await http.next();
    await settle();
    assert.deepEqual([old.isCancelled, next.isCancelled, store.isInitialised], [true, false, true]);
  });

  test('is not reported: the status is that of the new one', async (t) => {
    const { source, http, old, connection, clock } = await delivered(t);
    source.use(grace);
    const next = await http.next();
    old.end();
    await settle();
    assert.equal(connection.state, 'VALID');
    clock.advance(5);
    next.respond(503);
    await settle();
    assert.deepEqual([connection.state, connection.lastError?.statusCode], ['INTERRUPTED', 503]);
  });

  test('is followed while the new one is refused', async (t) => {
    const { source, http, old, store, connection } = await delivered(t);
    source.use(grace);
    (await http.next()).respond(401);
    await settle();
    assert.equal(connection.state, 'OFF');
    old.send(patch(2));
    await settle();
    assert.equal(store.version('flags', 'a'), 2);
  });
});

test('of several replaced keys each is followed until it ends', async (t) => {
  const { source, http, old } = await delivered(t);
  source.use(grace);
  const second = await http.next();
  const third = plainEnvironment({
    sdkKey: 'sdk-newest',
    additionalKeys: [OLD, { sdkKind: 'server', key: 'sdk-new', expiresAt: 2 }],
  });
  source.use(third);
  await http.next();
  assert.deepEqual([old.isCancelled, second.isCancelled], [false, false]);
  source.use({ ...third, additionalKeys: third.additionalKeys?.slice(1) ?? [] });
  await settle();
  assert.deepEqual([old.isCancelled, second.isCancelled], [true, false]);
});

test('a refusal of the replaced key no longer counts', async (t) => {
  const { source, http, connection, clock } = startUpstream(t);
  (await http.next()).respond(401);
  await settle();
  assert.ok(connection.isRefusedFromTheStart);
  clock.advance(5);
  source.use(after);
  assert.deepEqual(
    [connection.state, connection.stateSince, connection.isRefusedFromTheStart],
    ['INITIALIZING', clock.now(), false],
  );
  (await http.next()).stream(SAMPLE_PUT);
  await settle();
  assert.equal(connection.state, 'VALID');
});

test('other options do not touch the stream', async (t) => {
  const { source, http, old } = await delivered(t);
  source.use(plainEnvironment({ secureMode: true, ttlMs: 5 }));
  await settle();
  assert.deepEqual([http.asked.length, old.isCancelled], [1, false]);
});

test('a refused key is tried again at once on request', async (t) => {
  const { source, http, connection } = startUpstream(t);
  (await http.next()).respond(401);
  await settle();
  source.refresh?.();
  (await http.next()).stream(SAMPLE_PUT);
  await settle();
  assert.equal(connection.state, 'VALID');
  source.refresh?.();
  await settle();
  assert.equal(http.asked.length, 2);
});

test('a closed source ignores another key', async (t) => {
  const { source, http } = await delivered(t);
  await source.close();
  source.use(after);
  await settle();
  assert.equal(http.asked.length, 1);
});
