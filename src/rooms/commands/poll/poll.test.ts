import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../../testing/processes.ts';
import { openPeople, type TestPeople } from '../../testing/people.ts';

interface Room extends TestPeople {
  say(as: string, body: string, fields?: object): ReturnType<TestPeople['send']>;
  press(as: string, id: string, action: string): ReturnType<TestPeople['send']>;
}

async function openOps(t: Cleanup): Promise<Room> {
  const people = await openPeople(t, ['ana', 'ben', 'gus']);
  const { send } = people;
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
  await send('PUT', '/api/room/ops/member/gus', { as: 'ana', body: { role: 'guest' } });
  return {
    ...people,
    say: (as, body, fields = {}) => send('POST', '/api/room/ops/message', { as, body: { body, ...fields } }),
    press: (as, id, action) => send('POST', `/api/message/${id}/action/${action}`, { as }),
  };
}

const votersOf = async ({ send }: Room, id: string): Promise<unknown> =>
  (await send('GET', `/api/message/${id}`, { as: 'ana' })).json.card.poll.options.map(
    ({ voters }: { readonly voters: unknown }) => voters,
  );

test('a poll counts one vote for each user; another vote moves it, the same one takes it back', async (t) => {
  const ops = await openOps(t);
  const { id, body, card } = (await ops.say('ana', '/poll "Where to?" pizza "fish and chips"')).json;
  assert.match(body, /^\*\*Where to\?\*\*\n1\. pizza: 0\n2\. fish and chips: 0\n/);
  assert.deepEqual(
    card.actions.map(({ label }: { readonly label: string }) => label),
    ['pizza', 'fish and chips', 'Close'],
  );
  const pressed = await ops.press('ben', id, 'vote-1');
  assert.deepEqual([pressed.status, pressed.json.id], [200, id]);
  await ops.press('ana', id, 'vote-1');
  await ops.press('ben', id, 'vote-2');
  assert.deepEqual(await votersOf(ops, id), [['ana'], ['ben']]);
  assert.equal((await ops.say('ana', '/vote 1', { threadId: id })).status, 200);
  assert.deepEqual(await votersOf(ops, id), [[], ['ben']]);
  const { messages } = (await ops.send('GET', '/api/room/ops/message', { as: 'ana' })).json;
  assert.equal(messages.length, 1);
});

test('votes at the same time are all counted', async (t) => {
  const ops = await openOps(t);
  const { id } = (await ops.say('ana', '/poll Lunch?')).json;
  await Promise.all([ops.press('ana', id, 'vote-2'), ops.press('ben', id, 'vote-2')]);
  assert.deepEqual(await votersOf(ops, id), [[], ['ana', 'ben']]);
});

test('a poll in a thread is voted on there', async (t) => {
  const ops = await openOps(t);
  const root = (await ops.say('ana', 'lunch')).json.id;
  const { id } = (await ops.say('ana', '/poll Pizza?', { threadId: root })).json;
  assert.equal((await ops.press('ben', id, 'vote-1')).status, 200);
  assert.deepEqual(await votersOf(ops, id), [['ben'], []]);
});

test('guests do not vote, and a poll is closed by its author or a moderator', async (t) => {
  const ops = await openOps(t);
  const { id } = (await ops.say('ana', '/poll Pizza?')).json;
  assert.equal((await ops.press('gus', id, 'vote-1')).status, 403);
  assert.equal((await ops.press('ben', id, 'end')).status, 403);
  assert.equal((await ops.press('ana', id, 'end')).status, 200);
  assert.equal((await ops.press('ben', id, 'vote-1')).status, 404);
  assert.equal((await ops.say('ben', '/vote 1', { threadId: id })).json, 'the poll is closed');
});
