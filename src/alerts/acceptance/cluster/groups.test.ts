import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsPostgres } from '../../../testing/postgres.ts';
import { assertAccepted, groupsOf, startCluster } from '../../testing/cluster/cluster.ts';
import { firing, resolved } from '../../testing/cluster/node.ts';

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
  assert.deepEqual(deliveries.counts(groups), { '+a, -a': 1_000 });
});
