import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RoomDiscovery } from './discovery.ts';

interface Fixture {
  readonly discovery: RoomDiscovery<string>;
  /** Answer the readings, in their order. */
  readonly answers: ((room: string) => void)[];
}

function open(): Fixture {
  const answers: Fixture['answers'] = [];
  const discovery = new RoomDiscovery<string>(() => new Promise((resolve) => answers.push(resolve)));
  return { discovery, answers };
}
const settle = () => new Promise((done) => setImmediate(done));

test('a room in which something happens while it is read is read once more', async () => {
  const { discovery, answers } = open();
  const joined = discovery.find('r1');
  const posted = discovery.find('r1');
  answers[0]?.('before');
  await settle();
  answers[1]?.('after');
  assert.equal(await joined, 'after');
  assert.equal(await posted, undefined);
  assert.equal(answers.length, 2);
});

test('a room in which nothing happens meanwhile is read once, and anew the next time', async () => {
  const { discovery, answers } = open();
  const first = discovery.find('r1');
  answers[0]?.('one');
  assert.equal(await first, 'one');
  const second = discovery.find('r1');
  answers[1]?.('two');
  assert.equal(await second, 'two');
});

test('a room in which it never ends is shown all the same', async () => {
  const { discovery, answers } = open();
  const joined = discovery.find('r1');
  for (let i = 0; i < 5; i++) {
    void discovery.find('r1');
    answers[i]?.(`reading ${i}`);
    await settle();
  }
  assert.equal(await joined, 'reading 4');
});
