import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPostgres } from '../../../testing/postgres.ts';
import { assertAccepted, groupsOf, startCluster } from '../../testing/cluster/cluster.ts';
import { countTexts } from '../../testing/cluster/deliveries.ts';
import { firing, type PostedAlert, resolved } from '../../testing/cluster/node.ts';

// Three servers of the built executable over one PostgreSQL; every alert is posted to all of them.

test('each of a thousand new groups is notified once, and once of its end', async (t) => {
  if (!needsPostgres(t)) return;
  const { deliveries, postAll, recorded } = await startCluster(t);
  const groups = groupsOf('Group', 1_000);
  const alerts = groups.map((group) => firing(group));
  assertAccepted(await postAll(alerts));
  await deliveries.seen(groups, '+a');
  assertAccepted(await postAll(alerts.map(resolved)));
  // Every node has a flush of every group between the two.
  await deliveries.seen(groups, '-a');
  await recorded(2_000);
  assert.deepEqual(countTexts(deliveries.all, groups), { '+a, -a': 1_000 });
});

test('two hundred groups that begin while all nodes are restarted one after the other are notified once', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes, deliveries, postAll, recorded } = await startCluster(t);
  const alerts: PostedAlert[] = [];
  /** Begins fifty groups, and repeats all others again and again. */
  const addGroups = async () => {
    for (const goal = alerts.length + 50; alerts.length < goal; ) {
      for (let more = 0; more < 5; more++) alerts.push(firing(`Group${alerts.length}`));
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
  await recorded(400);
  assert.deepEqual(countTexts(deliveries.all, groups), { '+a, -a': 200 });
});
