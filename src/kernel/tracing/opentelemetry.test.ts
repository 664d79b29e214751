import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { startOtlpSink } from '../../testing/http/otlp-sink.ts';
import { createLog } from '../log.ts';
import { openTracer, type TracerOptions } from './opentelemetry.ts';
import { inSpan, NO_TRACES, traced } from './tracer.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

/** A tracer that samples everything, its collector, and its log. */
async function setUp(
  t: TestContext,
  options: Partial<TracerOptions> = {},
  answer?: (index: number) => number | undefined,
) {
  const sink = await startOtlpSink(t, answer);
  const clock = new FakeClock();
  const lines: string[] = [];
  const tracer = openTracer({
    url: `http://${sink.endpoint}/v1/traces`,
    connections: {},
    headers: async () => ({}),
    isCompressed: false,
    timeoutMs: 10_000,
    samplingFraction: 1,
    serviceName: 'alertmanager',
    serviceVersion: '1.2.3',
    clock,
    log: createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) }),
    ...options,
  });
  return { sink, clock, tracer, lines };
}

test('spans go to the collector with their parents, attributes, events and failures', async (t) => {
  const { sink, tracer } = await setUp(t, { headers: async () => ({ 'x-tenant': 'ops' }) });
  const root = tracer.start('outer', {
    kind: 'server',
    attributes: { text: 'a', count: 3, yes: true, none: undefined },
  });
  await inSpan(tracer, root, async () => {
    await Promise.resolve();
    const inner = tracer.start('inner', { kind: 'client' });
    inner.event('happened');
    inner.fail('no answer');
    inner.fail('later');
    inner.end();
  });
  await tracer.close(1000);
  const [outer, inner] = [sink.named('outer')[0], sink.named('inner')[0]];
  assert.deepEqual([outer?.kind, outer?.parentId, outer?.error], [2, '', undefined]);
  assert.deepEqual(outer?.attributes, { text: 'a', count: 3, yes: true });
  assert.deepEqual([inner?.kind, inner?.parentId, inner?.traceId], [3, outer?.spanId, outer?.traceId]);
  assert.deepEqual([inner?.events, inner?.error], [['happened', 'exception'], 'no answer']);
  assert.equal(root.traceparent, `00-${outer?.traceId}-${outer?.spanId}-01`);
  assert.deepEqual([outer?.resource['service.name'], outer?.resource['service.version']], ['alertmanager', '1.2.3']);
  const [request] = sink.requests;
  assert.deepEqual(
    [request?.path, request?.headers['content-type'], request?.headers['x-tenant']],
    ['/v1/traces', 'application/x-protobuf', 'ops'],
  );
});

test('a batch is compressed if asked for', async (t) => {
  const { sink, tracer } = await setUp(t, { isCompressed: true });
  tracer.start('one').end();
  await tracer.close(1000);
  assert.equal(sink.requests[0]?.headers['content-encoding'], 'gzip');
  assert.equal(sink.spans.length, 1);
});

const samples: [fraction: number, flags: string | undefined, isSampled: boolean][] = [
  [0, undefined, false],
  [1, undefined, true],
  [0, '01', true],
  [1, '00', false],
];
for (const [samplingFraction, flags, isSampled] of samples) {
  const parent = flags === undefined ? 'no parent' : `a parent with the flags ${flags}`;
  test(`at a fraction of ${samplingFraction}, a span with ${parent} is ${isSampled ? '' : 'not '}sampled`, async (t) => {
    const { sink, tracer } = await setUp(t, { samplingFraction });
    const traceparent = flags && `00-${TRACE}-b7ad6b7169203331-${flags}`;
    const span = tracer.start('one', { traceparent });
    assert.match(span.traceparent, isSampled ? /-01$/ : /-00$/);
    if (flags) assert.equal(span.traceparent.split('-')[1], TRACE);
    tracer.within(span, () => tracer.start('below').end());
    span.end();
    await tracer.close(1000);
    assert.equal(sink.spans.length, isSampled ? 2 : 0);
    if (isSampled && flags) assert.equal(sink.named('one')[0]?.parentId, 'b7ad6b7169203331');
  });
}

test('a malformed parent is ignored', async (t) => {
  const { sink, tracer } = await setUp(t);
  tracer.start('one', { traceparent: 'nonsense' }).end();
  await tracer.close(1000);
  assert.equal(sink.spans[0]?.parentId, '');
});

test('a batch that the collector is too busy for is sent again after five seconds', async (t) => {
  const { sink, tracer, clock, lines } = await setUp(t, {}, (index) => (index === 0 ? 503 : 200));
  tracer.start('one').end();
  const closing = tracer.close(60_000);
  await eventually('the first attempt has failed', async () => {
    clock.advance(5_000);
    return sink.spans.length === 1;
  });
  await closing;
  assert.deepEqual([sink.requests.length, lines], [2, []]);
});

test('a batch that the collector refuses is dropped and reported once', async (t) => {
  const { sink, tracer, lines } = await setUp(t, {}, () => 400);
  tracer.start('one').end();
  await tracer.close(1000);
  assert.equal(sink.requests.length, 1);
  assert.match(
    lines.join(''),
    /^time=\S+ level=ERROR msg="spans could not be sent to the collector" spans=1 err="the collector answered 400"\n$/,
  );
});

test('a collector that cannot be reached is reported after a minute, without its headers', async (t) => {
  const { tracer, clock, lines } = await setUp(t, {
    url: 'http://127.0.0.1:1/v1/traces',
    headers: async () => ({ authorization: 's3cr3t' }),
  });
  tracer.start('one').end();
  const closing = tracer.close(3_600_000);
  await eventually('it has given up', async () => {
    clock.advance(1_000);
    return lines.length > 0;
  });
  await closing;
  assert.match(lines.join(''), /err="connection refused"/);
  assert.doesNotMatch(lines.join(''), /s3cr3t/);
});

test('while the collector hangs, a bounded number of spans waits, and closing gives up in time', async (t) => {
  const { sink, tracer, clock, lines } = await setUp(t, {}, (index) => (index === 0 ? undefined : 200));
  for (let count = 0; count < 10_000; count++) tracer.start('one').end();
  const closing = tracer.close(5_000);
  await eventually('all that waited is sent', async () => sink.spans.length === 2_048);
  clock.advance(5_000);
  await closing;
  assert.equal(sink.spans.length, 2_048);
  assert.match(lines.join(''), /spans=512 err="the collector did not answer in time"/);
});

test('a request to the collector has a time limit', async (t) => {
  const { sink, tracer, clock } = await setUp(t, { timeoutMs: 2_000 }, (index) => (index === 0 ? undefined : 200));
  tracer.start('one').end();
  const closing = tracer.close(60_000);
  await eventually('the first request', async () => sink.requests.length === 1);
  await eventually('the second request', async () => {
    clock.advance(1_000);
    return sink.requests.length === 2;
  });
  await closing;
  assert.equal(sink.spans.length, 1);
});

test('an action that throws ends its span as failed, without the text of its error', async (t) => {
  const { sink, tracer } = await setUp(t);
  const traces = { tracer };
  const options = () => ({});
  assert.throws(() => traced(traces, 'throws', options, () => assert.fail('s3cr3t')), /s3cr3t/);
  await assert.rejects(
    traced(traces, 'rejects', options, () => Promise.reject(new Error('s3cr3t'))),
    /s3cr3t/,
  );
  assert.equal(
    traced(traces, 'returns', options, () => 1),
    1,
  );
  await tracer.close(1000);
  assert.deepEqual(sink.spans.map(({ name, error }) => [name, error]).sort(), [
    ['rejects', 'failed unexpectedly'],
    ['returns', undefined],
    ['throws', 'failed unexpectedly'],
  ]);
});

test('while tracing is off, an action just runs', () => {
  const result = traced(NO_TRACES, 'one', assert.fail, (span) => [span, 'result']);
  assert.deepEqual(result, [undefined, 'result']);
});
