import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { startPgBouncer } from '../../../testing/pgbouncer.ts';
import { needsPostgres, openTestDatabase } from '../../../testing/postgres.ts';
import { needsReal } from '../../../testing/processes.ts';
import { assertAccepted, groupsOf, startCluster } from '../../testing/cluster/cluster.ts';
import { countTexts } from '../../testing/cluster/deliveries.ts';
import { type ClusterNode, firing, resolved, silenceIdIn } from '../../testing/cluster/node.ts';

test('two nodes behind PgBouncer in transaction mode share silences, and notify each group once', async (t) => {
  if (!needsPostgres(t) || !needsReal(t, 'pgbouncer', 'pgbouncer')) return;
  const database = await openTestDatabase();
  const { url } = await startPgBouncer(t, database);
  const { nodes, deliveries, postAll, recorded } = await startCluster(t, { size: 2, database, connectBy: () => url });
  const [one, other] = nodes as readonly [ClusterNode, ClusterNode];
  const id = silenceIdIn(await one.setSilence('shared')) ?? '';
  await eventually('the silence on the other node', async () => (await other.silences()).has(id));
  const groups = groupsOf('Group', 50);
  const alerts = groups.map((group) => firing(group));
  assertAccepted(await postAll(alerts));
  await deliveries.seen(groups, '+a');
  assertAccepted(await postAll(alerts.map(resolved)));
  await deliveries.seen(groups, '-a');
  await recorded(2 * groups.length);
  assert.deepEqual(countTexts(deliveries.all, groups), { '+a, -a': groups.length });
});
