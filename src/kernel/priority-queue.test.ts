import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../testing/random.ts';
import { PriorityQueue } from './priority-queue.ts';

test('the first is always the least element, after any insertions and removals', () => {
  const random = new Random(31);
  const queue = new PriorityQueue<number>((a, b) => a < b);
  const expected: number[] = [];
  for (let round = 0; round < 3_000; round++) {
    // Grows, shrinks to nothing, and grows again.
    if (random.chance(round % 1_000 < 500 ? 0.7 : 0.25)) {
      const item = random.int(0, 50);
      queue.push(item);
      expected.push(item);
      expected.sort((a, b) => a - b);
    } else assert.equal(queue.pop(), expected.shift());
    assert.equal(queue.first, expected[0]);
    assert.equal(queue.size, expected.length);
  }
});

test('an empty queue has no first item, and none to remove', () => {
  const queue = new PriorityQueue<string>((a, b) => a < b);
  assert.deepEqual([queue.first, queue.pop(), queue.size], [undefined, undefined, 0]);
  queue.push('a');
  assert.deepEqual([queue.pop(), queue.pop(), queue.first, queue.size], ['a', undefined, undefined, 0]);
});
