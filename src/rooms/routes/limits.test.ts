import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import type { RoomsAnswer } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

const START = Date.parse('2026-03-01T12:00:00.000Z');

async function open(t: Cleanup, { rateLimits = true } = {}) {
  const clock = new FakeClock(START);
  const rooms = await openPeople(t, ['ana', 'ben'], { clock, options: { rateLimits } });
  const tokenOf = async (as: string): Promise<string> => {
    const made = await rooms.send('POST', '/api/token', { as, body: { name: 'another' } });
    assert.equal(made.status, 201, made.text);
    return made.json.secret;
  };
  const signIn = async (token: string): Promise<string> => {
    const answer = await rooms.send('POST', '/api/session', { headers: { authorization: '' }, body: { token } });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  /** Without any token but the cookie. */
  const withCookie = async (cookie: string, method: string, path: string, body?: object): Promise<number> => {
    const answer = await rooms.rooms.app.request(`http://127.0.0.1:8065${path}`, {
      method,
      headers: { host: '127.0.0.1:8065', cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return answer.status;
  };
  return { rooms, clock, tokenOf, signIn, withCookie };
}

const countOf = (answers: readonly { readonly status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('the limits of one user do not grow with tokens and sessions', () => {
  test('eight sessions post no more than one', async (t) => {
    const { rooms, clock, tokenOf, signIn, withCookie } = await open(t);
    await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
    const token = await tokenOf('ana');
    const sessions = await Promise.all(Array.from({ length: 8 }, () => signIn(token)));
    const flood = () =>
      Promise.all(
        Array.from({ length: 256 }, async (_, i) => ({
          status: await withCookie(sessions[i % 8] ?? '', 'POST', '/api/room/ops/message', { body: `${i}` }),
        })),
      );
    const first = await flood();
    assert.deepEqual([countOf(first, 201), countOf(first, 429)], [30, 226]);
    clock.advance(1600);
    assert.equal(countOf(await flood(), 201), 16);
    const byToken = await rooms.send('POST', '/api/message', { as: 'ana', body: { roomId: 'ops', body: 'x' } });
    assert.equal(byToken.status, 429);
    const others = await rooms.send('POST', '/api/message', { as: 'ben', body: { roomId: 'ops', body: 'x' } });
    assert.equal(others.status, 201);
  });

  test('paths without a limit of their own share one', async (t) => {
    const { rooms } = await open(t);
    await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
    const renamed = await Promise.all(
      Array.from({ length: 300 }, (_, i) => rooms.send('PUT', '/api/me', { as: 'ana', body: { name: `Ana ${i}` } })),
    );
    assert.deepEqual([countOf(renamed, 200), countOf(renamed, 429)], [100, 200]);
    const ticket = await rooms.send('POST', '/api/event/ticket', { as: 'ana' });
    assert.equal(ticket.status, 429);
    assert.equal((await rooms.send('GET', '/api/me', { as: 'ana' })).status, 200);
  });
});

describe('rooms of one user', () => {
  const make = (rooms: Awaited<ReturnType<typeof open>>['rooms'], as: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) => rooms.send('POST', '/api/room', { as, body: { name: `${as} ${i}` } })),
    );
  const codes = (answers: readonly RoomsAnswer[], code: string) =>
    answers.filter(({ headers }) => headers.get('x-error-code') === code).length;

  test('are not made by hundreds at once', async (t) => {
    const { rooms, clock } = await open(t);
    const made = await make(rooms, 'ana', 300);
    assert.deepEqual([countOf(made, 201), codes(made, 'rate_limited')], [20, 280]);
    clock.advance(60_000);
    assert.equal(countOf(await make(rooms, 'ana', 30), 201), 12);
    assert.equal(countOf(await make(rooms, 'ben', 1), 201), 1);
  });

  test('are at most 200, deleted and orphaned ones included', async (t) => {
    const { rooms } = await open(t, { rateLimits: false });
    const made = await make(rooms, 'ana', 300);
    assert.deepEqual([countOf(made, 201), codes(made, 'limit_reached')], [200, 100]);
    const refused = made.find(({ status }) => status !== 201);
    assert.match(refused?.json, /200 rooms.*an admin of the server/);
    const [one, two] = made;
    assert.equal((await rooms.send('DELETE', `/api/room/${one?.json.id}`, { as: 'ana' })).status, 200);
    await rooms.send('PUT', `/api/room/${two?.json.id}/member/ben`, { as: 'ana', body: { role: 'owner' } });
    assert.equal((await rooms.send('DELETE', `/api/room/${two?.json.id}/me`, { as: 'ana' })).status, 204);
    assert.equal(countOf(await make(rooms, 'ana', 1), 201), 0);
    const direct = { visibility: 'direct', members: ['ben'] };
    assert.equal((await rooms.send('POST', '/api/room', { as: 'ana', body: direct })).status, 409);
    assert.equal(countOf(await make(rooms, 'ben', 1), 201), 1);
    assert.equal(countOf(await make(rooms, 'admin', 201), 201), 201);
  });
});

describe('sessions of one user', () => {
  test('are at most 32: the oldest ends, and its streams with it', async (t) => {
    const { rooms, clock, tokenOf, signIn, withCookie } = await open(t, { rateLimits: false });
    const token = await tokenOf('ana');
    const other = await signIn(await tokenOf('ben'));
    const ended: unknown[] = [];
    rooms.core.writer.onCommit((committed) => ended.push(...committed.map(({ event }) => event.type)));
    const sessions: string[] = [];
    for (let i = 0; i < 33; i++) {
      sessions.push(await signIn(token));
      clock.advance(1000);
    }
    const [first = '', second = ''] = sessions;
    assert.equal(await withCookie(first, 'GET', '/api/me'), 401);
    assert.equal(await withCookie(second, 'GET', '/api/me'), 200);
    assert.equal(await withCookie(other, 'GET', '/api/me'), 200);
    assert.deepEqual(ended, ['token.revoked']);
  });

  test('are no more when many begin at once', async (t) => {
    const { tokenOf, signIn, withCookie } = await open(t, { rateLimits: false });
    const token = await tokenOf('ana');
    const sessions = await Promise.all(Array.from({ length: 100 }, () => signIn(token)));
    const statuses = await Promise.all(sessions.map((cookie) => withCookie(cookie, 'GET', '/api/me')));
    assert.equal(statuses.filter((status) => status === 200).length, 32);
  });

  test('have a limited rate', async (t) => {
    const { rooms, tokenOf } = await open(t);
    const token = await tokenOf('ana');
    const begun = await Promise.all(
      Array.from({ length: 200 }, () =>
        rooms.send('POST', '/api/session', { headers: { authorization: '' }, body: { token } }),
      ),
    );
    assert.ok(countOf(begun, 201) <= 100, String(countOf(begun, 201)));
    assert.ok(countOf(begun, 429) >= 100);
  });
});

test('one invite does not admit a crowd of made-up people from one address', async (t) => {
  const { rooms, clock } = await open(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const { code } = (await rooms.send('POST', '/api/room/ops/invite', { as: 'ana', body: {} })).json;
  const come = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        rooms.send('POST', '/api/session', {
          headers: { authorization: '' },
          body: { invite: code, name: `Bot ${clock.now()} ${i}` },
        }),
      ),
    );
  const first = await come(100);
  assert.deepEqual([countOf(first, 201), countOf(first, 429)], [30, 70]);
  clock.advance(10_000);
  assert.equal(countOf(await come(20), 201), 5);
});

test('a room has at most 100 open invites, and expired ones make room', async (t) => {
  const { rooms, clock } = await open(t, { rateLimits: false });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const invite = () => {
    const expiresAt = new Date(clock.now() + 60_000).toISOString();
    return rooms.send('POST', '/api/room/ops/invite', { as: 'ana', body: { expiresAt } });
  };
  const made = await Promise.all(Array.from({ length: 130 }, invite));
  assert.deepEqual([countOf(made, 201), countOf(made, 409)], [100, 30]);
  assert.equal((await invite()).headers.get('x-error-code'), 'limit_reached');
  clock.advance(60_001);
  assert.equal((await invite()).status, 201);
  assert.equal(rooms.core.state.all('invite').size, 1);
});

test('a user has at most 1000 tokens, also with many requests at once', async (t) => {
  const { rooms } = await open(t, { rateLimits: false });
  const ask = () => rooms.send('POST', '/api/token', { as: 'ana', body: { name: 'x' } });
  const made = await Promise.all(Array.from({ length: 1050 }, ask));
  assert.deepEqual([countOf(made, 201), countOf(made, 409)], [999, 51]);
});

test('the hooks of one user post 200 at once, and then 50 a second, over all rooms', async (t) => {
  const { rooms, clock } = await open(t);
  const paths: string[] = [];
  for (const name of ['Ops', 'Dev']) {
    await rooms.send('POST', '/api/room', { as: 'ana', body: { name } });
    const body = { direction: 'incoming', roomId: name.toLowerCase(), name: 'ci' };
    paths.push((await rooms.send('POST', '/api/hook', { as: 'ana', body })).json.path);
  }
  const flood = () =>
    Promise.all(
      Array.from({ length: 300 }, (_, i) => rooms.send('POST', paths[i % 2] ?? '', { body: { text: `${i}` } })),
    );
  const first = await flood();
  assert.deepEqual([countOf(first, 201), countOf(first, 429)], [200, 100]);
  assert.ok(Number(first.find(({ status }) => status === 429)?.headers.get('retry-after')) >= 1);
  clock.advance(1000);
  assert.equal(countOf(await flood(), 201), 50);
});
