import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Explanation } from '../contract/explanation.ts';
import type { Routing } from '../contract/routing.ts';
import type { ServerInfo } from '../contract/server-info.ts';
import type { Timeline } from '../contract/timeline.ts';
import { createTestApp } from '../testing/app.ts';
import { settlePromises } from '../testing/pipeline/parts.ts';

const CONFIG = `
route: {receiver: pager, group_by: [alertname], group_wait: 10s, group_interval: 1m}
receivers:
  - name: pager
    webhook_configs: [{url: "http://pager/s3cr3t"}, {url: "http://other/"}]
  - name: unused
    webhook_configs: [{url: "http://unused/"}]
`;

/** A server whose first webhook answers with `status`; undefined refuses the connection. */
async function start(t: Parameters<typeof createTestApp>[0]) {
  const answer: { status: number | undefined } = { status: 404 };
  const app = createTestApp(t, {
    config: CONFIG,
    openHttp: () => ({
      async send({ url }) {
        const status = url.includes('pager') ? answer.status : 200;
        if (status === undefined) throw new Error('connection refused');
        return { status, headers: new Headers(), text: '' };
      },
      close: async () => {},
    }),
  });
  await app.startDispatching();
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      app.clock.advance(1_000);
      await settlePromises();
    }
  };
  const post = (...names: string[]) =>
    app.post(
      '/api/v2/alerts',
      names.map((alertname) => ({ labels: { alertname }, endsAt: '2026-01-01T12:00:00Z' })),
    );
  const failing = async () => {
    const [pager] = (await app.get('/api/v2/integrations')).json as { failing?: object }[];
    return pager?.failing;
  };
  const ready = async () => (await app.get('/-/ready')).text;
  return { app, answer, advance, post, failing, ready };
}

const since = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

test('GET /api/v2/integrations: counts of every integration in use, and the groups that one has not accepted', async (t) => {
  const { app, advance, post } = await start(t);
  await post('Down', 'Full');
  await advance(11);
  const answer = await app.get('/api/v2/integrations');
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, [
    {
      ...{ receiver: 'pager', integration: 'webhook', index: 0, sent: 0, failed: 2, lastFailedAt: since(10) },
      failing: { groups: 2, since: since(10), error: 'unexpected status code 404' },
    },
    { receiver: 'pager', integration: 'webhook', index: 1, sent: 2, failed: 0, lastSentAt: since(10) },
  ]);
  assert.doesNotMatch(answer.text, /s3cr3t/);
});

test('/-/ready names failing notifications until they are accepted', async (t) => {
  const { app, answer, advance, post, failing, ready } = await start(t);
  await post('Down', 'Full');
  await advance(11);
  const error = 'unexpected status code 404';
  const text = `notifications fail: pager (webhook[0]) has not accepted 2 groups since ${since(10)}: ${error}`;
  assert.equal(await ready(), `OK, but ${text}`);
  assert.deepEqual((await app.get('/api/v2/conditions')).json, [
    { code: 'notifications_fail', text, values: { receiver: 'pager', since: since(10), error } },
  ]);
  answer.status = 200;
  await advance(60);
  assert.equal(await failing(), undefined);
  assert.equal(await ready(), 'OK');
});

test('a notification that is being retried fails after 30 seconds, counted from its first attempt', async (t) => {
  const { answer, advance, post, failing } = await start(t);
  answer.status = undefined;
  await post('Down');
  await advance(35);
  assert.equal(await failing(), undefined);
  await advance(6);
  const { error, ...rest } = (await failing()) as { error: string };
  assert.deepEqual(rest, { groups: 1, since: since(10) });
  assert.match(error, /connection refused/);
  // The next flushes fail as well; the beginning stays.
  await advance(300);
  assert.deepEqual({ ...(await failing()), error }, { ...rest, error });
});

test('a group whose alerts are silenced does not count as failing', async (t) => {
  const { app, advance, post, failing } = await start(t);
  await post('Down', 'Full');
  await advance(11);
  const silenced = await app.post('/api/v2/silences', {
    matchers: [{ name: 'alertname', value: 'Down', isRegex: false }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T10:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  assert.equal(silenced.status, 200);
  assert.deepEqual(await failing(), { groups: 1, since: since(10), error: 'unexpected status code 404' });
});

test('GET /api/v2/timeline: firings, silences and notifications of the last day, and whether the alert flaps', async (t) => {
  const { app, advance } = await start(t);
  const fire = () => app.post('/api/v2/alerts', [{ labels: { alertname: 'Down' } }]);
  const resolve = () =>
    app.post('/api/v2/alerts', [{ labels: { alertname: 'Down' }, endsAt: new Date(app.clock.now()).toISOString() }]);
  const timeline = async () => (await app.get('/api/v2/timeline?label=alertname%3DDown')).json as Timeline;
  for (let round = 0; round < 2; round++) {
    await fire();
    await advance(5);
    await resolve();
    await advance(5);
  }
  await app.post('/api/v2/silences', {
    matchers: [{ name: 'alertname', value: 'D.*', isRegex: true }],
    startsAt: since(20),
    endsAt: '2026-01-01T00:10:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  assert.equal((await timeline()).isFlapping, false);
  await fire();
  const { firings, isFlapping, silences, notifications, from, to } = await timeline();
  assert.deepEqual({ from, to }, { from: '2025-12-31T00:00:20.000Z', to: since(20) });
  assert.deepEqual(firings, [
    { startsAt: since(0), endsAt: since(5) },
    { startsAt: since(10), endsAt: since(15) },
    { startsAt: since(20) },
  ]);
  assert.equal(isFlapping, true);
  assert.deepEqual(
    silences.map(({ startsAt, createdBy }) => ({ startsAt, createdBy })),
    [{ startsAt: since(20), createdBy: 'ann' }],
  );
  assert.deepEqual(notifications, []);
  assert.equal((await app.get('/api/v2/timeline')).status, 400);
});

test('GET /api/v2/routes: the tree with its settings, and all receivers; an explanation names its route', async (t) => {
  const { app } = await start(t);
  const { root, receivers } = (await app.get('/api/v2/routes')).json as Routing;
  const times = { groupWait: '10s', groupInterval: '1m', repeatInterval: '4h' };
  const none = { muteTimeIntervals: [], activeTimeIntervals: [], routes: [], matchers: [] };
  assert.deepEqual(root, { id: '{}', receiver: 'pager', continue: false, groupBy: ['alertname'], ...times, ...none });
  assert.deepEqual(receivers, [
    {
      name: 'pager',
      integrations: [
        { integration: 'webhook', index: 0, sendResolved: true },
        { integration: 'webhook', index: 1, sendResolved: true },
      ],
    },
    { name: 'unused', integrations: [{ integration: 'webhook', index: 0, sendResolved: true }] },
  ]);
  const { routes } = (await app.get('/api/v2/explain?label=alertname%3DDown')).json as Explanation;
  assert.deepEqual(
    routes.map(({ routeId }) => routeId),
    ['{}'],
  );
});

test('GET /api/v2/server: version, configuration with its last reload, storage and sizes', async (t) => {
  const { app, post } = await start(t);
  await post('Down');
  const info = async () => (await app.get('/api/v2/server')).json as ServerInfo;
  const { configuration, storage, alerts, groups, silences } = await info();
  assert.deepEqual(configuration, { file: app.configFile, loadedAt: since(0) });
  assert.equal(storage.kind, 'directory');
  assert.deepEqual({ alerts, groups, silences }, { alerts: 1, groups: 1, silences: 0 });
  writeFileSync(app.configFile, 'route: {receiver: nobody}');
  assert.equal((await app.send('POST', '/-/reload')).status, 500);
  assert.match((await info()).configuration.refusal ?? '', /nobody/);
  writeFileSync(app.configFile, CONFIG);
  assert.equal((await app.send('POST', '/-/reload')).status, 200);
  assert.equal((await info()).configuration.refusal, undefined);
});

test('/-/ready reports a watchdog that was seen and has stopped, until it fires again or is silenced', async (t) => {
  const { app, answer, advance, ready } = await start(t);
  answer.status = 200;
  const watch = () => app.post('/api/v2/alerts', [{ labels: { alertname: 'Watchdog', cluster: 'eu' } }]);
  assert.equal(await ready(), 'OK');
  await watch();
  assert.equal(await ready(), 'OK');
  await advance(300);
  const missing =
    /^OK, but the watchdog \{alertname="Watchdog", cluster="eu"\} has not fired since 2026-01-01T00:05:00.000Z/;
  assert.match(await ready(), missing);
  await watch();
  assert.equal(await ready(), 'OK');
  await advance(300);
  assert.notEqual(await ready(), 'OK');
  await app.post('/api/v2/silences', {
    matchers: [{ name: 'cluster', value: 'eu', isRegex: false }],
    startsAt: new Date(app.clock.now()).toISOString(),
    endsAt: '2026-01-01T10:00:00Z',
    createdBy: 'ann',
    comment: 'switched off',
  });
  assert.equal(await ready(), 'OK');
});
