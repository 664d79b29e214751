import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { EventReceipt } from './event/receiver.ts';
import {
  afterFlush,
  createTestForwarder,
  customEvent,
  eventsOf,
  settled,
  type TestForwarderOptions,
} from './testing/test-forwarder.ts';

const EVENTS = '[{"kind":"custom"}]';
const GZIP = { 'content-encoding': 'gzip' };
const bomb = gzipSync(Buffer.alloc(30 * 2 ** 20));
const RECEIPTS: readonly [string, Buffer | string, Record<string, string>, TestForwarderOptions, EventReceipt][] = [
  ['plain', EVENTS, {}, {}, 'accepted'],
  ['as gzip', gzipSync(EVENTS), GZIP, {}, 'accepted'],
  ['as gzip by another name', gzipSync(EVENTS), { 'content-encoding': 'X-GZIP' }, {}, 'accepted'],
  ['other than JSON', 'nonsense', {}, {}, 'accepted'],
  ['other than an array', '{}', {}, {}, 'accepted'],
  ['with nothing in it', '', {}, {}, 'empty'],
  ['with nothing in its gzip', gzipSync(''), GZIP, {}, 'empty'],
  ['announced as gzip, and plain', EVENTS, GZIP, {}, 'not gzip'],
  ['with truncated gzip', gzipSync(EVENTS).subarray(0, -10), GZIP, {}, 'unreadable'],
  ['with damaged gzip', Buffer.concat([gzipSync(EVENTS).subarray(0, 12), Buffer.alloc(30, 7)]), GZIP, {}, 'unreadable'],
  ['that inflates without end', bomb, GZIP, {}, 'too large'],
  ['above the limit of a payload', EVENTS, {}, { events: { maxPayloadBytes: 18 } }, 'unreadable'],
  ['at the limit of a payload', EVENTS, {}, { events: { maxPayloadBytes: 19 } }, 'accepted'],
  ['inflated above it', gzipSync(' '.repeat(99)), GZIP, { events: { maxPayloadBytes: 98 } }, 'unreadable'],
  ['inflated to it', gzipSync(' '.repeat(99)), GZIP, { events: { maxPayloadBytes: 99 } }, 'accepted'],
];
for (const [what, body, headers, options, receipt] of RECEIPTS) {
  test(`a post ${what}: ${receipt}`, async () => {
    assert.equal(await createTestForwarder(options).post(body, headers), receipt);
  });
}

test('above the capacity events are dropped, counted, and warned of once', async () => {
  const setup = createTestForwarder({ events: { capacity: 3 } });
  await setup.post([customEvent('a'), customEvent('b')]);
  await setup.post([customEvent('c'), customEvent('d')]);
  await setup.post([customEvent('e')]);
  const [post] = await afterFlush(setup, 1);
  assert.deepEqual(post?.json, [customEvent('a'), customEvent('b'), customEvent('c')]);
  const { received, sent, dropped } = setup.forwarder.counts;
  assert.deepEqual({ received, sent, dropped }, { received: 5, sent: 3, dropped: 2 });
  assert.equal(setup.lines.filter((line) => line.includes('events are dropped')).length, 1);
  await setup.post([customEvent('f')]);
  assert.deepEqual((await afterFlush(setup, 2))[1]?.json, [customEvent('f')]);
});

test('queued and sent events of one kind of SDK take at most 64 MB, for any tags', async () => {
  const setup = createTestForwarder();
  setup.host.answerNext('hang');
  const large = [{ kind: 'custom', data: 'x'.repeat(30 * 2 ** 20) }];
  for (const tag of ['on its way', 'waiting', 'too much']) {
    await setup.post(large, { 'x-launchdarkly-tags': tag }, 'client');
    setup.clock.advance(tag === 'on its way' ? 5000 : 0);
  }
  await settled(() => setup.forwarder.counts.received === 3);
  assert.equal(setup.forwarder.counts.dropped, 1);
  await setup.post([customEvent('a')]);
  const closed = setup.forwarder.close(1);
  setup.clock.advance(1);
  await closed;
  assert.equal(setup.forwarder.counts.dropped, 1);
});

test('during a delivery no other starts, and new events are queued within the capacity', async () => {
  const setup = createTestForwarder({ events: { capacity: 2 } });
  setup.host.answerNext('hang');
  await setup.post([customEvent('a')]);
  setup.clock.advance(5000);
  await settled(() => setup.host.posts.length === 1);
  for (const key of ['b', 'c', 'd']) await setup.post([customEvent(key)]);
  setup.clock.advance(5000);
  await settled(() => setup.forwarder.counts.dropped === 1);
  assert.equal(setup.forwarder.pending, 2);
  await settled(() => {
    setup.clock.advance(1000);
    return setup.forwarder.counts.sent === 3;
  });
  assert.deepEqual(
    setup.host.posts.map(({ json }) => json),
    [[customEvent('a')], [customEvent('a')], [customEvent('b'), customEvent('c')]],
  );
});

test('at most a hundred values of tags have a queue for each kind of SDK, removed when empty', async () => {
  const setup = createTestForwarder();
  for (let tag = 0; tag < 120; tag++)
    await setup.post([customEvent('a')], { 'x-launchdarkly-tags': `t${tag}` }, 'client');
  await setup.post([customEvent('s')], { 'x-launchdarkly-tags': 'server' });
  await setup.forwarder.flush();
  assert.equal(setup.forwarder.counts.sent, 101);
  assert.equal(setup.forwarder.counts.dropped, 20);
  setup.clock.advance(5000);
  await setup.post([customEvent('b')], { 'x-launchdarkly-tags': 'another' }, 'client');
  await setup.forwarder.flush();
  assert.equal(setup.forwarder.counts.sent, 102);
});

test('of events that are summarised, one nested too deeply alone is dropped', async () => {
  const setup = createTestForwarder();
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const feature = (key: string, value: string, kind = 'feature') =>
    `{"kind":"${kind}","creationDate":1,"key":"${key}","user":{"key":"u"},"version":1,"value":${value},"default":${value}}`;
  const old = { 'x-launchdarkly-event-schema': '1' };
  await setup.post(`[${feature('f', deep)},${feature('g', '1')},${feature('h', deep, 'other')}]`, old);
  const [post] = await afterFlush(setup, 1);
  assert.deepEqual(
    eventsOf(post).map(({ kind, features }) => [kind, Object.keys(features ?? {})]),
    [
      ['index', []],
      ['summary', ['g']],
    ],
  );
  assert.equal(setup.forwarder.counts.dropped, 2);
});

test('deep events that are passed on are not parsed', async () => {
  const setup = createTestForwarder({ events: { capacity: 3 } });
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  await setup.post(`[${deep},${deep},${deep},${deep}]`);
  const [post] = await afterFlush(setup, 1);
  assert.equal(post?.text, `[${deep},${deep},${deep}]`);
  assert.equal(setup.forwarder.counts.dropped, 1);
});

test('unreadable posts are counted and logged once a minute, without quoting them', async () => {
  const setup = createTestForwarder();
  for (const body of ['secret', '{"secret":1}', 'null', '"secret"']) await setup.post(body);
  await setup.forwarder.flush();
  assert.equal(setup.forwarder.counts.droppedPosts, 4);
  assert.equal(setup.lines.length, 1);
  setup.clock.advance(60_000);
  await setup.post('secret');
  await setup.forwarder.flush();
  assert.equal(setup.lines.length, 2);
  assert.doesNotMatch(setup.lines.join(''), /secret/);
  assert.equal(setup.host.posts.length, 0);
});
