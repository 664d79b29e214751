import { test } from 'node:test';
import { startFaultyLink } from '../../../testing/faulty-link.ts';
import { needsPostgres, startPostgres } from '../../../testing/postgres.ts';
import { startCluster } from '../../testing/cluster/cluster.ts';
import { runOutage } from '../../testing/cluster/outage.ts';

// Servers of the built executable while PostgreSQL does not answer; each of them then notifies on its own.

test('of two nodes whose PostgreSQL', { concurrency: 2 }, async (t) => {
  if (!needsPostgres(t)) return;
  await Promise.all([
    t.test('is suspended, none loses or repeats anything', async (t) => {
      const postgres = await startPostgres(t);
      const cluster = await startCluster(t, { size: 2, database: postgres });
      await runOutage(cluster, { begin: () => postgres.pause(), end: () => postgres.resume(), durationMs: 0 });
    }),
    t.test('commits, but is not heard, none loses or repeats anything', async (t) => {
      const postgres = await startPostgres(t);
      const link = await startFaultyLink(postgres.port, t);
      const connectBy = (url: string) => Object.assign(new URL(url), { port: String(link.port) }).href;
      const cluster = await startCluster(t, { size: 2, database: postgres, connectBy });
      await runOutage(cluster, { begin: () => link.dropAnswers(), end: () => link.heal(), durationMs: 0 });
    }),
  ]);
});
