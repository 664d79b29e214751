import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { type CollectedSpan, type OtlpSink, startOtlpSink } from '../../testing/http/otlp-sink.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import { configFile, Janitor, startOpsdeck } from '../../testing/processes.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const configOf = (receiver: string, collector: OtlpSink | undefined, more = '') => `
route: {receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1h}
receivers: [{name: hook, webhook_configs: [{url: "${receiver}/s3cr3t"}]}]
${collector ? `tracing: {client_type: http, endpoint: "${collector.endpoint}", insecure: true, sampling_fraction: 1${more}}` : ''}`;

const alertNamed = (alertname: string) => [{ labels: { alertname } }];

/** The names from the root of its trace down to the span. */
function pathTo(span: CollectedSpan | undefined, spans: readonly CollectedSpan[]): readonly string[] {
  if (!span) return [];
  return [
    ...pathTo(
      spans.find(({ spanId }) => spanId === span.parentId),
      spans,
    ),
    span.name,
  ];
}

test('the executable traces requests, flushes, stages, attempts and what it sends', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const collector = await startOtlpSink(janitor);
  const receiver = await startHttpSink(janitor, (_, index) => ({ status: index === 0 ? 503 : 200 }));
  const headers = ', compression: gzip, headers: {x-tenant: {values: [ops]}}';
  const file = configFile(janitor, configOf(receiver.url, collector, headers));
  const server = await startOpsdeck(janitor, ['--config.file', file]);
  const response = await fetch(`${server.url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${TRACE}-${SPAN}-01` },
    body: JSON.stringify(alertNamed('Traced')),
  });
  assert.equal(response.status, 200);
  await receiver.received(2);
  await server.stop();
  const { spans } = collector;
  const [request] = collector.named('POST /api/v2/alerts');
  assert.deepEqual([request?.traceId, request?.parentId, request?.kind], [TRACE, SPAN, 2]);
  assert.equal(request?.attributes['http.response.status_code'], 200);
  assert.deepEqual(pathTo(collector.named('api.postAlertsHandler')[0], spans).at(-2), 'POST /api/v2/alerts');
  const stages = ['dispatch.AggregationGroup.flush', 'notify.RoutingStage.Exec'];
  const attempt = [...stages, 'notify.RetryStage.Exec', 'notify.Integration.Notify'];
  const expected: Readonly<Record<string, readonly string[][]>> = {
    'notify.MuteStage.Exec': [stages, stages],
    'notify.TimeActiveStage.Exec': [stages],
    'notify.TimeMuteStage.Exec': [stages],
    'notify.DedupStage.Exec': [stages],
    'notify.RetryStage.Exec': [stages],
    'notify.Integration.Notify': [attempt.slice(0, -1), attempt.slice(0, -1)],
    'HTTP POST': [attempt, attempt],
    'notify.SetNotifiesStage.Exec': [stages],
  };
  for (const [name, above] of Object.entries(expected)) {
    assert.deepEqual(
      collector.named(name).map((span) => pathTo(span, spans).slice(0, -1)),
      above,
      name,
    );
  }
  assert.deepEqual(
    collector.named('HTTP POST').map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    receiver.requests.map(({ headers }) => headers.traceparent),
  );
  assert.deepEqual(
    collector.named('notify.Integration.Notify').map(({ error }) => error !== undefined),
    [true, false],
  );
  assert.equal(collector.requests[0]?.headers['x-tenant'], 'ops');
  assert.doesNotMatch(JSON.stringify(spans), /s3cr3t/);
});

test('a reload changes the collector, and turns tracing off and on', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const [first, second] = [await startOtlpSink(janitor), await startOtlpSink(janitor)];
  const receiver = await startHttpSink(janitor);
  const file = configFile(janitor, configOf(receiver.url, undefined));
  const server = await startOpsdeck(janitor, ['--config.file', file]);
  const client = new PlainClient(janitor, server.url);
  const groups = ['Off', 'First', 'Second', 'OffAgain'];
  for (const [index, collector] of [undefined, first, second, undefined].entries()) {
    writeFileSync(file, configOf(receiver.url, collector));
    assert.equal((await client.post('/-/reload', '')).status, 200);
    assert.equal((await client.post('/api/v2/alerts', alertNamed(groups[index] as string))).status, 200);
    const [latest] = (await receiver.received(index + 1)).slice(-1);
    await eventually('it is recorded', async () => {
      const { body } = await client.get('/api/v2/notifications');
      return (JSON.parse(body) as readonly unknown[]).length === index + 1;
    });
    assert.equal(latest?.headers.traceparent !== undefined, collector !== undefined);
  }
  await server.stop();
  for (const [collector, group, later] of [
    [first, 'First', ['Second', 'OffAgain']],
    [second, 'Second', ['OffAgain']],
  ] as const) {
    // Groups from before the reload are evaluated again, and need an update while their notification is being recorded.
    const needed = collector
      .named('notify.DedupStage.Exec')
      .filter(({ events }) => events.includes('notify.DedupStage.Exec nflog needs update'));
    const keys = needed.map(({ attributes }) => attributes['alerting.group.key']);
    assert.ok(keys.includes(`{}:{alertname="${group}"}`), String(keys));
    for (const name of later) assert.ok(!keys.includes(`{}:{alertname="${name}"}`), String(keys));
  }
});

for (const [name, answer] of [
  ['hangs', () => undefined],
  ['refuses', () => 500],
] as const) {
  test(`a collector that ${name} delays no notification, and the stop by five seconds at most`, async (t) => {
    const janitor = new Janitor();
    t.after(() => janitor.clean());
    const collector = await startOtlpSink(janitor, answer);
    const receiver = await startHttpSink(janitor);
    const file = configFile(janitor, configOf(receiver.url, collector));
    const server = await startOpsdeck(janitor, ['--config.file', file]);
    const client = new PlainClient(janitor, server.url);
    const alerts = Array.from({ length: 300 }, (_, n) => ({ labels: { alertname: `Group${n}` } }));
    assert.equal((await client.post('/api/v2/alerts', alerts)).status, 200);
    await receiver.received(300);
    await eventually('the collector was asked', async () => collector.requests.length > 0);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    assert.match(server.stderr(), /spans could not be sent to the collector/);
  });
}
