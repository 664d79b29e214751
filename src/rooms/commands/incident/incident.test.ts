import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import type { RoomsAnswer } from '../../testing/app.ts';
import { openPeople } from '../../testing/people.ts';

const NOW = '2030-01-02T08:00:00Z';

interface Fixture {
  readonly clock: FakeClock;
  get(path: string, as?: string): Promise<RoomsAnswer>;
  say(as: string, room: string, body: string, fields?: object): Promise<RoomsAnswer>;
}

/** `ops` is a private room of ana's, with ben, who is on call, carl, and gus as a guest. */
async function openOps(t: Cleanup): Promise<Fixture> {
  const clock = new FakeClock(NOW);
  const { send } = await openPeople(t, ['ana', 'ben', 'carl', 'gus'], { clock });
  const room = { name: 'Ops', visibility: 'private', members: ['ben', 'carl'], labels: { team: 'payments' } };
  await send('POST', '/api/room', { as: 'ana', body: room });
  await send('PUT', '/api/room/ops/member/gus', { as: 'ana', body: { role: 'guest' } });
  const say: Fixture['say'] = (as, room, body, fields = {}) =>
    send('POST', `/api/room/${room}/message`, { as, body: { body, ...fields } });
  await say('ana', 'ops', '/oncall @ben');
  return { clock, say, get: (path, as = 'ana') => send('GET', path, { as }) };
}

test('/incident start makes a room with a pinned timeline, and invites the user on call', async (t) => {
  const { say, get } = await openOps(t);
  const started = await say('carl', 'ops', '/incident start Payments are [down]', { id: 'incident4711' });
  assert.equal(started.status, 201, started.text);
  const room = (await get('/api/room/payments-are-down', 'ben')).json;
  assert.deepEqual([room.name, room.visibility, room.labels.team], ['Payments are [down]', 'private', 'payments']);
  const { members } = (await get('/api/room/payments-are-down/member', 'ben')).json;
  assert.deepEqual(members.map(({ userId, role }: { userId: string; role: string }) => [userId, role]).sort(), [
    ['ben', 'member'],
    ['carl', 'owner'],
  ]);
  const [pinned] = room.pinned;
  assert.match(started.json.body, new RegExp(`^started the incident \\[Payments are  down \\]\\(.*/m/${pinned}\\)$`));
  const timeline = (await get(`/api/message/${pinned}`, 'ben')).json;
  assert.match(timeline.body, /^\*\*Payments are \[down\]\*\*\n- 2030-01-02 08:00 UTC started by carl\n/);
  assert.equal((await get('/api/room/payments-are-down')).status, 404);
  assert.equal((await say('carl', 'ops', '/incident start Payments are [down]', { id: 'incident4711' })).status, 200);
  assert.equal((await get('/api/room', 'carl')).json.rooms.length, 2);
});

test('notes go into the timeline; the end exports all that was said, and is announced in the first room', async (t) => {
  const { clock, say, get } = await openOps(t);
  await say('carl', 'ops', '/incident start Down');
  await say('ben', 'down', 'the pool is\nexhausted');
  assert.equal((await say('ben', 'down', '/incident note restarted web1')).status, 201);
  assert.equal((await say('ben', 'down', '/incident end')).status, 403);
  clock.advance(80 * 60_000);
  const ended = await say('carl', 'down', '/incident end');
  assert.deepEqual([ended.status, ended.json.body], [201, 'ended the incident after 1 h 20 min']);
  const [file] = ended.json.attachments;
  assert.equal(file.name, 'down.md');
  const { text } = await get(`/api/file/${file.id}`, 'ben');
  assert.match(
    text,
    /^# Down\n\n- Started: 2030-01-02 08:00 UTC by carl\n- Ended: 2030-01-02 09:20 UTC, after 1 h 20 min\n/,
  );
  assert.match(text, /## Impact\n/);
  assert.match(text, /- \*\*2030-01-02 08:00 UTC\*\* ben: the pool is\n {2}exhausted\n/);
  const [pinned] = (await get('/api/room/down', 'carl')).json.pinned;
  const timeline = (await get(`/api/message/${pinned}`, 'carl')).json;
  assert.match(timeline.body, /ben: restarted web1\n- 2030-01-02 09:20 UTC ended after 1 h 20 min$/);
  const { messages } = (await get('/api/room/ops/message')).json;
  assert.match(messages.at(-1).body, /^ended the incident \[Down\]\(.*\) after 1 h 20 min$/);
  assert.match((await say('carl', 'down', '/incident end')).json, /has ended already/);
});

test('guests start no incident, and only the room of one has an end', async (t) => {
  const { say, get } = await openOps(t);
  assert.equal((await say('gus', 'ops', '/incident start Down')).status, 403);
  assert.match((await say('ana', 'ops', '/incident end')).json, /no timeline of an incident is pinned/);
  assert.equal((await get('/api/room')).json.rooms.length, 1);
});

test('a token that may only write starts no incident and names nobody on call', async (t) => {
  const clock = new FakeClock(NOW);
  const { send } = await openPeople(t, ['ana'], { clock });
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { name: 'x', userId: 'ana', scopes: ['read', 'write'] };
  const { secret } = (await send('POST', '/api/token', { body })).json;
  for (const line of ['/incident start Down', '/oncall @ana']) {
    const headers = { authorization: `Bearer ${secret}` };
    const refused = await send('POST', '/api/room/ops/message', { headers, body: { body: line } });
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'scope_missing'], line);
  }
});
