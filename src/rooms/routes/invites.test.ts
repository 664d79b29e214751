import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openPeople } from '../testing/people.ts';

const HOUR_MS = 3_600_000;

async function openRoom(t: Cleanup, clock = new FakeClock()) {
  const people = await openPeople(t, ['ana', 'ada', 'ben', 'kim', 'lee'], { clock });
  const { send } = people;
  const body = { name: 'Secret', visibility: 'private', members: ['ada', 'ben'] };
  await send('POST', '/api/room', { as: 'ana', body });
  await send('PUT', '/api/room/secret/member/ada', { as: 'ana', body: { role: 'admin' } });
  const invite = async (body: object = {}, as = 'ana') => send('POST', '/api/room/secret/invite', { as, body });
  return { ...people, clock, invite };
}

test('an invite shows the room before it is taken, and a GET takes nothing', async (t) => {
  const { send, invite } = await openRoom(t);
  const made = await invite();
  assert.equal(made.status, 201);
  assert.match(made.json.code, /^[0-9A-Za-z]{22}$/);
  assert.equal(made.json.expiresAt, '2026-01-08T00:00:00.000Z');
  const seen = await send('GET', `/api/invite/${made.json.code}`, { as: 'kim' });
  assert.deepEqual(seen.json.room, { name: 'Secret', topic: '' });
  assert.equal(seen.json.inviter.id, 'ana');
  assert.equal((await send('GET', '/api/room/secret', { as: 'kim' })).status, 404);
  const taken = await send('POST', `/api/invite/${made.json.code}`, { as: 'kim' });
  assert.deepEqual([taken.status, taken.json.slug, taken.json.me.role], [200, 'secret', 'member']);
  const { members } = (await send('GET', '/api/room/secret/member', { as: 'kim' })).json;
  assert.equal(members.find(({ userId }: { userId: string }) => userId === 'kim').invitedBy, 'ana');
});

test('an invite is valid for its number of uses, and members use up nothing', async (t) => {
  const { send, invite } = await openRoom(t);
  const { code } = (await invite({ maxUses: 1, role: 'guest' })).json;
  const take = (as: string) => send('POST', `/api/invite/${code}`, { as });
  assert.equal((await take('ben')).json.me.role, 'member', 'a member keeps the role');
  assert.equal((await take('kim')).json.me.role, 'guest');
  const late = await take('lee');
  assert.deepEqual([late.status, late.headers.get('x-error-code')], [404, 'invite_not_found']);
  assert.equal((await take('kim')).status, 200, 'a member stays one');
});

test('an invite ends at its time, and is forgotten', async (t) => {
  const { send, invite, clock, core } = await openRoom(t);
  const { code } = (await invite({ expiresAt: '2026-01-01T05:00:00Z' })).json;
  clock.advance(5 * HOUR_MS - 1);
  assert.equal((await send('GET', `/api/invite/${code}`, { as: 'kim' })).status, 200);
  clock.advance(1);
  assert.equal((await send('GET', `/api/invite/${code}`, { as: 'kim' })).status, 404);
  assert.equal((await send('POST', `/api/invite/${code}`, { as: 'kim' })).status, 404);
  clock.advance(HOUR_MS);
  await eventually('the invite is forgotten', () => core.state.all('invite').size === 0);
});

test('the permissions of every role to invite', async (t) => {
  const { invite } = await openRoom(t);
  assert.equal((await invite({}, 'ben')).status, 403);
  assert.equal((await invite({ role: 'admin' }, 'ada')).status, 403);
  assert.equal((await invite({ role: 'admin' }, 'ana')).status, 201);
  assert.equal((await invite({}, 'kim')).status, 404);
  for (const body of [
    { role: 'owner' },
    { maxUses: 0 },
    { maxUses: 1001 },
    { expiresAt: '2026-02-01T00:00:00Z' },
    { expiresAt: '2025-01-01T00:00:00Z' },
    { expiresAt: 'tomorrow' },
    { code: 'mine' },
  ])
    assert.equal((await invite(body)).status, 400, JSON.stringify(body));
});

test('invites are listed and revoked by moderators; an admin sees only invites that the role could make', async (t) => {
  const { send, invite } = await openRoom(t);
  const { code } = (await invite()).json;
  await invite({ role: 'admin' });
  const list = async (as: string) => (await send('GET', '/api/room/secret/invite', { as })).json.invites;
  assert.equal((await list('ana')).length, 2);
  assert.deepEqual(
    (await list('ada')).map((invitation: { code: string }) => invitation.code),
    [code],
  );
  assert.equal((await send('DELETE', `/api/invite/${code}`, { as: 'ben' })).status, 404);
  assert.equal((await send('DELETE', `/api/invite/${code}`, { as: 'ada' })).status, 204);
  assert.equal((await send('POST', `/api/invite/${code}`, { as: 'kim' })).status, 404);
});

test('an invite into an archived or deleted room is invalid', async (t) => {
  const { send, invite } = await openRoom(t);
  const { code } = (await invite()).json;
  await send('PUT', '/api/room/secret', { as: 'ana', body: { name: 'S', visibility: 'private', archived: true } });
  assert.equal((await send('POST', `/api/invite/${code}`, { as: 'kim' })).status, 409);
  await send('DELETE', '/api/room/secret', { as: 'ana' });
  assert.equal((await send('POST', `/api/invite/${code}`, { as: 'kim' })).status, 404);
  assert.equal((await send('GET', `/api/invite/${code}`, { as: 'kim' })).status, 404);
});

test('a code shows its target without sign-in, and no more', async (t) => {
  const { send, invite } = await openRoom(t);
  const { code } = (await invite()).json;
  const headers = { authorization: '' };
  const seen = await send('GET', `/api/invite/${code}`, { headers });
  assert.deepEqual([seen.status, seen.json.room, seen.json.inviter.id], [200, { name: 'Secret', topic: '' }, 'ana']);
  assert.equal('roomId' in seen.json, false);
  const guessed = await send('GET', `/api/invite/${'x'.repeat(22)}`, { headers });
  assert.deepEqual([guessed.status, guessed.headers.get('x-error-code')], [404, 'invite_not_found']);
  for (const method of ['POST', 'DELETE'])
    assert.equal((await send(method, `/api/invite/${code}`, { headers })).status, 401, method);
});
