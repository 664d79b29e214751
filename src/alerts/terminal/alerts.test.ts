import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { displayWidth } from '../../kernel/terminal/display-width.ts';
import { runAlerts, startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';

const diskFull = {
  labels: { severity: 'critical', alertname: 'DiskFull' },
  annotations: { summary: 'the disk is full' },
  receivers: [{ name: 'team' }],
  fingerprint: '7235c181ae0a2582',
  startsAt: '2026-01-01T10:00:00.500Z',
  updatedAt: '2026-01-01T10:00:00.500Z',
  endsAt: '2026-01-01T12:00:00.000+01:00',
  generatorURL: 'http://prometheus/graph',
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
};
const up = {
  ...diskFull,
  labels: { alertname: 'Up', instance: 'h1' },
  annotations: {},
  fingerprint: 'ca0660466d1b7b13',
  startsAt: '2026-01-01T09:00:00.000Z',
  generatorURL: undefined,
  status: { state: 'suppressed', silencedBy: ['5ce24381'], inhibitedBy: [] },
};

async function serve(t: TestContext, json: unknown) {
  const { url, requests } = await startFakeAlertmanager(t, () => ({ json }));
  const terminal = new FakeTerminal();
  terminal.env.OPSDECK_ALERTS_URL = url;
  return { terminal, requests };
}

// amtool 0.25 sends the same booleans for the same flags.
const states: [flags: string[], sent: string][] = [
  [[], 'active=true silenced=false inhibited=false unprocessed=false'],
  [['-a'], 'active=true silenced=false inhibited=false unprocessed=false'],
  [['-s'], 'active=false silenced=true inhibited=false unprocessed=false'],
  [['--inhibited'], 'active=false silenced=false inhibited=true unprocessed=false'],
  [['-u'], 'active=false silenced=false inhibited=false unprocessed=true'],
  [['-asiu'], 'active=true silenced=true inhibited=true unprocessed=true'],
];
for (const [flags, sent] of states) {
  test(`query ${flags.join(' ') || 'without flags'} requests ${sent}`, async (t) => {
    const { terminal, requests } = await serve(t, []);
    assert.equal(await runAlerts(['query', ...flags], terminal), 0);
    const query = requests[0]?.query;
    const asked = ['active', 'silenced', 'inhibited', 'unprocessed'].map((name) => `${name}=${query?.get(name)}`);
    assert.equal(asked.join(' '), sent);
    assert.equal(query?.has('filter'), false);
    assert.equal(query?.has('receiver'), false);
  });
}

test('matchers go to the server as they are, a first bare word as the alertname', async (t) => {
  const { terminal, requests } = await serve(t, []);
  await runAlerts(['query', 'Disk "x"\\', 'severity=~"crit.*"', 'b', '-r', 'team-.*'], terminal);
  await runAlerts(['query', 'team!~ops'], terminal);
  assert.deepEqual(requests[0]?.query.getAll('filter'), ['alertname="Disk \\"x\\"\\\\"', 'severity=~"crit.*"', 'b']);
  assert.equal(requests[0]?.query.get('receiver'), 'team-.*');
  assert.deepEqual(requests[1]?.query.getAll('filter'), ['team!~ops']);
});

test('matchers printed in braces can be pasted as an argument', async (t) => {
  const { terminal, requests } = await serve(t, []);
  await runAlerts(['query', '{alertname="DiskFull", severity=~"crit.*"}', 'team=ops'], terminal);
  await runAlerts(['add', '{alertname="DiskFull", summary="a, \\"b\\" }"}'], terminal);
  assert.deepEqual(requests[0]?.query.getAll('filter'), ['alertname="DiskFull"', 'severity=~"crit.*"', 'team=ops']);
  assert.deepEqual(requests[1]?.body, [{ labels: { alertname: 'DiskFull', summary: 'a, "b" }' } }]);
});

test('query prints an aligned table, the alert that began first on top', async (t) => {
  const { terminal } = await serve(t, [diskFull, up]);
  assert.equal(await runAlerts(['query', '-as'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `Alertname  Severity  Starts At                Summary           State
Up                   2026-01-01 09:00:00 UTC                    suppressed
DiskFull   critical  2026-01-01 10:00:00 UTC  the disk is full  active
`,
  );
});

test('query --output extended prints all that an alert carries', async (t) => {
  const { terminal } = await serve(t, [diskFull]);
  assert.equal(await runAlerts(['query', '-o', 'extended'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `Alertname      DiskFull
Severity       critical
Starts At      2026-01-01 10:00:00 UTC
Summary        the disk is full
State          active
Labels         alertname="DiskFull" severity="critical"
Annotations    summary="the disk is full"
Ends At        2026-01-01 11:00:00 UTC
Generator URL  http://prometheus/graph
Fingerprint    7235c181ae0a2582
`,
  );
});

test('query --json and --output json print the answer of the server, in its order, without colours', async (t) => {
  const { terminal } = await serve(t, [diskFull, up]);
  terminal.colors = true;
  assert.equal(await runAlerts(['query', '--json'], terminal), 0);
  assert.equal(terminal.stdout, `${JSON.stringify([diskFull, up])}\n`);
  terminal.stdout = '';
  assert.equal(await runAlerts(['query', '--output=json'], terminal), 0);
  assert.equal(terminal.stdout, `${JSON.stringify([diskFull, up])}\n`);
});

test('in a terminal of 80 columns no line of a list of alerts or groups is longer', async (t) => {
  const long = { ...diskFull, annotations: { summary: '日本 and more words '.repeat(12) } };
  const { terminal } = await serve(t, [long, { ...up, labels: { alertname: 'A'.repeat(90) } }]);
  terminal.size = { columns: 80, rows: 100 };
  for (const args of [['query'], ['query', '-o', 'extended']]) {
    terminal.stdout = '';
    assert.equal(await runAlerts(args, terminal), 0);
    for (const line of terminal.stdout.split('\n')) assert.ok(displayWidth(line) <= 80, line);
  }
  assert.match(terminal.stdout, /日本 and more words\n {15}日本/);
});

test('a severity has its colour', async (t) => {
  const { terminal } = await serve(t, [diskFull]);
  terminal.colors = true;
  await runAlerts(['query'], terminal);
  assert.ok(terminal.stdout.includes('\u001b[31mcritical\u001b[39m'));
});

test('no alerts: the server that was asked, and success', async (t) => {
  const { terminal } = await serve(t, []);
  assert.equal(await runAlerts(['query'], terminal), 0);
  assert.equal(terminal.stdout, '');
  assert.equal(terminal.stderr, `no alerts found at ${terminal.env.OPSDECK_ALERTS_URL}\n`);
});

test('colours change nothing but colours', async (t) => {
  const { terminal } = await serve(t, [diskFull, up]);
  await runAlerts(['query', '-as'], terminal);
  const plain = terminal.stdout;
  terminal.stdout = '';
  terminal.colors = true;
  await runAlerts(['query', '-as'], terminal);
  assert.ok(terminal.stdout.includes('\u001b[31mactive\u001b[39m'));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  assert.equal(terminal.stdout.replace(/\u001b\[\d+m/g, ''), plain);
});

test('text from the server cannot move the cursor or break a line', async (t) => {
  const { terminal } = await serve(t, [{ ...diskFull, annotations: { summary: 'a\nb\u001b[2J' } }]);
  await runAlerts(['query'], terminal);
  assert.match(terminal.stdout, /UTC {2}a\\nb\\u\{1b\}\[2J {2}active\n$/);
});

const groups = [
  { labels: { alertname: 'DiskFull' }, receiver: { name: 'team' }, alerts: [diskFull] },
  { labels: {}, receiver: { name: 'audit' }, alerts: [diskFull, up] },
  { labels: { alertname: 'Up' }, receiver: { name: 'team' }, alerts: [up] },
];

test('groups prints receivers, their groups, and the distinct labels of the alerts', async (t) => {
  const { terminal } = await serve(t, groups);
  assert.equal(await runAlerts(['groups'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `team
  {alertname="DiskFull"}
    active      critical  2026-01-01 10:00:00 UTC                 the disk is full
  {alertname="Up"}
    suppressed            2026-01-01 09:00:00 UTC  instance="h1"
audit
  {}
    active      critical  2026-01-01 10:00:00 UTC  alertname="DiskFull"          the disk is full
    suppressed            2026-01-01 09:00:00 UTC  alertname="Up" instance="h1"
`,
  );
});

test('groups requests every state unless some are named', async (t) => {
  const { terminal, requests } = await serve(t, groups);
  await runAlerts(['groups', 'Up', '--json'], terminal);
  await runAlerts(['groups', '-s', '-r', 'team'], terminal);
  assert.equal(terminal.stdout.split('\n')[0], JSON.stringify(groups));
  assert.deepEqual(
    requests.map(({ path, query }) => [path, query.toString()]),
    [
      ['/api/v2/alerts/groups', 'active=true&silenced=true&inhibited=true&filter=alertname%3D%22Up%22'],
      ['/api/v2/alerts/groups', 'active=false&silenced=true&inhibited=false&receiver=team'],
    ],
  );
});

const status = {
  cluster: { status: 'ready', name: '01H', peers: [{ name: '01H', address: '10.0.0.1:9094' }] },
  config: { original: 'route:\n  receiver: team\n' },
  uptime: '2025-12-31T22:57:30.250Z',
  versionInfo: {
    branch: 'main',
    buildDate: '2025-12-01',
    buildUser: 'ci',
    goVersion: 'go1.19',
    revision: 'abc',
    version: '0.25.0',
  },
};

test('status prints version, age and cluster', async (t) => {
  const { terminal } = await serve(t, status);
  assert.equal(await runAlerts(['status'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `Server   ${terminal.env.OPSDECK_ALERTS_URL}
Version  0.25.0
Started  2025-12-31 22:57:30 UTC (1h2m29s ago)
Cluster  ready
Name     01H
Peers    10.0.0.1:9094  01H
`,
  );
});

test('status --output extended adds the build and the configuration', async (t) => {
  const { terminal } = await serve(t, { ...status, cluster: { status: 'disabled', peers: [] } });
  assert.equal(await runAlerts(['status', '-o', 'extended'], terminal), 0);
  assert.match(terminal.stdout, /Revision {2}abc\nBranch {4}main\nBuilt {5}2025-12-01 ci\nRuntime {3}go1\.19\n/);
  assert.match(terminal.stdout, /Cluster {3}disabled\n\nConfiguration\nroute:\n {2}receiver: team\n$/);
});

test('status --json prints the answer of the server', async (t) => {
  const { terminal } = await serve(t, status);
  assert.equal(await runAlerts(['status', '--json'], terminal), 0);
  assert.equal(terminal.stdout, `${JSON.stringify(status)}\n`);
});
