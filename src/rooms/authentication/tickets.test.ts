import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { record } from '../domain/record.ts';
import { FeedKit } from '../testing/feed/parts.ts';

async function openKit(t: TestContext): Promise<{ kit: FeedKit; clock: FakeClock; issue: typeof issueTicket }> {
  const clock = new FakeClock();
  const kit = await new FeedKit({ clock }).listens(t);
  await kit.addUser('ana');
  await kit.addRoom('r1', ['ana']);
  return { kit, clock, issue: issueTicket };
}

async function issueTicket(kit: FeedKit, authorization = 't1'): Promise<string> {
  const answer = await kit.app.request('http://localhost/api/event/ticket', {
    method: 'POST',
    headers: { 'x-opsdeck-user': 'ana', authorization },
  });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as { ticket: string }).ticket;
}

test('a ticket is valid once, for its user', async (t) => {
  const { kit, issue } = await openKit(t);
  const ticket = await issue(kit);
  const stream = await kit.open(t, { as: 'nobody', query: `?ticket=${ticket}` });
  assert.equal(stream.status, 200);
  const pos = await kit.post('r1');
  assert.equal(JSON.parse((await stream.next())?.data ?? '').pos, pos);
  assert.equal((await kit.ask(t, { query: `?ticket=${ticket}` })).status, 401);
});

test('a ticket is good for 30 s, and no longer than its token and its user', async (t) => {
  const cases: [string, number, (kit: FeedKit, clock: FakeClock) => unknown][] = [
    ['29.9 s', 200, (_, clock) => clock.advance(29_900)],
    ['30 s', 401, (_, clock) => clock.advance(30_000)],
    [
      'another token revoked',
      200,
      (kit) => kit.commit({ events: [{ type: 'token.revoked', roomId: null, audience: 'ana', tokenId: 't2' }] }),
    ],
    [
      'its token revoked',
      401,
      (kit) => kit.commit({ events: [{ type: 'token.revoked', roomId: null, audience: 'ana', tokenId: 't1' }] }),
    ],
    ['its user removed', 401, (kit) => kit.commit({ records: [record('user', 'ana', null)] })],
  ];
  for (const [name, status, happen] of cases) {
    const { kit, clock, issue } = await openKit(t);
    const ticket = await issue(kit);
    await happen(kit, clock);
    assert.equal((await kit.ask(t, { query: `?ticket=${ticket}` })).status, status, name);
  }
});

test('a stream by a ticket ends with the token that made the ticket', async (t) => {
  const { kit, clock, issue } = await openKit(t);
  const ticket = await issue(kit, `t1 ${clock.now() + 10_000}`);
  const stream = await kit.open(t, { query: `?ticket=${ticket}` });
  clock.advance(10_000);
  assert.equal(await stream.over, 'ended');
});

test('an excess of tickets drops the oldest', async (t) => {
  const { kit, issue } = await openKit(t);
  const first = await issue(kit);
  const second = await issue(kit);
  for (let index = 0; index < 99; index++) await issue(kit);
  assert.equal((await kit.ask(t, { query: `?ticket=${first}` })).status, 401);
  assert.equal((await kit.ask(t, { query: `?ticket=${second}` })).status, 200);
});
