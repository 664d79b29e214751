import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

/** Name, type and label names of every metric of Alertmanager 0.34, after it has answered requests. */
const NAMES = `
alertmanager_alerts gauge state
alertmanager_alerts_invalid_total counter version
alertmanager_alerts_per_alert_limit gauge
alertmanager_alerts_received_total counter status version
alertmanager_alerts_subscriber_channel_writes_total counter subscriber
alertmanager_build_info gauge branch goarch goos goversion revision tags version
alertmanager_cluster_alive_messages_total counter peer
alertmanager_cluster_enabled gauge
alertmanager_cluster_failed_peers gauge
alertmanager_cluster_health_score gauge
alertmanager_cluster_members gauge
alertmanager_cluster_messages_pruned_total counter
alertmanager_cluster_messages_queued gauge
alertmanager_cluster_messages_received_size_total counter msg_type
alertmanager_cluster_messages_received_total counter msg_type
alertmanager_cluster_messages_sent_size_total counter msg_type
alertmanager_cluster_messages_sent_total counter msg_type
alertmanager_cluster_peer_info gauge peer
alertmanager_cluster_peer_name_conflicts_total counter
alertmanager_cluster_peers_joined_total counter
alertmanager_cluster_peers_left_total counter
alertmanager_cluster_peers_update_total counter
alertmanager_cluster_reconnections_failed_total counter
alertmanager_cluster_reconnections_total counter
alertmanager_cluster_refresh_join_failed_total counter
alertmanager_cluster_refresh_join_total counter
alertmanager_config_hash gauge
alertmanager_config_last_reload_success_timestamp_seconds gauge
alertmanager_config_last_reload_successful gauge
alertmanager_dispatcher_aggregation_group_creation_given_up_total counter
alertmanager_dispatcher_aggregation_group_creation_retries_total counter
alertmanager_dispatcher_aggregation_group_limit_reached_total counter
alertmanager_dispatcher_aggregation_groups gauge
alertmanager_dispatcher_alert_processing_duration_seconds summary
alertmanager_http_concurrency_limit_exceeded_total counter method
alertmanager_http_request_duration_seconds histogram code handler method
alertmanager_http_requests_in_flight gauge method
alertmanager_http_response_size_bytes histogram handler method
alertmanager_inhibition_rules gauge
alertmanager_integrations gauge
alertmanager_nflog_gc_duration_seconds summary
alertmanager_nflog_gossip_messages_propagated_total counter
alertmanager_nflog_maintenance_errors_total counter
alertmanager_nflog_maintenance_total counter
alertmanager_nflog_queries_total counter
alertmanager_nflog_query_duration_seconds histogram
alertmanager_nflog_query_errors_total counter
alertmanager_nflog_snapshot_duration_seconds summary
alertmanager_nflog_snapshot_size_bytes gauge
alertmanager_notification_latency_seconds histogram integration
alertmanager_notification_requests_failed_total counter integration
alertmanager_notification_requests_total counter integration
alertmanager_notifications_failed_total counter integration reason
alertmanager_notifications_suppressed_total counter reason
alertmanager_notifications_total counter integration
alertmanager_oversize_gossip_message_duration_seconds histogram key
alertmanager_oversized_gossip_message_dropped_total counter key
alertmanager_oversized_gossip_message_failure_total counter key
alertmanager_oversized_gossip_message_sent_total counter key
alertmanager_peer_position gauge
alertmanager_receivers gauge
alertmanager_silences gauge state
alertmanager_silences_gc_duration_seconds summary
alertmanager_silences_gc_errors_total counter
alertmanager_silences_gossip_messages_propagated_total counter
alertmanager_silences_maintenance_errors_total counter
alertmanager_silences_maintenance_total counter
alertmanager_silences_matcher_compile_errors_total counter stage
alertmanager_silences_matcher_index_size gauge
alertmanager_silences_queries_total counter
alertmanager_silences_query_duration_seconds histogram
alertmanager_silences_query_errors_total counter
alertmanager_silences_query_silences_scanned_total counter
alertmanager_silences_query_silences_skipped_total counter
alertmanager_silences_snapshot_duration_seconds summary
alertmanager_silences_snapshot_size_bytes gauge
alertmanager_silences_state_size gauge
alertmanager_silences_version_index_size gauge
process_cpu_seconds_total counter
process_max_fds gauge
process_open_fds gauge
process_resident_memory_bytes gauge
process_start_time_seconds gauge
process_virtual_memory_bytes gauge
`;

/** opsdeck's own metrics; `alertmanager_cluster_pings_seconds` has entries only with other members. */
const MORE_NAMES = `
alertmanager_alerts_limited_total counter
alertmanager_cluster_pings_seconds histogram
alertmanager_nflog_entries gauge
opsdeck_notification_template_errors_total counter integration
`;

/** `name{labels} value` lines of the metrics, as a map. */
function readValues(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Name, type and label names of each metric in the text format, as lines in order. */
function readNames(text: string): readonly string[] {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  return types
    .map(({ name, type }) => {
      const series = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'))];
      const labels = series.flatMap(([, labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label));
      return [name, type, ...[...new Set(labels)].filter((label) => label !== 'le').sort()].join(' ');
    })
    .sort();
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

const CLUSTER = { name: '01ARZ3NDEKTSV4RRFFQ69G5FAV', address: '127.0.0.1:9094' };

async function readMetrics(app: TestApp): Promise<ReadonlyMap<string, number>> {
  return readValues((await app.get('/metrics')).text);
}

test('GET /metrics: every name of Alertmanager, with its type and its labels', async (t) => {
  const app = createTestApp(t, { cluster: CLUSTER });
  await app.get('/api/v2/status');
  const { text } = await app.get('/metrics');
  assert.deepEqual(readNames(text), [...linesOf(NAMES), ...linesOf(MORE_NAMES)].sort());
  for (const [, help] of text.matchAll(/^# HELP \S+ (.*)$/gm)) assert.match(help ?? '', /^[A-Z].*\.$/);
});

test('GET /metrics where clustering is switched off: nothing of a cluster but that', async (t) => {
  const { text } = await createTestApp(t).get('/metrics');
  assert.deepEqual(
    readNames(text).filter((line) => /cluster|peer|oversize/.test(line)),
    ['alertmanager_cluster_enabled gauge'],
  );
  assert.match(text, /^alertmanager_cluster_enabled 0$/m);
});

test('GET /metrics: program and platform', async (t) => {
  const { text } = await createTestApp(t).get('/metrics');
  const [, labels = ''] = /^alertmanager_build_info\{(.*)\} 1$/m.exec(text) ?? [];
  for (const label of ['version="1.2.3"', 'revision="r"', 'branch="b"', 'goversion="g"', `goos="${process.platform}"`])
    assert.ok(labels.includes(label), label);
});

test('GET /metrics: queries of silences, and their number', async (t) => {
  const app = createTestApp(t);
  const silence = async (startsAt: string) => {
    const matchers = [{ name: 'n', value: '1', isRegex: false }];
    const endsAt = '2026-01-01T05:00:00Z';
    await app.post('/api/v2/silences', { matchers, startsAt, endsAt, createdBy: 'ann', comment: '' });
  };
  await silence('2026-01-01T00:00:00Z');
  await silence('2026-01-01T01:00:00Z');
  await app.get('/api/v2/silences');
  await app.get('/api/v2/silences?filter=n%3D1');
  await app.get('/api/v2/silence/00000000-0000-4000-8000-000000000001');
  const of = (values: ReadonlyMap<string, number>, name: string) => values.get(`alertmanager_silences_${name}`);
  const metrics = await readMetrics(app);
  assert.deepEqual(
    ['queries_total', 'query_duration_seconds_count', 'query_silences_scanned_total'].map((name) => of(metrics, name)),
    [3, 2, 5],
  );
  assert.deepEqual([of(metrics, 'state_size'), of(metrics, 'matcher_index_size')], [2, 1]);
  app.clock.advance(60 * 60_000);
  assert.equal(of(await readMetrics(app), 'matcher_index_size'), 2);
});

test('GET /metrics: accepted alerts are counted as processed, and for both of their listeners', async (t) => {
  const app = createTestApp(t, { perAlertnameLimit: 7 });
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }, { labels: { a: 'c' } }, { labels: {} }]);
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }]);
  const metrics = await readMetrics(app);
  assert.equal(metrics.get('alertmanager_dispatcher_alert_processing_duration_seconds_count'), 3);
  assert.ok((metrics.get('alertmanager_dispatcher_alert_processing_duration_seconds_sum') ?? 0) > 0);
  for (const subscriber of ['dispatcher', 'inhibitor'])
    assert.equal(metrics.get(`alertmanager_alerts_subscriber_channel_writes_total{subscriber="${subscriber}"}`), 3);
  assert.equal(metrics.get('alertmanager_alerts_per_alert_limit'), 7);
});

test('GET /metrics: how long answers were, in bytes, by path and method', async (t) => {
  const app = createTestApp(t);
  const first = Buffer.byteLength((await app.get('/metrics')).text);
  const series = (part: string, handler: string) =>
    `alertmanager_http_response_size_bytes_${part}{handler="${handler.replace(' ', '",method="')}"}`;
  assert.equal((await readMetrics(app)).get(series('sum', '/metrics get')), first);
  const times = { startsAt: '2026-01-01T00:00:00Z', endsAt: '2026-01-01T05:00:00Z' };
  const matchers = [{ name: 'n', value: '\u{1f600}', isRegex: false }];
  await app.post('/api/v2/silences', { ...times, matchers, createdBy: '\u00e9t\u00e9', comment: '' });
  const requests: readonly (readonly [handler: string, ask: () => Promise<{ readonly text: string }>])[] = [
    ['/api/v2/alerts get', () => app.get('/api/v2/alerts')],
    ['/api/v2/alerts post', () => app.post('/api/v2/alerts', [{ labels: { '': '\u00fc' } }])],
    ['/api/v2/alerts/groups get', () => app.get('/alerts/groups')],
    ['/api/v2/silences get', () => app.get('/silences/')],
    ['/api/v2/silence/{silenceID} get', () => app.get('/api/v2/silence/00000000-0000-4000-8000-000000000001')],
    ['/api/v2/silence/{silenceID} delete', () => app.delete('/api/v2/silence/no')],
    ['/api/v2/receivers get', () => app.get('/api/v2/receivers')],
    ['/api/v2/status get', () => app.get('/api/v2/status', { accept: 'text/html' })],
    ['/-/healthy get', () => app.get('/-/healthy')],
    ['/-/healthy head', () => app.send('HEAD', '/-/healthy')],
    ['/-/reload post', () => app.send('POST', '/-/reload')],
  ];
  for (const [handler, ask] of requests) {
    const { text } = await ask();
    const metrics = await readMetrics(app);
    assert.equal(metrics.get(series('sum', handler)), Buffer.byteLength(text), handler);
    assert.equal(metrics.get(series('count', handler)), 1, handler);
  }
});
