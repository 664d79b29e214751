import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { BcryptThread } from './bcrypt-thread.ts';

/** Threads that answer with their number instead of an outcome. */
function startThreads(t: TestContext) {
  const text = `const { parentPort, threadId } = require('node:worker_threads');
     parentPort.on('message', ({ id, values }) => {
       if (values[0] === 'fatal') throw new Error('out of memory');
       parentPort.postMessage({ id, value: threadId });
     });`;
  const clock = new FakeClock();
  const thread = new BcryptThread(() => ({ text }), clock);
  t.after(() => thread.close());
  return { thread, clock };
}

test('one thread compares all passwords, and ends after a minute without any', async (t) => {
  const { thread, clock } = startThreads(t);
  const first = await thread.compare('a', 'b');
  clock.advance(59_999);
  assert.equal(await thread.compare('a', 'b'), first);
  clock.advance(59_999);
  assert.equal(await thread.compare('a', 'b'), first);
  clock.advance(60_000);
  assert.notEqual(await thread.compare('a', 'b'), first);
});

test('a thread that dies fails one comparison, not the next', async (t) => {
  const { thread } = startThreads(t);
  const first = await thread.compare('a', 'b');
  await assert.rejects(thread.compare('fatal', 'b'), /the thread of password comparison ended: out of memory/);
  assert.notEqual(await thread.compare('a', 'b'), first);
});
