import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake/clock.ts';
import { DeadlineError, withDeadline } from './deadline.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail);
  });

test('a task over its deadline is aborted with an error that names the deadline', async () => {
  const clock = new FakeClock();
  const done = withDeadline({ clock, ms: 1500 }, untilAborted);
  clock.advance(1500);
  await assert.rejects(done, (error) => error instanceof DeadlineError && error.message === 'no answer within 1.5 s');
});

test('the outer signal aborts with its own reason, even when already aborted', async () => {
  for (const isEarly of [true, false]) {
    const controller = new AbortController();
    if (isEarly) controller.abort(new Error('stop'));
    const done = withDeadline({ clock: new FakeClock(), ms: 1500, signal: controller.signal }, untilAborted);
    controller.abort(new Error('stop'));
    await assert.rejects(done, { message: 'stop' });
  }
});

test('a task done in time leaves no timer', async () => {
  const clock = new FakeClock();
  let seen: AbortSignal | undefined;
  const take = async (signal: AbortSignal) => {
    seen = signal;
    return 'done';
  };
  assert.equal(await withDeadline({ clock, ms: 1500 }, take), 'done');
  clock.advance(1500);
  assert.equal(seen?.aborted, false);
});
