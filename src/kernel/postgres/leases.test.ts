import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { createLog } from '../log.ts';
import { type Lease, Leases } from './leases.ts';
import { migrate } from './migrations.ts';
import type { Postgres } from './postgres.ts';
import { KERNEL_STEPS } from './schema.ts';

const clockForLog = new FakeClock();
const strictLog = createLog({
  level: 'error',
  format: 'logfmt',
  clock: clockForLog,
  write: (line) => {
    throw new Error(line);
  },
});

let jobs = 0;
const newJob = () => `job/${++jobs}`;

/** Its leases are renewed when the clock moves by a second. */
function createNode(postgres: Postgres) {
  const clock = new FakeClock();
  return { clock, leases: new Leases({ postgres, owner: randomUUID(), clock, log: strictLog }) };
}

const endLease = (postgres: Postgres, id: string) =>
  postgres.query("UPDATE opsdeck.lease SET lease_until = now() - interval '1 ms' WHERE id = $1", [id]);

const untilOf = async (postgres: Postgres, id: string) =>
  (await postgres.query<{ at: number }>('SELECT lease_until AS at FROM opsdeck.lease WHERE id = $1', [id]))[0]?.at ?? 0;

function granted(lease: Lease | undefined): Lease {
  assert.ok(lease, 'refused');
  return lease;
}

test('leases in PostgreSQL', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres } = await openForTest(t, (await openTestDatabase()).url);
  await migrate(postgres, 'kernel', KERNEL_STEPS);
  const [a, b] = [createNode(postgres), createNode(postgres)];

  await t.test(
    'of many processes and calls one gets the lease, and others get theirs in the same statement',
    async () => {
      const nodes = Array.from({ length: 5 }, () => createNode(postgres));
      const [wanted, other] = [newJob(), newJob()];
      const found = await Promise.all(
        nodes.flatMap(({ leases }) => [leases.acquire(wanted), leases.acquire(wanted), leases.acquire(other)]),
      );
      assert.deepEqual(
        found
          .filter(Boolean)
          .map((lease) => lease?.id)
          .sort(),
        [wanted, other].sort(),
      );
    },
  );

  await t.test('a released lease is granted again, with a greater fence', async () => {
    const job = newJob();
    const first = granted(await a.leases.acquire(job));
    assert.equal(await b.leases.acquire(job), undefined);
    assert.equal(await a.leases.acquire(job), undefined);
    await first.release();
    const second = granted(await b.leases.acquire(job));
    assert.ok(second.fence > first.fence, `${first.fence}, ${second.fence}`);
    assert.equal(await first.confirm(), false);
    await first.release();
    assert.equal(await second.confirm(), true);
    assert.equal(first.lost.aborted, false);
  });

  await t.test('all leases are renewed each second', async () => {
    const ids = [newJob(), newJob()];
    await Promise.all(ids.map((id) => a.leases.acquire(id)));
    const before = await Promise.all(ids.map((id) => untilOf(postgres, id)));
    a.clock.advance(1_000);
    for (const [index, id] of ids.entries())
      await eventually('it is renewed', async () => (await untilOf(postgres, id)) > (before[index] ?? 0));
  });

  await t.test('a process that was suspended keeps a lease that nobody took, and loses another', async () => {
    const [kept, taken] = [newJob(), newJob()];
    const leases = await Promise.all([a.leases.acquire(kept), a.leases.acquire(taken)]);
    const [first, second] = leases.map(granted) as [Lease, Lease];
    await endLease(postgres, kept);
    await endLease(postgres, taken);
    const taker = granted(await b.leases.acquire(taken));
    assert.ok(taker.fence > second.fence);
    assert.deepEqual([first.isFresh, second.isFresh], [true, true]);
    // No timer fires: the machine slept.
    a.clock.jump(10_000);
    assert.deepEqual([first.isFresh, second.isFresh], [false, false]);
    assert.deepEqual(await Promise.all([first.confirm(), second.confirm()]), [true, false]);
    assert.deepEqual([first.lost.aborted, second.lost.aborted, first.isFresh], [false, true, true]);
    await second.release();
    assert.equal(await taker.confirm(), true);
  });

  await t.test('a new fence ends writes under the earlier one, and the lease holds', async () => {
    const lease = granted(await a.leases.acquire(newJob()));
    const { fence } = lease;
    assert.equal(await lease.advance(), true);
    assert.ok(lease.fence > fence);
    a.clock.jump(10_000);
    assert.equal(await lease.confirm(), true);
    await endLease(postgres, lease.id);
    granted(await b.leases.acquire(lease.id));
    assert.equal(await lease.advance(), false);
    assert.equal(lease.lost.aborted, true);
  });

  await t.test('a process that ends releases its leases at once', async () => {
    const node = createNode(postgres);
    const jobs = [newJob(), newJob()];
    await Promise.all(jobs.map((id) => node.leases.acquire(id)));
    await node.leases.close();
    assert.equal(await node.leases.acquire(newJob()), undefined);
    for (const id of jobs) granted(await b.leases.acquire(id));
  });
});
