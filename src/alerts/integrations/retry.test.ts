import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { notificationOf, notifiedAlert } from '../testing/notifier-parts.ts';
import { DELIVERED, failedForGood } from './deliver.ts';
import type { Delivery, Notifier } from './notifier.ts';
import { type Attempt, backoffMs, Ending, notifyWithRetry, type RetryResult } from './retry.ts';

const failure = (error: string, retryAfterMs?: number): Delivery => ({
  ok: false,
  retry: true,
  reason: 'serverError',
  error,
  retryAfterMs,
});

/** Every wait of these tests is a multiple of it. */
const STEP_MS = 12.5;

/** Runs until the end on a fake clock that begins at 0; with a `random` of ½ the waits are 500 ms · 1.5ⁿ sharp. */
async function run(
  attempt: (number: number, signal: AbortSignal, clock: FakeClock) => Delivery | Promise<Delivery>,
  options: { deadlineMs?: number; random?: number; stopAtMs?: number; lastCallAtMs?: number } = {},
) {
  const clock = new FakeClock(0);
  const begunAt: number[] = [];
  const reported: Attempt[] = [];
  const ending = new Ending();
  const stop = () => ending.abort(new Error('the server stops'));
  if (options.stopAtMs === 0) stop();
  else if (options.stopAtMs !== undefined) clock.after(options.stopAtMs, stop);
  if (options.lastCallAtMs !== undefined) clock.after(options.lastCallAtMs, () => ending.callLast());
  const notifier: Notifier = {
    async notify(_, signal) {
      begunAt.push(clock.now());
      return attempt(begunAt.length, signal, clock);
    },
  };
  let result: RetryResult | undefined;
  let thrown: unknown;
  notifyWithRetry(notifier, notificationOf([notifiedAlert({})]), {
    clock,
    ending,
    deadline: options.deadlineMs ?? 10_000,
    random: () => options.random ?? 0.5,
    onAttempt: (one) => reported.push(one),
  }).then(
    (value) => {
      result = value;
    },
    (error) => {
      thrown = error;
    },
  );
  const settle = () => new Promise(setImmediate);
  await settle();
  for (let ms = 0; ms < 20_000 && !result && !thrown; ms += STEP_MS) {
    clock.advance(STEP_MS);
    await settle();
  }
  return { result, thrown, begunAt, reported, endedAt: clock.now() };
}

/** Hangs until it is aborted. */
const hang = (signal: AbortSignal): Promise<Delivery> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      const name = (signal.reason as Error).name;
      const reason = name === 'TimeoutError' ? 'contextDeadlineExceeded' : 'contextCanceled';
      resolve({ ok: false, retry: true, reason, error: `hung up: ${name}` });
    });
  });

test('the first attempt is made at once, and after a success no other', async () => {
  const { result, begunAt, reported } = await run(() => ({ ok: true, receiverData: { ts: '1' } }));
  assert.deepEqual(result, {
    delivery: { ok: true, receiverData: { ts: '1' } },
    attempts: 1,
    lastError: undefined,
  });
  assert.deepEqual(begunAt, [0]);
  assert.deepEqual(reported, [{ number: 1, ok: true, latencyMs: 0, error: undefined, retry: false }]);
});

test('attempts follow after 500 ms, and then after half as long again each', async () => {
  const { begunAt } = await run((number) => (number < 5 ? failure('x') : DELIVERED));
  assert.deepEqual(begunAt, [0, 500, 1250, 2375, 4062.5]);
});

test('waits vary by half, and grow up to a minute', () => {
  assert.deepEqual([backoffMs(1, () => 0), backoffMs(1, () => 0.999)].map(Math.round), [250, 750]);
  assert.deepEqual(
    [backoffMs(12, () => 0.5), backoffMs(13, () => 0.5), backoffMs(99, () => 0.5)].map(Math.round),
    [43_249, 60_000, 60_000],
  );
});

test('a permanent failure is not retried', async () => {
  const { result, reported } = await run(() => failedForGood('no such channel', 'clientError'));
  assert.deepEqual(result, {
    delivery: {
      ok: false,
      retry: false,
      reason: 'clientError',
      error: 'notify retry canceled due to unrecoverable error after 1 attempts: no such channel',
    },
    attempts: 1,
    lastError: 'no such channel',
  });
  assert.deepEqual(reported, [{ number: 1, ok: false, latencyMs: 0, error: 'no such channel', retry: false }]);
});

test('a retryable failure may become a permanent one', async () => {
  const { result } = await run((number) => (number < 3 ? failure('x') : failedForGood('gone')));
  assert.equal(
    result?.delivery.ok === false && result.delivery.error,
    'notify retry canceled due to unrecoverable error after 3 attempts: gone',
  );
});

test('when the next attempt would begin after the deadline, the last failure is final', async () => {
  const { result, begunAt, endedAt } = await run((number) => failure(`f${number}`), { deadlineMs: 2000 });
  assert.deepEqual(begunAt, [0, 500, 1250]);
  assert.ok(endedAt < 2000);
  assert.deepEqual(result, {
    delivery: {
      ok: false,
      retry: true,
      reason: 'serverError',
      error: 'notify retry canceled after 3 attempts: f3',
      retryAfterMs: undefined,
    },
    attempts: 3,
    lastError: 'f3',
  });
});

test('an attempt that hangs ends at the deadline', async () => {
  const { result, endedAt } = await run((_, signal) => hang(signal), { deadlineMs: 3000 });
  assert.equal(endedAt, 3000);
  assert.deepEqual(result?.delivery, {
    ok: false,
    retry: true,
    reason: 'contextDeadlineExceeded',
    error: 'notify retry canceled after 1 attempts: context deadline exceeded',
  });
});

test('an attempt cut short by the deadline leaves the error of the previous one', async () => {
  const { result } = await run((number, signal) => (number === 1 ? failure('refused') : hang(signal)));
  assert.equal(result?.attempts, 2);
  assert.deepEqual(result.delivery.ok === false && [result.delivery.reason, result.delivery.error], [
    'serverError',
    'notify retry canceled after 2 attempts: refused',
  ]);
});

test('the wait counts from the beginning of an attempt', async () => {
  const slow = (clock: FakeClock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const { begunAt, reported } = await run(async (number, _, clock) => {
    await slow(clock, 400);
    return number < 3 ? failure('x') : DELIVERED;
  });
  assert.deepEqual(begunAt, [0, 500, 1250]);
  assert.deepEqual(
    reported.map(({ latencyMs }) => latencyMs),
    [400, 400, 400],
  );
});

test('an attempt longer than the wait is followed by the next at once', async () => {
  const { begunAt } = await run(async (number, _, clock) => {
    await new Promise<void>((resolve) => clock.after(1000, resolve));
    return number < 2 ? failure('x') : DELIVERED;
  });
  assert.deepEqual(begunAt, [0, 1000]);
});

test("a service's retry delay is observed", async () => {
  const { begunAt } = await run((number) => (number === 1 ? failure('busy', 4000) : DELIVERED));
  assert.deepEqual(begunAt, [0, 4000]);
});

test("a service's retry delay below the backoff does not shorten it", async () => {
  const { begunAt } = await run((number) => (number === 1 ? failure('busy', 100) : DELIVERED));
  assert.deepEqual(begunAt, [0, 500]);
});

test("a service's retry delay beyond the deadline is a failure", async () => {
  const { result, endedAt } = await run(() => failure('busy', 60_000));
  assert.equal(result?.delivery.ok === false && result.delivery.error, 'notify retry canceled after 1 attempts: busy');
  assert.ok(endedAt < 500);
});

test('a stop ends a wait at once', async () => {
  const { result, endedAt } = await run(() => failure('x', 5000), { stopAtMs: 1000 });
  assert.equal(endedAt, 1000);
  assert.equal(result?.delivery.ok === false && result.delivery.error, 'notify retry canceled after 1 attempts: x');
});

test('a stop ends an attempt at once', async () => {
  const { result, endedAt } = await run((_, signal) => hang(signal), { stopAtMs: 1000 });
  assert.equal(endedAt, 1000);
  assert.deepEqual(result?.delivery, {
    ok: false,
    retry: true,
    reason: 'contextCanceled',
    error: 'notify retry canceled after 1 attempts: context canceled',
  });
});

test('a last call ends a wait at once, and waits for an attempt under way', async () => {
  const waiting = await run(() => failure('x', 5000), { lastCallAtMs: 1000 });
  assert.deepEqual([waiting.endedAt, waiting.result?.attempts], [1000, 1]);
  const trying = await run(
    async (_, signal, clock) => {
      await new Promise<void>((resolve) => clock.after(2000, resolve));
      return signal.aborted ? failure('cut short') : failure('x');
    },
    { lastCallAtMs: 1000 },
  );
  assert.deepEqual([trying.endedAt, trying.result?.attempts, trying.result?.lastError], [2000, 1, 'x']);
});

test('nothing is tried after a stop or after the deadline', async () => {
  for (const options of [{ stopAtMs: 0 }, { deadlineMs: 0 }]) {
    const { result, begunAt } = await run(() => DELIVERED, options);
    assert.deepEqual(begunAt, []);
    assert.deepEqual([result?.attempts, result?.delivery.ok], [0, false]);
  }
});

test('any other exception is not hidden', async () => {
  const { thrown } = await run(() => {
    throw new RangeError('a fault of ours');
  });
  assert.ok(thrown instanceof RangeError);
});

test('nothing is left on the clock or the signal afterwards', async () => {
  const left = { timers: 0, listeners: 0 };
  const inner = new FakeClock(0);
  const clock = {
    now: () => inner.now(),
    monotonic: () => inner.monotonic(),
    every: () => () => {},
    after(ms: number, action: () => void) {
      left.timers++;
      let open = true;
      const close = () => {
        if (open) left.timers--;
        open = false;
      };
      const cancel = inner.after(ms, () => {
        close();
        action();
      });
      return () => {
        close();
        cancel();
      };
    },
  };
  const ending = new Ending();
  const { signal } = ending;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    left.listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    left.listeners--;
    remove(...args);
  };
  let attempts = 0;
  const notifier: Notifier = { notify: async () => (++attempts < 3 ? failure('x') : DELIVERED) };
  const done = notifyWithRetry(notifier, notificationOf([notifiedAlert({})]), {
    clock,
    ending,
    deadline: 10_000,
    random: () => 0.5,
  });
  for (let i = 0; i < 40; i++) {
    await new Promise(setImmediate);
    inner.advance(50);
  }
  assert.equal((await done).attempts, 3);
  assert.deepEqual(left, { timers: 0, listeners: 0 });
});
