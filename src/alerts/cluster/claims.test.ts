import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Member } from '../../kernel/postgres/members.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import type { Claim, ClaimOutcome } from '../pipeline/claims.ts';
import type { AlertGroup } from '../store/group.ts';
import { openAlertDatabase, strictLog } from '../testing/alert-database.ts';
import { HOUR, MINUTE } from '../testing/parts.ts';
import { ClusterClaims } from './claims.ts';
import { ClusterTimers } from './timers.ts';

const LEASE_MS = 4_000;
/** Granting and asking take time. */
const SLACK_MS = 3_000;

const groupOf = (id: string) => ({ id }) as AlertGroup;
let groups = 0;
const newGroup = () => groupOf(`{}:{number="${++groups}"}`);

/** `clock` measures the age of its leases. */
function createNode(postgres: Postgres) {
  const clock = new FakeClock();
  let reads = 0;
  const claims = new ClusterClaims({
    postgres,
    feed: { catchUp: async () => void reads++ },
    members: { position: 0, own: { incarnation: randomUUID() } as Member },
    clock,
    log: strictLog,
    recovered: async () => {},
  });
  return { claims, clock, reads: () => reads };
}

type Node = ReturnType<typeof createNode>;

function granted(outcome: ClaimOutcome): Claim {
  if (!outcome.ok) assert.fail(`refused until ${new Date(outcome.retryAt).toISOString()}`);
  return outcome.claim;
}

/** Claims a group, and renews the lease no more unless it is asked to confirm the claim. */
async function hold({ claims }: Node, group: AlertGroup): Promise<Claim> {
  const claim = granted(await claims.claim(group));
  claims.close();
  return claim;
}

function refusedFor(outcome: ClaimOutcome, postgres: Postgres): number {
  if (outcome.ok) assert.fail('granted');
  return outcome.retryAt - postgres.clock.now();
}

const idle = (nextFlushAt: number | undefined) => ({ nextFlushAt, released: [] });

interface FlushRow {
  readonly owner: string | null;
  readonly next_at: number;
  readonly fence: number;
}

async function rowOf(postgres: Postgres, { id }: AlertGroup): Promise<FlushRow | undefined> {
  return (await postgres.query<FlushRow>('SELECT owner, next_at, fence FROM opsdeck.flush WHERE id = $1', [id]))[0];
}

const endLease = (postgres: Postgres, { id }: AlertGroup) =>
  postgres.query("UPDATE opsdeck.flush SET lease_until = now() - interval '1 ms' WHERE id = $1", [id]);

const makeDue = (postgres: Postgres, { id }: AlertGroup) =>
  postgres.query('UPDATE opsdeck.flush SET next_at = now() WHERE id = $1', [id]);

/** The end of a flush is written behind: its node claims another group and ends that flush too, which is written later. */
async function completeAnother(postgres: Postgres, { claims }: Node): Promise<void> {
  const other = newGroup();
  claims.complete(granted(await claims.claim(other)), idle(undefined), false);
  await eventually('the end of the other flush', async () => (await rowOf(postgres, other)) === undefined);
}

test('without PostgreSQL every node gets every claim, in doubt', async () => {
  const clock = new FakeClock();
  const { claims } = createNode({ isUp: false, clock } as unknown as Postgres);
  const outcome = claims.claim(newGroup());
  await setImmediate();
  clock.advance(0);
  assert.equal(granted(await outcome).isInDoubt, true);
});

test('claims and group timers in PostgreSQL', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openAlertDatabase(t);

  await t.test('of many nodes one gets the claim, after it has read all changes', async () => {
    const nodes = Array.from({ length: 10 }, () => createNode(postgres));
    const group = newGroup();
    const outcomes = await Promise.all(nodes.map(({ claims }) => claims.claim(group)));
    assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
    for (const [index, outcome] of outcomes.entries()) {
      assert.equal(nodes[index]?.reads(), outcome.ok ? 1 : 0);
      if (outcome.ok) assert.equal(outcome.claim.isInDoubt, false);
    }
  });

  await t.test('a node does not get a claim that it holds', async () => {
    const node = createNode(postgres);
    const group = newGroup();
    await hold(node, group);
    assert.equal((await node.claims.claim(group)).ok, false);
  });

  await t.test('after a flush the claim is refused until the next one is due', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = newGroup();
    const nextFlushAt = Math.floor(postgres.clock.now()) + HOUR;
    a.claims.complete(await hold(a, group), idle(nextFlushAt), false);
    await eventually('the end of the flush', async () => (await rowOf(postgres, group))?.next_at === nextFlushAt);
    for (const { claims } of [a, b]) {
      const waitMs = refusedFor(await claims.claim(group), postgres);
      assert.ok(waitMs > HOUR - MINUTE && waitMs <= HOUR + 1_000, `${waitMs} ms`);
    }
    await makeDue(postgres, group);
    assert.equal((await hold(b, group)).isInDoubt, false);
  });

  await t.test('when the lease has ended, another node gets the claim in doubt', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = newGroup();
    await hold(a, group);
    await endLease(postgres, group);
    assert.equal((await hold(b, group)).isInDoubt, true);
  });

  await t.test('a claim stays in doubt until the group is notified', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = newGroup();
    await hold(a, group);
    await endLease(postgres, group);
    for (const isInDoubt of [true, false]) {
      const claim = await hold(b, group);
      assert.equal(claim.isInDoubt, true);
      b.claims.complete(claim, idle(postgres.clock.now()), isInDoubt);
      await completeAnother(postgres, b);
    }
    assert.equal((await hold(b, group)).isInDoubt, false);
  });

  await t.test('a lost claim is neither confirmed nor completed', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = newGroup();
    const lost = await hold(a, group);
    await endLease(postgres, group);
    await hold(b, group);
    const before = await rowOf(postgres, group);
    a.clock.advance(LEASE_MS);
    assert.equal(await lost.confirm(), false);
    a.claims.complete(lost, idle(undefined), false);
    await completeAnother(postgres, a);
    assert.deepEqual(await rowOf(postgres, group), before);
  });

  await t.test('confirming an old claim renews its lease', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = newGroup();
    const claim = await hold(a, group);
    await endLease(postgres, group);
    a.clock.advance(LEASE_MS);
    assert.equal(await claim.confirm(), true);
    assert.ok(refusedFor(await b.claims.claim(group), postgres) > LEASE_MS - SLACK_MS);
  });

  await t.test('also after the machine was suspended, while monotonic time stood still', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = newGroup();
    const claim = await hold(a, group);
    await endLease(postgres, group);
    await hold(b, group);
    a.clock.jump(LEASE_MS);
    assert.equal(await claim.confirm(), false);
  });

  await t.test('the row of a group that is gone is removed', async () => {
    const node = createNode(postgres);
    const group = newGroup();
    node.claims.complete(await hold(node, group), idle(undefined), false);
    await eventually('no row', async () => (await rowOf(postgres, group)) === undefined);
  });

  await t.test('other nodes learn the end of a flush, under the id that they know', async () => {
    const [a, b] = [createNode(postgres), createNode(postgres)];
    const group = groupOf('{}:{name="a\0\\0\ud800"}');
    const result = { nextFlushAt: 1_900_000_000_000, released: [{ fingerprint: '744e61ca074bea90', endsAt: 17 }] };
    a.claims.complete(await hold(a, group), result, false);
    const [logged] = await eventually('the logged end', async () => {
      const rows = await postgres.query(
        "SELECT key, body FROM opsdeck.change WHERE kind = 'flush' AND key LIKE '%name=%'",
      );
      return rows.length > 0 && rows;
    });
    const [key, body] = [String(logged?.key), String(logged?.body)];
    assert.deepEqual(b.claims.receive(key, body), { id: group.id, result });
    assert.equal(a.claims.receive(key, body), undefined);
  });

  const createTimers = () => new ClusterTimers(postgres, new FakeClock(), strictLog);
  const [a, b] = [createTimers(), createTimers()];
  const now = Math.floor(postgres.clock.now());

  await t.test('the first node that sees a group sets its first flush', async () => {
    await postgres.query('DELETE FROM opsdeck.flush');
    a.set('{}:{}', { at: now + HOUR, isFlushed: false });
    await a.flush();
    b.set('{}:{}', { at: now + 2 * HOUR, isFlushed: false });
    await b.flush();
    assert.deepEqual((await b.load()).get('{}:{}'), { at: now + HOUR, isFlushed: false });
  });

  await t.test('nobody gets the claim before, and from then on the group counts as flushed', async () => {
    const node = createNode(postgres);
    const group = groupOf('{}:{}');
    assert.ok(refusedFor(await node.claims.claim(group), postgres) > HOUR - MINUTE);
    await makeDue(postgres, group);
    assert.equal((await hold(node, group)).isInDoubt, false);
    assert.equal((await a.load()).get('{}:{}')?.isFlushed, true);
  });

  await t.test('only first flushes are written, and none of a group that is gone', async () => {
    a.set('gone', { at: now, isFlushed: false });
    a.set('gone', undefined);
    a.set('flushed', { at: now, isFlushed: true });
    const odd = '{}:{name="a\0\\0\ud800"}';
    a.set(odd, { at: now, isFlushed: false });
    await a.flush();
    assert.deepEqual([...(await b.load()).keys()].sort(), ['{}:{}', odd].sort());
  });
});
