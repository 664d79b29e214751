import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { isLongRound } from '../../../testing/long-round.ts';
import { needsPostgres } from '../../../testing/postgres.ts';
import { type Cluster, startCluster } from '../../testing/cluster/cluster.ts';
import { type ClusterNode, firing, type ListedSilence, silenceIdIn } from '../../testing/cluster/node.ts';

// Silences of three nodes over one PostgreSQL.

const ROUNDS = isLongRound ? 20 : 8;

async function create(node: ClusterNode, comment: string): Promise<ListedSilence> {
  const answer = await node.setSilence(comment);
  assert.equal(answer.status, 200, answer.body);
  return node.silence(silenceIdIn(answer) as string);
}

/** What every node lists, when it has everything that was written before. */
async function listedByAll({ nodes }: Cluster): Promise<readonly ReadonlyMap<string, ListedSilence>[]> {
  // Nodes take changes over in the order of their commits.
  const { id: last } = await create(nodes[0] as ClusterNode, 'last');
  return Promise.all(
    nodes.map((node) =>
      eventually(`the last silence on ${node.name}`, async () => {
        const silences = await node.silences();
        return silences.has(last) && silences;
      }),
    ),
  );
}

async function testPropagation({ nodes }: Cluster): Promise<void> {
  const [first, ...others] = nodes as readonly [ClusterNode, ...ClusterNode[]];
  const delays: number[] = [];
  for (let round = 0; round < 10; round++) {
    const id = silenceIdIn(await first.setSilence(`propagated ${round}`)) as string;
    const answeredAt = performance.now();
    const isListed = (node: ClusterNode) =>
      eventually(`${id} on ${node.name}`, async () => (await node.silences()).has(id), { everyMs: 5 });
    await Promise.all(others.map(isListed));
    delays.push(performance.now() - answeredAt);
  }
  // Each follows the arrival of the one before: by polling, all but the first would take the whole second between two polls.
  const fastest = Math.min(...delays.slice(1));
  assert.ok(fastest < 250, `seen elsewhere after ${fastest} ms at best`);
}

async function testNextWrite({ nodes }: Cluster): Promise<void> {
  const [first, second, third] = nodes as readonly [ClusterNode, ClusterNode, ClusterNode];
  for (let round = 0; round < ROUNDS; round++) {
    const silence = await create(first, `written ${round}`);
    const updated = await second.setSilence(`updated ${round}`, silence);
    assert.deepEqual([updated.status, silenceIdIn(updated)], [200, silence.id]);
    assert.equal((await third.expire(silence.id)).status, 200);
  }
}

/** Changes one silence through all nodes at once, through each of them several times, and expires it through one. */
async function testParallelWrites(cluster: Cluster): Promise<void> {
  const expired: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const silence = await create(cluster.nodes[0] as ClusterNode, `parallel ${round}`);
    const update = (node: ClusterNode) => node.setSilence(`changed by ${node.name}`, silence);
    const [expiry] = await Promise.all([
      (cluster.nodes[round % 3] as ClusterNode).expire(silence.id),
      ...cluster.nodes.map(update),
      ...cluster.nodes.map(update),
    ]);
    // A change that always meets another one is refused in the end.
    if (expiry.status === 200) expired.push(silence.id);
  }
  assert.ok(expired.length > 0);
  const [listed, ...others] = await listedByAll(cluster);
  for (const other of others) assert.deepEqual(new Map([...other].sort()), new Map([...(listed ?? [])].sort()));
  assert.deepEqual(
    expired.filter((id) => listed?.get(id)?.status.state !== 'expired'),
    [],
  );
}

/** Kills a node that has an acknowledgement, expires it on another, and looks at all after a later renewal. */
async function testAcknowledgements(cluster: Cluster): Promise<void> {
  const [first, second, third] = cluster.nodes as readonly [ClusterNode, ClusterNode, ClusterNode];
  await cluster.postAll([firing('Silenced')]);
  const acknowledge = async (node: ClusterNode) => {
    const [now, minutes] = [Date.now(), 60_000];
    const posted = await node.post('/api/v2/silences', {
      matchers: [{ name: 'alertname', value: 'Silenced', isRegex: false }],
      startsAt: new Date(now).toISOString(),
      endsAt: new Date(now + 9 * minutes).toISOString(),
      createdBy: 'ann',
      comment: 'Acknowledged',
      annotations: { acknowledged_until: new Date(now + 60 * minutes).toISOString() },
    });
    const id = silenceIdIn(posted) as string;
    const isRenewed = async (there: ClusterNode) => Date.parse((await there.silence(id)).endsAt) > now + 14 * minutes;
    const renewed = (...nodes: readonly ClusterNode[]) =>
      Promise.all(nodes.map((there) => eventually(`the renewal on ${there.name}`, () => isRenewed(there))));
    return { id, renewed };
  };
  const one = await acknowledge(first);
  await first.kill();
  await one.renewed(second, third);
  await second.expire(one.id);
  await first.start();
  const other = await acknowledge(third);
  await other.renewed(first, second, third);
  for (const node of cluster.nodes) assert.equal((await node.silence(one.id)).status.state, 'expired');
}

test('of three nodes', { only: isLongRound }, async (t) => {
  if (!needsPostgres(t)) return;
  const cluster = await startCluster(t);
  await t.test('each lists a silence that was made on another, without polling', () => testPropagation(cluster));
  await t.test('each updates and expires a silence that another has just acknowledged', () => testNextWrite(cluster));
  await t.test('all have the same silences after parallel updates and expiries, and no expiry is undone', () =>
    testParallelWrites(cluster),
  );
  // Each renewal takes up to five seconds.
  await t.test(
    'the others renew an acknowledgement of a killed node, and one that was expired stays so',
    {
      skip: !isLongRound,
    },
    () => testAcknowledgements(cluster),
  );
});
