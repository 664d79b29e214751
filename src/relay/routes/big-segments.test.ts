import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import type { Json } from '../domain/json.ts';
import { authorizationOf, createTestRelay, ENV_ID, type TestRelay } from '../testing/app.ts';
import { BIG_SEGMENT_DATA, TestMembers } from '../testing/big-segment-relay.ts';
import { createOfrepRelay } from '../testing/ofrep-relay.ts';

const encode = (key: string) => Buffer.from(JSON.stringify({ kind: 'user', key })).toString('base64url');

function ask(relay: TestRelay, key: string, headers: Record<string, string> = {}) {
  const path = `/sdk/evalx/contexts/${encode(key)}?withReasons=true`;
  return relay.get(path, { ...authorizationOf('server'), ...headers });
}

for (const isCached of [false, true]) {
  test(`an evaluation has the members of big segments, ${isCached ? '' : 'not '}cached`, async (t) => {
    const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA });
    const members = new TestMembers(relay.environment);
    members.isCached = isCached;
    members.set('ann');
    for (const [key, value] of [
      ['ann', true],
      ['bob', false],
    ] as const) {
      const { beta, plain } = JSON.parse((await ask(relay, key)).text);
      assert.equal(beta.value, value);
      assert.equal(beta.reason.bigSegmentsStatus, 'HEALTHY');
      assert.equal(plain.reason.bigSegmentsStatus, undefined);
    }
  });
}

test('without a store of big segments nobody is a member, and the reason says so', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA });
  const { beta } = JSON.parse((await ask(relay, 'ann')).text);
  assert.deepEqual(beta, {
    value: false,
    variation: 1,
    version: 1,
    reason: { kind: 'FALLTHROUGH', bigSegmentsStatus: 'NOT_CONFIGURED' },
  });
});

test('an entity tag changes with the result, also if members change unnoticed', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA });
  const members = new TestMembers(relay.environment);
  const first = await ask(relay, 'ann');
  const known = { 'if-none-match': first.headers.get('etag') ?? '' };
  assert.equal((await ask(relay, 'ann', known)).status, 304);
  members.status = 'STALE';
  assert.equal((await ask(relay, 'ann', known)).status, 200);
  members.status = 'HEALTHY';
  members.set('bob');
  assert.equal((await ask(relay, 'ann', known)).status, 304);
  members.set('ann');
  assert.equal((await ask(relay, 'ann', known)).status, 200);
});

test('members that change during the look-up are looked up again', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA });
  const members = new TestMembers(relay.environment);
  const asked = ask(relay, 'ann');
  members.set('ann');
  assert.equal(JSON.parse((await asked).text).beta.value, true);
});

test('a client gets a ping when members change', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA });
  const members = new TestMembers(relay.environment);
  const stream = await openSse(`${await relay.listen()}/ping/${ENV_ID}`);
  assert.equal((await stream.next())?.event, 'ping');
  members.set('ann');
  assert.equal((await stream.next())?.event, 'ping');
  stream.close();
});

test('a server-side SDK is not notified of members: it has its own connection to the store', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA });
  const members = new TestMembers(relay.environment);
  const stream = await openSse(`${await relay.listen()}/all`, { headers: authorizationOf('server') });
  assert.equal((await stream.next())?.event, 'put');
  members.set('ann');
  relay.environment.store.remove('flags', 'plain', 5);
  assert.equal((await stream.next())?.event, 'delete');
  stream.close();
});

async function next(stream: SseStream): Promise<readonly [event: string, json: unknown]> {
  const event = await stream.next();
  assert.ok(event, 'the stream is over');
  return [event.event, JSON.parse(event.data)];
}

const evaluated = (beta: boolean) => ({
  beta: { value: beta, variation: beta ? 0 : 1, version: 1 },
  plain: { value: true, variation: 0, version: 1 },
});

/** Evaluated streams for `ann` and `bob`, after their first `put`. */
async function openEvaluated(relay: TestRelay, expected: Readonly<Record<string, boolean>>) {
  const url = await relay.listen();
  const open = async (key: string) => {
    const stream = await openSse(`${url}/eval/${ENV_ID}/${encode(key)}`);
    assert.deepEqual(await next(stream), ['put', evaluated(expected[key] ?? false)], key);
    return stream;
  };
  return { ann: await open('ann'), bob: await open('bob') };
}

test('an evaluated stream sends a put to the clients whose membership has changed, and to no other', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA, evaluatedStreams: true });
  const members = new TestMembers(relay.environment);
  members.set('bob');
  const { ann, bob } = await openEvaluated(relay, { bob: true });
  members.set('ann', 'bob');
  assert.deepEqual(await next(ann), ['put', evaluated(true)]);
  members.set('ann');
  assert.deepEqual(await next(bob), ['put', evaluated(false)], 'the first event since its beginning');
  ann.close();
  bob.close();
});

test('a flag change reaches an evaluated stream with the memberships of its client', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA, evaluatedStreams: true });
  new TestMembers(relay.environment).set('ann');
  const { ann, bob } = await openEvaluated(relay, { ann: true });
  const { beta } = BIG_SEGMENT_DATA.flags;
  const changed = { ...(beta as Record<string, Json>), version: 2, variations: ['in', 'out'] };
  relay.environment.store.upsert('flags', 'beta', changed);
  assert.deepEqual(await next(ann), ['patch', { key: 'beta', value: 'in', variation: 0, version: 2 }]);
  assert.deepEqual(await next(bob), ['patch', { key: 'beta', value: 'out', variation: 1, version: 2 }]);
  ann.close();
  bob.close();
});

test('an evaluated stream keeps the last known members while the store is away', async (t) => {
  const relay = createTestRelay(t, { data: BIG_SEGMENT_DATA, evaluatedStreams: true });
  const members = new TestMembers(relay.environment);
  members.set('ann');
  const { ann, bob } = await openEvaluated(relay, { ann: true });
  members.status = 'STORE_ERROR';
  members.set('bob');
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  members.status = 'HEALTHY';
  members.set('ann', 'bob');
  assert.deepEqual(await next(bob), ['put', evaluated(true)]);
  members.set('bob');
  assert.deepEqual(await next(ann), ['put', evaluated(false)], 'the first event since its beginning');
  ann.close();
  bob.close();
});

test('a segment that becomes a big one is looked up for the clients of evaluated streams', async (t) => {
  const { flags, segments } = BIG_SEGMENT_DATA;
  const data = { flags, segments: { s: { key: 's', version: 1 } } };
  const relay = createTestRelay(t, { data, evaluatedStreams: true });
  new TestMembers(relay.environment).set('ann');
  const { ann, bob } = await openEvaluated(relay, {});
  relay.environment.store.upsert('segments', 's', { ...segments.s, version: 2 });
  for (let [event, json] = await next(ann); ; [event, json] = await next(ann)) {
    assert.equal(event, 'put', JSON.stringify(json));
    if ((json as ReturnType<typeof evaluated>).beta.value) break;
  }
  ann.close();
  bob.close();
});

test('OpenFeature: single and bulk evaluations have the members, and a change is an event', async (t) => {
  const relay = createOfrepRelay(t, { data: BIG_SEGMENT_DATA });
  const members = new TestMembers(relay.environment);
  members.set('ann');
  const body = JSON.stringify({ context: { targetingKey: 'ann' } });
  const headers = { ...authorizationOf('server'), 'content-type': 'application/json' };
  const post = (path: string, more: Record<string, string> = {}) =>
    relay.send('POST', `/ofrep/v1/evaluate/flags${path}`, { ...headers, ...more }, body);
  assert.equal(JSON.parse((await post('/beta')).text).value, true);
  const bulk = await post('');
  assert.equal(JSON.parse(bulk.text).flags[0].value, true);
  const known = { 'if-none-match': bulk.headers.get('etag') ?? '' };
  assert.equal((await post('', known)).status, 304);
  members.set();
  const after = await post('', known);
  assert.equal(JSON.parse(after.text).flags[0].value, false);
});
