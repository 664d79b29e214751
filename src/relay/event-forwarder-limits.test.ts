import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { EventReceipt } from './event/receiver.ts';
import {
  afterFlush,
  createEventBench,
  customEvent,
  type EventBenchOptions,
  eventsOf,
  settled,
} from './testing/event-parts.ts';

const EVENTS = '[{"kind":"custom"}]';
const GZIP = { 'content-encoding': 'gzip' };
const bomb = gzipSync(Buffer.alloc(30 * 2 ** 20));
const RECEIPTS: readonly [string, Buffer | string, Record<string, string>, EventBenchOptions, EventReceipt][] = [
  ['plain', EVENTS, {}, {}, 'accepted'],
  ['as gzip', gzipSync(EVENTS), GZIP, {}, 'accepted'],
  ['as gzip by another name', gzipSync(EVENTS), { 'content-encoding': 'X-GZIP' }, {}, 'accepted'],
  ['that is not JSON', 'nonsense', {}, {}, 'accepted'],
  ['that is no array', '{}', {}, {}, 'accepted'],
  ['with nothing in it', '', {}, {}, 'empty'],
  ['with nothing in its gzip', gzipSync(''), GZIP, {}, 'empty'],
  ['announced as gzip, and plain', EVENTS, GZIP, {}, 'not gzip'],
  ['whose gzip ends early', gzipSync(EVENTS).subarray(0, -10), GZIP, {}, 'unreadable'],
  [
    'whose gzip is damaged',
    Buffer.concat([gzipSync(EVENTS).subarray(0, 12), Buffer.alloc(30, 7)]),
    GZIP,
    {},
    'unreadable',
  ],
  ['that inflates without end', bomb, GZIP, {}, 'too large'],
  ['above the limit of a payload', EVENTS, {}, { events: { maxPayloadBytes: 18 } }, 'unreadable'],
  ['at the limit of a payload', EVENTS, {}, { events: { maxPayloadBytes: 19 } }, 'accepted'],
  ['inflated above it', gzipSync(' '.repeat(99)), GZIP, { events: { maxPayloadBytes: 98 } }, 'unreadable'],
  ['inflated to it', gzipSync(' '.repeat(99)), GZIP, { events: { maxPayloadBytes: 99 } }, 'accepted'],
];
for (const [what, body, headers, options, receipt] of RECEIPTS) {
  test(`a post ${what}: ${receipt}`, async () => {
    assert.equal(await createEventBench(options).post(body, headers), receipt);
  });
}

test('above the capacity events are dropped, counted, and warned of once', async () => {
  const bench = createEventBench({ events: { capacity: 3 } });
  await bench.post([customEvent('a'), customEvent('b')]);
  await bench.post([customEvent('c'), customEvent('d')]);
  await bench.post([customEvent('e')]);
  const [post] = await afterFlush(bench, 1);
  assert.deepEqual(post?.json, [customEvent('a'), customEvent('b'), customEvent('c')]);
  const { received, sent, dropped } = bench.forwarder.counts;
  assert.deepEqual({ received, sent, dropped }, { received: 5, sent: 3, dropped: 2 });
  assert.equal(bench.lines.filter((line) => line.includes('events are dropped')).length, 1);
  await bench.post([customEvent('f')]);
  assert.deepEqual((await afterFlush(bench, 2))[1]?.json, [customEvent('f')]);
});

test('what waits and what is on its way holds 64 MB of a sdkKind at the most, whatever its tags', async () => {
  const bench = createEventBench({ maxBodyBytes: 2 ** 30 });
  bench.host.answerNext('hang');
  const large = [{ kind: 'custom', data: 'x'.repeat(30 * 2 ** 20) }];
  for (const tag of ['on its way', 'waiting', 'too much']) {
    await bench.post(large, { 'x-launchdarkly-tags': tag }, 'client');
    bench.clock.advance(tag === 'on its way' ? 5000 : 0);
  }
  await settled(() => bench.forwarder.counts.received === 3);
  assert.equal(bench.forwarder.counts.dropped, 1);
  await bench.post([customEvent('a')]);
  const closed = bench.forwarder.close(1);
  bench.clock.advance(1);
  await closed;
  assert.equal(bench.forwarder.counts.dropped, 1);
});

test('while a payload is on its way no other is sent, and what comes waits within the capacity', async () => {
  const bench = createEventBench({ events: { capacity: 2 } });
  bench.host.answerNext('hang');
  await bench.post([customEvent('a')]);
  bench.clock.advance(5000);
  await settled(() => bench.host.posts.length === 1);
  for (const key of ['b', 'c', 'd']) await bench.post([customEvent(key)]);
  bench.clock.advance(5000);
  await settled(() => bench.forwarder.counts.dropped === 1);
  assert.equal(bench.forwarder.pending, 2);
  await settled(() => {
    bench.clock.advance(1000);
    return bench.forwarder.counts.sent === 3;
  });
  assert.deepEqual(
    bench.host.posts.map(({ json }) => json),
    [[customEvent('a')], [customEvent('a')], [customEvent('b'), customEvent('c')]],
  );
});

test('tags make no more than a hundred queues for each sdkKind, which are gone when they are empty', async () => {
  const bench = createEventBench();
  for (let tag = 0; tag < 120; tag++)
    await bench.post([customEvent('a')], { 'x-launchdarkly-tags': `t${tag}` }, 'client');
  await bench.post([customEvent('s')], { 'x-launchdarkly-tags': 'server' });
  await bench.forwarder.flush();
  assert.equal(bench.forwarder.counts.sent, 101);
  assert.equal(bench.forwarder.counts.dropped, 20);
  bench.clock.advance(5000);
  await bench.post([customEvent('b')], { 'x-launchdarkly-tags': 'another' }, 'client');
  await bench.forwarder.flush();
  assert.equal(bench.forwarder.counts.sent, 102);
});

test('what is nested too deeply to be written costs that event, and nothing else', async () => {
  const bench = createEventBench({ events: { capacity: 3 } });
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const feature = (key: string, value: string, kind = 'feature') =>
    `{"kind":"${kind}","creationDate":1,"key":"${key}","user":{"key":"u"},"version":1,"value":${value},"default":${value}}`;
  const old = { 'x-launchdarkly-event-schema': '1' };
  await bench.post(`[${feature('f', deep)},${feature('g', '1')},${feature('h', deep, 'other')}]`, old);
  await bench.post(`[${deep},${deep},${deep},${deep}]`);
  const [post] = await afterFlush(bench, 1);
  assert.deepEqual(
    eventsOf(post).map(({ kind, features }) => [kind, Object.keys(features ?? {})]),
    [
      ['index', []],
      ['summary', ['g']],
    ],
  );
  assert.equal(bench.forwarder.counts.dropped, 2 + 4);
});

test('what cannot be read is counted and logged once a minute, and nothing of it is quoted', async () => {
  const bench = createEventBench();
  for (const body of ['secret', '{"secret":1}', 'null', '"secret"']) await bench.post(body);
  await bench.forwarder.flush();
  assert.equal(bench.forwarder.counts.droppedPosts, 4);
  assert.equal(bench.lines.length, 1);
  bench.clock.advance(60_000);
  await bench.post('secret');
  await bench.forwarder.flush();
  assert.equal(bench.lines.length, 2);
  assert.doesNotMatch(bench.lines.join(''), /secret/);
  assert.equal(bench.host.posts.length, 0);
});
