import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { record } from '../domain/record.ts';
import { openTestRooms, type RequestParts } from '../testing/app.ts';

const ADMIN = 'the-secret-of-the-admin';
const START = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = '2026-03-01T13:00:00.000Z';

const bearer = (secret: string, parts: RequestParts = {}): RequestParts => ({
  ...parts,
  headers: { authorization: `Bearer ${secret}`, ...parts.headers },
});

interface Made {
  readonly id: string;
  readonly secret: string;
}

async function open(t: Cleanup) {
  const clock = new FakeClock(START);
  const rooms = await openTestRooms(t, { options: { auth: 'token', adminToken: ADMIN }, clock });
  const send = (secret: string, method: string, path: string, body?: object) =>
    rooms.send(method, path, bearer(secret, body === undefined ? {} : { body }));
  for (const id of ['ana', 'ben']) await send(ADMIN, 'POST', '/api/user', { id });
  for (const name of ['Ops', 'Dev'])
    await send(ADMIN, 'POST', '/api/room', { name, members: ['ana'], visibility: 'private' });
  const make = async (parent: string, body: object): Promise<Made> => {
    const answer = await send(parent, 'POST', '/api/token', { name: 'x', ...body });
    assert.equal(answer.status, 201, answer.text);
    return { id: answer.json.token.id, secret: answer.json.secret };
  };
  const status = async (secret: string) => (await send(secret, 'GET', '/api/me')).status;
  const signIn = async (token: string): Promise<string> => {
    const answer = await rooms.send('POST', '/api/session', { body: { token } });
    assert.equal(answer.status, 201, answer.text);
    return /^opsdeck_session=(odr_\w+);/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '';
  };
  return { rooms, clock, send, make, status, signIn };
}

const ALL = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'admin', 'export'];

describe('a token makes none with more rights', () => {
  test('an admin token for one room and one hour makes none of all rooms, for ever, with all scopes', async (t) => {
    const { send, make } = await open(t);
    const weak = await make(ADMIN, { scopes: ['read', 'manage', 'admin'], roomIds: ['ops'], expiresAt: HOUR });
    const more = await send(weak.secret, 'POST', '/api/token', { name: 'x', scopes: ALL });
    assert.deepEqual([more.status, more.headers.get('x-error-code')], [403, 'scope_missing']);
    const others = await send(weak.secret, 'POST', '/api/token', { name: 'x', userId: 'ana' });
    assert.equal(others.status, 403);
    const plain = await send(weak.secret, 'POST', '/api/token', { name: 'x' });
    const { scopes, roomIds, expiresAt } = plain.json.token;
    const bound = (await send(weak.secret, 'GET', '/api/me')).json.roomIds;
    assert.deepEqual([scopes, roomIds, expiresAt], [['read', 'manage'], bound, HOUR]);
    const elsewhere = await send(weak.secret, 'POST', '/api/token', { name: 'x', roomIds: ['dev'] });
    assert.equal(elsewhere.status, 404);
  });

  test('an admin token of an hour makes no longer one, for any user', async (t) => {
    const { clock, make, status, signIn } = await open(t);
    const hour = await make(ADMIN, { scopes: ALL, expiresAt: HOUR });
    const own = await make(hour.secret, { scopes: ALL });
    const ana = await make(hour.secret, { userId: 'ana', expiresAt: '2027-01-01T00:00:00.000Z' });
    const session = await signIn(own.secret);
    const ofSession = await make(session, {});
    const secrets = [own.secret, ana.secret, session, ofSession.secret];
    assert.deepEqual(await Promise.all(secrets.map(status)), [200, 200, 200, 200]);
    clock.advance(3_600_000);
    assert.deepEqual(await Promise.all(secrets.map(status)), [401, 401, 401, 401]);
  });

  test('a room-limited admin token does not change the whole server', async (t) => {
    const { send, make } = await open(t);
    const weak = await make(ADMIN, { scopes: ALL, roomIds: ['ops'] });
    const copilot = { provider: 'openai', model: 'm', trigger: 'mention' };
    for (const [method, path, body] of [
      ['PUT', '/api/room/ops', { copilot: { ...copilot, baseUrl: 'https://models.example.com/v1' } }],
      ['PUT', '/api/room/ops', { copilot: { ...copilot, secretRef: 'env:OPSDECK_COPILOT_KEY' } }],
      ['DELETE', '/api/room/ops?purge=now', undefined],
      ['GET', '/api/audit', undefined],
      ['GET', '/api/provider', undefined],
      ['POST', '/api/provider', { name: 'p', kind: 'echo' }],
      ['POST', '/api/user', { id: 'mallory' }],
      ['DELETE', '/api/user/ana', undefined],
      ['POST', '/api/hook', { direction: 'outgoing', name: 'h', url: 'https://example.com/' }],
      [
        'POST',
        '/api/hook',
        { direction: 'outgoing', name: 'h', roomId: 'ops', url: 'http://127.0.0.1:1/', allowPrivate: true },
      ],
      ['POST', '/api/room', { name: 'more' }],
      ['POST', '/api/import', {}],
    ] as const) {
      const answer = await send(weak.secret, method, path, body);
      assert.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
    }
    assert.equal((await send(ADMIN, 'GET', '/api/room/ops')).status, 200);
    const { role, admin } = (await send(weak.secret, 'GET', '/api/me')).json;
    assert.deepEqual([role, admin], ['admin', false]);
  });

  test('a user by an invite of a room-limited token reaches that room alone', async (t) => {
    const { rooms, send, make } = await open(t);
    await send(ADMIN, 'POST', '/api/room', { name: 'Open' });
    const weak = await make(ADMIN, { scopes: ALL, roomIds: ['ops'] });
    const { code } = (await send(weak.secret, 'POST', '/api/room/ops/invite', {})).json;
    const came = await rooms.send('POST', '/api/session', { body: { invite: code, name: 'Mallory' } });
    const [cookie = ''] = (came.headers.get('set-cookie') ?? '').split(';');
    const get = async (path: string) => (await rooms.send('GET', path, { headers: { cookie } })).status;
    assert.deepEqual([await get('/api/room/ops'), await get('/api/room/open')], [200, 404]);
    const made = await rooms.send('POST', '/api/room', { headers: { cookie }, body: { name: 'Own' } });
    assert.equal(made.status, 403);
  });

  test('an invite ends with the token that made it, at the latest', async (t) => {
    const { clock, send, make } = await open(t);
    const hour = await make(ADMIN, { scopes: ALL, expiresAt: HOUR });
    const made = await send(hour.secret, 'POST', '/api/room/ops/invite', { expiresAt: '2026-03-20T00:00:00.000Z' });
    assert.equal(made.json.expiresAt, HOUR);
    clock.advance(3_600_000);
    assert.equal((await send(ADMIN, 'GET', `/api/invite/${made.json.code}`)).status, 404);
  });
});

test('a token that expires makes no hook, and no new secret of one, since it would outlive it', async (t) => {
  const { send, make, signIn } = await open(t);
  const hour = await make(ADMIN, { scopes: ALL, expiresAt: HOUR });
  const draft = { direction: 'incoming', roomId: 'ops', name: 'ci' };
  for (const secret of [hour.secret, await signIn(hour.secret)])
    assert.equal((await send(secret, 'POST', '/api/hook', draft)).status, 403);
  // A page's session ends by itself, the right to it does not.
  const { json } = await send(await signIn(ADMIN), 'POST', '/api/hook', draft);
  const path = `/api/hook/${json.id}`;
  assert.equal((await send(hour.secret, 'PUT', path, { name: 'ci', rotateSecret: true })).status, 403);
  assert.equal((await send(hour.secret, 'PUT', path, { name: 'builds' })).status, 200);
  const outgoing = { direction: 'outgoing', roomId: 'ops', name: 'out', url: 'https://example.com/a' };
  const out = `/api/hook/${(await send(ADMIN, 'POST', '/api/hook', outgoing)).json.id}`;
  assert.equal((await send(hour.secret, 'PUT', out, { name: 'out', url: 'https://example.org/b' })).status, 403);
});

describe('DELETE /api/token/:id', () => {
  /** first made second, whose session made third, which made fourth for another user. */
  async function family(t: Cleanup) {
    const parts = await open(t);
    const { make, signIn, rooms } = parts;
    const first = await make(ADMIN, { scopes: ALL });
    const second = await make(first.secret, { scopes: ALL });
    const session = await signIn(second.secret);
    const third = await make(session, { scopes: ALL });
    const fourth = await make(third.secret, { userId: 'ana' });
    const stranger = await make(ADMIN, { userId: 'ana' });
    const ended: string[] = [];
    rooms.core.writer.onCommit((committed) => {
      for (const { event } of committed) if (event.type === 'token.revoked') ended.push(event.tokenId);
    });
    const alive = () =>
      Promise.all(
        [first.secret, second.secret, session, third.secret, fourth.secret, stranger.secret].map(parts.status),
      );
    return { ...parts, first, second, session, third, fourth, alive, ended };
  }

  test('names the maker of each token', async (t) => {
    const { send, first, second, third, fourth } = await family(t);
    const parentOf = async (id: string) => (await send(ADMIN, 'GET', `/api/token/${id}`)).json.parentId;
    assert.equal(await parentOf(second.id), first.id);
    assert.equal(await parentOf(third.id), second.id);
    assert.equal(await parentOf(fourth.id), third.id);
    const { json } = await send(ADMIN, 'GET', `/api/token/${fourth.id}`);
    assert.deepEqual((await send(ADMIN, 'PUT', `/api/token/${fourth.id}`, json)).json, json);
  });

  test('leaves tokens made by it, except sessions', async (t) => {
    const { send, second, alive, ended } = await family(t);
    assert.equal((await send(ADMIN, 'DELETE', `/api/token/${second.id}`)).status, 200);
    assert.deepEqual(await alive(), [200, 401, 401, 200, 200, 200]);
    assert.equal(ended.length, 2);
  });

  test('with children ends all generations, sessions and streams included', async (t) => {
    const { send, first, alive, ended, rooms } = await family(t);
    const audit = async () => (await send(ADMIN, 'GET', '/api/audit')).json.entries[0].action;
    assert.equal((await send(ADMIN, 'DELETE', `/api/token/${first.id}?children=true`)).status, 200);
    assert.deepEqual(await alive(), [401, 401, 401, 401, 401, 200]);
    assert.equal(ended.length, 5);
    assert.equal(await audit(), 'token.revoke');
    const again = await rooms.restart();
    assert.equal([...again.core.state.all('token').values()].length, 2);
  });

  test('finds children of a parent revoked or signed out earlier', async (t) => {
    const { send, first, second, session, alive } = await family(t);
    await send(session, 'DELETE', '/api/session');
    await send(ADMIN, 'DELETE', `/api/token/${second.id}`);
    assert.deepEqual(await alive(), [200, 401, 401, 200, 200, 200]);
    await send(ADMIN, 'DELETE', `/api/token/${first.id}?children=true`);
    assert.deepEqual(await alive(), [401, 401, 401, 401, 401, 200]);
  });

  test('with children ends the hooks and invites that were made by any of them', async (t) => {
    const { rooms, send, make, first, second, session } = await family(t);
    const third = await make(second.secret, { userId: 'ana' });
    await send(ADMIN, 'PUT', '/api/room/ops/member/ana', { role: 'admin' });
    const works = [ADMIN, first.secret, second.secret, session, third.secret];
    const hooks: string[] = [];
    const codes: string[] = [];
    for (const secret of works) {
      const hook = await send(secret, 'POST', '/api/hook', { direction: 'incoming', roomId: 'ops', name: 'ci' });
      assert.equal(hook.status, 201, hook.text);
      assert.equal('tokenId' in hook.json, false);
      hooks.push(hook.json.path);
      codes.push((await send(secret, 'POST', '/api/room/ops/invite', {})).json.code);
    }
    const alive = async () => ({
      hooks: await Promise.all(
        hooks.map(async (path) => (await rooms.send('POST', path, { body: { text: 'x' } })).status),
      ),
      invites: await Promise.all(codes.map(async (code) => (await rooms.send('GET', `/api/invite/${code}`)).status)),
    });
    await send(ADMIN, 'DELETE', `/api/token/${second.id}`);
    assert.deepEqual(await alive(), { hooks: [201, 201, 201, 201, 201], invites: [200, 200, 200, 200, 200] });
    await send(ADMIN, 'DELETE', `/api/token/${first.id}?children=true`);
    assert.deepEqual(await alive(), { hooks: [201, 404, 404, 404, 404], invites: [200, 404, 404, 404, 404] });
  });

  test('refuses a value other than true and false, and revokes nothing', async (t) => {
    const { send, first, alive } = await family(t);
    assert.equal((await send(ADMIN, 'DELETE', `/api/token/${first.id}?children=maybe`)).status, 400);
    assert.equal((await send(ADMIN, 'DELETE', `/api/token/${first.id}?child=true`)).status, 400);
    assert.deepEqual(await alive(), [200, 200, 200, 200, 200, 200]);
  });

  test('a token of a time without parents is revoked as before', async (t) => {
    const { rooms, send, make, status } = await open(t);
    const old = await make(ADMIN, { userId: 'ana' });
    const [hash, token] = [...rooms.core.state.all('token')].find(([, { id }]) => id === old.id) ?? [];
    if (!hash || !token) throw new Error('the token is not kept');
    const { parentId, ...without } = token;
    assert.ok(parentId);
    await rooms.core.writer.submit({
      decide: () => ({ ok: true, write: { records: [record('token', hash, without)] }, answer: () => true }),
    });
    assert.equal(await status(old.secret), 200);
    assert.equal((await send(ADMIN, 'DELETE', `/api/token/${old.id}?children=true`)).status, 200);
    assert.equal(await status(old.secret), 401);
  });

  test('a token being revoked makes no token, session or invite', async (t) => {
    const { rooms, send, make } = await open(t);
    const leak = await make(ADMIN, { scopes: ALL });
    const [, token, session, invite, ticket] = await Promise.all([
      send(ADMIN, 'DELETE', `/api/token/${leak.id}?children=true`),
      send(leak.secret, 'POST', '/api/token', { name: 'x' }),
      rooms.send('POST', '/api/session', { body: { token: leak.secret } }),
      send(leak.secret, 'POST', '/api/room/ops/invite', {}),
      send(leak.secret, 'POST', '/api/event/ticket'),
    ]);
    assert.deepEqual([token.status, session.status, invite.status], [401, 401, 401]);
    // It may have been issued before, and is worth nothing now.
    if (ticket.status === 201)
      assert.equal((await send('', 'GET', `/api/event/log?ticket=${ticket.json.ticket}`)).status, 401);
    assert.equal([...rooms.core.state.all('token').values()].length, 1);
  });
});
