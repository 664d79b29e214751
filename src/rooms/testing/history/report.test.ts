import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { RoomsClient } from '../../terminal/client.ts';
import { type ListeningRooms, listeningRooms } from '../command.ts';
import { reportOn } from './report.ts';
import { fixedTarget, type Target } from './target.ts';

const SMALL = { rooms: 2, writers: 4, readers: 5, durationMs: 1_500 };

async function openTarget(t: TestContext): Promise<{ readonly rooms: ListeningRooms; readonly target: Target }> {
  const rooms = await listeningRooms(t);
  const connection = { url: rooms.url, token: undefined, user: 'ana', timeoutMs: 30_000, variables: {} };
  const client = new RoomsClient(connection, systemClock);
  t.after(() => client.close());
  return { rooms, target: fixedTarget(client) };
}

test('a trial reports its numbers, and leaves no rooms behind', async (t) => {
  const { rooms, target } = await openTarget(t);
  const { facts } = await reportOn(target, { ...SMALL, rate: 100, isRough: false });
  assert.deepEqual([facts.rooms, facts.writers, facts.readers], [2, 4, 5]);
  assert.ok(facts.acknowledged >= 20 && facts.acknowledged <= 200, JSON.stringify(facts));
  assert.equal(facts.kept, facts.acknowledged);
  assert.ok(facts['received by readers'] > 0);
  assert.deepEqual((await rooms.send('GET', '/api/room', { as: 'ana' })).json.rooms, []);
});

test('a server that keeps its promises has no violations', async (t) => {
  const { target } = await openTarget(t);
  const { violations } = await reportOn(target, { ...SMALL, rate: 200, isRough: true });
  assert.deepEqual(violations, []);
});

test('a message that a server has lost is a violation', async (t) => {
  const { rooms, target } = await openTarget(t);
  const { store } = rooms.core;
  const { page } = store;
  // A page without one of its messages looks like a lost message.
  const forgetful: typeof page = async (query) => {
    const found = await page.call(store, query);
    return { ...found, messages: found.messages.filter(({ message }) => message.seq !== 3) };
  };
  t.mock.method(store, 'page', forgetful);
  const { violations } = await reportOn(target, { ...SMALL, rate: 200, isRough: true });
  const lost = violations.filter(({ kind }) => kind === 'lost').map(({ text }) => text);
  assert.match(lost[0] ?? '', /^[0-9a-f-]{36} of writer-\d was acknowledged as [0-9a-f-]{36}#3 and is not there$/);
});
