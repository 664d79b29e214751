import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { type Caller, callerOf } from '../domain/caller.ts';
import { record } from '../domain/record.ts';
import { SCOPES, type Token } from '../domain/token/token.ts';
import { makeUser } from '../domain/user/new-user.ts';
import { RoomState } from '../room/state.ts';
import { openRoomDatabase } from '../testing/store/postgres-room-store.ts';
import { SharedTickets } from './tickets.ts';

const ana = makeUser('ana', 0);
const token: Token = {
  ...{ id: 't1', hash: 'h1', name: 'ci', userId: 'ana', scopes: SCOPES, roomIds: ['r1'], prefix: '', use: 'api' },
  ...{ createdAt: 0, expiresAt: null },
};

/** Two nodes, with the same state and time. */
async function openNodes(t: TestContext) {
  const postgres = await openRoomDatabase(t);
  const clock = new FakeClock();
  const state = new RoomState([record('user', 'ana', ana), record('token', 'h1', token)], new Map());
  const open = () => new SharedTickets({ postgres, clock, state });
  const caller = callerOf(token, ana);
  return { postgres, clock, state, a: open(), b: open(), caller };
}

test('a ticket of one node is used once on any, for its caller', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, caller } = await openNodes(t);
  for (let n = 0; n < 10; n++) {
    const { ticket } = await a.issue(caller);
    const used = await Promise.all([a, b, b, a].map((node) => node.redeem(ticket)));
    const [admitted, ...others] = used.filter(({ ok }) => ok);
    assert.deepEqual(admitted, { ok: true, value: caller });
    assert.deepEqual(others, []);
  }
});

test('a ticket is good for 30 s, and no longer than its token and its user', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, clock, state, caller } = await openNodes(t);
  const local: Caller = { ...caller, tokenId: null, roomIds: null };
  const outcomeAfter = async (happen: () => void, of = caller) => {
    const { ticket } = await a.issue(of);
    happen();
    const found = await b.redeem(ticket);
    return found.ok ? 'in' : found.code;
  };
  assert.equal(await outcomeAfter(() => clock.advance(29_900)), 'in');
  assert.equal(await outcomeAfter(() => clock.advance(30_000)), 'unauthenticated');
  assert.equal(await outcomeAfter(() => clock.advance(1), { ...caller, expiresAt: clock.now() + 1 }), 'token_expired');
  assert.equal(await outcomeAfter(() => state.applyRecords([record('token', 'h1', null)])), 'unauthenticated');
  assert.equal(await outcomeAfter(() => {}, local), 'in');
  const disable = () => state.applyRecords([record('user', 'ana', { ...ana, disabled: true })]);
  assert.equal(await outcomeAfter(disable, local), 'unauthenticated');
});

test('an excess of tickets drops the oldest, and expired ones are dropped', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, a, b, clock, caller } = await openNodes(t);
  const count = async () => (await postgres.query('SELECT FROM opsdeck.room_ticket')).length;
  const first = await a.issue(caller);
  for (let n = 0; n < 100; n++) {
    clock.advance(1);
    await b.issue(caller);
  }
  assert.equal(await count(), 100);
  assert.equal((await a.redeem(first.ticket)).ok, false);
  clock.advance(30_000);
  await a.issue(caller);
  assert.equal(await count(), 1);
});
