import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

test('a reaction counts once per person, and each reader sees their own', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const { json } = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  const path = `/api/message/${json.id}`;
  const react = (method: string, as: string, emoji: string) =>
    rooms.send(method, `${path}/reaction/${encodeURIComponent(emoji)}`, { as });
  const first = await react('PUT', 'ana', '👀');
  assert.deepEqual([first.status, first.headers.get('etag')], [200, '"m2"']);
  assert.deepEqual(first.json.reactions, [{ emoji: '👀', count: 1, userIds: ['ana'], me: true }]);
  const again = await react('PUT', 'ana', '👀');
  assert.deepEqual([again.status, again.headers.get('etag')], [200, '"m2"']);
  await react('PUT', 'ben', '👀');
  await react('PUT', 'ben', ':shipit:');
  const seen = await rooms.send('GET', path, { as: 'ana' });
  assert.deepEqual(seen.json.reactions, [
    { emoji: '👀', count: 2, userIds: ['ana', 'ben'], me: true },
    { emoji: ':shipit:', count: 1, userIds: ['ben'], me: false },
  ]);
  await react('DELETE', 'ana', '👀');
  assert.equal((await react('DELETE', 'ana', '👀')).headers.get('etag'), '"m5"');
  const gone = await react('DELETE', 'ben', ':shipit:');
  assert.deepEqual(gone.json.reactions, [{ emoji: '👀', count: 1, userIds: ['ben'], me: true }]);
  const log = await rooms.send('GET', '/api/event/log?since=0&wait=0', { as: 'ana' });
  const types = log.json.events.map(({ event }: { event: string }) => event);
  assert.deepEqual(types.slice(-5), [
    'reaction.added',
    'reaction.added',
    'reaction.added',
    'reaction.removed',
    'reaction.removed',
  ]);
});

test('of a reaction of many, 20 are named and each reader learns their own', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const { json } = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  const path = `/api/message/${json.id}`;
  const people = Array.from({ length: 25 }, (_, n) => `u${n}`);
  await Promise.all(people.map((as) => rooms.send('PUT', `${path}/reaction/👍`, { as })));
  await rooms.send('DELETE', `${path}/reaction/👍`, { as: 'u3' });
  const counts: boolean[] = [];
  for (const as of people) {
    const [reaction] = (await rooms.send('GET', path, { as })).json.reactions;
    assert.equal(reaction.count, 24);
    assert.ok(reaction.userIds.length <= 20);
    counts.push(reaction.me);
    const page = await rooms.send('GET', '/api/room/ops/message', { as });
    assert.equal(page.json.messages[0].reactions[0].me, reaction.me);
  }
  assert.deepEqual(counts.indexOf(false), 3);
  assert.equal(counts.filter(Boolean).length, 24);
});

test('a message has at most 50 different reactions', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const { json } = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  const react = (n: number) => rooms.send('PUT', `/api/message/${json.id}/reaction/:e${n}:`, { as: 'ana' });
  const answers = await Promise.all(Array.from({ length: 51 }, (_, n) => react(n)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array.from({ length: 50 }, () => 200), 409]);
  assert.equal((await react(7)).status, 200, 'an existing reaction');
});

test('an invalid reaction is refused', async (t) => {
  const rooms = await openTestRooms(t);
  for (const emoji of ['ab', ' ', '::', ':A:', `👩${'\u200d👩'.repeat(9)}`, '\u200d', '\u0007', ':x', '%00', '%zz']) {
    const encoded = emoji.startsWith('%') ? emoji : encodeURIComponent(emoji);
    const answer = await rooms.send('PUT', `/api/message/no-such-message/reaction/${encoded}`, { as: 'ana' });
    assert.deepEqual(
      [answer.status, answer.headers.get('x-error-code')],
      [400, 'invalid_query'],
      JSON.stringify(emoji),
    );
  }
  for (const emoji of ['👀', '❤️', '👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'é', '+', ':white_check_mark:']) {
    const answer = await rooms.send('PUT', `/api/message/no-such-message/reaction/${encodeURIComponent(emoji)}`, {
      as: 'ana',
    });
    assert.equal(answer.status, 404, emoji);
  }
});

test('guests react, strangers to a room do not, and an archived room takes nothing', async (t) => {
  const people = await openPeople(t, ['ana', 'ben', 'kim']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  await people.send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: { role: 'guest' } });
  const { json } = await people.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'hello' } });
  const react = (as: string) => people.send('PUT', `/api/message/${json.id}/reaction/👀`, { as });
  assert.equal((await react('ben')).status, 200);
  assert.equal((await people.send('POST', '/api/room/ops/message', { as: 'ben', body: { body: 'x' } })).status, 403);
  assert.equal((await react('kim')).status, 403);
  await people.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'ops', archived: true } });
  assert.equal((await react('ana')).status, 409);
});

test('moderators pin and unpin; the room shows in which order', async (t) => {
  const people = await openPeople(t, ['ana', 'ben']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'ops', members: ['ben'] } });
  const ids: string[] = [];
  for (const body of ['1', '2', '3']) {
    const { json } = await people.send('POST', '/api/room/ops/message', { as: 'ben', body: { body } });
    ids.push(json.id);
  }
  const [first = '', second = '', third = ''] = ids;
  const pin = (method: string, id: string, as = 'ana') => people.send(method, `/api/message/${id}/pin`, { as });
  assert.equal((await pin('PUT', first, 'ben')).status, 403);
  const pinned = await Promise.all([third, first, second].map((id) => pin('PUT', id)));
  assert.deepEqual(
    pinned.map(({ status, json }) => [status, json.pinned]),
    [
      [200, true],
      [200, true],
      [200, true],
    ],
  );
  assert.equal((await pin('PUT', first)).headers.get('etag'), '"m2"');
  const room = async () => (await people.send('GET', '/api/room/ops', { as: 'ben' })).json;
  assert.deepEqual((await room()).pinned, [third, first, second]);
  await pin('DELETE', first);
  await people.send('DELETE', `/api/message/${second}`, { as: 'ben' });
  const { pinned: left, version } = await room();
  assert.deepEqual([left, version], [[third], 6]);
});

test('a room has at most 50 pinned messages', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const answers = await Promise.all(
    Array.from({ length: 51 }, async (_, n) => {
      const id = `message-${n}`;
      await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { id, body: 'x' } });
      return rooms.send('PUT', `/api/message/${id}/pin`, { as: 'ana' });
    }),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array.from({ length: 50 }, () => 200), 409]);
});
