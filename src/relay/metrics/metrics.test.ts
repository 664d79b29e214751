import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type EventCounts, zeroCounts } from '../event/counts.ts';
import type { AdmittedRequest } from '../request-observer.ts';
import { createTestRelay, flagOf, type RelayAppOptions, type TestRelay } from '../testing/app.ts';
import { ClientLabels, cleanLabel, cleanPrefix } from './label.ts';
import { DEFAULT_METRICS_PREFIX, RelayMetrics } from './metrics.ts';
import { countSubscribers } from './subscribers.ts';

interface Started {
  readonly relay: TestRelay;
  readonly metrics: RelayMetrics;
  /** The samples whose names have this prefix, without the common prefix. */
  read(name: string): Promise<readonly string[]>;
  see(fields?: Partial<AdmittedRequest>): AdmittedRequest;
}

function start(
  t: Parameters<typeof createTestRelay>[0],
  options: RelayAppOptions = {},
  events: { counts: EventCounts; pending: number } = { counts: zeroCounts(), pending: 0 },
): Started {
  const relay = createTestRelay(t, { data: { flags: { f: flagOf('f'), g: flagOf('g') } }, ...options });
  const metrics = new RelayMetrics({
    prefix: DEFAULT_METRICS_PREFIX,
    environments: () => relay.credentials.environments,
    events: () => events,
    subscribers: (environment) => countSubscribers(environment, { size: () => 4, dropped: () => 1 }),
    now: () => relay.clock.now(),
    startedAt: 1000,
    version: '1.2.3',
  });
  return {
    relay,
    metrics,
    async read(name) {
      const lines = (await metrics.render()).split('\n');
      return lines
        .filter((line) => line.startsWith(`launchdarkly_relay_${name}`))
        .map((line) => line.slice('launchdarkly_relay_'.length));
    },
    see: (fields = {}) => ({
      sdkKind: 'client',
      environment: relay.environment,
      route: '/sdk/evalx/{envId}/contexts/{context}',
      method: 'GET',
      userAgent: 'JSClient/3.9.5',
      ...fields,
    }),
  };
}

describe('metrics of ld-relay', () => {
  test('requests are counted by platform, user agent, environment, route and method', async (t) => {
    const { metrics, read, see } = start(t);
    metrics.request(see());
    metrics.request(see());
    metrics.request(see({ sdkKind: 'server', route: '/all', userAgent: 'NodeJSClient/9.13.7' }));
    metrics.request(see({ sdkKind: 'mobile', method: 'REPORT', route: '/meval', userAgent: '' }));
    assert.deepEqual(await read('requests'), [
      'requests{platformCategory="browser",userAgent="JSClient_3.9.5",env="production",route="_sdk_evalx_{envId}_contexts_{context}",method="GET"} 2',
      'requests{platformCategory="server",userAgent="NodeJSClient_9.13.7",env="production",route="_all",method="GET"} 1',
      'requests{platformCategory="mobile",userAgent="_",env="production",route="_meval",method="REPORT"} 1',
    ]);
  });

  test('connections increase and decrease, new ones only increase', async (t) => {
    const { metrics, read, see } = start(t);
    const labels = '{platformCategory="browser",userAgent="JSClient_3.9.5",env="production"}';
    const closeFirst = metrics.stream(see());
    metrics.stream(see());
    assert.deepEqual(await read('connections'), [`connections${labels} 2`]);
    closeFirst();
    closeFirst();
    assert.deepEqual(await read('connections'), [`connections${labels} 1`]);
    assert.deepEqual(await read('newconnections'), [`newconnections${labels} 2`]);
  });

  test('user agents beyond the first hundred are counted as other', async (t) => {
    const { metrics, read, see } = start(t);
    for (let version = 0; version < 1000; version++) metrics.request(see({ userAgent: `Bot/${version}` }));
    const lines = await read('requests');
    assert.equal(lines.length, 101);
    assert.match(lines.at(-1) ?? '', /userAgent="other".* 900$/);
  });

  const labels: readonly [text: string, label: string][] = [
    ['a/b', 'a_b'],
    ['', '_'],
    ['  ', '_'],
    [' x y ', 'x y'],
    ['a\n"b', 'a_"b'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ];
  for (const [text, label] of labels) {
    test(`the label of ${JSON.stringify(text.slice(0, 10))}`, () => {
      assert.equal(cleanLabel(text), label);
      assert.equal(new ClientLabels(1).of(text), label);
    });
  }

  const prefixes: readonly [prefix: string, clean: string][] = [
    ['launchdarkly_relay', 'launchdarkly_relay'],
    ['my-relay.eu', 'my_relay_eu'],
    ['2nd', '_2nd'],
  ];
  for (const [prefix, clean] of prefixes) {
    test(`the prefix ${prefix} becomes ${clean}`, () => assert.equal(cleanPrefix(prefix), clean));
  }
});

describe('metrics beyond those', () => {
  test('the state of the source', async (t) => {
    const { relay, read } = start(t);
    relay.environment.connection.failed({ kind: 'NETWORK_ERROR', time: 1767225605000 });
    assert.deepEqual(await read('upstream_state'), [
      'upstream_state{env="production",state="INITIALIZING"} 0',
      'upstream_state{env="production",state="VALID"} 0',
      'upstream_state{env="production",state="INTERRUPTED"} 1',
      'upstream_state{env="production",state="OFF"} 0',
      'upstream_state_since_timestamp_seconds{env="production"} 1767225605',
    ]);
  });

  test('the age and the size of the data, once there are any', async (t) => {
    const { relay, read } = start(t, { environments: [{}, { name: 'empty', sdkKey: 'sdk-2' }], data: 'none' });
    assert.deepEqual(await read('environment_ready'), [
      'environment_ready{env="production"} 0',
      'environment_ready{env="empty"} 0',
    ]);
    assert.deepEqual(await read('data_age_seconds'), []);
    relay.clock.advance(5000);
    relay.environment.store.replace({ flags: { f: flagOf('f'), g: flagOf('g') }, segments: {} });
    relay.clock.advance(2500);
    assert.deepEqual(await read('data_age_seconds'), ['data_age_seconds{env="production"} 2.5']);
    assert.deepEqual(await read('flags'), ['flags{env="production"} 2']);
    const bytes = relay.environment.streams.snapshotBytes;
    assert.deepEqual(await read('snapshot_bytes'), [`snapshot_bytes{env="production"} ${bytes}`]);
    assert.deepEqual(await read('environment_ready'), [
      'environment_ready{env="production"} 1',
      'environment_ready{env="empty"} 0',
    ]);
  });

  test('clients by kind of stream, and disconnected ones', async (t) => {
    const { read } = start(t);
    assert.deepEqual(await read('subscribers'), [
      'subscribers{env="production",stream="all"} 0',
      'subscribers{env="production",stream="transfers"} 0',
      'subscribers{env="production",stream="flags"} 0',
      'subscribers{env="production",stream="mobile-ping"} 0',
      'subscribers{env="production",stream="client-ping"} 0',
      'subscribers{env="production",stream="mobile-evaluated"} 0',
      'subscribers{env="production",stream="client-evaluated"} 0',
      'subscribers{env="production",stream="ofrep"} 4',
      'subscribers_dropped_total{env="production"} 1',
    ]);
  });

  test('event counters at each scrape', async (t) => {
    const events = { counts: { ...zeroCounts(), received: 10, dropped: 2 }, pending: 7 };
    const { read } = start(t, {}, events);
    await read('events');
    events.counts.received = 15;
    assert.deepEqual(await read('events_received_total'), ['events_received_total{env="production"} 15']);
    assert.deepEqual(await read('events_dropped_total'), ['events_dropped_total{env="production"} 2']);
    assert.deepEqual(await read('events_sent_total'), ['events_sent_total{env="production"} 0']);
    assert.deepEqual(await read('events_pending'), ['events_pending{env="production"} 7']);
    assert.deepEqual(await read('diagnostics_failed_total'), ['diagnostics_failed_total{env="production"} 0']);
  });

  test('evaluations', async (t) => {
    const { relay, metrics, read } = start(t);
    metrics.evaluated(relay.environment, 'mobile', 100);
    metrics.evaluated(relay.environment, 'mobile', 1);
    assert.deepEqual(await read('evaluations_total'), [
      'evaluations_total{platformCategory="mobile",env="production"} 101',
    ]);
  });

  test('a removed environment has no series of state', async (t) => {
    const { relay, read } = start(t);
    await read('');
    relay.credentials.remove(relay.environment);
    for (const name of [
      'upstream_state',
      'flags',
      'subscribers',
      'events_received',
      'events_pending',
      'environment_ready',
    ])
      assert.deepEqual(await read(name), [], name);
  });

  test('the process and its version', async (t) => {
    const { metrics, read } = start(t);
    assert.deepEqual(await read('build_info'), ['build_info{version="1.2.3"} 1']);
    assert.match(await metrics.render(), /^process_start_time_seconds 1$/m);
    assert.match(metrics.contentType, /^text\/plain/);
  });

  test('contains no credential', async (t) => {
    const { relay, metrics, see } = start(t);
    metrics.request(see());
    metrics.stream(see());
    const text = await metrics.render();
    const { sdkKey, mobileKey, envId } = relay.environment.options;
    for (const secret of [sdkKey, mobileKey, envId]) assert.ok(secret && !text.includes(secret));
  });
});
