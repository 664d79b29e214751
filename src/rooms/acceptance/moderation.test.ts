import assert from 'node:assert/strict';
import test from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

const HOUR_MS = 3_600_000;

async function openRoom(t: Cleanup): Promise<TestPeople & { readonly clock: FakeClock }> {
  const clock = new FakeClock();
  const people = await openPeople(t, ['ana', 'ben'], { clock, options: { durability: 'off' } });
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
  return { ...people, clock };
}

const say = ({ send }: TestPeople) => send('POST', '/api/room/ops/message', { as: 'ben', body: { body: 'x' } });
const comeBack = async ({ send }: TestPeople) => {
  assert.equal((await send('DELETE', '/api/room/ops/me', { as: 'ben' })).status, 204);
  assert.equal((await send('POST', '/api/room/ops/join', { as: 'ben' })).status, 200);
};
const put = ({ send }: TestPeople, body: object) => send('PUT', '/api/room/ops/member/ben', { as: 'ana', body });

test('a silenced member stays silenced after leaving and returning, until the time is over', async (t) => {
  const people = await openRoom(t);
  const silencedUntil = new Date(people.clock.now() + HOUR_MS).toISOString();
  await put(people, { role: 'member', silencedUntil });
  for (let times = 0; times < 2; times++) {
    await comeBack(people);
    assert.equal((await say(people)).status, 403);
  }
  const invite = await people.send('POST', '/api/room/ops/invite', { as: 'ana', body: {} });
  await people.send('DELETE', '/api/room/ops/me', { as: 'ben' });
  await people.send('POST', `/api/invite/${invite.json.code}`, { as: 'ben' });
  assert.equal((await say(people)).status, 403, 'by an invite neither');
  people.clock.advance(HOUR_MS);
  assert.equal((await say(people)).status, 201);
  await comeBack(people);
  assert.equal((await say(people)).status, 201);
});

test('a guest stays a guest after leaving and returning, until a moderator gives another role', async (t) => {
  const people = await openRoom(t);
  await put(people, { role: 'guest' });
  await comeBack(people);
  assert.equal((await people.send('GET', '/api/room/ops/me', { as: 'ben' })).json.role, 'guest');
  assert.equal((await say(people)).status, 403);
  await people.send('DELETE', '/api/room/ops/me', { as: 'ben' });
  assert.equal((await put(people, { role: 'member' })).status, 201);
  assert.equal((await say(people)).status, 201);
  await comeBack(people);
  assert.equal((await people.send('GET', '/api/room/ops/me', { as: 'ben' })).json.role, 'member');
});

test('slow mode, and the minute between two calls to all, outlast leaving and returning', async (t) => {
  const people = await openRoom(t);
  await people.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', slowModeSeconds: 60 } });
  assert.equal((await say(people)).status, 201);
  await comeBack(people);
  assert.equal((await say(people)).headers.get('x-error-code'), 'slow_mode');
  people.clock.advance(60_000);
  assert.equal((await say(people)).status, 201);
});

test('a clock that goes back makes no wait longer than slow mode says', async (t) => {
  const people = await openRoom(t);
  await people.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', slowModeSeconds: 60 } });
  assert.equal((await say(people)).status, 201);
  people.clock.advance(-HOUR_MS);
  assert.equal((await say(people)).status, 201);
  assert.equal((await say(people)).headers.get('x-error-code'), 'slow_mode');
  people.clock.advance(60_000);
  assert.equal((await say(people)).status, 201);
});
