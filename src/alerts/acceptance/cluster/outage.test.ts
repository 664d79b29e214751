import { test } from 'node:test';
import { isLongRound } from '../../../testing/long-round.ts';
import { needsPostgres, startPostgres } from '../../../testing/postgres.ts';
import { startCluster } from '../../testing/cluster/cluster.ts';
import { runOutage } from '../../testing/cluster/outage.ts';

// Servers of the built executable while PostgreSQL refuses connections; each of them then notifies on its own.

const DURATION_MS = isLongRound ? 30_000 : 4_000;

test('of nodes whose PostgreSQL', { only: isLongRound, concurrency: 2 }, async (t) => {
  if (!needsPostgres(t)) return;
  await Promise.all([
    t.test('is killed and started again, none loses or repeats anything', async (t) => {
      const postgres = await startPostgres(t);
      const cluster = await startCluster(t, { database: postgres });
      await runOutage(cluster, { begin: () => postgres.kill(), end: () => postgres.start(), durationMs: 0 });
    }),
    t.test('is stopped for a while, none loses or repeats anything', async (t) => {
      const postgres = await startPostgres(t);
      const cluster = await startCluster(t, { size: 2, database: postgres });
      await runOutage(cluster, { begin: () => postgres.stop(), end: () => postgres.start(), durationMs: DURATION_MS });
    }),
  ]);
});
