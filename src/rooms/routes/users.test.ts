import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestRooms } from '../../testing/rooms-app.ts';

describe('POST /api/user', () => {
  test('makes a user with what was left out at its default', async (t) => {
    const rooms = await openTestRooms(t);
    const answer = await rooms.send('POST', '/api/user', { body: { id: 'ana' } });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers.get('location'), '/api/user/ana');
    const { createdAt, avatarColor, ...user } = answer.json;
    assert.deepEqual(user, { id: 'ana', name: 'ana', kind: 'human', role: 'user', disabled: false, lastSeenAt: null });
    assert.match(avatarColor, /^#[0-9a-f]{6}$/);
    assert.ok(Date.parse(createdAt) > 0);
  });

  const wrong: readonly (readonly [unknown, number, string])[] = [
    [{ id: 'Ana' }, 400, 'invalid_body'],
    [{ id: '../x' }, 400, 'invalid_body'],
    [{ id: 'ben' }, 409, 'name_taken'],
    [{ name: 'no id' }, 400, 'invalid_body'],
    [{ id: 'kim', name: 'a\u0000b' }, 400, 'invalid_body'],
    [{ id: 'kim', name: 'x'.repeat(61) }, 400, 'invalid_body'],
    [{ id: 'kim', name: '\ud800' }, 400, 'invalid_body'],
    [{ id: 'kim', kind: 'system' }, 400, 'invalid_body'],
    [{ id: 'kim', disabled: true }, 400, 'unknown_field'],
    [[], 400, 'invalid_body'],
    [null, 400, 'invalid_body'],
  ];
  for (const [body, status, code] of wrong) {
    test(`${JSON.stringify(body).slice(0, 40)}: ${status} ${code}`, async (t) => {
      const rooms = await openTestRooms(t);
      await rooms.send('POST', '/api/user', { body: { id: 'ben' } });
      const answer = await rooms.send('POST', '/api/user', { body });
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers.get('x-error-code'), code);
    });
  }
});

test('what GET answers of a user can be put back', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/user', { body: { id: 'ana', name: 'Ana', kind: 'bot', avatarColor: '#123456' } });
  const { json } = await rooms.send('GET', '/api/user/ana');
  const put = await rooms.send('PUT', '/api/user/ana', { body: json });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(put.json, json);
  const moved = await rooms.send('PUT', '/api/user/ana', { body: { ...json, id: 'ben' } });
  assert.equal(moved.headers.get('x-error-code'), 'immutable_field');
});

test('the last admin stays one', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('GET', '/api/me');
  for (const [method, body] of [
    ['PUT', { name: 'x', role: 'user' }],
    ['PUT', { name: 'x', role: 'admin', disabled: true }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await rooms.send(method, '/api/user/local', body ? { body } : {});
    assert.equal(answer.status, 409, method);
    assert.equal(answer.headers.get('x-error-code'), 'last_owner');
  }
  await rooms.send('GET', '/api/me', { as: 'ana' });
  assert.equal((await rooms.send('DELETE', '/api/user/local', { as: 'ana' })).status, 200);
  assert.equal((await rooms.send('GET', '/api/me')).status, 401);
});

test('users are listed by id, in pages, and found by the beginning of an id or a part of a name', async (t) => {
  const rooms = await openTestRooms(t);
  for (const [id, name] of [
    ['kim', 'Kim'],
    ['ana', 'Ana of the night shift'],
    ['ben', 'Ben'],
  ] as const)
    await rooms.send('POST', '/api/user', { body: { id, name } });
  const seen: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { json } = await rooms.send('GET', `/api/user?limit=2&next=${next}`);
    seen.push(...json.users.map(({ id }: { id: string }) => id));
    next = json.next;
  }
  assert.deepEqual(seen, ['ana', 'ben', 'kim', 'local']);
  const found = async (q: string) =>
    (await rooms.send('GET', `/api/user?q=${q}`)).json.users.map(({ id }: { id: string }) => id);
  assert.deepEqual(await found('NIGHT'), ['ana']);
  assert.deepEqual(await found('be'), ['ben']);
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'next=%00'])
    assert.equal((await rooms.send('GET', `/api/user?${query}`)).status, 400, query);
});

test('everybody changes his own name, and nothing else of himself', async (t) => {
  const rooms = await openTestRooms(t);
  const { json } = await rooms.send('GET', '/api/me', { as: 'ana' });
  const put = await rooms.send('PUT', '/api/me', { as: 'ana', body: { ...json, name: 'Ana' } });
  assert.equal(put.status, 200, put.text);
  assert.equal(put.json.name, 'Ana');
  const promoted = await rooms.send('PUT', '/api/me', { as: 'ana', body: { ...json, role: 'user' } });
  assert.equal(promoted.headers.get('x-error-code'), 'immutable_field');
});

test('a name that can be no id lets nobody in', async (t) => {
  const rooms = await openTestRooms(t);
  for (const as of ['../etc', 'Ana', 'a b', 'x'.repeat(65)])
    assert.equal((await rooms.send('GET', '/api/me', { as })).status, 401, as);
  assert.equal((await rooms.send('GET', '/api/me', { as: '' })).json.id, 'local');
});
