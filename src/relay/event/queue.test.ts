import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventArray } from './event-array.ts';
import { ByteBudget, EventQueue } from './queue.ts';

const arrayOf = (bytes: Buffer): EventArray => {
  const events = EventArray.read(bytes);
  assert.ok(events);
  return events;
};
const accept = (queue: EventQueue, text: string) => queue.accept(arrayOf(Buffer.from(text)));
const onFull = () => {};
const taken = (queue: EventQueue) => {
  const batch = queue.take();
  return batch && [batch.body.toString(), batch.count];
};

test('events are taken as one array, in their original bytes', () => {
  const queue = new EventQueue({ events: 10, budget: new ByteBudget(1000), onFull });
  assert.equal(accept(queue, ' [ 1.0 , "]" ] '), 0);
  assert.equal(accept(queue, '[[2]]'), 0);
  assert.ok(queue.push('{"a":3}'));
  assert.equal(queue.pending, 4);
  assert.deepEqual(taken(queue), ['[ 1.0 , "]" ,[2],{"a":3}]', 4]);
  assert.equal(queue.pending, 0);
  assert.equal(taken(queue), undefined);
});

test('an empty post adds nothing', () => {
  const queue = new EventQueue({ events: 10, budget: new ByteBudget(1000), onFull });
  assert.equal(accept(queue, '[ ]'), 0);
  assert.equal(taken(queue), undefined);
});

test('onFull is called for each dropped event', () => {
  let fullCount = 0;
  const queue = new EventQueue({ events: 2, budget: new ByteBudget(5), onFull: () => fullCount++ });
  accept(queue, '[1]');
  assert.equal(fullCount, 0);
  accept(queue, '[2,3]');
  assert.equal(fullCount, 1);
  queue.push('4');
  assert.equal(fullCount, 2);
  queue.take();
  queue.push('"too long"');
  assert.equal(fullCount, 3);
});

test('of a post that does not fit the first events are kept', () => {
  const queue = new EventQueue({ events: 3, budget: new ByteBudget(1000), onFull });
  accept(queue, '[1,2]');
  assert.equal(accept(queue, '[3,4,5]'), 2);
  assert.equal(accept(queue, '[6]'), 1);
  assert.equal(queue.push('7'), false);
  assert.deepEqual(taken(queue), ['[1,2,3]', 3]);
});

test('no more bytes are kept than may be', () => {
  const queue = new EventQueue({ events: 100, budget: new ByteBudget(6), onFull });
  assert.equal(accept(queue, '["ab"]'), 0);
  assert.equal(accept(queue, '["c"]'), 1);
  assert.equal(queue.push('12'), true);
  assert.equal(queue.push('3'), false);
  assert.deepEqual(taken(queue), ['["ab",12]', 2]);
  assert.equal(accept(queue, '["c"]'), 0);
});

test('queues that share a budget share its room until they are emptied', () => {
  const budget = new ByteBudget(4);
  const [a, b] = [new EventQueue({ events: 9, budget, onFull }), new EventQueue({ events: 9, budget, onFull })];
  assert.ok(a.push('123'));
  assert.equal(b.push('12'), false);
  assert.ok(b.push('1'));
  a.take('"what stands last does not ask"');
  assert.ok(b.push('123'));
  assert.equal(a.push('1'), false);
  b.take();
  assert.ok(a.push('1234'));
});

test('one more event is accepted behind a full queue', () => {
  const queue = new EventQueue({ events: 1, budget: new ByteBudget(1), onFull });
  accept(queue, '[1]');
  const batch = queue.take('"summary"');
  assert.equal(batch?.body.toString(), '[1,"summary"]');
  assert.equal(batch?.count, 2);
  assert.equal(queue.take('"alone"')?.body.toString(), '["alone"]');
});

test('a small part of a large buffer is all that is kept of it', () => {
  const queue = new EventQueue({ events: 10, budget: new ByteBudget(100), onFull });
  const large = Buffer.alloc(1000, ' ');
  const text = large.subarray(500, 503);
  text.write('[1]');
  queue.accept(arrayOf(text));
  large.fill('x');
  assert.deepEqual(taken(queue), ['[1]', 1]);
});
