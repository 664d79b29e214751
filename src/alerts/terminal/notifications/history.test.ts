import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type FakeAnswer, runAlerts, startFakeAlertmanager } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';

const sent = {
  id: 18,
  at: '2026-01-01T00:00:30.250Z',
  receiver: 'team',
  integration: 'webhook',
  index: 0,
  groupKey: '{}:{alertname="DiskFull"}',
  groupLabels: { alertname: 'DiskFull' },
  reason: 'new alerts added',
  result: 'sent',
  attempts: 1,
  durationMs: 12,
  firing: 2,
  resolved: 1,
  alerts: [{ fingerprint: '7235c181ae0a2582', status: 'firing', labels: { alertname: 'DiskFull', instance: 'db1' } }],
};
const failed = {
  ...sent,
  id: 17,
  at: '2026-01-01T00:00:00.000Z',
  receiver: 'audit',
  integration: 'email',
  index: 1,
  groupKey: '{}/{team="ops"}:{}',
  groupLabels: {},
  reason: 'all alerts resolved',
  result: 'failed',
  attempts: 4,
  durationMs: 61_000,
  firing: 0,
  resolved: 1,
  alerts: [{ fingerprint: 'ca0660466d1b7b13', status: 'resolved', labels: { alertname: 'Up', instance: 'h1' } }],
  error: 'connect\nrefused',
};

async function serve(t: TestContext, answer: FakeAnswer) {
  const { url, requests } = await startFakeAlertmanager(t, () => answer);
  const terminal = new FakeTerminal('2026-01-02T00:00:00Z');
  terminal.env.OPSDECK_ALERTS_URL = url;
  return { terminal, requests, url };
}

test('history prints an aligned table in the order of the server, with errors if there are any', async (t) => {
  const { terminal } = await serve(t, { json: [sent, failed] });
  assert.equal(await runAlerts(['history'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `At                       Receiver  Integration  Result  Reason               Alerts                Group                   Error
2026-01-01 00:00:30 UTC  team      webhook[0]   sent    new alerts added     2 firing, 1 resolved  {alertname="DiskFull"}
2026-01-01 00:00:00 UTC  audit     email[1]     failed  all alerts resolved  1 resolved            {}                      connect\\nrefused
`,
  );
});

test('history shows a template error beside a notification that was sent without it', async (t) => {
  const { terminal } = await serve(t, {
    json: [
      { ...sent, templateError: '"title": no' },
      { ...failed, templateError: 'b' },
    ],
  });
  assert.equal(await runAlerts(['history'], terminal), 0);
  assert.match(terminal.stdout, / sent .* template error in "title": no\n/);
  assert.match(terminal.stdout, / failed .* connect\\nrefused; template error in b\n/);
});

test('history names the node that sent where there are several', async (t) => {
  const { terminal } = await serve(t, { json: [{ ...sent, node: 'am-1' }, sent] });
  assert.equal(await runAlerts(['history'], terminal), 0);
  const [titles, first, second] = terminal.stdout.split('\n');
  assert.match(titles ?? '', / {2}Group {19}Node$/);
  assert.match(first ?? '', / {2}\{alertname="DiskFull"\} {2}am-1$/);
  assert.match(second ?? '', / {2}\{alertname="DiskFull"\}$/);
});

test('history --output extended adds the group key, the attempts and how long it took', async (t) => {
  const { terminal } = await serve(t, { json: [sent] });
  assert.equal(await runAlerts(['history', '-o', 'extended'], terminal), 0);
  assert.match(
    terminal.stdout,
    /^At {11}2026-.*\nGroup {8}\{alertname="DiskFull"\}\nGroup Key {4}\{\}:\{alertname="DiskFull"\}\nAttempts {5}1\nDuration {5}12 ms\n$/s,
  );
});

test('history requests the last day and fifty notifications by default', async (t) => {
  const { terminal, requests } = await serve(t, { json: [] });
  assert.equal(await runAlerts(['history'], terminal), 0);
  assert.equal(
    await runAlerts(
      ['history', '-r', 'team', '--integration', 'email', '--since', '90m', '--failed', '--limit', '7'],
      terminal,
    ),
    0,
  );
  assert.equal(await runAlerts(['history', '--since', '2026-01-01T12:00:00+01:00'], terminal), 0);
  assert.deepEqual(
    requests.map(({ path, query }) => `${path}?${query}`),
    [
      '/api/v2/notifications?since=2026-01-01T00%3A00%3A00.000Z&limit=50',
      '/api/v2/notifications?receiver=team&integration=email&since=2026-01-01T22%3A30%3A00.000Z&failed=true&limit=7',
      '/api/v2/notifications?since=2026-01-01T11%3A00%3A00.000Z&limit=50',
    ],
  );
});

test('the matchers are sent to the server, and its answer is shown', async (t) => {
  const { terminal, requests } = await serve(t, { json: [failed] });
  assert.equal(await runAlerts(['history', 'DiskFull', 'instance=~db.*', '--json'], terminal), 0);
  assert.deepEqual(requests[0]?.query.getAll('filter'), ['alertname="DiskFull"', 'instance=~"db.*"']);
  assert.deepEqual(JSON.parse(terminal.stdout), [failed]);
});

for (const [flag, value] of [
  ['--limit', '0'],
  ['--limit', 'many'],
  ['--since', 'yesterday'],
  ['--since', '-1h'],
] as const) {
  test(`history ${flag} ${value} is wrong usage`, async (t) => {
    const { terminal, requests } = await serve(t, { json: [] });
    assert.equal(await runAlerts(['history', `${flag}=${value}`], terminal), 2);
    assert.match(terminal.stderr, new RegExp(`^opsdeck: ${flag}: `));
    assert.equal(requests.length, 0);
  });
}

for (const [args, endpoint] of [
  [['history'], 'notifications'],
  [['explain', 'a=b'], 'explain'],
] as const) {
  test(`${args[0]} reports a server other than opsdeck`, async (t) => {
    const { terminal, url } = await serve(t, { status: 404, json: { code: 404, message: 'path was not found' } });
    assert.equal(await runAlerts(args, terminal), 1);
    assert.equal(terminal.stderr, `opsdeck: ${url} does not know ${endpoint}: opsdeck does, Alertmanager does not\n`);
  });
}
