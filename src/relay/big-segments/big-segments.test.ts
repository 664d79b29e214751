import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FlagStore } from '../flag-store.ts';
import { MemoryBigSegmentStore, patchOf } from '../testing/databases/memory-big-segments.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import { BigSegments } from './big-segments.ts';
import { hashContextKey } from './membership-cache.ts';

const BIG = { key: 's', version: 1, unbounded: true, generation: 1 };
const MINUTE = 60_000;

/** Big segments that are only read, in a store where `ann` is included. */
async function open(t: TestContext, { staleAfterMs, segment = BIG }: { staleAfterMs?: number; segment?: object } = {}) {
  const clock = new FakeClock();
  const log = new RecordingLog();
  const store = new MemoryBigSegmentStore();
  await store.applyPatch(patchOf('', '1', { included: { add: [hashContextKey('ann')], remove: [] } }));
  await store.setSynchronizedOn(clock.now());
  store.operations.length = 0;
  const flags = new FlagStore();
  const changes: string[] = [];
  const note = () => {};
  flags.subscribe({ replaced: note, changed: note, removed: note, membersChanged: () => changes.push('change') });
  let opened = 0;
  const openStore = () => {
    opened++;
    return store;
  };
  const bigSegments = new BigSegments({
    flags,
    openStore,
    upstream: undefined,
    staleAfterMs,
    logsPatches: false,
    clock,
    log,
  });
  t.after(() => bigSegments.close());
  flags.replace({ flags: {}, segments: { s: segment as typeof BIG } });
  await settle();
  return { clock, log, store, flags, bigSegments, changes, opened: () => opened };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function ask(
  { bigSegments }: Opened,
  key: string,
): Promise<readonly [isIncluded: boolean, status: string | undefined]> {
  const membership = (await bigSegments.read([key])).get(key);
  return [membership?.included.has('s.g1') ?? false, membership?.status];
}

test('the store is opened with the first big segment, and not again', async (t) => {
  const opened = await open(t, { segment: { key: 's', version: 1 } });
  assert.equal(opened.opened(), 0);
  assert.equal(opened.bigSegments.status(), undefined);
  opened.flags.upsert('segments', 's', { ...BIG, version: 2 });
  opened.flags.upsert('segments', 't', { ...BIG, key: 't' });
  opened.flags.replace({ flags: {}, segments: { s: BIG } });
  assert.equal(opened.opened(), 1);
  assert.equal(opened.bigSegments.status()?.potentiallyStale, true, 'nothing is known yet');
  assert.deepEqual(await ask(opened, 'ann'), [true, 'HEALTHY'], 'waits for the first check');
});

test('memberships are looked up once in five seconds, and given at once then', async (t) => {
  const opened = await open(t);
  assert.deepEqual(await ask(opened, 'ann'), [true, 'HEALTHY']);
  assert.deepEqual(await ask(opened, 'bob'), [false, 'HEALTHY']);
  assert.ok(!(opened.bigSegments.read(['ann', 'bob']) instanceof Promise));
  assert.ok(opened.bigSegments.read(['ann', 'cyd']) instanceof Promise);
  await settle();
  assert.equal(opened.store.count('listedSegments'), 3);
  opened.clock.advance(5000);
  await ask(opened, 'ann');
  assert.equal(opened.store.count('listedSegments'), 4);
});

test('results are stale after two minutes, the status after five, unless configured', async (t) => {
  const opened = await open(t);
  const { bigSegments, clock, store } = opened;
  const since = clock.now();
  clock.advance(2 * MINUTE - 1);
  assert.deepEqual(await ask(opened, 'ann'), [true, 'HEALTHY']);
  clock.advance(1);
  assert.deepEqual(await ask(opened, 'ann'), [true, 'STALE']);
  clock.advance(3 * MINUTE - 1);
  const status = { available: true, potentiallyStale: false, lastSynchronizedOn: since };
  assert.deepEqual(bigSegments.status(), status);
  clock.advance(1);
  assert.deepEqual(bigSegments.status(), { ...status, potentiallyStale: true });
  await store.setSynchronizedOn(clock.now());
  clock.advance(5000);
  await settle();
  assert.deepEqual(bigSegments.status(), { ...status, lastSynchronizedOn: clock.now() - 5000 }, 'polled every 5 s');
  assert.deepEqual(await ask(opened, 'ann'), [true, 'HEALTHY']);

  const configured = await open(t, { staleAfterMs: 10 * MINUTE });
  configured.clock.advance(10 * MINUTE - 1);
  assert.deepEqual(await ask(configured, 'ann'), [true, 'HEALTHY']);
  assert.equal(configured.bigSegments.status()?.potentiallyStale, false);
  configured.clock.advance(1);
  assert.deepEqual(await ask(configured, 'ann'), [true, 'STALE']);
  assert.equal(configured.bigSegments.status()?.potentiallyStale, true);
});

test('a store that was never synchronised is stale', async (t) => {
  const opened = await open(t);
  opened.store.synchronizedOn = async () => undefined;
  opened.clock.advance(5000);
  await settle();
  assert.deepEqual(await ask(opened, 'ann'), [true, 'STALE']);
  assert.deepEqual(opened.bigSegments.status(), { available: true, potentiallyStale: true, lastSynchronizedOn: 0 });
});

test('while the store is away its cache serves; later results say so without asking it', async (t) => {
  const opened = await open(t);
  const { bigSegments, clock, store, changes, log } = opened;
  await ask(opened, 'ann');
  const since = clock.now();
  store.failure = new Error('away');
  assert.deepEqual(await ask(opened, 'bob'), [false, 'STORE_ERROR']);
  assert.equal(bigSegments.status()?.available, false);
  await settle();
  assert.deepEqual(await ask(opened, 'ann'), [true, 'STORE_ERROR']);
  clock.advance(5000);
  await settle();
  const asked = store.count('listedSegments');
  assert.deepEqual(await ask(opened, 'ann'), [false, 'STORE_ERROR']);
  assert.equal(store.count('listedSegments'), asked);
  const status = { available: false, potentiallyStale: false, lastSynchronizedOn: since };
  assert.deepEqual(bigSegments.status(), status);
  assert.equal(changes.length, 0);
  store.failure = undefined;
  clock.advance(499);
  await settle();
  assert.equal(changes.length, 0);
  clock.advance(1);
  await settle();
  assert.equal(changes.length, 1, 'results during the outage may have been wrong');
  assert.deepEqual(await ask(opened, 'ann'), [true, 'HEALTHY']);
  assert.deepEqual(bigSegments.status(), { ...status, available: true });
  const errors = log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields.error);
  assert.deepEqual(errors, ['away'], 'one line for an outage');
});

test('the failure of a single look-up ends with it', async (t) => {
  const opened = await open(t);
  Object.assign(opened.store, { failure: new Error('no set'), failing: 'listedSegments' });
  assert.deepEqual(await ask(opened, 'ann'), [false, 'STORE_ERROR']);
  await settle();
  assert.equal(opened.bigSegments.status()?.available, true);
  assert.equal(opened.changes.length, 0, 'or clients would be pinged for each such failure');
  opened.store.failure = undefined;
  assert.deepEqual(await ask(opened, 'ann'), [true, 'HEALTHY']);
});

test('after its end the store is closed, and not opened by later data', async (t) => {
  const opened = await open(t);
  await opened.bigSegments.close();
  assert.equal(opened.store.operations.at(-1), 'close');
  opened.clock.advance(MINUTE);
  assert.equal(opened.store.operations.at(-1), 'close');
  const unused = await open(t, { segment: { key: 's', version: 1 } });
  await unused.bigSegments.close();
  unused.flags.upsert('segments', 's', { ...BIG, version: 2 });
  assert.equal(unused.opened(), 0);
});
