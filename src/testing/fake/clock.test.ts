import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from './clock.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

test('a fake clock moves only when advanced, by exactly that time', () => {
  const clock = new FakeClock();
  assert.equal(clock.now(), START);
  clock.advance(1500);
  assert.equal(clock.now(), START + 1500);
  assert.equal(new FakeClock(42).now(), 42);
  assert.equal(new FakeClock('2026-02-03T04:05:06Z').now(), Date.parse('2026-02-03T04:05:06Z'));
});

test('timers fire in the order of their instants, timers of one instant in the order of their creation', () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.now() - START}`);
  clock.after(30, note('c'));
  clock.after(10, note('a'));
  clock.after(30, note('d'));
  clock.after(20, note('b'));
  clock.after(41, note('late'));
  clock.after(-5, note('past'));
  clock.advance(40);
  assert.deepEqual(fired, ['past@0', 'a@10', 'b@20', 'c@30', 'd@30']);
});

test('a clock set back does not change the waits of its timers', () => {
  const clock = new FakeClock(10_000);
  const fired: number[] = [];
  clock.after(30, () => fired.push(clock.now()));
  const before = clock.monotonic();
  clock.jump(-5_000);
  clock.advance(29);
  assert.deepEqual(fired, []);
  clock.advance(1);
  assert.deepEqual(fired, [5_030]);
  assert.equal(clock.monotonic() - before, 30);
});

test('an interval fires at each of its instants until it is cancelled', () => {
  const clock = new FakeClock();
  const fired: number[] = [];
  const cancel = clock.every(10, () => {
    fired.push(clock.now() - START);
    if (fired.length === 3) cancel();
  });
  clock.advance(9);
  assert.deepEqual(fired, []);
  clock.advance(100);
  assert.deepEqual(fired, [10, 20, 30]);
});

test('a timer armed by a timer falls due in the same advance, if within it', () => {
  const clock = new FakeClock();
  const fired: number[] = [];
  clock.after(10, () => clock.after(10, () => fired.push(clock.now() - START)));
  clock.after(15, () => clock.after(10, () => fired.push(clock.now() - START)));
  clock.advance(20);
  assert.deepEqual(fired, [20]);
});

test('a cancelled timer never fires, and cancelling again does nothing', () => {
  const clock = new FakeClock();
  const fired: string[] = [];
  const cancel = clock.after(10, () => fired.push('cancelled'));
  clock.after(5, () => cancel());
  clock.advance(20);
  cancel();
  assert.deepEqual(fired, []);
});
