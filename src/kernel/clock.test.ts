import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bundleScript, startChild } from '../testing/child-script.ts';
import { systemClock } from './clock.ts';

/** Takes the place of Node's timers, and fires the armed one on request. */
function fakeTimers(t: TestContext) {
  const armed = new Map<object, { readonly ms: number; readonly action: () => void }>();
  t.mock.method(globalThis, 'setTimeout', (action: () => void, ms: number) => {
    const timer = { unref: () => timer };
    armed.set(timer, { ms, action });
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer: object) => armed.delete(timer));
  return {
    /** The delays of all timers that are armed. */
    delays: () => [...armed.values()].map(({ ms }) => ms),
    fire() {
      for (const [timer, { action }] of [...armed]) {
        armed.delete(timer);
        action();
      }
    },
  };
}

const DAY_MS = 86_400_000;
const MAX_MS = 2_147_483_647;

test('the system clock returns the time of the machine', () => {
  const before = Date.now();
  const now = systemClock.now();
  assert.ok(before <= now && now <= Date.now());
});

test('a timer fires once, after its delay', (t) => {
  const timers = fakeTimers(t);
  let fired = 0;
  systemClock.after(250, () => fired++);
  assert.deepEqual([timers.delays(), fired], [[250], 0]);
  timers.fire();
  assert.deepEqual([timers.delays(), fired], [[], 1]);
});

test('a timer of a past instant, or of now, fires in this turn of the event loop, unless it is cancelled', async (t) => {
  const timers = fakeTimers(t);
  const fired: string[] = [];
  systemClock.after(-1000, () => fired.push('past'));
  systemClock.after(0, () => fired.push('now'));
  systemClock.after(0, () => fired.push('cancelled'))();
  assert.deepEqual([timers.delays(), fired], [[], []]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(fired, ['past', 'now']);
});

test('a timer of 0 ms does not wait for other events', async (t) => {
  const script = await bundleScript(`
    import { systemClock } from './clock.ts';

    // The next turn of the event loop comes at once, even without other work.
    const step = (rest) => {
      if (rest > 0) systemClock.after(0, () => step(rest - 1));
      else process.stdout.write('done\\n');
    };
    setTimeout(() => process.stdout.write('something else\\n'), 30_000);
    step(5);
  `);
  const child = startChild(t, script);
  assert.equal(await child.readLine(), 'done');
});

test('an interval fires again and again, and is armed before its action runs', (t) => {
  const timers = fakeTimers(t);
  let fired = 0;
  const cancel = systemClock.every(250, () => {
    fired++;
    if (fired === 3) cancel();
  });
  for (let rounds = 0; rounds < 5; rounds++) timers.fire();
  assert.deepEqual([timers.delays(), fired], [[], 3]);
});

for (const kind of ['after', 'every'] as const) {
  test(`${kind}: a delay beyond Node's longest is waited for in steps`, (t) => {
    const timers = fakeTimers(t);
    let fired = 0;
    const cancel = systemClock[kind](60 * DAY_MS, () => fired++);
    const seen: number[] = [];
    for (let steps = 0; fired === 0 && steps < 5; steps++) {
      seen.push(...timers.delays());
      timers.fire();
    }
    assert.deepEqual(seen, [MAX_MS, MAX_MS, 60 * DAY_MS - 2 * MAX_MS]);
    cancel();
    assert.deepEqual([timers.delays(), fired], [[], 1]);
  });

  test(`${kind}: a cancelled timer is gone at every step, and cancelling again does nothing`, (t) => {
    const timers = fakeTimers(t);
    const cancel = systemClock[kind](60 * DAY_MS, () => assert.fail('fired'));
    timers.fire();
    cancel();
    cancel();
    assert.deepEqual(timers.delays(), []);
  });

  test(`${kind}: does not keep the process alive`, () => {
    const count = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = count();
    const cancel = systemClock[kind](60_000, () => {});
    const during = count();
    cancel();
    assert.equal(during, before);
    const held = setTimeout(() => {}, 60_000);
    assert.equal(count(), before + 1, 'a timer that does is seen');
    clearTimeout(held);
  });
}
