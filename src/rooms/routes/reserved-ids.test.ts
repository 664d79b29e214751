import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record } from '../domain/record.ts';
import { makeUser } from '../domain/user/new-user.ts';
import { openTestRooms } from '../testing/app.ts';

const RESERVED = ['system', 'server', 'me', 'opsdeck', 'all'];
/** Inputs that a caller may try to get such an id. */
const LOOKALIKES = ['System', 'SERVER', 'me ', ' opsdeck', 'me\u200b', '\u202esystem', 'ｍｅ', 'ѕystem', 'me\u0000'];
const ADMIN = 'the-secret-of-the-admin';

test('no user or bot has the name of the server', async (t) => {
  const rooms = await openTestRooms(t);
  for (const id of [...RESERVED, ...LOOKALIKES])
    for (const kind of ['human', 'bot', 'bridge']) {
      const made = await rooms.send('POST', '/api/user', { body: { id, kind } });
      assert.ok(made.status === 400 || made.status === 409, `${id}: ${made.status}`);
    }
  for (const id of RESERVED) assert.equal(rooms.core.state.get('user', id), undefined, id);
  const refused = await rooms.send('POST', '/api/user', { body: { id: 'system' } });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [409, 'name_taken']);
  assert.match(refused.json, /^the id system is reserved/);
});

test('without sign-in, no caller becomes such a user by naming it', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  for (const id of RESERVED) {
    assert.equal((await rooms.send('GET', '/api/me', { as: id })).status, 401, id);
    assert.equal((await rooms.send('PUT', `/api/room/ops/member/${id}`, { body: {} })).status, 404, id);
    const room = await rooms.send('POST', '/api/room', { body: { name: 'x', members: [id] } });
    assert.equal(room.status, 400, id);
    assert.equal(rooms.core.state.get('user', id), undefined, id);
  }
});

test('no caller becomes such a user by an invite, by a chosen id or by one made of a name', async (t) => {
  const rooms = await openTestRooms(t, { options: { auth: 'token', adminToken: ADMIN } });
  const headers = { authorization: `Bearer ${ADMIN}` };
  await rooms.send('POST', '/api/room', { headers, body: { name: 'Ops' } });
  const { code } = (await rooms.send('POST', '/api/room/ops/invite', { headers, body: {} })).json;
  for (const id of RESERVED) {
    const chosen = await rooms.send('POST', '/api/session', { body: { invite: code, name: 'x', id } });
    assert.deepEqual([chosen.status, chosen.headers.get('x-error-code')], [409, 'name_taken'], id);
  }
  for (const name of ['System', 'ME', 'Ｓｅｒｖｅｒ', 'opsdeck\u200b'.replace('\u200b', '!')]) {
    const made = await rooms.send('POST', '/api/session', { body: { invite: code, name } });
    assert.equal(made.status, 201, made.text);
    assert.ok(!RESERVED.includes(made.json.user.id), made.json.user.id);
  }
});

test('no room takes such a name in paths; a room with it as its name gets another', async (t) => {
  const rooms = await openTestRooms(t);
  const refused = await rooms.send('POST', '/api/room', { body: { name: 'x', slug: 'system' } });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [409, 'name_taken']);
  const made = await rooms.send('POST', '/api/room', { body: { name: 'System' } });
  assert.deepEqual([made.status, made.json.slug], [201, 'system-2']);
  const moved = await rooms.send('PUT', '/api/room/system-2', { body: { name: 'System', slug: 'me' } });
  assert.equal(moved.status, 409);
});

test('earlier ones keep working', async (t) => {
  const rooms = await openTestRooms(t);
  const { id } = (await rooms.send('POST', '/api/room', { body: { name: 'Old' } })).json;
  const room = rooms.core.state.get('room', id);
  if (!room) throw new Error('the room is not there');
  const records = [
    record('user', 'system', makeUser('system', 0, { role: 'admin' })),
    record('room', id, { ...room, slug: 'server' }),
    record('slug', 'server', { roomId: id }),
    record('slug', 'old', null),
  ];
  await rooms.core.writer.submit({ decide: () => ({ ok: true, write: { records }, answer: () => true }) });
  assert.equal((await rooms.send('GET', '/api/me', { as: 'system' })).json.id, 'system');
  const put = { name: 'System', role: 'admin' };
  assert.equal((await rooms.send('PUT', '/api/user/system', { body: put })).json.name, 'System');
  const { json } = await rooms.send('GET', '/api/room/server');
  const { me, ...body } = json;
  assert.ok(me);
  const renamed = await rooms.send('PUT', '/api/room/server', { body: { ...body, name: 'Older' } });
  assert.deepEqual([renamed.status, renamed.json.slug, renamed.json.name], [200, 'server', 'Older']);
  assert.equal((await rooms.send('PUT', '/api/room/server/member/system', { body: {} })).status, 201);
});
