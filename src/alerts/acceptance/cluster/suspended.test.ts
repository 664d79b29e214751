import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { needsPostgres } from '../../../testing/postgres.ts';
import { assertAccepted, type Cluster, groupsOf, startCluster } from '../../testing/cluster/cluster.ts';
import { countTexts, withoutKnownKeys } from '../../testing/cluster/deliveries.ts';
import { type ClusterNode, firing, resolved } from '../../testing/cluster/node.ts';

// SIGSTOP and SIGCONT, as by a hypervisor that moves a machine: afterwards every timer of the node fires at once.

const SUSPENDED_MS = 10_000;
const GROUPS = groupsOf('Group', 20);

/** Only this node flushes from now on, so that what it would send again arrives before what it sends next. */
async function leaveAlone({ nodes }: Cluster, survivor: ClusterNode): Promise<void> {
  await Promise.all(nodes.filter((node) => node !== survivor).map((node) => node.stop()));
}

async function testIdle(t: TestContext): Promise<void> {
  const cluster = await startCluster(t, { size: 2 });
  const { nodes, deliveries } = cluster;
  const [node, ...others] = nodes as readonly [ClusterNode, ...ClusterNode[]];
  const alerts = GROUPS.map((group) => firing(group));
  const suspendedAt = performance.now();
  node.pause();
  const late = node.postAlerts(alerts);
  await Promise.all(others.map((other) => other.postAlerts(alerts)));
  await deliveries.seen(GROUPS, '+a');
  await sleep(SUSPENDED_MS - (performance.now() - suspendedAt));
  node.resume();
  assert.equal((await late).status, 200);
  await leaveAlone(cluster, node);
  assert.equal((await node.postAlerts(alerts.map(resolved))).status, 200);
  await deliveries.seen(GROUPS, '-a');
  assert.deepEqual(countTexts(deliveries.all, GROUPS), { '+a, -a': GROUPS.length });
}

async function testSending(t: TestContext): Promise<void> {
  let sender: ClusterNode | undefined;
  let suspendedAt = 0;
  const cluster: Cluster = await startCluster(t, {
    answer: ({ node, text }) => {
      if (text === '+a +b' && !sender) {
        sender = cluster.node(node);
        suspendedAt = performance.now();
        sender.pause();
      }
      return {};
    },
  });
  const { deliveries, postAll, recorded } = cluster;
  const first = GROUPS.map((group) => firing(group, 'a'));
  const second = GROUPS.map((group) => firing(group, 'b'));
  assertAccepted(await postAll(first));
  await deliveries.seen(GROUPS, '+a');
  await recorded(GROUPS.length);
  const late = postAll(second);
  await deliveries.seen(GROUPS, '+a +b');
  await sleep(SUSPENDED_MS - (performance.now() - suspendedAt));
  const suspended = sender as unknown as ClusterNode;
  suspended.resume();
  assertAccepted(await late);
  await recorded(2 * GROUPS.length);
  await leaveAlone(cluster, suspended);
  assert.equal((await suspended.postAlerts([...first, ...second].map(resolved))).status, 200);
  await deliveries.seen(GROUPS, '-a -b');
  await recorded(3 * GROUPS.length);
  assert.deepEqual(countTexts(withoutKnownKeys(deliveries.all), GROUPS), { '+a, +a +b, -a -b': GROUPS.length });
  // A request that was under way when the node was suspended is recorded by the node that repeated it, and by no other.
  assert.equal((await suspended.json<readonly unknown[]>('/api/v2/notifications')).length, 3 * GROUPS.length);
}

async function testSlowWebhook(t: TestContext): Promise<void> {
  const { deliveries, postAll } = await startCluster(t, {
    size: 2,
    answer: async ({ text }) => {
      if (text === '+a') await sleep(5_000);
      return {};
    },
  });
  const alert = firing('Slow');
  assertAccepted(await postAll([alert]));
  await deliveries.seen(['Slow'], '+a');
  assertAccepted(await postAll([resolved(alert)]));
  await deliveries.seen(['Slow'], '-a');
  assert.deepEqual(countTexts(deliveries.all, ['Slow']), { '+a, -a': 1 });
}

test('of several nodes', { concurrency: 3 }, async (t) => {
  if (!needsPostgres(t)) return;
  await Promise.all([
    t.test('one that was suspended sends nothing that others have sent meanwhile', (t) => testIdle(t)),
    t.test('one suspended while it sends repeats nothing; what it had under way is sent under the same key', (t) =>
      testSending(t),
    ),
    t.test('one sends to a webhook that takes longer than the lease, and no other does', (t) => testSlowWebhook(t)),
  ]);
});
