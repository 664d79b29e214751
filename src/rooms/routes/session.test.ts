import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type RequestParts } from '../testing/app.ts';

const ADMIN = 'the-secret-of-the-admin';
const admin = (parts: RequestParts = {}): RequestParts => ({
  ...parts,
  headers: { authorization: `Bearer ${ADMIN}`, ...parts.headers },
});

async function open(t: Cleanup, baseUrl?: string) {
  const options = { auth: 'token', adminToken: ADMIN, baseUrl, rateLimits: false } as const;
  const rooms = await openTestRooms(t, { options, clock: new FakeClock() });
  const signIn = async (body: object) => {
    const answer = await rooms.send('POST', '/api/session', { body });
    const cookie = answer.headers.get('set-cookie') ?? '';
    return { answer, cookie, headers: { cookie: `theme=dark; ${cookie.split(';')[0]}` } };
  };
  return { rooms, signIn };
}

describe('a session', () => {
  test('begins with a token, and holds as a cookie that no script reads', async (t) => {
    const { rooms, signIn } = await open(t);
    const { answer, cookie, headers } = await signIn({ token: ADMIN });
    assert.equal(answer.status, 201);
    assert.equal(answer.json.user.id, 'admin');
    assert.match(cookie, /^opsdeck_session=odr_\w{46}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    assert.ok(!answer.text.includes('odr_'));
    assert.equal((await rooms.send('GET', '/api/me', { headers })).json.admin, true);
  });

  test('goes over HTTPS alone if the server is reached by it', async (t) => {
    const { signIn } = await open(t, 'https://chat.example.com');
    assert.match((await signIn({ token: ADMIN })).cookie, /; Secure$/);
  });

  test('is not sent to other programs on the same host', async (t) => {
    for (const [baseUrl, path] of [
      ['https://example.com/chat', '/chat'],
      ['http://example.com/ops/chat/', '/ops/chat'],
      ['http://example.com', '/'],
      ['http://example.com/a;b', '/'],
    ] as const) {
      const { rooms, signIn } = await open(t, baseUrl);
      const { cookie, headers } = await signIn({ token: ADMIN });
      assert.equal(/; Path=([^;]+);/.exec(cookie)?.[1], path);
      const out = await rooms.send('DELETE', '/api/session', { headers });
      assert.match(out.headers.get('set-cookie') ?? '', new RegExp(`; Path=${path}; Max-Age=0;`));
    }
  });

  test('ends when it is signed out of', async (t) => {
    const { rooms, signIn } = await open(t);
    const { headers } = await signIn({ token: ADMIN });
    const out = await rooms.send('DELETE', '/api/session', { headers });
    assert.equal(out.status, 204);
    assert.match(out.headers.get('set-cookie') ?? '', /^opsdeck_session=; .*Max-Age=0/);
    assert.equal((await rooms.send('GET', '/api/session', { headers })).status, 401);
    assert.equal((await rooms.send('GET', '/api/me', admin())).status, 200);
  });

  test('ends with the token that began it', async (t) => {
    const { rooms, signIn } = await open(t);
    await rooms.send('POST', '/api/user', admin({ body: { id: 'ana' } }));
    const { json } = await rooms.send('POST', '/api/token', admin({ body: { name: 'page', userId: 'ana' } }));
    const { headers } = await signIn({ token: json.secret });
    assert.equal((await rooms.send('GET', '/api/me', { headers })).json.id, 'ana');
    await rooms.send('DELETE', `/api/token/${json.token.id}`, admin());
    assert.equal((await rooms.send('GET', '/api/me', { headers })).status, 401);
  });

  test('that began with another session ends with the token of both', async (t) => {
    const { rooms, signIn } = await open(t);
    await rooms.send('POST', '/api/user', admin({ body: { id: 'ana' } }));
    const { json } = await rooms.send('POST', '/api/token', admin({ body: { name: 'page', userId: 'ana' } }));
    const first = await signIn({ token: json.secret });
    const second = await signIn({ token: first.cookie.split(/[=;]/)[1] });
    const { headers } = await signIn({ token: second.cookie.split(/[=;]/)[1] });
    assert.equal((await rooms.send('DELETE', '/api/session', first)).status, 204);
    assert.equal((await rooms.send('GET', '/api/me', { headers })).json.id, 'ana');
    await rooms.send('DELETE', `/api/token/${json.token.id}`, admin());
    assert.equal((await rooms.send('GET', '/api/me', { headers })).status, 401);
  });

  test('is not to be used from a page of another site', async (t) => {
    const { rooms, signIn } = await open(t);
    const { headers } = await signIn({ token: ADMIN });
    const body = { name: 'x' };
    const foreign = { ...headers, origin: 'https://evil.example' };
    assert.equal((await rooms.send('PUT', '/api/me', { headers: foreign, body })).status, 403);
    const own = { ...headers, origin: 'http://127.0.0.1:8065' };
    assert.equal((await rooms.send('PUT', '/api/me', { headers: own, body })).status, 200);
    const login = { origin: 'https://evil.example' };
    assert.equal((await rooms.send('POST', '/api/session', { headers: login, body: { token: ADMIN } })).status, 403);
  });
});

test('an invite makes a user, a member of its room, and signs the user in', async (t) => {
  const { rooms, signIn } = await open(t);
  await rooms.send('POST', '/api/room', admin({ body: { name: 'Ops', visibility: 'private' } }));
  const invite = await rooms.send('POST', '/api/room/ops/invite', admin({ body: { maxUses: 2 } }));
  const { code } = invite.json;
  const { answer, headers } = await signIn({ invite: code, name: 'Ana María' });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.json.user.id, 'ana-mari-a');
  const room = await rooms.send('GET', '/api/room/ops', { headers });
  assert.equal(room.json.me.role, 'member');
  assert.equal((await signIn({ invite: code, name: 'X', id: 'ana-mari-a' })).answer.status, 409);
  assert.equal((await signIn({ invite: code, name: 'Ana María' })).answer.json.user.id, 'ana-mari-a-2');
  assert.equal((await signIn({ invite: code, name: 'late' })).answer.status, 404);
});

test('codes of invites cannot be guessed for long', async (t) => {
  const { signIn } = await open(t);
  const statuses = new Set<number>();
  for (let i = 0; i < 25; i++) statuses.add((await signIn({ invite: `guess${i}`, name: 'x' })).answer.status);
  assert.deepEqual([...statuses], [404, 429]);
});

test('an invalid sign-in is refused by name', async (t) => {
  const { signIn } = await open(t);
  const wrong: readonly (readonly [object, number])[] = [
    [{}, 400],
    [{ token: '' }, 400],
    [{ token: 'x', invite: 'y', name: 'z' }, 400],
    [{ invite: 'abc' }, 400],
    [{ token: 'x', password: 'y' }, 400],
    [{ token: 'wrong-secret' }, 401],
  ];
  for (const [body, status] of wrong) assert.equal((await signIn(body)).answer.status, status, JSON.stringify(body));
});

test('without sign-in, every caller is in already', async (t) => {
  const rooms = await openTestRooms(t);
  const answer = await rooms.send('POST', '/api/session', { body: {} });
  assert.equal(answer.status, 200);
  assert.equal(answer.json.user.id, 'local');
  assert.equal(answer.headers.get('set-cookie'), null);
});
