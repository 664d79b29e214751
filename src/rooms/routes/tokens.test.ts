import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { bootstrapAdmin } from '../authentication/authentication/bootstrap.ts';
import { inspectTokenSecret } from '../authentication/token-secret.ts';
import { openTestRooms, type RequestParts, type TestRooms } from '../testing/app.ts';

const ADMIN = 'the secret of the admin, only here';
const START = Date.parse('2026-03-01T12:00:00.000Z');

const bearer = (secret: string, parts: RequestParts = {}): RequestParts => ({
  ...parts,
  headers: { authorization: `Bearer ${secret}`, ...parts.headers },
});

async function open(t: Cleanup) {
  const clock = new FakeClock(START);
  const rooms = await openTestRooms(t, {
    options: { auth: 'token', adminToken: ADMIN.replaceAll(' ', '-'), rateLimits: false },
    clock,
  });
  const admin = (parts?: RequestParts) => bearer(ADMIN.replaceAll(' ', '-'), parts);
  await rooms.send('POST', '/api/user', admin({ body: { id: 'ana', name: 'Ana' } }));
  return { rooms, clock, admin };
}

async function tokenOf(rooms: TestRooms, asked: RequestParts): Promise<{ secret: string; id: string }> {
  const answer = await rooms.send('POST', '/api/token', asked);
  assert.equal(answer.status, 201, answer.text);
  return { secret: answer.json.secret, id: answer.json.token.id };
}

describe('authentication', () => {
  test('a request without a token is refused, with a hint', async (t) => {
    const { rooms } = await open(t);
    const answer = await rooms.send('GET', '/api/me');
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    assert.equal(answer.headers.get('x-error-code'), 'unauthenticated');
    assert.match(answer.json, /Authorization: Bearer/);
  });

  test('X-Opsdeck-User is no authentication', async (t) => {
    const { rooms } = await open(t);
    assert.equal((await rooms.send('GET', '/api/me', { as: 'admin' })).status, 401);
  });

  test('a typo and an unknown token have different answers, and both are 401', async (t) => {
    const { rooms, admin } = await open(t);
    const { secret } = await tokenOf(rooms, admin({ body: { name: 'ci', userId: 'ana' } }));
    assert.equal(inspectTokenSecret(secret), 'whole');
    const typo = await rooms.send(
      'GET',
      '/api/me',
      bearer(`${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`),
    );
    assert.equal(typo.status, 401);
    assert.match(typo.json, /checksum/);
    const unknown = await rooms.send('GET', '/api/me', bearer('somebody-elses-secret'));
    assert.equal(unknown.status, 401);
    assert.match(unknown.json, /not known/);
    for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer a b', secret])
      assert.equal((await rooms.send('GET', '/api/me', { headers: { authorization } })).status, 401, authorization);
  });

  test('guesses are slowed down, valid tokens are not', async (t) => {
    const { rooms, admin } = await open(t);
    for (let i = 0; i < 20; i++) assert.equal((await rooms.send('GET', '/api/me', bearer(`guess-${i}`))).status, 401);
    const answer = await rooms.send('GET', '/api/me', bearer('guess-21'));
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    assert.equal((await rooms.send('GET', '/api/me', admin())).status, 200);
  });

  test('a token does not outlive its time', async (t) => {
    const { rooms, clock, admin } = await open(t);
    const expiresAt = '2026-03-01T13:00:00.000Z';
    const { secret } = await tokenOf(rooms, admin({ body: { name: 'hour', userId: 'ana', expiresAt } }));
    const me = await rooms.send('GET', '/api/me', bearer(secret));
    assert.equal(me.json.expiresAt, expiresAt);
    assert.equal(me.json.id, 'ana');
    clock.advance(3_600_000);
    const late = await rooms.send('GET', '/api/me', bearer(secret));
    assert.equal(late.status, 401);
    assert.equal(late.headers.get('x-error-code'), 'token_expired');
  });

  test('a disabled user is out at once, and the tokens stay revoked', async (t) => {
    const { rooms, admin } = await open(t);
    const { secret, id } = await tokenOf(rooms, admin({ body: { name: 'ci', userId: 'ana' } }));
    const revoked: unknown[] = [];
    rooms.core.writer.onCommit((events) => revoked.push(...events.map(({ event }) => event)));
    assert.equal((await rooms.send('DELETE', '/api/user/ana', admin())).json.disabled, true);
    assert.deepEqual(revoked, [{ type: 'token.revoked', roomId: null, audience: 'ana', tokenId: id }]);
    assert.equal((await rooms.send('GET', '/api/me', bearer(secret))).status, 401);
    await rooms.send('PUT', '/api/user/ana', admin({ body: { name: 'Ana' } }));
    assert.equal((await rooms.send('GET', '/api/me', bearer(secret))).status, 401);
  });
});

describe('POST /api/token', () => {
  test('shows the secret this once, and keeps a hash', async (t) => {
    const { rooms, admin } = await open(t);
    const { secret, id } = await tokenOf(rooms, admin({ body: { name: 'ci', userId: 'ana', scopes: ['read'] } }));
    const one = await rooms.send('GET', `/api/token/${id}`, admin());
    assert.equal(one.json.prefix, secret.slice(0, 8));
    assert.deepEqual(one.json.scopes, ['read']);
    for (const path of ['/api/token', `/api/token/${id}`, '/api/audit', '/metrics', '/health']) {
      const { text } = await rooms.send('GET', path, admin());
      assert.ok(!text.includes(secret.slice(9)), path);
    }
    assert.ok(!rooms.log().includes(secret.slice(9)));
    const stored = JSON.stringify([...rooms.core.state.all('token').values()]);
    assert.ok(!stored.includes(secret.slice(9)));
  });

  test('a token has the rights of its scopes, and no more', async (t) => {
    const { rooms, admin } = await open(t);
    const { secret } = await tokenOf(rooms, admin({ body: { name: 'r', userId: 'ana', scopes: ['read'] } }));
    const denied = await rooms.send('PUT', '/api/me', bearer(secret, { body: { name: 'A' } }));
    assert.equal(denied.status, 403);
    assert.equal(denied.headers.get('x-error-code'), 'scope_missing');
  });

  test('a token makes no token with more rights', async (t) => {
    const { rooms, admin } = await open(t);
    const mine = { name: 'm', userId: 'ana', scopes: ['read', 'manage'] };
    const { secret } = await tokenOf(rooms, admin({ body: mine }));
    const more = await rooms.send('POST', '/api/token', bearer(secret, { body: { name: 'x', scopes: ['write'] } }));
    assert.equal(more.status, 403);
    const others = await rooms.send('POST', '/api/token', bearer(secret, { body: { name: 'x', userId: 'admin' } }));
    assert.equal(others.status, 403);
    const usual = await rooms.send('POST', '/api/token', bearer(secret, { body: { name: 'x' } }));
    assert.deepEqual(usual.json.token.scopes, ['read', 'manage']);
  });

  test('an admin with a token without the scope is no admin', async (t) => {
    const { rooms, admin } = await open(t);
    const { secret } = await tokenOf(rooms, admin({ body: { name: 'weak' } }));
    const me = await rooms.send('GET', '/api/me', bearer(secret));
    assert.equal(me.json.role, 'admin');
    assert.equal(me.json.admin, false);
    assert.equal((await rooms.send('GET', '/api/audit', bearer(secret))).status, 403);
  });

  const wrong: readonly (readonly [object, number, string])[] = [
    [{}, 400, 'invalid_body'],
    [{ name: '' }, 400, 'invalid_body'],
    [{ name: 'x', scopes: [] }, 400, 'invalid_body'],
    [{ name: 'x', scopes: ['all'] }, 400, 'invalid_body'],
    [{ name: 'x', expiresAt: 'tomorrow' }, 400, 'invalid_body'],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 400, 'invalid_body'],
    [{ name: 'x', userId: 'nobody' }, 404, 'user_not_found'],
    [{ name: 'x', roomIds: ['nowhere'] }, 404, 'room_not_found'],
    [{ name: 'x', secret: 'mine' }, 400, 'unknown_field'],
  ];
  for (const [body, status, code] of wrong) {
    test(`${JSON.stringify(body)}: ${status} ${code}`, async (t) => {
      const { rooms, admin } = await open(t);
      const answer = await rooms.send('POST', '/api/token', admin({ body }));
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('x-error-code'), code);
      assert.equal(typeof answer.json, 'string');
    });
  }
});

describe('tokens of others', () => {
  test('are there for admins alone', async (t) => {
    const { rooms, admin } = await open(t);
    await rooms.send('POST', '/api/user', admin({ body: { id: 'ben' } }));
    const ana = await tokenOf(rooms, admin({ body: { name: 'a', userId: 'ana' } }));
    const ben = await tokenOf(rooms, admin({ body: { name: 'b', userId: 'ben' } }));
    const list = await rooms.send('GET', '/api/token', bearer(ana.secret));
    assert.deepEqual(
      list.json.tokens.map(({ id }: { id: string }) => id),
      [ana.id],
    );
    for (const method of ['GET', 'DELETE'])
      assert.equal((await rooms.send(method, `/api/token/${ben.id}`, bearer(ana.secret))).status, 404);
    assert.equal((await rooms.send('GET', '/api/token?limit=2', admin())).json.tokens.length, 2);
  });

  test('a revoked token is refused, and ends its streams', async (t) => {
    const { rooms, admin } = await open(t);
    const { id, secret } = await tokenOf(rooms, admin({ body: { name: 'a', userId: 'ana' } }));
    assert.equal((await rooms.send('DELETE', `/api/token/${id}`, bearer(secret))).status, 200);
    assert.equal((await rooms.send('GET', '/api/me', bearer(secret))).status, 401);
    assert.equal((await rooms.send('DELETE', `/api/token/${id}`, admin())).status, 404);
    const audit = await rooms.send('GET', '/api/audit', admin());
    assert.equal(audit.json.entries[0].action, 'token.revoke');
    assert.equal(audit.json.entries[0].by, 'ana');
  });

  test('the answer of a GET can be put back, and only the name changes', async (t) => {
    const { rooms, admin } = await open(t);
    const { id } = await tokenOf(rooms, admin({ body: { name: 'a', userId: 'ana' } }));
    const { json } = await rooms.send('GET', `/api/token/${id}`, admin());
    const put = await rooms.send('PUT', `/api/token/${id}`, admin({ body: { ...json, name: 'b' } }));
    assert.deepEqual(put.json, { ...json, name: 'b' });
    const more = await rooms.send('PUT', `/api/token/${id}`, admin({ body: { ...json, scopes: ['admin'] } }));
    assert.equal(more.headers.get('x-error-code'), 'immutable_field');
  });
});

test('when a token was last used outlives a restart', async (t) => {
  const { rooms, clock, admin } = await open(t);
  const { id, secret } = await tokenOf(rooms, admin({ body: { name: 'a', userId: 'ana' } }));
  clock.advance(5000);
  await rooms.send('GET', '/api/me', bearer(secret));
  const again = await rooms.restart();
  const token = await again.send('GET', `/api/token/${id}`, admin());
  assert.equal(token.json.lastUsedAt, '2026-03-01T12:00:05.000Z');
  assert.equal((await again.send('GET', '/api/user/ana', admin())).json.lastSeenAt, '2026-03-01T12:00:05.000Z');
});

test('the first start makes a token for the admin, the second does not', async (t) => {
  const rooms = await openTestRooms(t, { options: { auth: 'token' } });
  const { firstToken = '' } = rooms.rooms;
  assert.equal(inspectTokenSecret(firstToken), 'whole');
  assert.equal((await rooms.send('GET', '/api/me', bearer(firstToken))).json.admin, true);
  const again = await rooms.restart();
  assert.equal(again.rooms.firstToken, undefined);
  assert.equal((await again.send('GET', '/api/me', bearer(firstToken))).status, 200);
});

test('a server that ran without sign-in locks out no user at the first start with tokens', async (t) => {
  const clock = new FakeClock(START);
  const open = await openTestRooms(t, { clock });
  for (const body of [
    { name: 'reader', scopes: ['read'] },
    {
      name: 'bound',
      scopes: ['read', 'admin'],
      roomIds: [(await open.send('POST', '/api/room', { body: { name: 'Ops' } })).json.id],
    },
    { name: 'short', scopes: ['read', 'admin'], expiresAt: '2026-03-01T13:00:00.000Z' },
  ])
    await tokenOf(open, { body });
  clock.advance(3_600_000);
  const { firstToken = '' } = (await open.restart({ auth: 'token', exposure: '--base-url https://chat.example.com' }))
    .rooms;
  assert.equal(inspectTokenSecret(firstToken), 'whole');
});

test('in a read-only store, a start without a token for an admin says so', async (t) => {
  const open = await openTestRooms(t);
  await open.send('GET', '/api/me');
  const again = await open.restart({ auth: 'token', readOnly: true });
  assert.equal(again.rooms.firstToken, undefined);
  assert.match(again.log(), /level=WARN .*no token lets an admin in.*without --read-only/);
});

test('another token of the environment replaces the one before', async (t) => {
  const { rooms, clock, admin } = await open(t);
  const { state, writer } = rooms.core;
  assert.equal(await bootstrapAdmin(state, writer, 'another-long-secret', clock.now()), undefined);
  assert.equal((await rooms.send('GET', '/api/me', bearer('another-long-secret'))).json.admin, true);
  assert.equal((await rooms.send('GET', '/api/me', admin())).status, 401);
});

test('a token renamed meanwhile is not renamed or revoked by a request with an old ETag', async (t) => {
  const { rooms, admin } = await open(t);
  const made = await rooms.send('POST', '/api/token', admin({ body: { name: 'ci' } }));
  const path = `/api/token/${made.json.token.id}`;
  const first = made.headers.get('etag') ?? '';
  assert.match(first, /^"t[\w-]{16}"$/);
  assert.equal((await rooms.send('GET', path, admin({ headers: { 'if-none-match': first } }))).status, 304);
  const rename = admin({ body: { name: 'builds' }, headers: { 'if-match': first } });
  const renamed = await rooms.send('PUT', path, rename);
  const second = renamed.headers.get('etag') ?? '';
  assert.equal(renamed.status, 200);
  for (const [method, parts] of [
    ['PUT', rename],
    ['DELETE', admin({ headers: { 'if-match': first } })],
  ] as const) {
    const late = await rooms.send(method, path, parts);
    assert.deepEqual([late.status, late.headers.get('x-error-code')], [412, 'version_mismatch'], method);
  }
  assert.equal((await rooms.send('DELETE', path, admin({ headers: { 'if-match': second } }))).status, 200);
});

test('a token for certain rooms does not rename its user', async (t) => {
  const { rooms, admin } = await open(t);
  await rooms.send('POST', '/api/room', admin({ body: { name: 'Ops', members: ['ana'] } }));
  const bound = await tokenOf(rooms, admin({ body: { name: 'ci', userId: 'ana', roomIds: ['ops'] } }));
  const free = await tokenOf(rooms, admin({ body: { name: 'own', userId: 'ana' } }));
  const put = (secret: string) => rooms.send('PUT', '/api/me', bearer(secret, { body: { name: 'Root' } }));
  const refused = await put(bound.secret);
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'forbidden']);
  assert.equal((await rooms.send('GET', '/api/me', bearer(bound.secret))).json.name, 'Ana');
  assert.equal((await put(free.secret)).json.name, 'Root');
});
