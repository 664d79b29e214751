import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

const NOW = '2030-01-02T08:00:00Z';

/** `ops` is ana's; ben is a member and gus a guest. */
async function openOps(t: Cleanup): Promise<TestPeople & { readonly clock: FakeClock }> {
  const clock = new FakeClock(NOW);
  const people = await openPeople(t, ['ana', 'ben', 'gus'], { clock });
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', topic: 'Payments', members: ['ben'] } });
  await people.send('PUT', '/api/room/ops/member/gus', { as: 'ana', body: { role: 'guest' } });
  return { ...people, clock };
}

const say = ({ send }: TestPeople, as: string, body: string) =>
  send('POST', '/api/room/ops/message', { as, body: { body } });
const topicOf = async ({ send }: TestPeople) => (await send('GET', '/api/room/ops', { as: 'ana' })).json.topic;

test('/oncall names a member in the topic, and @oncall mentions that member until the time is over', async (t) => {
  const ops = await openOps(t);
  const said = await say(ops, 'ana', '/oncall @ben until 18:00');
  assert.equal(said.status, 201, said.text);
  assert.equal(said.json.body, '@ben is on call until 2030-01-02 18:00 UTC');
  assert.deepEqual(said.json.mentions.users, ['ben']);
  assert.equal(await topicOf(ops), 'Payments · on call: @ben until 2030-01-02 18:00 UTC');
  assert.deepEqual((await say(ops, 'ana', '@oncall look')).json.mentions.users, ['ben']);
  ops.clock.advance(10 * 3_600_000);
  assert.deepEqual((await say(ops, 'ana', '@oncall look')).json.mentions.users, []);
});

test('the user on call hands over; others need a moderator; /oncall off clears the topic', async (t) => {
  const ops = await openOps(t);
  assert.equal((await say(ops, 'ben', '/oncall @ben')).status, 403);
  assert.equal((await say(ops, 'ana', '/oncall ben')).status, 201);
  assert.match((await say(ops, 'gus', '/oncall @ben')).text, /guests/);
  assert.equal((await say(ops, 'ben', '/oncall @ana 8h')).status, 201);
  assert.equal((await say(ops, 'ben', '/oncall')).json.notice, '@ana is on call until 2030-01-02 16:00 UTC');
  assert.equal((await say(ops, 'ana', '/oncall off')).status, 201);
  assert.equal(await topicOf(ops), 'Payments');
  assert.match((await say(ops, 'ben', '/oncall')).json.notice, /^nobody is on call/);
});

test('a refused duty posts nothing', async (t) => {
  const ops = await openOps(t);
  const refused = await say(ops, 'ana', '/oncall @gus');
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [404, 'member_not_found']);
  assert.equal(await topicOf(ops), 'Payments');
  assert.deepEqual((await ops.send('GET', '/api/room/ops/message', { as: 'ana' })).json.messages, []);
});

test('who is on call is known after a restart', async (t) => {
  const ops = await openOps(t);
  await say(ops, 'ana', '/oncall @ben');
  const { core } = await ops.restart();
  const room = [...core.state.all('room').values()][0];
  assert.deepEqual(core.state.get('duty', room?.id ?? ''), { userId: 'ben', until: null });
});
