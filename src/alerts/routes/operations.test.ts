import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { DeckReport } from '../../kernel/deck/report.ts';
import { INTEGRATIONS } from '../integrations/integrations.ts';
import { createTestApp } from '../testing/app.ts';

test('GET and HEAD /-/healthy and /-/ready by a load balancer: OK', async (t) => {
  const app = createTestApp(t);
  for (const path of ['/-/healthy', '/-/ready']) {
    const answer = await app.get(path);
    assert.deepEqual([answer.status, answer.text], [200, 'OK'], path);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
    const head = await app.send('HEAD', path);
    assert.deepEqual([head.status, head.text], [200, ''], path);
    assert.equal((await app.send('POST', path)).status, 405);
  }
});

test('GET /-/ready while the disk is full: 200 with the reason in words, and OK when there is room again', async (t) => {
  const app = createTestApp(t);
  const state = async () => ((await app.get('/deck.json')).json as DeckReport).servers[0]?.state;
  const turn = () => new Promise((done) => setImmediate(done));
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }]);
  assert.equal(await state(), 'ready');
  app.database.failure = new Error('database or disk is full');
  app.clock.advance(500);
  await turn();
  const full = await app.get('/-/ready');
  assert.deepEqual(
    [full.status, full.text],
    [
      200,
      'OK, but group timers cannot be written to disk: database or disk is full; they are kept in memory\n' +
        'and alerts cannot be written to disk: database or disk is full; they are kept in memory and notified',
    ],
  );
  assert.equal(await state(), 'failing', 'in the header of the page');
  app.database.failure = undefined;
  app.clock.advance(500);
  await turn();
  const roomy = await app.get('/-/ready');
  assert.deepEqual([roomy.status, roomy.text], [200, 'OK']);
});

test('POST /-/reload by an operator: a good file takes effect', async (t) => {
  const app = createTestApp(t);
  writeFileSync(
    app.configFile,
    'global: {resolve_timeout: 1m}\nroute: {receiver: b}\nreceivers: [{name: b}, {name: c}]\n',
  );
  const answer = await app.send('POST', '/-/reload');
  assert.deepEqual([answer.status, answer.text], [200, '']);
  assert.equal(
    (await app.get('/api/v2/receivers')).text,
    '[{"labels":{"name":"b"},"name":"b"},{"labels":{"name":"c"},"name":"c"}]\n',
  );
  assert.match((await app.get('/api/v2/status')).text, /resolve_timeout: 1m/);
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }]);
  assert.match((await app.get('/api/v2/alerts')).text, /"endsAt":"2026-01-01T00:01:00\.000Z".*"name":"b"/);
});

test('POST /-/reload of a bad file: 500 and the cause, and the old configuration stays', async (t) => {
  const app = createTestApp(t);
  writeFileSync(app.configFile, 'route: {receiver: a}\n');
  const bad = await app.send('POST', '/-/reload');
  assert.equal(bad.status, 500);
  assert.match(bad.headers.get('content-type') ?? '', /^text\/plain/);
  assert.equal(bad.text, `failed to reload config: ${app.configFile}: line 1: undefined receiver "a" used in route\n`);
  rmSync(app.configFile);
  const missing = await app.send('POST', '/-/reload');
  assert.equal(missing.status, 500);
  assert.match(
    missing.text,
    /^failed to reload config: cannot read the configuration file .*: there is no such file\n$/,
  );
  assert.equal((await app.get('/api/v2/receivers')).text, '[{"labels":{"name":"default"},"name":"default"}]\n');
});

test('GET /-/reload: 405 as text, and nothing is reloaded', async (t) => {
  const app = createTestApp(t);
  writeFileSync(app.configFile, 'route: {receiver: b}\nreceivers: [{name: b}]\n');
  const answer = await app.get('/-/reload');
  assert.deepEqual([answer.status, answer.headers.get('allow'), answer.text], [405, 'POST', 'Method Not Allowed\n']);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match((await app.get('/api/v2/receivers')).text, /default/);
});

test('an unsupported method of the page, the old API or the operator paths: 405 as text', async (t) => {
  const app = createTestApp(t);
  const requests: readonly (readonly [method: string, path: string, allowed: string])[] = [
    ['PUT', '/-/healthy', 'GET,HEAD'],
    ['DELETE', '/-/ready', 'GET,HEAD'],
    ['POST', '/metrics', 'GET'],
    ['POST', '/', 'GET,HEAD'],
    ['PUT', '/api/v1/alerts', 'GET,POST'],
  ];
  for (const [method, path, allowed] of requests) {
    const answer = await app.send(method, path);
    assert.deepEqual(
      [answer.status, answer.headers.get('allow'), answer.text],
      [405, allowed, 'Method Not Allowed\n'],
      path,
    );
  }
});

/** `name{labels} value` lines of the metrics, as a map. */
function readMetrics(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

test('GET /metrics by Prometheus: Alertmanager’s names, all series there from the start', async (t) => {
  const answer = await createTestApp(t).get('/metrics');
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const metrics = readMetrics(answer.text);
  const expected: Readonly<Record<string, number>> = {
    process_start_time_seconds: 1767225600,
    'alertmanager_alerts{state="active"}': 0,
    'alertmanager_alerts{state="suppressed"}': 0,
    'alertmanager_alerts{state="unprocessed"}': 0,
    'alertmanager_silences{state="active"}': 0,
    'alertmanager_silences{state="pending"}': 0,
    'alertmanager_silences{state="expired"}': 0,
    alertmanager_receivers: 1,
    alertmanager_config_last_reload_successful: 1,
    alertmanager_config_last_reload_success_timestamp_seconds: 1767225600,
    'alertmanager_alerts_received_total{status="firing",version="v2"}': 0,
    'alertmanager_alerts_received_total{status="resolved",version="v2"}': 0,
    'alertmanager_alerts_invalid_total{version="v2"}': 0,
    alertmanager_alerts_limited_total: 0,
    alertmanager_integrations: 0,
    alertmanager_inhibition_rules: 0,
    alertmanager_dispatcher_aggregation_groups: 0,
    alertmanager_nflog_entries: 0,
    'alertmanager_http_concurrency_limit_exceeded_total{method="get"}': 0,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(metrics.get(name), value, name);
  for (const reason of ['silence', 'inhibition', 'mute_time_interval', 'active_time_interval'])
    assert.equal(metrics.get(`alertmanager_notifications_suppressed_total{reason="${reason}"}`), 0);
});

test('GET /metrics: every integration and reason of failure is there before anything was sent', async (t) => {
  const { text } = await createTestApp(t).get('/metrics');
  const series = (name: string) => readMetrics(text).get(name);
  for (const { name: integration } of INTEGRATIONS) {
    for (const name of ['notifications', 'notification_requests', 'notification_requests_failed'])
      assert.equal(series(`alertmanager_${name}_total{integration="${integration}"}`), 0, `${name} ${integration}`);
    assert.equal(series(`alertmanager_notification_latency_seconds_count{integration="${integration}"}`), 0);
    for (const reason of REASONS.split(' '))
      assert.equal(
        series(`alertmanager_notifications_failed_total{integration="${integration}",reason="${reason}"}`),
        0,
      );
  }
});

const REASONS = 'other clientError serverError contextCanceled contextDeadlineExceeded authError rateLimited';

test('GET /metrics after some work: the numbers of it', async (t) => {
  const app = createTestApp(t, { perAlertnameLimit: 2 });
  await app.post('/api/v2/alerts', [
    { labels: { alertname: 'A', n: '1' } },
    { labels: { alertname: 'A', n: '2' } },
    { labels: { alertname: 'A', n: '3' } },
    { labels: { alertname: 'B' }, endsAt: '2026-01-01T00:00:00Z' },
    { labels: {} },
    {},
  ]);
  for (const [startsAt, endsAt] of [
    ['2026-01-01T00:00:00Z', '2026-01-01T05:00:00Z'],
    ['2026-01-01T03:00:00Z', '2026-01-01T05:00:00Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
  ]) {
    const matchers = [{ name: 'n', value: '1', isRegex: false }];
    await app.post('/api/v2/silences', { matchers, startsAt, endsAt, createdBy: 'ann', comment: '' });
  }
  writeFileSync(app.configFile, 'no');
  await app.send('POST', '/-/reload');
  app.clock.advance(60_000);
  const metrics = readMetrics((await app.get('/metrics')).text);
  const expected: readonly (readonly [string, number])[] = [
    ['alertmanager_alerts{state="active"}', 1],
    ['alertmanager_alerts{state="suppressed"}', 1],
    ['alertmanager_silences{state="active"}', 1],
    ['alertmanager_silences{state="pending"}', 1],
    ['alertmanager_silences{state="expired"}', 1],
    ['alertmanager_config_last_reload_successful', 0],
    ['alertmanager_config_last_reload_success_timestamp_seconds', 1767225600],
    ['alertmanager_alerts_received_total{status="firing",version="v2"}', 4],
    ['alertmanager_alerts_received_total{status="resolved",version="v2"}', 1],
    ['alertmanager_alerts_invalid_total{version="v2"}', 2],
    ['alertmanager_alerts_limited_total', 1],
  ];
  for (const [name, value] of expected) assert.equal(metrics.get(name), value, name);
});

const DEPRECATED =
  '{"status":"deprecated","error":"The Alertmanager v1 API was deprecated in version 0.16.0 and is removed as of version 0.27.0 - please use the equivalent route in the v2 API"}\n';

test('the old API by an old client: 410 in its own words, and a line in the log', async (t) => {
  const app = createTestApp(t);
  const requests: readonly (readonly [method: string, path: string])[] = [
    ['GET', '/api/v1/status'],
    ['GET', '/api/v1/receivers'],
    ['GET', '/api/v1/alerts'],
    ['POST', '/api/v1/alerts'],
    ['GET', '/api/v1/silences'],
    ['POST', '/api/v1/silences'],
    ['GET', '/api/v1/silence/abc'],
    ['DELETE', '/api/v1/silence/abc'],
  ];
  for (const [method, path] of requests) {
    const answer = await app.send(method, path);
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.text],
      [410, 'application/json', DEPRECATED],
      `${method} ${path}`,
    );
    assert.match(app.log.at(-1) ?? '', new RegExp(`level=WARN .*path=${path}`));
  }
  assert.equal((await app.get('/api/v1/alerts/groups')).status, 404);
  assert.equal((await app.send('PUT', '/api/v1/alerts')).status, 405);
});

test('GET / by a browser: the page', async (t) => {
  const answer = await createTestApp(t).get('/');
  assert.deepEqual([answer.status, answer.text], [200, '<p>the page</p>']);
});
