import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireInbox } from '../contract/inbox.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

const inboxOf = async ({ send }: TestPeople, as: string) => {
  const { mentions, threads } = (await send('GET', '/api/inbox', { as })).json as WireInbox;
  return [
    mentions.map(({ body }) => body),
    threads.map(({ root, last, unread }) => `${root.body}: ${last.body}, ${unread}`),
  ];
};

test('the inbox holds unread mentions and threads of all rooms, until they are read', async (t) => {
  const people = await openPeople(t, ['ana', 'ben', 'kim']);
  const { send } = people;
  for (const name of ['ops', 'dev'])
    await send('POST', '/api/room', { as: 'ana', body: { name, members: ['ben', 'kim'] } });
  let posts = 0;
  const post = async (as: string, room: string, body: string, more: object = {}) => {
    const id = `message-${++posts}`;
    const answer = await send('POST', `/api/room/${room}/message`, { as, body: { id, body, ...more } });
    assert.equal(answer.status, 201, answer.text);
    return { id, seq: answer.json.seq as number };
  };
  const read = (as: string, room: string, body: object) => send('PUT', `/api/room/${room}/read`, { as, body });

  const root = await post('ben', 'ops', 'slow payouts');
  const foreign = await post('ana', 'ops', 'lunch');
  await post('ana', 'ops', 'looking', { threadId: root.id });
  const last = await post('kim', 'ops', 'me too', { threadId: root.id });
  await post('kim', 'ops', 'pizza', { threadId: foreign.id });
  const mention = await post('ana', 'ops', '@ben see this');
  await post('ana', 'ops', '@kim and you');
  await post('kim', 'dev', '@all release');
  await post('kim', 'dev', '@ben psst', { silent: true });
  assert.deepEqual(await inboxOf(people, 'ben'), [['@all release', '@ben see this'], ['slow payouts: me too, 2']]);

  await read('ben', 'ops', { seq: mention.seq });
  assert.deepEqual(
    await inboxOf(people, 'ben'),
    [['@all release'], ['slow payouts: me too, 2']],
    'a room, not its threads',
  );
  await read('ben', 'ops', { threadReads: { [root.id]: last.seq } });
  await read('ben', 'dev', { seq: 9 });
  assert.deepEqual(await inboxOf(people, 'ben'), [[], []]);

  await post('ana', 'ops', '@ben pizza?', { threadId: foreign.id });
  assert.deepEqual(await inboxOf(people, 'ben'), [[], ['lunch: @ben pizza?, 1']], 'a mention in a thread');
  await post('ben', 'ops', 'yes', { threadId: foreign.id });
  assert.deepEqual(await inboxOf(people, 'ben'), [[], []], 'an answer reads the thread');
  await post('ana', 'ops', 'good', { threadId: foreign.id });
  assert.deepEqual(await inboxOf(people, 'ben'), [[], ['lunch: good, 1']]);

  await send('PUT', '/api/room/ops/me', { as: 'ben', body: { involvement: 'invisible' } });
  assert.deepEqual(await inboxOf(people, 'ben'), [[], []], 'a hidden room');
  await send('DELETE', '/api/room/ops/member/kim', { as: 'ana' });
  assert.deepEqual(await inboxOf(people, 'kim'), [[], []], 'a room that was left');
});
