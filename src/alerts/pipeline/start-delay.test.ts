import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { startAfterDelay } from './start-delay.ts';

/** The instants of the start, counted from that of the process, for a server that listens after `readyMs`. */
function startsOf(delayMs: number, readyMs: number, jumpMs = 0): readonly number[] {
  const clock = new FakeClock();
  const starts: number[] = [];
  clock.advance(readyMs);
  clock.jump(jumpMs);
  startAfterDelay({ start: () => starts.push(clock.monotonic()) }, delayMs, clock);
  clock.advance(60_000);
  return starts;
}

test('the start delay counts from the start of the process, not from the first answer', () => {
  assert.deepEqual(startsOf(5_000, 0), [5_000]);
  assert.deepEqual(startsOf(5_000, 1_300), [5_000]);
});

test('flushing starts at once when the start has taken longer than the delay', () => {
  assert.deepEqual(startsOf(5_000, 7_000), [7_000]);
  assert.deepEqual(startsOf(0, 1_300), [1_300]);
});

test('a change of the system clock during the start does not change the delay', () => {
  assert.deepEqual(startsOf(5_000, 1_300, 3_600_000), [5_000]);
  assert.deepEqual(startsOf(5_000, 1_300, -3_600_000), [5_000]);
});
