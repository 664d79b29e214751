import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { withinTimeout } from './timeout.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    const done = () => resolve((signal.reason as Error).message);
    if (signal.aborted) done();
    signal.addEventListener('abort', done);
  });

test('the timeout of an attempt ends it with its own reason', async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const result = withinTimeout({ name: 'slack', timeoutMs: 1500, clock, signal }, untilAborted);
  clock.advance(1500);
  assert.equal(await result, 'configured slack timeout reached (1s500ms)');
});

test('the outer signal ends it too, even when already aborted', async () => {
  for (const before of [true, false]) {
    const clock = new FakeClock();
    const controller = new AbortController();
    if (before) controller.abort(new Error('stop'));
    const result = withinTimeout({ name: 'x', timeoutMs: 1000, clock, signal: controller.signal }, untilAborted);
    controller.abort(new Error('stop'));
    assert.equal(await result, 'stop');
  }
});

test('without a time of its own the signal is passed on', async () => {
  const { signal } = new AbortController();
  assert.equal(
    await withinTimeout({ name: 'x', timeoutMs: 0, clock: new FakeClock(), signal }, async (s) => s),
    signal,
  );
});
