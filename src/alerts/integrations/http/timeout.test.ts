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

test('the time of one attempt ends it with its own reason', async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const told = withinTimeout({ name: 'slack', timeoutMs: 1500, clock, signal }, untilAborted);
  clock.advance(1500);
  assert.equal(await told, 'configured slack timeout reached (1s500ms)');
});

test('the signal around it ends it too, even one that came before', async () => {
  for (const before of [true, false]) {
    const clock = new FakeClock();
    const controller = new AbortController();
    if (before) controller.abort(new Error('stop'));
    const told = withinTimeout({ name: 'x', timeoutMs: 1000, clock, signal: controller.signal }, untilAborted);
    controller.abort(new Error('stop'));
    assert.equal(await told, 'stop');
  }
});

test('without a time of its own the signal is passed on', async () => {
  const { signal } = new AbortController();
  assert.equal(
    await withinTimeout({ name: 'x', timeoutMs: 0, clock: new FakeClock(), signal }, async (s) => s),
    signal,
  );
});
