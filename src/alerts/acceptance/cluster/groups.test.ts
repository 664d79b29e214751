import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRound } from '../../../testing/long-round.ts';
import { needsPostgres } from '../../../testing/postgres.ts';
import { assertAccepted, type Cluster, groupsOf, startCluster } from '../../testing/cluster/cluster.ts';
import { countTexts } from '../../testing/cluster/deliveries.ts';
import { firing, type PostedAlert, resolved } from '../../testing/cluster/node.ts';

// Three servers of the built executable over one PostgreSQL; every alert is posted to all of them.

const GROUPS = isLongRound ? 1_000 : 60;
/** Groups that begin during each restart, and after all. */
const BEGUN = isLongRound ? 50 : 15;

async function testManyGroups({ deliveries, postAll, recorded }: Cluster): Promise<void> {
  const groups = groupsOf('Group', GROUPS);
  const alerts = groups.map((group) => firing(group));
  assertAccepted(await postAll(alerts));
  await deliveries.seen(groups, '+a');
  assertAccepted(await postAll(alerts.map(resolved)));
  // Every node has a flush of every group between the two.
  await deliveries.seen(groups, '-a');
  await recorded(2 * GROUPS);
  assert.deepEqual(countTexts(deliveries.all, groups), { '+a, -a': GROUPS });
}

async function testRestarts({ nodes, deliveries, postAll, recorded }: Cluster): Promise<void> {
  const alerts: PostedAlert[] = [];
  /** Begins some groups, and repeats all others again and again. */
  const addGroups = async () => {
    for (const goal = alerts.length + BEGUN; alerts.length < goal; ) {
      for (let more = 0; more < 5; more++) alerts.push(firing(`Restart${alerts.length}`));
      await postAll(alerts);
    }
  };
  for (const node of nodes) {
    const restart = async () => {
      assert.deepEqual(await node.stop(), { code: 0, signal: null });
      await node.start();
    };
    await Promise.all([restart(), addGroups()]);
  }
  await addGroups();
  const groups = alerts.map(({ labels }) => labels.alertname as string);
  await deliveries.seen(groups, '+a');
  assertAccepted(await postAll(alerts.map(resolved)));
  await deliveries.seen(groups, '-a');
  await recorded(2 * GROUPS + 2 * groups.length);
  assert.deepEqual(countTexts(deliveries.all, groups), { '+a, -a': 4 * BEGUN });
}

test('of three nodes', { only: isLongRound }, async (t) => {
  if (!needsPostgres(t)) return;
  const cluster = await startCluster(t);
  await t.test('each of many new groups is notified once, and once of its end', () => testManyGroups(cluster));
  await t.test('groups that begin while all nodes are restarted one after the other are notified once', () =>
    testRestarts(cluster),
  );
});
