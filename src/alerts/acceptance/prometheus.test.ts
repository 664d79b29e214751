import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { needsReal, startOpsdeck } from '../../testing/processes.ts';
import { startPrometheus } from '../testing/prometheus.ts';

interface ListedAlert {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly generatorURL: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly updatedAt: string;
  readonly receivers: unknown;
  readonly status: { readonly state: string };
}

test('an alert that a real Prometheus pushes is listed as it was sent and refreshed, without any other', async (t) => {
  if (!needsReal(t, 'prometheus', 'prometheus')) return;
  const opsdeck = await startOpsdeck(t);
  const prometheus = await startPrometheus(t, [opsdeck]);
  const client = new PlainClient(t, opsdeck.url);
  const metrics = new PlainClient(t, prometheus.url);
  const list = async (): Promise<ListedAlert[]> => JSON.parse((await client.get('/api/v2/alerts')).body);

  const first = await eventually('a pushed alert', async () => (await list())[0]);
  assert.deepEqual(first.labels, { alertname: 'DiskFull', severity: 'critical', instance: 'db-93', region: 'north' });
  assert.deepEqual(first.annotations, {
    summary: '93 % full: "über" <b>',
    runbook: 'https://wiki.example/disk?a=1&b=2',
  });
  assert.equal(first.generatorURL, 'http://prometheus.example/p/graph?g0.expr=vector%2893%29&g0.tab=1');
  assert.equal(first.status.state, 'active');
  assert.ok(Date.parse(first.endsAt) > Date.parse(first.startsAt));

  const second = await eventually('a refreshed alert', async () => {
    const [alert] = await list();
    return alert && Date.parse(alert.updatedAt) > Date.parse(first.updatedAt) ? alert : undefined;
  });
  assert.equal(second.startsAt, first.startsAt);
  assert.deepEqual(second.labels, first.labels);
  assert.equal((await list()).length, 1);

  // A Prometheus that ends stays silent about its alerts; that it counts nothing as dropped shows that each push was taken.
  // Prometheus counts each push with an answer other than 2xx.
  const { body } = await metrics.get('/p/metrics');
  assert.match(body, /^prometheus_notifications_errors_total\{[^}]*\} 0$/m);
});
