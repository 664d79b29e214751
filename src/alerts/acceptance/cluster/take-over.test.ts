import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { needsPostgres, startPostgres } from '../../../testing/postgres.ts';
import { assertAccepted, type Cluster, type ClusterPlan, startCluster } from '../../testing/cluster/cluster.ts';
import { countTexts } from '../../testing/cluster/deliveries.ts';
import { type ClusterNode, firing, type PostedAlert, resolved } from '../../testing/cluster/node.ts';

// A node is killed and stays away. The next regular flush of its groups would be too late for every test.

const GROUP_INTERVAL = 'group_interval: 10m';

/** A cluster whose sending node is killed before its first request is answered. */
async function killSender(t: TestContext, alert: PostedAlert, plan: ClusterPlan = {}): Promise<Cluster> {
  let isFirst = true;
  const cluster = await startCluster(t, {
    ...plan,
    size: 2,
    timing: `group_wait: 200ms, ${GROUP_INTERVAL}`,
    answer: () => {
      const hangs = isFirst;
      isFirst = false;
      return hangs ? 'hang' : {};
    },
  });
  assertAccepted(await cluster.postAll([alert]));
  const { node } = await cluster.deliveries.first('the request that hangs', () => true);
  await cluster.node(node).kill();
  return cluster;
}

async function testSameKey(t: TestContext): Promise<void> {
  const { deliveries, recorded } = await killSender(t, firing('Hung'));
  await recorded(1);
  assert.deepEqual(countTexts(deliveries.all, ['Hung']), { '+a, +a': 1 });
  const [first, second] = deliveries.all;
  assert.notEqual(first?.node, second?.node);
  assert.equal(first?.idempotencyKey, second?.idempotencyKey);
}

async function testEnd(t: TestContext): Promise<void> {
  const alert = firing('Ended');
  const { deliveries, postAll, recorded } = await killSender(t, alert);
  assertAccepted(await postAll([resolved(alert)]));
  await recorded(1);
  assert.deepEqual(countTexts(deliveries.all, ['Ended']), { '+a, -a': 1 });
}

async function testEndInOutage(t: TestContext): Promise<void> {
  const postgres = await startPostgres(t);
  const alert = firing('Alone');
  const { deliveries, postAll } = await killSender(t, alert, { database: postgres });
  assertAccepted(await postAll([resolved(alert)]));
  await postgres.stop();
  await deliveries.seen(['Alone'], '-a');
  assert.deepEqual(countTexts(deliveries.all, ['Alone']), { '+a, -a': 1 });
}

async function testSingleWitness(t: TestContext): Promise<void> {
  const { nodes, deliveries, recorded } = await startCluster(t, {
    size: 2,
    timing: `group_wait: 3s, ${GROUP_INTERVAL}`,
  });
  const [witness, other] = nodes as readonly [ClusterNode, ClusterNode];
  assert.equal((await witness.postAlerts([firing('Witnessed')])).status, 200);
  await eventually(
    'the alert on another node',
    async () => (await other.json<readonly unknown[]>('/api/v2/alerts')).length > 0,
  );
  await witness.kill();
  await recorded(1);
  assert.deepEqual(countTexts(deliveries.all, ['Witnessed']), { '+a': 1 });
  assert.notEqual(deliveries.all[0]?.node, witness.name);
}

test('of a node that is killed', { concurrency: 4 }, async (t) => {
  if (!needsPostgres(t)) return;
  await Promise.all([
    t.test('another repeats the request under way, under the same key', (t) => testSameKey(t)),
    t.test('another sends the end of the alert whose request was under way', (t) => testEnd(t)),
    t.test('another sends that end also when PostgreSQL is away', (t) => testEndInOutage(t)),
    t.test('another notifies of the alert that was posted to it alone', (t) => testSingleWitness(t)),
  ]);
});
