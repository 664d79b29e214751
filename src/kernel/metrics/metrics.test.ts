import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Distribution } from './distribution.ts';
import { Metrics } from './metrics.ts';

test('counters, histograms and gauges come out in the text format of Prometheus', async () => {
  const metrics = new Metrics();
  const posts = metrics.counter('opsdeck_posts_total', 'Posts by status.', ['status']);
  const seconds = metrics.histogram('opsdeck_seconds', 'How long.', [1, 5]);
  let held = 1;
  metrics.gauge('opsdeck_held', 'What is held.', ['state'], (gauge) => gauge.set({ state: 'active' }, held));
  posts.inc({ status: 'firing' }, 3);
  seconds.of({}).add(2);
  held = 42;
  assert.equal(
    await metrics.render(),
    `# HELP opsdeck_posts_total Posts by status.
# TYPE opsdeck_posts_total counter
opsdeck_posts_total{status="firing"} 3

# HELP opsdeck_seconds How long.
# TYPE opsdeck_seconds histogram
opsdeck_seconds_bucket{le="1"} 0
opsdeck_seconds_bucket{le="5"} 1
opsdeck_seconds_bucket{le="+Inf"} 1
opsdeck_seconds_sum 2
opsdeck_seconds_count 1

# HELP opsdeck_held What is held.
# TYPE opsdeck_held gauge
opsdeck_held{state="active"} 42
`,
  );
  assert.equal(metrics.contentType, 'text/plain; version=0.0.4; charset=utf-8');
});

test('a gauge is read at each rendering', async () => {
  const metrics = new Metrics();
  let reads = 0;
  metrics.gauge('opsdeck_reads', 'Reads.', [], (gauge) => gauge.set(++reads));
  assert.match(await metrics.render(), /^opsdeck_reads 1$/m);
  assert.match(await metrics.render(), /^opsdeck_reads 2$/m);
});

test('an external count is read at each rendering, and is a counter', async () => {
  const metrics = new Metrics();
  let done = 2;
  metrics.total('opsdeck_done_total', 'Done.', ['by'], (counter) => counter.inc({ by: 'ann' }, done));
  metrics.total('opsdeck_never_total', 'Never.', [], (counter) => counter.inc(0));
  const text = await metrics.render();
  assert.match(text, /^# TYPE opsdeck_done_total counter\nopsdeck_done_total\{by="ann"\} 2$/m);
  assert.match(text, /^opsdeck_never_total 0$/m);
  done = 3;
  assert.match(await metrics.render(), /^opsdeck_done_total\{by="ann"\} 3$/m);
});

test('an external distribution is read at each rendering', async () => {
  const metrics = new Metrics();
  const seconds = new Distribution();
  metrics.distribution('opsdeck_work_seconds', 'How long work takes.', seconds);
  metrics.counter('opsdeck_posts_total', 'Posts.');
  seconds.add(0.5);
  assert.equal(
    await metrics.render(),
    `# HELP opsdeck_work_seconds How long work takes.
# TYPE opsdeck_work_seconds summary
opsdeck_work_seconds_sum 0.5
opsdeck_work_seconds_count 1

# HELP opsdeck_posts_total Posts.
# TYPE opsdeck_posts_total counter
opsdeck_posts_total 0
`,
  );
});

test('the processor time of a process is a counter', async () => {
  const metrics = new Metrics();
  metrics.process(5_000);
  const text = await metrics.render();
  assert.match(text, /^# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total \d/m);
  assert.match(text, /^process_start_time_seconds 5$/m);
});

test('two servers may have a metric of one name', async () => {
  const [first, second] = [new Metrics(), new Metrics()];
  first.counter('opsdeck_posts_total', 'Posts.').inc(1);
  second.counter('opsdeck_posts_total', 'Posts.').inc(2);
  assert.match(await first.render(), /^opsdeck_posts_total 1$/m);
  assert.match(await second.render(), /^opsdeck_posts_total 2$/m);
});
