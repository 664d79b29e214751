import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { AppendTurns } from './append-turns.ts';

function openTurns() {
  const clock = new FakeClock();
  const turns = new AppendTurns(clock);
  const append = (waitedMs: number, isNext?: boolean) => {
    turns.sent();
    turns.ended(waitedMs, isNext);
  };
  /** Until the next turn, in milliseconds. */
  const pause = async () => {
    let isOver = false;
    void turns.next().then(() => {
      isOver = true;
    });
    for (let ms = 0; ; ms++) {
      await new Promise((done) => setImmediate(done));
      if (isOver) return ms;
      clock.advance(1);
    }
  };
  return { append, pause, clock };
}

test('without other writers an append follows at once', async () => {
  const { append, pause } = openTurns();
  assert.equal(await pause(), 0);
  append(0);
  append(0.2);
  assert.equal(await pause(), 0);
});

test('an append is sent when those of others are nearly through', async () => {
  const { append, pause } = openTurns();
  append(10);
  assert.equal(await pause(), 8);
  append(2);
  assert.equal(await pause(), 8, 'it is as long until its turn, pause and wait together');
});

test('a pause is bounded, and ends with the contention', async () => {
  const { append, pause } = openTurns();
  append(500);
  assert.equal(await pause(), 20);
  const pauses: number[] = [];
  for (let index = 0; index < 4; index++) {
    append(0);
    pauses.push(await pause());
  }
  assert.deepEqual(pauses, [8, 4, 2, 1]);
});

test('a node for which the others wait does not let them', async () => {
  const { append, pause } = openTurns();
  append(10, true);
  assert.equal(await pause(), 0);
});

test('after a while nothing is known of the others', async () => {
  const { append, pause, clock } = openTurns();
  append(10);
  clock.advance(10);
  assert.equal(await pause(), 0);
});
