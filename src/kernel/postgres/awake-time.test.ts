import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { AwakeTime } from './awake-time.ts';

test('while the process is awake, time passes as on the clock', () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  clock.advance(12_345);
  assert.equal(awake.now(), 12_345);
});

test('a sleep of the machine counts for two tenths of a second', () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  clock.advance(1_000);
  clock.jump(3_600_000);
  clock.advance(1_000);
  assert.equal(awake.now(), 2_100);
});

test('a deadline that a sleep overlaps keeps the rest of its time', () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  let isOver = false;
  awake.after(2_000, () => {
    isOver = true;
  });
  clock.advance(1_000);
  clock.jump(60_000);
  clock.advance(800);
  assert.equal(isOver, false);
  clock.advance(200);
  assert.equal(isOver, true);
});

test('waking is reported before any timer, and only after more than a second of sleep', () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  const events: string[] = [];
  awake.onWake(() => events.push('wake'));
  awake.after(350, () => events.push('timer'));
  clock.jump(900);
  clock.advance(100);
  assert.deepEqual(events, []);
  clock.jump(1_001);
  clock.advance(100);
  assert.deepEqual(events, ['wake', 'timer']);
});

test('a wall clock that is set back neither adds time nor wakes', () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  awake.onWake(() => assert.fail('woke'));
  clock.advance(500);
  clock.jump(-3_600_000);
  clock.advance(500);
  assert.equal(awake.now(), 1_000);
});

test('a cancelled timer does not fire, and none does after the end', () => {
  const clock = new FakeClock();
  const awake = new AwakeTime(clock);
  awake.after(100, () => assert.fail('cancelled'))();
  awake.after(300, () => assert.fail('closed'));
  clock.advance(200);
  awake.close();
  clock.advance(10_000);
});
