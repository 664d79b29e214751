import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { openTestRooms } from '../testing/app.ts';

test('rooms are listed by their last message, page by page, and filtered', async (t) => {
  const clock = new FakeClock();
  const { send } = await openTestRooms(t, { clock });
  for (const [name, labels] of [
    ['A', { team: 'pay' }],
    ['B', { team: 'pay', env: 'prod' }],
    ['C', {}],
    ['D', {}],
  ] as const)
    await send('POST', '/api/room', { as: 'ana', body: { name, labels, topic: `of ${name}x` } });
  for (const slug of ['c', 'a', 'b']) {
    clock.advance(1);
    assert.equal((await send('POST', `/api/room/${slug}/message`, { as: 'ana', body: { body: 'x' } })).status, 201);
  }
  const list = async (query: string, as = 'ana') => {
    const answer = await send('GET', `/api/room?${query}`, { as });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  const slugs = (answer: { json: { rooms: { slug: string }[] } }) => answer.json.rooms.map(({ slug }) => slug).join('');
  assert.equal(slugs(await list('')), 'bacd');
  const first = await list('limit=3');
  assert.equal(slugs(first), 'bac');
  assert.match(first.headers.get('link') ?? '', /rel="next"$/);
  const last = await list(`limit=3&next=${first.json.next}`);
  assert.deepEqual([slugs(last), last.json.next], ['d', null]);
  assert.equal(slugs(await list('label=team=pay')), 'ba');
  assert.equal(slugs(await list('label=team=pay&label=env=prod')), 'b');
  assert.equal(slugs(await list('q=OF%20c')), 'c');
  assert.equal(slugs(await list('joined=true', 'ben')), '');
  assert.equal(slugs(await list('joined=false&limit=1', 'ben')), 'b');
  await send('PUT', '/api/room/a', { as: 'ana', body: { name: 'A', archived: true } });
  await send('PUT', '/api/room/b/me', { as: 'ana', body: { archived: true } });
  assert.equal(slugs(await list('joined=true')), 'cd');
  assert.equal(slugs(await list('archived=true')), 'ba');
  assert.equal(slugs(await list('archived=any')), 'bacd');
  for (const query of ['limit=0', 'limit=201', 'joined=maybe', 'label=x', 'colour=red', 'limit=1&limit=2'])
    assert.equal((await send('GET', `/api/room?${query}`)).headers.get('x-error-code'), 'invalid_query', query);
  assert.equal((await send('GET', '/api/room?next=!!!')).headers.get('x-error-code'), 'invalid_cursor');
});

test('one request opens a room: last messages, members, and a cursor from before', async (t) => {
  const { send, core } = await openTestRooms(t);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
  for (const body of ['1', '2', '3']) await send('POST', '/api/room/ops/message', { as: 'ana', body: { body } });
  const opened = (await send('GET', '/api/room/ops?messages=2', { as: 'ben' })).json;
  assert.deepEqual(
    opened.messages.map(({ body }: { body: string }) => body),
    ['2', '3'],
  );
  assert.equal(opened.members.length, 2);
  assert.equal(opened.cursor, `${core.feed.epoch}-${core.writer.pos}`);
  assert.equal(opened.me.unread, 3);
  assert.deepEqual((await send('GET', '/api/room/ops?messages=0', { as: 'ben' })).json.messages, []);
  assert.equal((await send('GET', '/api/room/ops?messages=201')).status, 400);
});
