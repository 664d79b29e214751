import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms, type TestRooms } from '../testing/app.ts';

const ADMIN = 'the-secret-of-the-admin';

const mentions = async ({ rooms }: TestRooms, cookie?: string) => (await rooms.summary(cookie)).mentions;

test('without sign-in the summary counts the unread mentions of the user whom the page names, and creates nobody', async (t) => {
  const rooms = await openTestRooms(t);
  for (const name of ['ops', 'dev']) {
    await rooms.send('POST', '/api/room', { as: 'ana', body: { name, members: [] } });
    await rooms.send('POST', `/api/room/${name}/join`, { as: 'ben' });
    await rooms.send('POST', `/api/room/${name}/message`, { as: 'ana', body: { body: '@ben see this' } });
  }
  assert.equal(await mentions(rooms, 'theme=dark; opsdeck_user=ben'), 2);
  assert.equal(await mentions(rooms, 'opsdeck_user=ana'), 0);
  await rooms.send('PUT', '/api/room/ops/read', { as: 'ben', body: { seq: 1 } });
  await rooms.send('PUT', '/api/room/dev/me', { as: 'ben', body: { involvement: 'invisible' } });
  assert.equal(await mentions(rooms, 'opsdeck_user=ben'), 0, 'one read, one hidden');
  const before = rooms.core.writer.pos;
  for (const cookie of [undefined, 'opsdeck_user=eve', 'opsdeck_user=%3Cb%3E'])
    assert.equal(await mentions(rooms, cookie), null);
  assert.equal(rooms.core.writer.pos, before);
});

test('with sign-in only a session that holds counts, and a wrong one is no failed sign-in', async (t) => {
  const rooms = await openTestRooms(t, { options: { auth: 'token', adminToken: ADMIN, rateLimits: true } });
  const signedIn = await rooms.send('POST', '/api/session', { body: { token: ADMIN } });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.equal(await mentions(rooms, cookie), 0);
  for (let tries = 0; tries < 100; tries++) assert.equal(await mentions(rooms, 'opsdeck_session=odr_wrong'), null);
  assert.equal(await mentions(rooms, 'opsdeck_user=admin'), null);
  assert.equal((await rooms.send('POST', '/api/session', { body: { token: 'wrong' } })).status, 401);
  const headers = { cookie };
  assert.equal((await rooms.send('DELETE', '/api/session', { headers })).status, 204);
  assert.equal(await mentions(rooms, cookie), null);
});
