import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { eventually } from '../testing/eventually.ts';
import { startFakeAlertmanager } from '../testing/fake/alertmanager.ts';
import { FakeClock } from '../testing/fake/clock.ts';
import { needsReal, type RunningServer, startAlertmanager, startOpsdeck } from '../testing/processes.ts';
import { AlertsClient } from './alerts-client.ts';
import type { LabelMatcher } from './domain/command/matcher.ts';

// Alertmanager needs at least one matcher that does not match the empty value.
const ANY: LabelMatcher = { name: 'alertname', value: '.+', isRegex: true, isEqual: true };
const MATCHERS: readonly (readonly LabelMatcher[])[] = [
  [{ name: 'alertname', value: 'A', isRegex: false, isEqual: true }],
  [{ name: 'instance', value: 'web.*', isRegex: true, isEqual: true }],
  [ANY, { name: 'instance', value: 'web1', isRegex: false, isEqual: false }],
  [ANY, { name: 'team', value: '', isRegex: false, isEqual: true }],
  [ANY, { name: 'team', value: 'x|', isRegex: true, isEqual: false }],
  [{ name: 'note', value: 'a "quoted"\\ word', isRegex: false, isEqual: true }],
];

const ALERTS = [
  { alertname: 'A', instance: 'web1' },
  { alertname: 'A', instance: 'web2', team: 'x' },
  { alertname: 'B', instance: 'db1', note: 'a "quoted"\\ word' },
];

const SERVERS: readonly (readonly [string, (t: TestContext) => Promise<RunningServer> | undefined])[] = [
  ['opsdeck', (t) => startOpsdeck(t)],
  [
    'the real Alertmanager',
    (t) => (needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager') ? startAlertmanager(t) : undefined),
  ],
];

for (const [name, start] of SERVERS) {
  test(`a preview finds the alerts that the silence then suppresses: ${name}`, async (t) => {
    const server = await start(t);
    if (!server) return;
    const client = new AlertsClient(server.url, systemClock, {});
    t.after(() => client.close());
    const body = JSON.stringify(ALERTS.map((labels) => ({ labels })));
    const posted = await fetch(`${server.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(posted.status, 200);
    for (const matchers of MATCHERS) {
      const preview = await client.alerts(matchers, { onlyActive: true });
      assert.ok(preview.ok, JSON.stringify(preview));
      const now = Date.now();
      const made = await client.silence({
        matchers,
        startsAt: now,
        endsAt: now + 60_000,
        createdBy: 'ana',
        comment: `c ${now}`,
      });
      assert.ok(made.ok, JSON.stringify(made));
      const all = await client.alerts([], { onlyActive: false });
      assert.ok(all.ok);
      const suppressed = all.value.filter(({ silencedBy }) => silencedBy.includes(made.value));
      assert.deepEqual(
        suppressed.map(({ labels }) => labels),
        preview.value.map(({ labels }) => labels),
      );
      assert.deepEqual(await client.findSilence(`c ${now}`), { ok: true, value: made.value });
      const known = await client.findSilenceById(made.value);
      assert.ok(known.ok, JSON.stringify(known));
      const extended = await client.extend(known.value, now + 120_000);
      assert.deepEqual(extended, { ok: true, value: made.value });
      const live = await client.liveSilences();
      assert.deepEqual(live.ok && live.value.map(({ id, endsAt }) => [id, endsAt]), [[made.value, now + 120_000]]);
      const ended = await client.unsilence(made.value);
      assert.deepEqual(ended, { ok: true, value: { matchers, comment: `c ${now}` } });
      assert.ok(!(await client.unsilence(made.value)).ok);
    }
  });
}

const ANSWERS: readonly (readonly [string, Parameters<typeof startFakeAlertmanager>[1], RegExp])[] = [
  ['cuts the connection', () => 'cut', /cannot be reached/],
  ['answers with HTML', () => ({ text: '<html>' }), /something else than its API/],
  ['answers with other JSON', () => ({ json: { alerts: [] } }), /something else than its API/],
  ['fails', () => ({ status: 500, text: 'boom' }), /answered 500$/],
  ['refuses', () => ({ status: 400, json: 'bad matcher' }), /answered 400: bad matcher/],
];
for (const [name, answer, reason] of ANSWERS) {
  test(`an alert server that ${name} is a refusal in words`, async (t) => {
    const { url } = await startFakeAlertmanager(t, answer);
    const client = new AlertsClient(`${url}/`, systemClock, {});
    t.after(() => client.close());
    const asked = await client.alerts([], { onlyActive: true });
    assert.ok(!asked.ok);
    assert.match(asked.reason, reason);
  });
}

test('an acknowledgement ends at its limit, and keeps its annotations when it is extended', async (t) => {
  const annotations = { acknowledged_until: '2026-01-02T12:00:00.000Z' };
  const [startsAt, endsAt] = ['2026-01-01T12:00:00.000Z', '2026-01-01T12:15:00.000Z'];
  const silence = { id: 'a', matchers: [ANY], startsAt, endsAt, createdBy: 'ana', comment: 'mine', annotations };
  const { url, requests } = await startFakeAlertmanager(t, ({ method }) => ({
    json: method === 'GET' ? { ...silence, status: { state: 'active' } } : { silenceID: 'a' },
  }));
  const client = new AlertsClient(url, systemClock, {});
  t.after(() => client.close());
  const known = await client.findSilenceById('a');
  assert.ok(known.ok);
  assert.equal(known.value.endsAt, Date.parse(annotations.acknowledged_until));
  await client.extend(known.value, known.value.endsAt + 3_600_000);
  assert.deepEqual(requests[1]?.body, { ...silence, endsAt: '2026-01-02T13:00:00.000Z' });
});

test('an alert server that does not answer is given up after 5 s', async (t) => {
  const { url, requests } = await startFakeAlertmanager(t, () => 'never');
  const clock = new FakeClock();
  const client = new AlertsClient(url, clock, {});
  t.after(() => client.close());
  const asked = client.alerts([], { onlyActive: true });
  await eventually('the server is asked', () => requests.length === 1);
  clock.advance(4_999);
  clock.advance(1);
  const refused = await asked;
  assert.ok(!refused.ok);
  assert.match(refused.reason, /did not answer within 5 s/);
});
