import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { openTestRooms } from '../testing/app.ts';

const TOKEN = 'what-prometheus-shows';
const ADMIN = 'the-secret-of-the-admin';

test('metrics are for all unless a token is set for them', async (t) => {
  const rooms = await openTestRooms(t);
  assert.equal((await rooms.send('GET', '/metrics')).status, 200);
});

for (const auth of ['none', 'token'] as const)
  test(`with --auth ${auth} and a token for metrics, a request without it is refused`, async (t) => {
    const clock = new FakeClock();
    const options = { auth, adminToken: ADMIN, metricsToken: TOKEN };
    const rooms = await openTestRooms(t, { options, clock });
    const get = async (authorization?: string, method = 'GET') =>
      rooms.send(method, '/metrics', { headers: authorization === undefined ? {} : { authorization } });
    for (const wrong of [undefined, '', TOKEN, 'Bearer', `Bearer ${TOKEN}x`, `Bearer ${ADMIN}`, `Basic ${TOKEN}`]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(wrong, method);
        assert.deepEqual(
          [answer.status, answer.headers.get('www-authenticate')],
          [401, 'Bearer'],
          `${method} ${wrong}`,
        );
        assert.ok(!answer.text.includes('opsdeck_rooms'), answer.text);
      }
    }
    const answer = await get(`Bearer ${TOKEN}`);
    assert.equal(answer.status, 200);
    assert.match(answer.text, /opsdeck_rooms/);
    for (let i = 0; i < 30; i++) await get(`Bearer guess-${i}`);
    assert.equal((await get('Bearer one-more')).status, 429);
    assert.equal((await get(`Bearer ${TOKEN}`)).status, 200);
    assert.equal((await rooms.send('GET', '/health')).status, 200);
    assert.ok(!rooms.log().includes(TOKEN));
    const other = await rooms.send('GET', '/api/audit', { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(other.status, auth === 'none' ? 200 : 401);
  });
