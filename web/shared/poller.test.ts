import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../src/testing/fake/clock.ts';
import { Poller } from './poller.ts';

function setup(intervalMs = 1000) {
  const clock = new FakeClock();
  const runs: {
    readonly at: number;
    readonly signal: AbortSignal;
    readonly finish: () => Promise<void>;
    readonly fail: (error: Error) => void;
  }[] = [];
  const tab = { visible: true, watchers: new Set<() => void>() };
  const start = clock.now();
  const poller = new Poller({
    clock,
    intervalMs: () => intervalMs,
    visibility: {
      visible: () => tab.visible,
      watch(action) {
        tab.watchers.add(action);
        return () => tab.watchers.delete(action);
      },
    },
    run: (signal) =>
      new Promise<void>((resolve, fail) => {
        const finish = () => {
          resolve();
          return settled();
        };
        runs.push({ at: clock.now() - start, signal, finish, fail });
      }),
  });
  const show = (visible: boolean) => {
    tab.visible = visible;
    for (const watcher of tab.watchers) watcher();
  };
  const last = () => {
    const run = runs.at(-1);
    assert.ok(run);
    return run;
  };
  return { clock, runs, poller, show, last, tab };
}

/** Lets every promise that can go on do so. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('the interval counts from the end of a run', async () => {
  const { clock, runs, poller, last } = setup();
  void poller.refresh();
  clock.advance(5000);
  await last().finish();
  clock.advance(999);
  assert.equal(runs.length, 1);
  clock.advance(1);
  assert.deepEqual(
    runs.map((run) => run.at),
    [0, 6000],
  );
});

test('nothing runs while the tab is hidden, and a due run starts when it is back', async () => {
  const { clock, runs, poller, show, last } = setup();
  void poller.refresh();
  await last().finish();
  show(false);
  clock.advance(60_000);
  assert.equal(runs.length, 1);
  show(true);
  clock.advance(0);
  assert.equal(runs.length, 2);
});

test('a tab that is back before its turn waits for the rest', async () => {
  const { clock, runs, poller, show, last } = setup();
  void poller.refresh();
  await last().finish();
  show(false);
  clock.advance(400);
  show(true);
  clock.advance(599);
  assert.equal(runs.length, 1);
  clock.advance(1);
  assert.equal(runs.length, 2);
});

test('a refresh on demand aborts the run under way, and its end counts for nothing', async () => {
  const { clock, runs, poller, last } = setup();
  void poller.refresh();
  const first = last();
  void poller.refresh();
  assert.equal(first.signal.aborted, true);
  assert.equal(last().signal.aborted, false);
  await first.finish();
  clock.advance(5000);
  assert.equal(runs.length, 2);
});

test('a run that fails does not end the repetition', async () => {
  const { clock, runs, poller, last } = setup();
  const failing = poller.refresh();
  last().fail(new Error('broken'));
  await assert.rejects(failing, /broken/);
  clock.advance(1000);
  assert.equal(runs.length, 2);
});

test('an interval of 0 runs only on demand', async () => {
  const { clock, runs, poller, show, last } = setup(0);
  void poller.refresh();
  await last().finish();
  show(true);
  clock.advance(1_000_000);
  assert.equal(runs.length, 1);
});

test('a stopped poller aborts, releases the tab and never runs again', async () => {
  const { clock, runs, poller, last, tab } = setup();
  void poller.refresh();
  poller.stop();
  assert.equal(last().signal.aborted, true);
  await last().finish();
  clock.advance(60_000);
  await poller.refresh();
  assert.equal(runs.length, 1);
  assert.equal(tab.watchers.size, 0);
});
