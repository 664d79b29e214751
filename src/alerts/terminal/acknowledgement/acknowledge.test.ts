import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runAlerts, startFakeAlertmanager } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';

const NOW = '2026-01-01T12:00:00.000Z';

const alertOn = (instance: string) => ({
  labels: { alertname: 'DiskFull', instance },
  annotations: {},
  startsAt: NOW,
  endsAt: NOW,
  fingerprint: instance,
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
});

/** A server with active alerts on these instances, which refuses a silence of `refused`. */
async function serve(t: TestContext, instances: readonly string[], refused = '') {
  const { url, requests } = await startFakeAlertmanager(t, ({ method, body }) => {
    if (method === 'GET') return { json: instances.map(alertOn) };
    const value = (body as { matchers: { value: string }[] }).matchers[1]?.value;
    return value === refused ? { status: 400, json: 'too many silences' } : { json: { silenceID: `for-${value}` } };
  });
  const terminal = new FakeTerminal(NOW);
  terminal.env.OPSDECK_ALERTS_URL = url;
  return { terminal, requests };
}

test('ack makes a silence for each active alert, by the current user, and prints their ids', async (t) => {
  const { terminal, requests } = await serve(t, ['db1', 'db2']);
  assert.equal(await runAlerts(['ack', 'DiskFull'], terminal), 0);
  assert.equal(terminal.stdout, 'for-db1\nfor-db2\n');
  const [query, ...posts] = requests;
  assert.equal(
    decodeURIComponent(String(query?.query)),
    'active=true&silenced=false&inhibited=false&filter=alertname="DiskFull"',
  );
  assert.deepEqual(
    posts.map(({ body }) => body),
    ['db1', 'db2'].map((instance) => ({
      matchers: [
        { name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true },
        { name: 'instance', value: instance, isRegex: false, isEqual: true },
      ],
      startsAt: NOW,
      endsAt: '2026-01-01T12:15:00.000Z',
      createdBy: 'alex',
      comment: 'Acknowledged',
      annotations: { acknowledged_until: '2026-01-02T12:00:00.000Z' },
    })),
  );
});

test('a refused acknowledgement is reported, and the others are made', async (t) => {
  const { terminal } = await serve(t, ['db1', 'db2'], 'db1');
  assert.equal(await runAlerts(['ack', 'DiskFull'], terminal), 1);
  assert.equal(terminal.stdout, 'for-db2\n');
  assert.match(terminal.stderr, /\{alertname="DiskFull" instance="db1"\}: .* too many silences\n/);
  assert.match(terminal.stderr, /couldn't create 1 out of 2 silences/);
});

test('ack without an active alert fails, and without a matcher needs --force', async (t) => {
  const { terminal, requests } = await serve(t, []);
  assert.equal(await runAlerts(['ack'], terminal), 2);
  assert.match(terminal.stderr, /acknowledge everything with --force/);
  assert.equal(requests.length, 0);
  assert.equal(await runAlerts(['ack', 'DiskFull'], terminal), 1);
  assert.match(terminal.stderr, /no active alert at \S+ matches/);
});

test('silence add --expire-when-resolved sets the annotation beside others', async (t) => {
  const { terminal, requests } = await serve(t, []);
  const add = ['silence', 'add', 'a=b', 'c=d', '-c', 'why', '--expire-when-resolved', '--annotation', 'ticket=OPS-1'];
  assert.equal(await runAlerts(add, terminal), 0);
  const annotations = requests.map(({ body }) => (body as { annotations: unknown }).annotations);
  assert.deepEqual(annotations, [{ ticket: 'OPS-1', expire_when_resolved: 'true' }]);
});
