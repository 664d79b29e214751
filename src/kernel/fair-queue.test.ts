import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

/** Key and number of each, such as `a1`. */
function filled(queue: FairQueue<string>, ...items: readonly string[]): readonly (string | undefined)[] {
  return items.map((item) => queue.add(item.charAt(0), item)).filter((dropped) => dropped !== undefined);
}

function takeAll(queue: FairQueue<string>): readonly string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('queues take turns, and each keeps its order', () => {
  const queue = new FairQueue<string>({ perKey: 10, total: 100 });
  assert.deepEqual(filled(queue, 'a1', 'a2', 'a3', 'b1', 'c1', 'b2'), []);
  assert.equal(queue.size, 6);
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  assert.equal(queue.size, 0);
});

test('a later queue has its turn before the second turn of any other', () => {
  const queue = new FairQueue<string>({ perKey: 10, total: 100 });
  filled(queue, 'a1', 'a2', 'a3');
  assert.equal(queue.take(), 'a1');
  filled(queue, 'b1');
  assert.deepEqual(takeAll(queue), ['a2', 'b1', 'a3']);
});

test('a full queue accepts nothing more, and others do', () => {
  const queue = new FairQueue<string>({ perKey: 2, total: 100 });
  assert.deepEqual(filled(queue, 'a1', 'a2', 'a3', 'b1'), ['a3']);
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'a2']);
});

test('when all are full, room is made at the cost of the longest queue, never of a shorter one', () => {
  const queue = new FairQueue<string>({ perKey: 10, total: 4 });
  assert.deepEqual(filled(queue, 'a1', 'a2', 'a3', 'b1', 'c1', 'a4'), ['a3', 'a4']);
  assert.deepEqual(filled(queue, 'd1'), ['a2']);
  assert.deepEqual(filled(queue, 'e1'), ['e1']);
  assert.equal(queue.size, 4);
  assert.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'd1']);
});
