import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { MemoryBigSegmentStore, patchOf } from '../testing/databases/memory-big-segments.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import type { BigSegmentPatch } from './store.ts';
import { BigSegmentSynchroniser } from './synchroniser.ts';
import { BigSegmentUpstreamError } from './upstream.ts';

type Stream = { send(...patches: readonly BigSegmentPatch[]): void; end(error?: Error): void };

/** LaunchDarkly, scripted: a poll answers with the patches after the cursor, two at a time. */
class ScriptedUpstream {
  readonly patches: BigSegmentPatch[] = [];
  readonly calls: string[] = [];
  /** Thrown by the next calls, one each; undefined: none. */
  readonly failures: (Error | undefined)[] = [];
  stream: Stream | undefined;

  async poll(after: string): Promise<readonly BigSegmentPatch[]> {
    this.#begin(`poll ${after}`);
    const start = this.patches.findIndex(({ previousVersion }) => previousVersion === after);
    return start === -1 ? [] : this.patches.slice(start, start + 2);
  }

  async open(signal: AbortSignal): Promise<AsyncIterable<readonly BigSegmentPatch[]>> {
    this.#begin('open');
    const body = new ReadableStream<readonly BigSegmentPatch[]>({
      start: (controller) => {
        signal.addEventListener('abort', () => controller.error(signal.reason));
        this.stream = {
          send: (...patches) => controller.enqueue(patches),
          end: (error) => (error ? controller.error(error) : controller.close()),
        };
      },
    });
    return body;
  }

  #begin(call: string): void {
    this.calls.push(call);
    const failure = this.failures.shift();
    if (failure) throw failure;
  }
}

function start(t: TestContext, { logsPatches = false, patches = [] as BigSegmentPatch[] } = {}) {
  const clock = new FakeClock();
  const log = new RecordingLog();
  const store = new MemoryBigSegmentStore();
  const upstream = new ScriptedUpstream();
  upstream.patches.push(...patches);
  const changes: string[] = [];
  const synchroniser = new BigSegmentSynchroniser({
    store,
    upstream,
    onChange: () => changes.push('change'),
    clock,
    log,
    logsPatches,
  });
  t.after(() => synchroniser.close());
  synchroniser.start();
  return { clock, log, store, upstream, changes, synchroniser };
}

type Started = ReturnType<typeof start>;

/** The calls of upstream since the last look. */
async function calls({ upstream }: Started): Promise<readonly string[]> {
  await settle();
  return upstream.calls.splice(0);
}

/** Asserts that the next calls come after exactly ten seconds. */
async function retried(started: Started): Promise<readonly string[]> {
  assert.deepEqual(await calls(started), []);
  started.clock.advance(9999);
  assert.deepEqual(await calls(started), []);
  started.clock.advance(1);
  return calls(started);
}

const THREE = [patchOf('', '1'), patchOf('1', '2'), patchOf('2', '3')];

test('a synchronisation polls until there is nothing more, opens the stream, and polls again', async (t) => {
  const started = start(t, { patches: THREE });
  assert.deepEqual(await calls(started), ['poll ', 'poll 2', 'poll 3', 'open', 'poll 3']);
  assert.equal(await started.store.cursor(), '3');
  assert.equal(await started.store.synchronizedOn(), started.clock.now());
  assert.equal(started.changes.length, 1, 'one notification for all polls');
});

test('patches of the stream are applied, and each batch is a change and a synchronisation', async (t) => {
  const started = start(t);
  await calls(started);
  started.clock.advance(1000);
  const included = { add: ['a'], remove: [] };
  started.upstream.stream?.send(patchOf('', '1', { included }), patchOf('1', '2', { segmentId: 't.g1', included }));
  await settle();
  assert.deepEqual(await started.store.listedSegments('a'), { included: ['s.g1', 't.g1'], excluded: [] });
  assert.equal(await started.store.synchronizedOn(), started.clock.now());
  assert.equal(started.changes.length, 1);
  assert.deepEqual(await calls(started), []);
});

test('without changes the synchronisation is renewed every 30 s, and nobody is notified', async (t) => {
  const started = start(t);
  await calls(started);
  const since = started.clock.now();
  started.clock.advance(29_999);
  await settle();
  assert.equal(await started.store.synchronizedOn(), since);
  started.clock.advance(1);
  await settle();
  assert.equal(await started.store.synchronizedOn(), since + 30_000);
  assert.equal(started.changes.length, 0);
});

test('a synchronisation under way is not complete', async (t) => {
  const started = start(t);
  await calls(started);
  let open = () => {};
  started.store.gate = new Promise((resolve) => {
    open = resolve;
  });
  started.upstream.stream?.send(patchOf('', '1'));
  await settle();
  const before = started.store.count('setSynchronizedOn');
  started.clock.advance(60_000);
  await settle();
  assert.equal(started.store.count('setSynchronizedOn'), before);
  open();
  await settle();
  assert.equal(started.store.count('setSynchronizedOn'), before + 1);
});

test('a stream that ends, also with an error, is followed by another synchronisation from the cursor', async (t) => {
  const started = start(t, { patches: THREE.slice(0, 1) });
  await calls(started);
  started.upstream.stream?.end();
  assert.deepEqual(await retried(started), ['poll 1', 'open', 'poll 1']);
  started.upstream.stream?.end(new BigSegmentUpstreamError('cut'));
  started.upstream.patches.push(...THREE.slice(1));
  assert.deepEqual(await retried(started), ['poll 1', 'poll 3', 'open', 'poll 3']);
});

test('every failure is tried again after ten seconds, and logged once', async (t) => {
  const started = start(t);
  await calls(started);
  started.upstream.stream?.end();
  const refused = new BigSegmentUpstreamError('the response has the status 401');
  started.upstream.failures.push(refused, undefined, refused, undefined, undefined, refused);
  assert.deepEqual(await retried(started), ['poll ']);
  assert.deepEqual(await retried(started), ['poll ', 'open']);
  assert.deepEqual(await retried(started), ['poll ', 'open', 'poll ']);
  started.store.failure = new Error('away');
  assert.deepEqual(await retried(started), []);
  started.store.failing = 'setSynchronizedOn';
  assert.deepEqual(await retried(started), ['poll ', 'open', 'poll ']);
  started.store.failure = undefined;
  assert.deepEqual(await retried(started), ['poll ', 'open', 'poll ']);
  const warnings = started.log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.error);
  assert.deepEqual(warnings, ['the stream ended', 'the response has the status 401', 'away']);
  assert.equal(started.log.lines.at(-1)?.message, 'big segments are synchronised again');
});

test('a store that fails while the stream is open begins another synchronisation', async (t) => {
  for (const failing of ['applyPatch', 'setSynchronizedOn'] as const) {
    const started = start(t);
    await calls(started);
    Object.assign(started.store, { failing, failure: new Error('away') });
    if (failing === 'applyPatch') started.upstream.stream?.send(patchOf('', '1'));
    else started.clock.advance(30_000);
    await settle();
    started.store.failure = undefined;
    started.upstream.patches.push(patchOf('', '1'));
    assert.deepEqual(await retried(started), ['poll ', 'poll 1', 'open', 'poll 1'], failing);
  }
});

test('a patch that does not follow is not applied, and begins another synchronisation', async (t) => {
  const started = start(t, { patches: THREE.slice(0, 1) });
  await calls(started);
  started.upstream.stream?.send(patchOf('2', '3'), patchOf('1', '2'));
  assert.deepEqual(await retried(started), ['poll 1', 'open', 'poll 1']);
  assert.equal(await started.store.cursor(), '1');
});

test('polls that lead nowhere end the synchronisation', async (t) => {
  for (const [previousVersion, version] of [
    ['8', '9'],
    ['1', '1'],
  ] as const) {
    const started = start(t, { patches: THREE.slice(0, 1) });
    await calls(started);
    started.upstream.stream?.end();
    started.upstream.poll = async (after) => {
      started.upstream.calls.push(`poll ${after}`);
      return [patchOf(previousVersion, version)];
    };
    assert.deepEqual(await retried(started), ['poll 1']);
    assert.deepEqual(await retried(started), ['poll 1']);
  }
});

test('what another relay has applied is a change too, and no reason to begin again', async (t) => {
  const started = start(t);
  await calls(started);
  await started.store.applyPatch(patchOf('', '1'));
  started.upstream.stream?.send(patchOf('', '1'));
  await settle();
  assert.equal(started.changes.length, 1);
  started.upstream.stream?.send(patchOf('1', '2'));
  await settle();
  assert.equal(await started.store.cursor(), '2');
  assert.deepEqual(await calls(started), []);
});

test('if another relay is further on, the next synchronisation begins at once', async (t) => {
  const started = start(t);
  await calls(started);
  for (const patch of THREE) await started.store.applyPatch(patch);
  started.upstream.stream?.send(patchOf('', '1'));
  assert.deepEqual(await calls(started), ['poll 3', 'open', 'poll 3']);
  assert.equal(started.changes.length, 1);
});

test('a store that has lost its data, or is an older copy, is filled again', async (t) => {
  const causes: readonly (readonly [string, (started: Started) => void])[] = [
    ['renewal', ({ clock }) => clock.advance(30_000)],
    ['a check after an outage', ({ synchroniser }) => synchroniser.recheck()],
    ['the next patch', ({ upstream }) => upstream.stream?.send(patchOf('3', '4'))],
  ];
  for (const [what, cause] of causes) {
    const included = { add: ['a'], remove: [] };
    const started = start(t, { patches: [patchOf('', '1', { included }), ...THREE.slice(1)] });
    await calls(started);
    started.store.empty();
    cause(started);
    assert.deepEqual(await calls(started), ['poll ', 'poll 2', 'poll 3', 'open', 'poll 3'], what);
    assert.deepEqual(await started.store.listedSegments('a'), { included: ['s.g1'], excluded: [] });
    assert.equal(started.changes.length, 2);
  }
  const older = start(t, { patches: THREE });
  await calls(older);
  older.store.empty();
  await older.store.applyPatch(patchOf('', '1'));
  older.clock.advance(30_000);
  assert.deepEqual(await calls(older), ['poll 1', 'poll 3', 'open', 'poll 3']);
});

test('patches that were polled while the stream was open may come again', async (t) => {
  const started = start(t);
  const { upstream } = started;
  const poll = upstream.poll.bind(upstream);
  upstream.poll = async (after) => {
    // They are made between the opening of the stream and the poll after it.
    if (upstream.stream && upstream.patches.length === 0) upstream.patches.push(...THREE.slice(0, 2));
    return poll(after);
  };
  assert.deepEqual(await calls(started), ['poll ', 'open', 'poll ', 'poll 2']);
  upstream.stream?.send(patchOf('', '1'));
  upstream.stream?.send(patchOf('1', '2'), patchOf('2', '3'));
  assert.deepEqual(await calls(started), []);
  assert.equal(await started.store.cursor(), '3');
});

test('a check of the store after an outage ends the wait for the next attempt', async (t) => {
  const started = start(t);
  await calls(started);
  started.upstream.stream?.end();
  await settle();
  started.synchroniser.recheck();
  assert.deepEqual(await calls(started), ['poll ', 'open', 'poll ']);
});

test('a closed synchroniser does nothing more, in every state', async (t) => {
  const waiting = start(t);
  await calls(waiting);
  waiting.upstream.stream?.end();
  await settle();
  await waiting.synchroniser.close();
  waiting.clock.advance(60_000);
  assert.deepEqual(await calls(waiting), []);

  const following = start(t);
  await calls(following);
  await following.synchroniser.close();
  const { length } = following.store.operations;
  following.clock.advance(60_000);
  await settle();
  assert.equal(following.store.operations.length, length);
});

test('patches are logged whole only on request', async (t) => {
  const hash = 'aGFzaA==';
  const patches = [patchOf('', '1', { included: { add: [hash], remove: [] } })];
  const [plain, traced] = [start(t, { patches }), start(t, { patches, logsPatches: true })];
  await settle();
  assert.ok(!plain.log.text.includes(hash));
  assert.ok(traced.log.lines.some(({ level, fields }) => level === 'debug' && String(fields.patch).includes(hash)));
});
