import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { configFile, Janitor, startOpsdeck } from '../../testing/processes.ts';
import { fillDisk, mountSmallDisk } from '../../testing/small-disk.ts';
import { startWebhookSink } from '../testing/webhook-sink.ts';

const DISK_MIB = 24;
const BALLAST_MIB = 16;
/** Together more than the log of changes has room for. */
const ALERTS = 40;
const ANNOTATION = 'x'.repeat(100_000);

test('on a full disk alerts are accepted and notified, /-/ready says so, and with room again they survive a kill', async (t) => {
  // Ends in reverse order: the processes, the disk, its folder.
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const disk = mountSmallDisk(janitor, DISK_MIB);
  if (disk === undefined) return t.skip('no disk can be mounted here; it takes root');
  const sink = await startWebhookSink(janitor);
  const config = configFile(
    janitor,
    `route: {receiver: hook, group_by: [n], group_wait: 0s, group_interval: 1h}
receivers: [{name: hook, webhook_configs: [{url: "${sink.url}"}]}]`,
  );
  const start = async () => {
    const server = await startOpsdeck(janitor, ['--config.file', config, '--storage.path', join(disk, 'data')]);
    const client = new PlainClient(janitor, server.url);
    return {
      post: async (numbers: readonly number[]) => {
        const endsAt = new Date(Date.now() + 3_600_000).toISOString();
        const alerts = numbers.map((n) => ({
          ...{ labels: { alertname: 'Full', n: String(n) }, annotations: { text: ANNOTATION }, endsAt },
        }));
        assert.equal((await client.post('/api/v2/alerts', alerts)).status, 200);
      },
      ready: () => client.get('/-/ready'),
      count: async () => (JSON.parse((await client.get('/api/v2/alerts')).body) as readonly unknown[]).length,
      kill: () => server.stop('SIGKILL'),
    };
  };
  const first = await start();
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(BALLAST_MIB * 2 ** 20));
  fillDisk(ballast);
  await first.post([...Array(ALERTS).keys()]);
  await sink.called(ALERTS);
  const ready = await eventually('the condition', async () => {
    const answer = await first.ready();
    return answer.body.includes('alerts cannot be written') && answer;
  });
  assert.equal(ready.status, 200);
  assert.match(
    ready.body,
    /^OK, but .*alerts cannot be written to disk: .*full.*; they are kept in memory and notified$/ms,
  );
  rmSync(ballast);
  await eventually('all on disk', async () => (await first.ready()).body === 'OK');
  await first.kill();
  const second = await start();
  assert.equal(await second.count(), ALERTS);
});
