import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake/clock.ts';
import { EventCache } from './event-cache.ts';
import type { FetchedEvents } from './upstream/events.ts';

const fetched = (events: readonly string[], failure?: FetchedEvents['failure']): FetchedEvents => ({
  events,
  totalUsageEventsCount: events.length,
  truncated: false,
  ...(failure ? { failure } : {}),
});

function setUp(options: { ttlMs?: number; maxEntries?: number; maxBytes?: number } = {}) {
  const clock = new FakeClock();
  const cache = new EventCache({ ttlMs: 120_000, now: () => clock.now(), ...options });
  let calls = 0;
  const fetch = async () => {
    calls++;
    return fetched([`{"call":${calls}}`]);
  };
  return { clock, cache, fetch, calls: () => calls };
}

test('rule 4.A: an answer is kept for the time to live, and not a moment longer', async () => {
  const { clock, cache, fetch, calls } = setUp();
  assert.equal((await cache.get('info::', false, fetch)).cached, false);
  clock.advance(119_999);
  const second = await cache.get('info::', false, fetch);
  assert.deepEqual([second.cached, second.fetchedAt, calls()], [true, clock.now() - 119_999, 1]);
  clock.advance(1);
  assert.equal((await cache.get('info::', false, fetch)).cached, false);
  assert.equal(calls(), 2);
});

test('rule 4.A: users and ranges have entries of their own', async () => {
  const { cache, fetch, calls } = setUp();
  for (const key of ['info:1:2', 'slope:1:2', 'info:1:', 'info::2']) await cache.get(key, false, fetch);
  assert.equal(calls(), 4);
});

test('requests for events being fetched share the fetch', async () => {
  const { cache } = setUp({ ttlMs: 0 });
  let calls = 0;
  let finish = (_: FetchedEvents) => {};
  const slow = () => {
    calls++;
    return new Promise<FetchedEvents>((resolve) => {
      finish = resolve;
    });
  };
  const all = Promise.all([1, 2, 3].map(() => cache.get('a', true, slow)));
  finish(fetched(['{}']));
  assert.deepEqual(
    (await all).map(({ events }) => events.length),
    [1, 1, 1],
  );
  assert.equal(calls, 1);
});

test('a refresh fetches again, and its result is kept', async () => {
  const { cache, fetch, calls } = setUp();
  await cache.get('a', false, fetch);
  assert.equal((await cache.get('a', true, fetch)).cached, false);
  assert.deepEqual((await cache.get('a', false, fetch)).events, ['{"call":2}']);
  assert.equal(calls(), 2);
});

test('with a time to live of 0 nothing is kept', async () => {
  const { cache, fetch, calls } = setUp({ ttlMs: 0 });
  await cache.get('a', false, fetch);
  await cache.get('a', false, fetch);
  assert.equal(calls(), 2);
});

test('a failure is not kept, nor is an exception', async () => {
  const { cache, fetch, calls } = setUp();
  const failure = { code: 'upstream_error', error: '', hint: '' } as const;
  await cache.get('a', false, async () => fetched([], failure));
  await assert.rejects(cache.get('b', false, () => Promise.reject(new Error('broken'))));
  await cache.get('a', false, fetch);
  await cache.get('b', false, fetch);
  assert.equal(calls(), 2);
});

test('beyond the most entries or bytes, the least recently used entry goes', async () => {
  const { cache, fetch, calls } = setUp({ maxEntries: 2 });
  for (const key of ['a', 'b', 'a', 'c']) await cache.get(key, false, fetch);
  assert.equal((await cache.get('a', false, fetch)).cached, true);
  assert.equal((await cache.get('b', false, fetch)).cached, false);
  assert.equal(calls(), 4);
  const small = setUp({ maxBytes: 50 });
  await small.cache.get('a', false, small.fetch);
  await small.cache.get('b', false, small.fetch);
  assert.equal((await small.cache.get('b', false, small.fetch)).cached, true);
  assert.equal((await small.cache.get('a', false, small.fetch)).cached, false);
});

/** A fetch that ends when aborted, or on demand. */
function slowFetch() {
  const signals: AbortSignal[] = [];
  const finishers: ((events: FetchedEvents) => void)[] = [];
  const fetch = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<FetchedEvents>((resolve) => {
      finishers.push(resolve);
      const failure = { code: 'upstream_timeout', error: '', hint: '' } as const;
      signal.addEventListener('abort', () => resolve(fetched([], failure)));
    });
  };
  return { fetch, signals, finish: (events: readonly string[]) => finishers.at(-1)?.(fetched(events)) };
}

test('a shared fetch continues until its last client disconnects, and no longer', async () => {
  const { cache } = setUp();
  const { fetch, signals, finish } = slowFetch();
  const [first, second] = [new AbortController(), new AbortController()];
  const all = [first, second].map(({ signal }) => cache.get('a', false, fetch, signal));
  first.abort();
  assert.equal(signals[0]?.aborted, false, 'a request still waits');
  second.abort();
  assert.equal(signals[0]?.aborted, true);
  // A request that arrives before the aborted fetch has ended starts a new fetch.
  const next = cache.get('a', false, fetch);
  finish(['{}']);
  assert.equal((await next).events.length, 1);
  assert.equal(signals.length, 2);
  await Promise.all(all);
  assert.equal((await cache.get('a', false, fetch)).cached, true, 'the end of the old one took nothing with it');
});

test('a request aborted before or after the fetch does not end the fetch of others', async () => {
  const { cache } = setUp();
  const { fetch, signals, finish } = slowFetch();
  const staying = cache.get('a', false, fetch);
  void cache.get('a', false, fetch, AbortSignal.abort());
  assert.equal(signals[0]?.aborted, false);
  finish(['{}']);
  await staying;
  const late = new AbortController();
  const answered = cache.get('b', false, fetch, late.signal);
  finish(['{}']);
  await answered;
  late.abort();
  assert.equal(signals[1]?.aborted, false);
  void cache.get('c', false, fetch, AbortSignal.abort());
  assert.equal(signals[2]?.aborted, true);
});
