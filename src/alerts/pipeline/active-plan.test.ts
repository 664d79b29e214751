import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { accepted, refused } from '../../kernel/outcome.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import { TimeIntervals } from '../domain/time-intervals.ts';
import type { HttpAnswer, HttpRequest } from '../integrations/notifier.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createTestPipeline, settlePromises } from '../testing/pipeline/parts.ts';
import { ActivePlan } from './active-plan.ts';
import type { NotificationMetrics } from './notification/metrics.ts';
import type { NotificationPlan } from './notification/plan.ts';

const configOf = (host: string, rest = '') => `
route: {receiver: team, group_by: [alertname], group_wait: 10s, group_interval: 1m, ${rest}}
receivers:
  - name: team
    webhook_configs: [{url: "http://${host}/"}]
`;

/** Clients as a server would open them; each request is answered when the test says so. */
function createNetwork() {
  const events: string[] = [];
  const waiting: { answer: (status: number) => void; host: string }[] = [];
  const openHttp = () => {
    let client = '?';
    return {
      send: ({ url, signal }: HttpRequest) => {
        client = new URL(url).host;
        events.push(`${client} asked`);
        return new Promise<HttpAnswer>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          waiting.push({
            host: client,
            answer: (status) => resolve({ status, headers: new Headers(), text: '' }),
          });
        });
      },
      close: async () => void events.push(`${client} closed`),
    };
  };
  const answer = async (status = 200) => {
    waiting.shift()?.answer(status);
    await settlePromises();
  };
  return { events, openHttp, answer };
}

async function start(t: TestContext, config: string) {
  const network = createNetwork();
  const app = createTestApp(t, { config, openHttp: network.openHttp });
  await app.startDispatching();
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      app.clock.advance(1_000);
      await settlePromises();
    }
  };
  return { app, advance, ...network };
}

async function reload(app: TestApp, config: string): Promise<number> {
  writeFileSync(app.configFile, config);
  const { status } = await app.send('POST', '/-/reload');
  await settlePromises();
  return status;
}

const post = (app: TestApp, alertname: string) => app.post('/api/v2/alerts', [{ labels: { alertname } }]);
const metric = async (app: TestApp, name: string) =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec((await app.get('/metrics')).text)?.[1]);

test('a new configuration is in force as soon as its reload is answered', async (t) => {
  const { app, advance, events, answer } = await start(t, configOf('old'));
  await post(app, 'A');
  await advance(5);
  assert.equal(await reload(app, configOf('new', 'repeat_interval: 1h')), 200);
  await advance(12);
  assert.deepEqual(events, ['? closed', 'new asked']);
  await answer();
  assert.match((await app.get('/api/v2/status')).text, /repeat_interval: 1h/);
  assert.equal(await metric(app, 'alertmanager_config_last_reload_successful'), 1);
  assert.match(app.log.join(), /msg="Completed loading of configuration"/);
});

test('an invalid configuration changes nothing, and is refused with the cause', async (t) => {
  const { app, advance, events, answer } = await start(t, configOf('old'));
  const bad: readonly (readonly [string, RegExp])[] = [
    ['route: [', /./],
    [configOf('new').replace('receiver: team', 'receiver: other'), /undefined receiver \\?"other\\?" used in route/],
    [`${configOf('new')}templates: ["no-such-folder-[.tmpl"]\n`, /./],
  ];
  for (const [config, reason] of bad) {
    assert.equal(await reload(app, config), 500);
    const line = app.log.at(-1) ?? '';
    assert.match(line, /level=ERROR msg="Loading configuration failed, the old one stays in force"/);
    assert.match(line, reason);
    assert.equal(await metric(app, 'alertmanager_config_last_reload_successful'), 0);
  }
  await post(app, 'A');
  await advance(11);
  assert.deepEqual(events, ['old asked']);
  await answer();
  assert.equal(await reload(app, configOf('new')), 200);
  assert.equal(await metric(app, 'alertmanager_config_last_reload_successful'), 1);
});

test('a notification under way at a reload may complete, and is not sent again by the new configuration', async (t) => {
  const { app, advance, events, answer } = await start(t, configOf('old'));
  await post(app, 'A');
  await advance(11);
  assert.equal(await reload(app, configOf('new')), 200);
  await advance(3);
  assert.deepEqual(events, ['old asked'], 'the new one waits, the old one is still open');
  await answer();
  assert.deepEqual(events, ['old asked', 'old closed']);
  await advance(120);
  assert.equal(events.length, 2);
});

test('a notification under way five seconds after a reload is cut short, and sent by the new configuration', async (t) => {
  const { app, advance, events, answer } = await start(t, configOf('old'));
  await post(app, 'A');
  await advance(11);
  assert.equal(await reload(app, configOf('new')), 200);
  await advance(4);
  assert.deepEqual(events, ['old asked']);
  await advance(2);
  assert.deepEqual(events.sort(), ['new asked', 'old asked', 'old closed']);
  await answer();
  await answer();
});

test('a retry waiting at a reload is left to the new configuration at once', async (t) => {
  const { app, advance, events, answer } = await start(t, configOf('old'));
  await post(app, 'A');
  await advance(10);
  await answer(503);
  app.clock.advance(100);
  assert.equal(await reload(app, configOf('new')), 200);
  app.clock.advance(0);
  await settlePromises();
  assert.deepEqual(events, ['old asked', 'old closed', 'new asked']);
  await answer();
  await advance(30);
  assert.equal(events.length, 3);
});

test('concurrent reloads follow each other; the last one stays', async (t) => {
  const { app } = await start(t, configOf('old'));
  const all = Array.from({ length: 5 }, () => reload(app, configOf('new')));
  assert.deepEqual(await Promise.all(all), [200, 200, 200, 200, 200]);
  assert.equal(app.log.filter((line) => line.includes('Completed loading')).length, 5);
});

test('other inhibition rules, routes and receivers apply to the API from then on', async (t) => {
  const { app } = await start(t, configOf('old'));
  await app.post('/api/v2/alerts', [
    { labels: { alertname: 'Down', cluster: 'a' } },
    { labels: { alertname: 'Slow', cluster: 'a' } },
  ]);
  const rules = `inhibit_rules:
  - {name: down, source_matchers: [alertname=Down], target_matchers: [alertname=Slow], equal: [cluster]}
`;
  const routes = `routes: [{receiver: other, matchers: [alertname=Slow], labels: {tier: gold}}]`;
  const config = `${configOf('new', routes)}  - {name: other, labels: {owner: storage}}\n${rules}`;
  assert.equal(await reload(app, config), 200);
  const alerts = (await app.get('/api/v2/alerts')).json as {
    labels: { alertname: string };
    receivers: { name: string }[];
    status: { inhibitedBy: string[] };
  }[];
  const slow = alerts.find(({ labels }) => labels.alertname === 'Slow');
  assert.deepEqual([slow?.receivers, slow?.status.inhibitedBy.length], [[{ name: 'other' }], 1]);
  const groups = (await app.get('/api/v2/alerts/groups?receiver_matchers=owner%3Dstorage')).json as {
    receiver: object;
    routeLabels: object;
  }[];
  assert.deepEqual(
    groups.map(({ receiver, routeLabels }) => [receiver, routeLabels]),
    [[{ name: 'other' }, { tier: 'gold' }]],
  );
});

test('after the stop there is no reload, and attempts under way have five seconds', async (t) => {
  const { app, advance, events } = await start(t, configOf('old'));
  await post(app, 'A');
  await advance(11);
  let hasStopped = false;
  const stopped = app.stopDispatching().then(() => {
    hasStopped = true;
  });
  await advance(4);
  assert.equal(hasStopped, false);
  assert.equal(await reload(app, configOf('new')), 500);
  await advance(2);
  await stopped;
  assert.deepEqual(
    events.filter((event) => event.startsWith('old')),
    ['old asked', 'old closed'],
  );
});

test('a reload that throws does not stop later ones', async (t) => {
  const { app } = await start(t, configOf('old'));
  // A folder in place of the file: its read error is not a refusal of content.
  rmSync(app.configFile);
  mkdirSync(app.configFile);
  assert.equal((await app.send('POST', '/-/reload')).status, 500);
  rmdirSync(app.configFile);
  assert.equal(await reload(app, configOf('new')), 200);
});

test('a plan that cannot be built does not stop the next one', async () => {
  const parts = createTestPipeline();
  const { state, clock, log, receivers } = parts;
  const plan = { receivers, intervals: new TimeIntervals([]), close: () => {} } as unknown as NotificationPlan;
  const built: string[] = [];
  const active = new ActivePlan(plan, {
    config: { read: () => accepted({}), refuse() {} } as unknown as ActiveConfig,
    state,
    metrics: { suppressed() {} } as unknown as NotificationMetrics,
    build: async () => {
      built.push('asked');
      if (built.length === 1) throw new Error('a bug');
      return refused('no good');
    },
    clock,
    log,
  });
  const reloads = [active.reload(), active.reload()];
  await assert.rejects(reloads[0] as Promise<unknown>, /a bug/);
  assert.deepEqual(await reloads[1], refused('no good'));
  assert.equal(built.length, 2);
});
