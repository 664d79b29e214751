import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { createLog } from '../log.ts';
import { Metrics } from '../metrics/metrics.ts';
import { type MetricsSenderOptions, sendMetrics } from './metrics-sender.ts';

async function setUp(
  t: TestContext,
  options: Partial<MetricsSenderOptions> = {},
  answer?: (index: number) => SinkAnswer,
) {
  const sink = await startHttpSink(t, (_, index) => answer?.(index) ?? {});
  const clock = new FakeClock();
  const lines: string[] = [];
  const metrics = new Metrics();
  const sender = sendMetrics({
    url: `${sink.url}/v1/metrics`,
    connections: {},
    headers: async () => ({ 'api-key': 's3cr3t' }),
    isCompressed: false,
    isJson: true,
    timeoutMs: 10_000,
    intervalMs: 60_000,
    resource: { 'service.name': 'relay', zone: 'eu' },
    version: '1.2.3',
    startedAt: clock.now(),
    read: () => metrics.read(),
    clock,
    log: createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) }),
    ...options,
  });
  t.after(() => sender.close(1_000));
  return { sink, clock, metrics, sender, lines };
}

// biome-ignore lint/suspicious/noExplicitAny: of the wire
type Sent = any;

const attributesOf = (pairs: readonly { readonly key: string; readonly value: object }[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

test('counters and gauges are sent at the interval, as they are in Prometheus', async (t) => {
  const { sink, clock, metrics } = await setUp(t);
  const posts = metrics.counter('posts', 'Posts.', ['by']);
  metrics.gauge('open', 'What is open.', [], (gauge) => gauge.set(2.5));
  metrics.gauge('unknown', 'Cannot be read.', [], (gauge) => gauge.set(Number.NaN));
  posts.inc({ by: 'ann' }, 3);
  clock.advance(59_999);
  posts.inc({ by: 'bob' }, 1);
  clock.advance(1);
  const [request] = await sink.received(1);
  assert.deepEqual(
    [request?.path, request?.headers['content-type'], request?.headers['api-key']],
    ['/v1/metrics', 'application/json', 's3cr3t'],
  );
  const { resource, scopeMetrics } = (request as Sent).json.resourceMetrics[0];
  const { 'service.name': name, 'service.version': version, zone } = attributesOf(resource.attributes);
  assert.deepEqual([name, version, zone], ['relay', '1.2.3', 'eu']);
  const [counter, gauge, unknown] = scopeMetrics[0].metrics;
  assert.deepEqual(
    [counter.name, counter.description, counter.sum.isMonotonic, counter.sum.aggregationTemporality],
    ['posts', 'Posts.', true, 2],
  );
  assert.deepEqual(
    counter.sum.dataPoints.map((point: Sent) => [attributesOf(point.attributes), point.asDouble]),
    [
      [{ by: 'ann' }, 3],
      [{ by: 'bob' }, 1],
    ],
  );
  const { startTimeUnixNano: from, timeUnixNano: to } = counter.sum.dataPoints[0];
  assert.equal((BigInt(to) - BigInt(from)) / 1_000_000n, 60_000n);
  assert.deepEqual([gauge.name, gauge.gauge.dataPoints[0].asDouble], ['open', 2.5]);
  assert.deepEqual([unknown.name, unknown.gauge.dataPoints], ['unknown', []]);
});

test('protobuf is sent, compressed if asked for', async (t) => {
  const { sink, clock } = await setUp(t, { isJson: false, isCompressed: true });
  clock.advance(60_000);
  const [request] = await sink.received(1);
  assert.deepEqual(
    [request?.headers['content-type'], request?.headers['content-encoding']],
    ['application/x-protobuf', 'gzip'],
  );
});

test('one batch is under way at a time, and a failure is logged once', async (t) => {
  // The clock is advanced while a batch may still be under way.
  const timeoutMs = Number.MAX_SAFE_INTEGER;
  const { sink, clock, lines } = await setUp(t, { timeoutMs }, (index) => ({ status: index < 2 ? 400 : 200 }));
  clock.advance(60_000);
  await eventually('logged', () => lines.length === 1, { everyMs: 1 });
  assert.match(
    lines[0] ?? '',
    /level=ERROR msg="metrics could not be sent to the collector" err="the collector answered 400"/,
  );
  for (const count of [2, 3]) {
    // The batch before is over when the connection is free again.
    await eventually(`${count} batches`, () => sink.requests.length >= count || void clock.advance(60_000), {
      everyMs: 5,
    });
  }
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines.join(''), /s3cr3t/);
});

test('closing waits for no second attempt', async (t) => {
  const { sink, clock, sender, lines } = await setUp(t, {}, () => ({ status: 503 }));
  clock.advance(60_000);
  await sink.received(1);
  await sender.close(5_000);
  assert.equal(sink.requests.length, 2);
  assert.match(lines.join(''), /err="the collector answered 503"/);
});

test('closing sends the last numbers, and gives up in time', async (t) => {
  const { sink, sender, metrics } = await setUp(t);
  metrics.counter('posts', 'Posts.').inc(7);
  await sender.close(5_000);
  await sender.close(5_000);
  assert.equal(sink.requests.length, 1);
  assert.match(sink.requests[0]?.body ?? '', /"asDouble":7/);

  const hanging = await setUp(t, {}, () => 'hang');
  const closing = hanging.sender.close(5_000);
  await hanging.sink.received(1);
  hanging.clock.advance(5_000);
  await closing;
  assert.match(hanging.lines.join(''), /err="the collector did not answer in time"/);
});
