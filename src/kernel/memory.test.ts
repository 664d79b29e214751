import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake/clock.ts';
import { giveMemoryBack } from './memory.ts';

/** An unreferenced object. */
function leaveBehind(): WeakRef<object> {
  return new WeakRef({ text: 'garbage' });
}

/** What a WeakRef refers to lives to the end of the turn that has made it. */
const nextTurn = () => new Promise((done) => setImmediate(done));

test('a second after the start its garbage is collected', async () => {
  const clock = new FakeClock(0);
  giveMemoryBack(clock, Number.POSITIVE_INFINITY);
  const garbage = leaveBehind();
  await nextTurn();
  clock.advance(1_000);
  await nextTurn();
  assert.equal(garbage.deref(), undefined);
});

test('it works where no more files may be opened', (t) => {
  const clock = new FakeClock(0);
  t.mock.method(process, 'memoryUsage', () => {
    throw new Error('EMFILE: too many open files, uv_resident_set_memory');
  });
  giveMemoryBack(clock);
  clock.advance(1_000);
});
