import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { settlePromises } from '../testing/pipeline/parts.ts';
import { SendQueue } from './send-queue.ts';

/** A queue that records its events; sends end at the test's command. */
function createQueue() {
  const clock = new FakeClock(0);
  const events: string[] = [];
  const queue = new SendQueue({ clock, commit: () => events.push('commit') });
  const ends = new Map<string, () => void>();
  const enter = (receiver: string, name: string) =>
    new Promise<string>((ended) =>
      queue.enter(receiver, {
        prepare: () => void events.push(`prepare ${name}`),
        async send(leave) {
          events.push(`send ${name}`);
          await new Promise<void>((end) => ends.set(name, end));
          leave();
          ended(name);
        },
      }),
    );
  const sent = () => events.filter((event) => event.startsWith('send ')).map((event) => event.slice(5));
  return { clock, events, queue, ends, enter, sent };
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Waits for `count` turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((done) => setImmediate(done));
}

test('all sends of a turn are prepared and committed before the first of them starts', async () => {
  const { events, enter, ends } = createQueue();
  const first = enter('receiver', 'a');
  enter('receiver', 'b');
  assert.deepEqual(events, []);
  await settlePromises();
  assert.deepEqual(events, ['prepare a', 'prepare b', 'commit', 'send a', 'send b']);
  ends.get('a')?.();
  assert.equal(await first, 'a');
});

test('no send begins while the queue is held; the release begins the first in the same call', async () => {
  const { queue, enter, sent } = createQueue();
  queue.hold();
  for (const name of names('a', 40)) enter('receiver', name);
  await settlePromises();
  assert.deepEqual(sent(), []);
  queue.release();
  assert.deepEqual(sent(), names('a', 8));
  await turns(12);
  assert.deepEqual(sent(), names('a', 40));
});

test('a few begin in each turn, so that answers have theirs', async () => {
  const { enter, sent } = createQueue();
  for (const name of names('a', 100)) enter('receiver', name);
  let before = 0;
  for (let turn = 0; turn < 30; turn++) {
    await turns(1);
    assert.ok(sent().length - before <= 8);
    before = sent().length;
  }
  assert.deepEqual(sent(), names('a', 100));
});

test('of one receiver 128 are in their first attempt at once; the end of one starts the next', async () => {
  const { enter, sent, ends } = createQueue();
  for (const name of names('a', 2_500)) enter('receiver', name);
  await turns(40);
  assert.equal(sent().length, 128);
  for (const name of ['a5', 'a7']) {
    ends.get(name)?.();
    ends.get(name)?.();
  }
  await turns(2);
  assert.deepEqual(sent().slice(128), ['a128', 'a129'], 'each leaves once');
  while (sent().length < 2_500) {
    for (const name of sent()) ends.get(name)?.();
    await turns(1);
  }
  assert.deepEqual(sent(), names('a', 2_500));
});

test('a send longer than a second does not delay later ones', async () => {
  const { clock, enter, sent } = createQueue();
  for (const name of names('a', 200)) enter('receiver', name);
  await turns(40);
  clock.advance(999);
  await turns(40);
  assert.equal(sent().length, 128);
  clock.advance(1);
  await turns(40);
  assert.equal(sent().length, 200);
});

test('a full or slow receiver does not delay another', async () => {
  const { enter, sent } = createQueue();
  for (const name of names('a', 500)) enter('slow', name);
  await turns(1);
  for (const name of names('b', 3)) enter('other', name);
  await turns(2);
  assert.deepEqual(
    sent().filter((name) => name.startsWith('b')),
    names('b', 3),
  );
  await turns(40);
  enter('other', 'late');
  await turns(1);
  assert.equal(sent().at(-1), 'late');
});

test('a failure to send makes room', async () => {
  const { queue } = createQueue();
  let sent = 0;
  const send = () => {
    sent++;
    return Promise.reject(new Error('a bug'));
  };
  for (let n = 0; n < 300; n++) queue.enter('receiver', { prepare() {}, send });
  await turns(100);
  assert.equal(sent, 300);
});
