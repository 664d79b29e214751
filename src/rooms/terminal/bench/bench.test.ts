import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listeningRooms } from '../../testing/command.ts';

const SMALL = ['--rooms', '2', '--members', '4', '--fanout', '5', '--duration', '1500ms', '--json'];

test('bench tells how much was done, and leaves no rooms behind', async (t) => {
  const rooms = await listeningRooms(t);
  const facts = JSON.parse(await rooms.done(['bench', ...SMALL, '--rate', '100']));
  assert.ok(facts.acknowledged >= 20 && facts.acknowledged <= 200, JSON.stringify(facts));
  assert.equal(facts.kept, facts.acknowledged);
  assert.ok(facts['told to readers'] > 0);
  assert.equal('verified' in facts, false);
  assert.deepEqual((await rooms.send('GET', '/api/room', { as: 'ana' })).json.rooms, []);
});

test('bench --verify verifies a server that keeps its promises', async (t) => {
  const rooms = await listeningRooms(t);
  const printed = await rooms.done(['bench', '--verify', ...SMALL.slice(0, -1), '--rate', '200']);
  assert.match(printed, /^rooms +2\nwriters +4\nreaders +5\n/);
  assert.match(printed, /\nverified: every acknowledged message once/);
});

test('bench --verify names what a server has lost, and ends with 1', async (t) => {
  const rooms = await listeningRooms(t);
  const { store } = rooms.core;
  const { page } = store;
  // A page that leaves a message out is what a lost message looks like.
  const forgetful: typeof page = async (query) => {
    const found = await page.call(store, query);
    return { ...found, messages: found.messages.filter(({ message }) => message.seq !== 3) };
  };
  t.mock.method(store, 'page', forgetful);
  const result = await rooms.run(['bench', '--verify', ...SMALL.slice(0, -1), '--rate', '200']);
  assert.equal(result.code, 1);
  assert.match(result.out, /\nlost [0-9a-f-]{36} of writer-\d was acknowledged as [0-9a-f-]{36}#3 and is not there\n/);
  assert.match(result.err, /violations: the server does not keep its promises/);
});
