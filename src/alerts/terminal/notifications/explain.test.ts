import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runAlerts, startFakeAlertmanager } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';

const labels = { alertname: 'Down', severity: 'page' };
const alert = {
  status: 'firing',
  startsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2026-01-01T00:10:00.000Z',
  updatedAt: '2026-01-01T00:05:00.000Z',
  annotations: {},
};
const pageRoute = {
  receiver: 'team',
  path: ['{}', '{severity="page"}'],
  groupKey: '{}/{severity="page"}:{alertname="Down"}',
  groupLabels: { alertname: 'Down' },
  groupWait: '30s',
  groupInterval: '5m',
  repeatInterval: '4h',
  group: { alerts: 2, nextFlush: '2026-01-01T00:05:12.000Z' },
  mutedBy: ['weekends'],
  verdict: [
    {
      integration: 'webhook',
      index: 0,
      wouldSend: false,
      reason: '',
      words: 'notified 2m ago, and nothing has changed since',
    },
    { integration: 'email', index: 1, wouldSend: true, reason: 'first notification', words: 'nothing was sent yet' },
  ],
};
const rootRoute = {
  ...pageRoute,
  receiver: 'audit',
  path: ['{}'],
  group: { alerts: 1, nextFlush: '2026-01-01T00:04:58.000Z' },
  mutedBy: [],
  verdict: [],
};
const explanation = {
  labels,
  fingerprint: '7235c181ae0a2582',
  alert,
  silencedBy: ['5ce24381'],
  inhibitedBy: [{ fingerprint: 'ca0660466d1b7b13', rule: 'site-down', labels: { alertname: 'SiteDown' } }],
  routes: [pageRoute, rootRoute],
};

async function serve(t: TestContext, json: unknown) {
  const { url, requests } = await startFakeAlertmanager(t, () => ({ json }));
  const terminal = new FakeTerminal('2026-01-01T00:05:00Z');
  terminal.env.OPSDECK_ALERTS_URL = url;
  return { terminal, requests };
}

test("explain prints an alert's suppression, routes and would-be notifications", async (t) => {
  const { terminal } = await serve(t, explanation);
  assert.equal(await runAlerts(['explain', 'Down', 'severity=page'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `alert      {alertname="Down", severity="page"} 7235c181ae0a2582
state      firing since 2026-01-01 00:00:00 UTC (5m ago)
silenced   by 5ce24381
inhibited  by {alertname="SiteDown"} ca0660466d1b7b13, rule site-down

It goes to 2 routes:
1. team
   path       {} → {severity="page"}
   group      {alertname="Down"} of 2 alerts, next flush 2026-01-01 00:05:12 UTC (in 12s)
   key        {}/{severity="page"}:{alertname="Down"}
   times      wait 30s, interval 5m, repeat 4h
   muted      by weekends
   verdict    webhook[0] would not send: notified 2m ago, and nothing has changed since
              email[1] would send: nothing was sent yet
2. audit
   path       {}
   group      {alertname="Down"} of 1 alert, next flush 2026-01-01 00:04:58 UTC (2s ago)
   key        {}/{severity="page"}:{alertname="Down"}
   times      wait 30s, interval 5m, repeat 4h
   muted      no
   verdict    the receiver has no integration: nothing is sent
`,
  );
});

test('explain prints the would-be routes of an alert that the server does not have', async (t) => {
  const fresh = { ...rootRoute, group: null };
  const unknown = { ...explanation, alert: null, silencedBy: [], inhibitedBy: [], routes: [fresh] };
  const { terminal } = await serve(t, unknown);
  assert.equal(await runAlerts(['explain', 'Down'], terminal), 0);
  assert.equal(
    terminal.stdout.slice(terminal.stdout.indexOf('state')),
    `state      the server holds no such alert: this is what would become of it
silenced   no
inhibited  no

It goes to one route:
1. audit
   path       {}
   group      {alertname="Down"}, which does not exist yet: its first flush comes 30s after it is made
   key        {}/{severity="page"}:{alertname="Down"}
   times      wait 30s, interval 5m, repeat 4h
   muted      no
`,
  );
});

test("explain prints the time of an alert's resolution", async (t) => {
  const over = { ...alert, status: 'resolved', endsAt: '2026-01-01T00:04:00.000Z' };
  const { terminal } = await serve(t, { ...explanation, alert: over });
  await runAlerts(['explain', 'Down'], terminal);
  assert.match(terminal.stdout, /^state {6}resolved since 2026-01-01 00:04:00 UTC \(1m ago\)$/m);
});

test('explain sends each label as name=value, and needs one', async (t) => {
  const { terminal, requests } = await serve(t, explanation);
  await runAlerts(['explain', 'Down', 'path="a=b, c"'], terminal);
  assert.equal(requests[0]?.path, '/api/v2/explain');
  assert.deepEqual(requests[0]?.query.getAll('label'), ['alertname=Down', 'path=a=b, c']);
  assert.equal(await runAlerts(['explain'], terminal), 2);
  assert.equal(await runAlerts(['explain', 'severity!=page'], terminal), 2);
  assert.match(terminal.stderr, /labels must be given as name=value/);
  assert.equal(requests.length, 1);
});

test('explain --json prints the answer of the server', async (t) => {
  const { terminal } = await serve(t, explanation);
  assert.equal(await runAlerts(['explain', 'Down', '--json'], terminal), 0);
  assert.equal(terminal.stdout, `${JSON.stringify(explanation)}\n`);
});

test('colours change nothing but colours in an explanation', async (t) => {
  const { terminal } = await serve(t, explanation);
  await runAlerts(['explain', 'Down'], terminal);
  const plain = terminal.stdout;
  terminal.stdout = '';
  terminal.colors = true;
  await runAlerts(['explain', 'Down'], terminal);
  assert.notEqual(terminal.stdout, plain);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  assert.equal(terminal.stdout.replace(/\u001b\[\d+m/g, ''), plain);
});
