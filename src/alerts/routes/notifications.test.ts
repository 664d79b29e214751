import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSqliteFolder } from '../../testing/sqlite.ts';
import { createLabelSet, fingerprintOf } from '../domain/label-set.ts';
import { GROUP_TIMERS_MIGRATION } from '../pipeline/group-timers.ts';
import { NOTIFICATION_HISTORY_MIGRATION } from '../pipeline/notification/history.ts';
import { NOTIFICATION_LOG_MIGRATION } from '../pipeline/notification/storage.ts';
import { IMPORT_MIGRATION } from '../silences/import.ts';
import { SILENCE_MIGRATION } from '../silences/storage.ts';
import { ALERT_MIGRATION, SETTLED_MIGRATION } from '../store/writer.ts';
import { createTestApp } from '../testing/app.ts';
import { settleOnDisk } from '../testing/pipeline/parts.ts';

const CONFIG = `
route:
  receiver: team
  group_by: [alertname]
  group_wait: 10s
  group_interval: 1m
  routes:
    - receiver: quiet
      matchers: [severity=info]
      mute_time_intervals: [always]
    - receiver: night
      matchers: [severity=night]
      active_time_intervals: [never]
receivers:
  - name: team
    webhook_configs: [{url: "http://good/"}, {url: "http://bad/", send_resolved: false}]
  - name: quiet
    webhook_configs: [{url: "http://quiet/"}]
  - name: night
    webhook_configs: [{url: "http://night/"}]
time_intervals:
  - {name: always, time_intervals: [{}]}
  - {name: never, time_intervals: [{years: ['1999']}]}
inhibit_rules:
  - {name: cluster, source_matchers: [alertname=ClusterDown], target_matchers: [severity=page], equal: [cluster]}
  - {source_matchers: [alertname=Other], target_matchers: [severity=page]}
`;

async function start(t: Parameters<typeof createSqliteFolder>[0], config = CONFIG) {
  const migrations = [SILENCE_MIGRATION, ALERT_MIGRATION, IMPORT_MIGRATION, SETTLED_MIGRATION];
  const folder = createSqliteFolder(
    t,
    ...migrations,
    GROUP_TIMERS_MIGRATION,
    NOTIFICATION_LOG_MIGRATION,
    NOTIFICATION_HISTORY_MIGRATION,
  );
  const database = await folder.open();
  const app = createTestApp(t as Parameters<typeof createTestApp>[0], {
    config,
    realDatabase: database,
    openHttp: () => ({
      send: async ({ url }) => ({
        status: url.includes('bad') ? 404 : 200,
        headers: new Headers(),
        text: 'not here',
      }),
      close: async () => {},
    }),
  });
  await app.startDispatching();
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      app.clock.advance(1_000);
      await settleOnDisk(database);
    }
  };
  return { app, advance };
}

interface Sent {
  readonly id: number;
  readonly integration: string;
  readonly index: number;
  readonly result: string;
  readonly reason: string;
  readonly error?: string;
}

test('GET /api/v2/notifications: a notification with default words for a broken template has the error, and is counted', async (t) => {
  const broken = 'payload: {text: \'{{ template "nope" . }}\'}';
  const { app, advance } = await start(t, CONFIG.replace('url: "http://good/"', `url: "http://good/", ${broken}`));
  await app.post('/api/v2/alerts', [{ labels: { alertname: 'Down', cluster: 'a' } }]);
  await advance(11);
  const all = (await app.get('/api/v2/notifications')).json as { result: string; templateError?: string }[];
  const good = all.find(({ result }) => result === 'sent');
  assert.match(good?.templateError ?? '', /^"payload\.text": .*template "nope" not defined$/);
  assert.match(
    (await app.get('/metrics')).text,
    /^opsdeck_notification_template_errors_total\{integration="webhook"\} 1$/m,
  );
  assert.equal(app.log.filter((line) => line.includes('a template could not be rendered')).length, 1);
});

test('GET /api/v2/notifications: sent notifications, newest first, with reason, result and cause', async (t) => {
  const { app, advance } = await start(t);
  await app.post('/api/v2/alerts', [{ labels: { alertname: 'Down', cluster: 'a' } }]);
  await advance(11);
  const answer = await app.get('/api/v2/notifications');
  assert.equal(answer.status, 200);
  const [bad, good] = answer.json as (Sent & Record<string, unknown>)[];
  const fingerprint = fingerprintOf(createLabelSet({ alertname: 'Down', cluster: 'a' }));
  assert.deepEqual(good, {
    id: 1,
    at: '2026-01-01T00:00:10.000Z',
    receiver: 'team',
    integration: 'webhook',
    index: 0,
    result: 'sent',
    groupKey: '{}:{alertname="Down"}',
    groupLabels: { alertname: 'Down' },
    reason: 'first notification',
    attempts: 1,
    durationMs: 0,
    firing: 1,
    resolved: 0,
    alerts: [{ fingerprint, status: 'firing', labels: { alertname: 'Down', cluster: 'a' } }],
  });
  assert.deepEqual([bad?.index, bad?.result], [1, 'failed']);
  assert.match(bad?.error ?? '', /unexpected status code 404/);
  assert.doesNotMatch(answer.text, /http:\/\//, 'a URL may be a secret');
});

test('GET /api/v2/notifications with parameters: notifications that match all of them', async (t) => {
  const { app, advance } = await start(t);
  await app.post('/api/v2/alerts', [{ labels: { alertname: 'Down' } }]);
  await advance(11);
  await app.post('/api/v2/alerts', [{ labels: { alertname: 'Slow' } }]);
  await advance(62);
  // The failing one is retried at each flush: of Down at 10 s and 70 s, of Slow at 21 s.
  const cases: readonly (readonly [query: string, count: number])[] = [
    ['', 5],
    ['?limit=2', 2],
    ['?failed=true', 3],
    ['?failed=false', 2],
    ['?receiver=team', 5],
    ['?receiver=quiet', 0],
    ['?receiver=', 5],
    ['?integration=webhook&failed=no', 2],
    ['?integration=email', 0],
    [`?groupKey=${encodeURIComponent('{}:{alertname="Slow"}')}`, 2],
    ['?since=2026-01-01T00:00:11Z', 3],
    ['?since=2027-01-01', 0],
  ];
  for (const [query, count] of cases)
    assert.equal(((await app.get(`/api/v2/notifications${query}`)).json as Sent[]).length, count, query);
});

test('GET /api/v2/notifications with bad parameters: 400 and the correct form', async (t) => {
  const { app } = await start(t);
  for (const [query, text] of [
    ['limit=0', 'limit must be a whole number from 1 to 10000, found "0"'],
    ['limit=10001', 'limit must be a whole number from 1 to 10000, found "10001"'],
    ['limit=x', 'limit must be a whole number from 1 to 10000, found "x"'],
    ['since=yesterday', 'since must be a time such as 2026-01-31T12:00:00Z, found "yesterday"'],
  ]) {
    const answer = await app.get(`/api/v2/notifications?${query}`);
    assert.deepEqual([answer.status, answer.json], [400, text]);
  }
});

interface Explained {
  readonly fingerprint: string;
  readonly labels: object;
  readonly alert: { readonly status: string } | null;
  readonly silencedBy: readonly string[];
  readonly inhibitedBy: readonly { readonly rule: string; readonly labels: object }[];
  readonly routes: readonly {
    readonly receiver: string;
    readonly path: readonly string[];
    readonly groupKey: string;
    readonly mutedBy: readonly string[];
    readonly group: { readonly alerts: number; readonly nextFlush: string } | null;
    readonly verdict: readonly { readonly wouldSend: boolean; readonly reason: string; readonly words: string }[];
  }[];
}

const explainQuery = (labels: Record<string, string>) =>
  Object.entries(labels)
    .map(([name, value]) => `label=${encodeURIComponent(`${name}=${value}`)}`)
    .join('&');

test('GET /api/v2/explain of an unknown alert: the receivers that it would have', async (t) => {
  const { app } = await start(t);
  const labels = { alertname: 'Down', severity: 'page' };
  const explained = (await app.get(`/api/v2/explain?${explainQuery(labels)}`)).json as Explained;
  assert.deepEqual(
    { ...explained, fingerprint: '' },
    {
      labels,
      fingerprint: '',
      alert: null,
      silencedBy: [],
      inhibitedBy: [],
      routes: [
        {
          routeId: '{}',
          receiver: 'team',
          path: ['{}'],
          groupKey: '{}:{alertname="Down"}',
          groupLabels: { alertname: 'Down' },
          groupWait: '10s',
          groupInterval: '1m',
          repeatInterval: '4h',
          group: null,
          mutedBy: [],
          verdict: [],
        },
      ],
    },
  );
});

test('GET /api/v2/explain: silences, inhibition by name or place of the rule, and time intervals', async (t) => {
  const { app } = await start(t);
  await app.post('/api/v2/alerts', [
    { labels: { alertname: 'ClusterDown', cluster: 'a' } },
    { labels: { alertname: 'Other' } },
    { labels: { alertname: 'Down', cluster: 'a', severity: 'page' } },
  ]);
  const posted = await app.post('/api/v2/silences', {
    matchers: [{ name: 'alertname', value: 'Down', isRegex: false }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T01:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  const { silenceID } = posted.json as { silenceID: string };
  const explain = async (labels: Record<string, string>) =>
    (await app.get(`/api/v2/explain?${explainQuery(labels)}`)).json as Explained;
  const held = await explain({ alertname: 'Down', cluster: 'a', severity: 'page' });
  assert.deepEqual([held.alert?.status, held.silencedBy], ['firing', [silenceID]]);
  assert.deepEqual(
    held.inhibitedBy.map(({ rule, labels }) => [rule, labels]),
    [['cluster', { alertname: 'ClusterDown', cluster: 'a' }]],
  );
  const other = await explain({ alertname: 'Down', cluster: 'b', severity: 'page' });
  assert.deepEqual(
    [other.alert, other.silencedBy, other.inhibitedBy.map(({ rule }) => rule)],
    [null, [silenceID], ['1']],
  );
  const quiet = await explain({ alertname: 'X', severity: 'info' });
  assert.deepEqual(
    quiet.routes.map(({ receiver, path, mutedBy }) => [receiver, path, mutedBy]),
    [['quiet', ['{}', '{severity="info"}'], ['always']]],
  );
  const night = await explain({ alertname: 'X', severity: 'night' });
  assert.deepEqual(night.routes[0]?.mutedBy, ['never']);
});

test('GET /api/v2/explain: a route that a time interval keeps quiet would send nothing', async (t) => {
  const { app } = await start(t);
  for (const severity of ['info', 'night']) {
    const labels = { alertname: 'X', severity };
    await app.post('/api/v2/alerts', [{ labels }]);
    const { routes } = (await app.get(`/api/v2/explain?${explainQuery(labels)}`)).json as Explained;
    assert.deepEqual(
      routes[0]?.verdict.map(({ wouldSend, reason, words }) => [wouldSend, reason, words]),
      [[false, '', 'a time interval keeps the route quiet']],
    );
  }
});

test('GET /api/v2/explain: the decision of each integration, with its reason', async (t) => {
  const { app, advance } = await start(t);
  const labels = { alertname: 'Down', cluster: 'a' };
  const verdicts = async () => {
    const { routes } = (await app.get(`/api/v2/explain?${explainQuery(labels)}`)).json as Explained;
    return routes[0]?.verdict.map(({ wouldSend, reason, words }) => [wouldSend, reason, words]);
  };
  await app.post('/api/v2/alerts', [{ labels }]);
  const first = 'the group was not notified yet, or every alert of its last notification had resolved';
  assert.deepEqual(await verdicts(), [
    [true, 'first notification', first],
    [true, 'first notification', first],
  ]);
  const { routes } = (await app.get(`/api/v2/explain?${explainQuery(labels)}`)).json as Explained;
  assert.deepEqual(routes[0]?.group, { alerts: 1, nextFlush: '2026-01-01T00:00:10.000Z' });
  await advance(11);
  assert.deepEqual(await verdicts(), [
    [false, '', 'the last notification said the same, and the repeat interval has not passed'],
    [true, 'first notification', first],
  ]);
  await app.post('/api/v2/alerts', [{ labels, endsAt: '2026-01-01T00:00:11Z' }]);
  assert.deepEqual((await verdicts())?.[0], [
    true,
    'all alerts resolved',
    'all alerts of the last notification have resolved',
  ]);
});

test('GET /api/v2/explain with bad labels: 400 and the correct form', async (t) => {
  const { app } = await start(t);
  for (const [query, text] of [
    ['', 'name at least one label, as in ?label=alertname%3DDiskFull'],
    ['label=alertname', 'label must be written name=value, found "alertname"'],
    ['label=%3Dx', 'label must be written name=value, found "=x"'],
  ]) {
    const answer = await app.get(`/api/v2/explain?${query}`);
    assert.deepEqual([answer.status, answer.json], [400, text]);
  }
});
