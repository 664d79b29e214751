import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestRooms } from '../testing/app.ts';

describe('POST /api/user', () => {
  test('makes a user with defaults for omitted fields', async (t) => {
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

test('the answer of a GET of a user can be put back', async (t) => {
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

test('a name that looks like another by invisible characters is refused', async (t) => {
  const rooms = await openTestRooms(t);
  const unseen = ['\u200b', '\u200f', '\u202e', '\u2060', '\ufeff', '\u061c', '\u3164', '\u2800', '\u{e0041}'];
  for (const sign of unseen) {
    for (const name of [`an${sign}a`, `ana${sign}`]) {
      const asUser = await rooms.send('POST', '/api/user', { body: { id: 'ana2', name } });
      // Characters trimmed from a name cannot deceive.
      const isRefused = asUser.status === 400 || asUser.json.name === 'ana';
      assert.equal(isRefused, true, `${JSON.stringify(name)}: ${asUser.status}`);
      if (asUser.status === 201) continue;
      const asMe = await rooms.send('PUT', '/api/me', { as: 'ben', body: { name } });
      assert.equal(asMe.status, 400, JSON.stringify(name));
    }
  }
  for (const name of [
    'Zoë',
    '日本',
    'می\u200cخواهم',
    'Kim 👩\u200d💻',
    'Pat \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  ])
    assert.equal((await rooms.send('PUT', '/api/me', { as: 'kim', body: { name } })).status, 200, name);
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

test('every user changes their own name, and no other field', async (t) => {
  const rooms = await openTestRooms(t);
  const { json } = await rooms.send('GET', '/api/me', { as: 'ana' });
  const put = await rooms.send('PUT', '/api/me', { as: 'ana', body: { ...json, name: 'Ana' } });
  assert.equal(put.status, 200, put.text);
  assert.equal(put.json.name, 'Ana');
  const promoted = await rooms.send('PUT', '/api/me', { as: 'ana', body: { ...json, role: 'user' } });
  assert.equal(promoted.headers.get('x-error-code'), 'immutable_field');
});

test('a name that gives no valid id is refused', async (t) => {
  const rooms = await openTestRooms(t);
  for (const as of ['../etc', 'Ana', 'a b', 'x'.repeat(65)])
    assert.equal((await rooms.send('GET', '/api/me', { as })).status, 401, as);
  assert.equal((await rooms.send('GET', '/api/me', { as: '' })).json.id, 'local');
});

test('a version changed since it was read is not changed again, for users and for oneself', async (t) => {
  const { send } = await openTestRooms(t);
  const made = await send('POST', '/api/user', { body: { id: 'ana', name: 'Ana' } });
  const first = made.headers.get('etag') ?? '';
  assert.match(first, /^"u[\w-]{16}"$/);
  const read = await send('GET', '/api/user/ana');
  assert.equal(read.headers.get('etag'), first);
  const known = await send('GET', '/api/user/ana', { headers: { 'if-none-match': first } });
  assert.deepEqual([known.status, known.text], [304, '']);
  const mine = await send('GET', '/api/me', { as: 'ana', headers: { 'if-none-match': first } });
  assert.equal(mine.status, 304);
  const put = { body: { name: 'Ana B' }, headers: { 'if-match': first } };
  const changed = await send('PUT', '/api/me', { as: 'ana', ...put });
  assert.equal(changed.status, 200, changed.text);
  const second = changed.headers.get('etag');
  assert.notEqual(second, first);
  for (const [method, path, parts] of [
    ['PUT', '/api/me', { as: 'ana', ...put }],
    ['PUT', '/api/user/ana', put],
    ['DELETE', '/api/user/ana', { headers: put.headers }],
  ] as const) {
    const late = await send(method, path, parts);
    assert.deepEqual([late.status, late.headers.get('x-error-code')], [412, 'version_mismatch'], `${method} ${path}`);
    assert.equal(late.headers.get('etag'), second);
  }
  assert.equal((await send('GET', '/api/user/ana', { headers: { 'if-none-match': first } })).status, 200);
  const disabled = await send('DELETE', '/api/user/ana', { headers: { 'if-match': second ?? '' } });
  assert.equal(disabled.json.disabled, true);
  assert.notEqual(disabled.headers.get('etag'), second);
});

test('with --require-if-match users, tokens and members are not changed without it', async (t) => {
  const { send } = await openTestRooms(t, { options: { requireIfMatch: true } });
  await send('POST', '/api/user', { body: { id: 'ana' } });
  await send('POST', '/api/room', { body: { name: 'Ops' } });
  const { json } = await send('POST', '/api/token', { body: { name: 'ci' } });
  const anew = await send('PUT', '/api/room/ops/member/ana', { body: {}, headers: { 'if-none-match': '*' } });
  assert.equal(anew.status, 201);
  for (const [method, path, body] of [
    ['PUT', '/api/room/ops/member/ana', { role: 'admin' }],
    ['DELETE', '/api/room/ops/member/ana', undefined],
    ['PUT', `/api/token/${json.token.id}`, { name: 'new' }],
    ['DELETE', `/api/token/${json.token.id}`, undefined],
    ['PUT', '/api/me', { name: 'me' }],
    ['PUT', '/api/user/ana', { name: 'Ana' }],
    ['DELETE', '/api/user/ana', undefined],
  ] as const) {
    const parts = body ? { body } : {};
    const blind = await send(method, path, parts);
    assert.deepEqual([blind.status, blind.headers.get('x-error-code')], [428, 'precondition_required'], path);
    const seen = await send(method, path, { ...parts, headers: { 'if-match': '*' } });
    assert.ok(seen.status === 200 || seen.status === 204, `${method} ${path}: ${seen.text}`);
  }
});
