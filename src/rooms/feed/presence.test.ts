import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { record } from '../domain/record.ts';
import { FeedKit } from '../testing/feed/parts.ts';

async function openKit(t: TestContext): Promise<{ kit: FeedKit; clock: FakeClock }> {
  const clock = new FakeClock('2026-01-01T00:00:00Z');
  const kit = await new FeedKit({ clock }).listens(t);
  for (const user of ['ana', 'ben', 'kim']) await kit.addUser(user);
  await kit.addRoom('r1', ['ana', 'ben']);
  return { kit, clock };
}

const send = (kit: FeedKit, method: string, path: string, as: string) =>
  kit.app.request(`http://localhost${path}`, { method, headers: { 'x-opsdeck-user': as } });

async function online(kit: FeedKit): Promise<unknown> {
  const answer = await send(kit, 'GET', '/api/room/r1/presence', 'ana');
  return ((await answer.json()) as { readonly online: unknown }).online;
}

test('a user with an open stream is present, and stays so for a minute after', async (t) => {
  const { kit, clock } = await openKit(t);
  assert.deepEqual(await online(kit), []);
  const first = await kit.open(t, { as: 'ben' });
  clock.advance(5000);
  const second = await kit.open(t, { as: 'ben' });
  const there = [{ userId: 'ben', since: '2026-01-01T00:00:00.000Z' }];
  assert.deepEqual(await online(kit), there);
  first.close();
  second.close();
  await eventually('both have gone', () => kit.feed.size === 0);
  clock.advance(59_000);
  assert.deepEqual(await online(kit), there);
  const back = await kit.open(t, { as: 'ben' });
  clock.advance(120_000);
  assert.deepEqual(await online(kit), there, 'a return in time');
  back.close();
  await eventually('gone again', () => kit.feed.size === 0);
  clock.advance(61_000);
  assert.deepEqual(await online(kit), []);
});

test('a room is notified of arrivals and departures, together, at most once a second', async (t) => {
  const { kit, clock } = await openKit(t);
  const ana = await kit.open(t, { as: 'ana' });
  clock.advance(1000);
  await ana.next();
  const ben = await kit.open(t, { as: 'ben' });
  await kit.open(t, { as: 'kim' });
  clock.advance(1000);
  const came = await ana.next();
  assert.equal(came?.event, 'presence');
  assert.deepEqual(JSON.parse(came?.data ?? ''), {
    roomId: 'r1',
    online: [{ userId: 'ben', since: '2026-01-01T00:00:01.000Z' }],
    offline: [],
  });
  ben.close();
  await eventually('ben has gone', () => kit.feed.size === 2);
  clock.advance(61_000);
  assert.deepEqual(JSON.parse((await ana.next())?.data ?? ''), { roomId: 'r1', online: [], offline: ['ben'] });
});

test('a join or departure of a present user changes the presence of the room', async (t) => {
  const { kit } = await openKit(t);
  await kit.open(t, { as: 'kim' });
  assert.equal(kit.presence.onlineCount('r1'), 0);
  await kit.join('r1', 'kim');
  assert.equal(kit.presence.onlineCount('r1'), 1);
  await kit.leave('r1', 'kim');
  assert.equal(kit.presence.onlineCount('r1'), 0);
});

test('a user with the right to post may announce typing; the room receives its duration', async (t) => {
  const { kit, clock } = await openKit(t);
  const ana = await kit.open(t, { as: 'ana' });
  const answer = await send(kit, 'POST', '/api/room/r1-slug/typing', 'ben');
  assert.equal(answer.status, 204);
  const event = await ana.next();
  assert.equal(event?.event, 'typing');
  assert.equal(event?.id, '');
  assert.deepEqual(JSON.parse(event?.data ?? ''), {
    roomId: 'r1',
    user: { id: 'ben', name: 'ben', kind: 'human' },
    expiresAt: new Date(clock.now() + 6000).toISOString(),
  });
  const ben = kit.state.get('member', 'r1/ben');
  assert.ok(ben);
  await kit.commit({ records: [record('member', 'r1/ben', { ...ben, role: 'guest' })] });
  assert.equal((await send(kit, 'POST', '/api/room/r1/typing', 'ben')).status, 403);
  assert.equal((await send(kit, 'POST', '/api/room/r1/typing', 'kim')).status, 404);
  assert.equal((await send(kit, 'GET', '/api/room/r1/presence', 'kim')).status, 404);
});
