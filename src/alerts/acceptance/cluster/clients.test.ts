import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { needsPostgres } from '../../../testing/postgres.ts';
import { needsReal, runProcess } from '../../../testing/processes.ts';
import { NODES_OVER_POSTGRES } from '../../testing/cluster/sides.ts';
import { startPrometheus } from '../../testing/prometheus.ts';
import { startWebhookSink } from '../../testing/webhook-sink.ts';

const configOf = (url: string) => `
route: {receiver: hook, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${url}/"}]}]
`;

/** The lines that amtool prints, without a configuration of its own. */
async function amtool(url: string, ...args: readonly string[]): Promise<readonly string[]> {
  const options = { env: { HOME: '/nonexistent' } };
  const { code, stdout, stderr } = await runProcess('amtool', [`--alertmanager.url=${url}`, ...args], options);
  assert.equal(code, 0, stderr);
  return stdout.split('\n').filter(Boolean);
}

test('Prometheus and amtool use three nodes as one server', async (t) => {
  if (!needsPostgres(t) || !needsReal(t, 'prometheus', 'prometheus')) return;
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const sink = await startWebhookSink(t);
  const { servers } = await NODES_OVER_POSTGRES.start(t, configOf(sink.url));
  const [first = '', second = '', third = ''] = servers.map(({ url }) => url);

  await t.test('amtool shows all nodes at each of them', async () => {
    for (const url of [first, second, third]) {
      const lines = await amtool(url, '-o', 'extended', 'cluster', 'show');
      assert.match(lines[0] ?? '', /ready/);
      for (const name of ['node-0', 'node-1', 'node-2'])
        assert.ok(
          lines.some((line) => line.includes(name)),
          name,
        );
    }
  });

  await t.test('a silence that amtool adds at one node is known to the others, and expired at any', async () => {
    const listed = (url: string) => amtool(url, 'silence', 'query', '--quiet');
    const [id = ''] = await amtool(first, 'silence', 'add', 'Other', '--comment=works', '--author=ann');
    for (const url of [second, third]) await eventually('the silence', async () => (await listed(url)).includes(id));
    await amtool(third, 'silence', 'expire', id);
    for (const url of [first, second]) await eventually('its end', async () => (await listed(url)).length === 0);
  });

  await t.test('an alert that Prometheus posts to all nodes is notified once', async () => {
    await startPrometheus(t, servers);
    const { payload } = await sink.called(1);
    const instances = ({ alerts }: typeof payload) => alerts.map(({ labels }) => labels.instance).sort();
    assert.deepEqual(instances(payload), ['db-93']);
    for (const url of [first, second, third]) {
      await eventually('the alert', async () => (await amtool(url, 'alert', 'query', 'instance=db-93')).length === 2);
    }
    // Until then each node has had a turn to send.
    await amtool(second, 'alert', 'add', 'DiskFull', 'instance=db-94');
    assert.deepEqual(instances((await sink.called(2)).payload), ['db-93', 'db-94']);
  });
});
