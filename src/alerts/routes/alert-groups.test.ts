import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

type Cleanup = Parameters<typeof createTestApp>[0];

interface ListedGroup {
  readonly alerts: readonly { readonly labels: Record<string, string>; readonly status: { readonly state: string } }[];
  readonly labels: Record<string, string>;
  readonly receiver: unknown;
  readonly routeLabels: unknown;
}

const CONFIG = 'route: {receiver: default, group_by: [alertname, cluster]}\nreceivers: [{name: default}]\n';

async function createListed(t: Cleanup, config = CONFIG): Promise<TestApp> {
  const app = createTestApp(t, { config });
  await app.post('/api/v2/alerts', [
    { labels: { alertname: 'Up', cluster: 'eu', job: 'b', n: '1' } },
    { labels: { alertname: 'Up', cluster: 'eu', job: 'a', instance: '2', n: '2' } },
    { labels: { alertname: 'Up', cluster: 'eu', job: 'a', instance: '10', n: '3' } },
    { labels: { alertname: 'Up', cluster: 'eu', instance: '1', n: '4' } },
    { labels: { alertname: 'Up', cluster: 'de', n: '5' } },
    { labels: { alertname: 'Down', n: '6' } },
    { labels: { cluster: 'eu', n: '7' } },
    { labels: { n: '8' } },
  ]);
  return app;
}

async function list(app: TestApp, query = ''): Promise<readonly string[]> {
  const answer = await app.get(`/api/v2/alerts/groups${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as ListedGroup[]).map(
    ({ labels, alerts }) => `${JSON.stringify(labels)} ${alerts.map((alert) => alert.labels.n)}`,
  );
}

for (const base of ['/api/v2', '']) {
  test(`GET ${base}/alerts/groups, without authentication: each with its labels, its receiver and whole alerts`, async (t) => {
    const app = createTestApp(t);
    await app.post(`${base}/alerts`, [{ labels: { alertname: 'foo', severity: 'critical' } }]);
    const answer = await app.get(`${base}/alerts/groups`);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
    assert.equal(
      answer.text,
      '[{"alerts":[{"annotations":{},"endsAt":"2026-01-01T00:05:00.000Z","fingerprint":"8fa107ec8feba4bc",' +
        '"receivers":[{"name":"default"}],"startsAt":"2026-01-01T00:00:00.000Z",' +
        '"status":{"inhibitedBy":[],"mutedBy":[],"silencedBy":[],"state":"active"},"updatedAt":"2026-01-01T00:00:00.000Z",' +
        '"labels":{"alertname":"foo","severity":"critical"}}],"labels":{"alertname":"foo"},"receiver":{"name":"default"},' +
        '"routeLabels":{}}]\n',
    );
  });
}

test('GET /api/v2/alerts/groups: few labels first, then by name and value; inside by job, instance and labels', async (t) => {
  const app = await createListed(t);
  assert.deepEqual(await list(app), [
    '{} 8',
    '{"cluster":"eu"} 7',
    '{"alertname":"Down"} 6',
    '{"alertname":"Up","cluster":"de"} 5',
    '{"alertname":"Up","cluster":"eu"} 3,2,1,4',
  ]);
});

test('GET /api/v2/alerts/groups without alerts: an empty array', async (t) => {
  assert.equal((await createTestApp(t).get('/api/v2/alerts/groups')).text, '[]\n');
});

test('GET /api/v2/alerts/groups by the three ways to group', async (t) => {
  const one = await createListed(t, 'route: {receiver: default}\nreceivers: [{name: default}]\n');
  assert.deepEqual(await list(one), ['{} 3,2,1,4,8,7,6,5']);
  const each = await createListed(t, 'route: {receiver: default, group_by: ["..."]}\nreceivers: [{name: default}]\n');
  assert.equal((await list(each)).length, 8);
});

test('GET /api/v2/alerts/groups with filters and flags: groups without an alert are left out', async (t) => {
  const app = await createListed(t);
  await app.post('/api/v2/silences', {
    matchers: [{ name: 'n', value: '[56]', isRegex: true }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T02:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  const cases: readonly (readonly [query: string, groups: readonly string[]])[] = [
    ['?filter=job%3Da', ['{"alertname":"Up","cluster":"eu"} 3,2']],
    ['?filter=cluster%3D%22%22', ['{} 8', '{"alertname":"Down"} 6']],
    ['?active=false', ['{"alertname":"Down"} 6', '{"alertname":"Up","cluster":"de"} 5']],
    ['?silenced=false', ['{} 8', '{"cluster":"eu"} 7', '{"alertname":"Up","cluster":"eu"} 3,2,1,4']],
    ['?active=false&silenced=false', []],
    ['?active=no&inhibited=no&muted=no', ['{"alertname":"Down"} 6', '{"alertname":"Up","cluster":"de"} 5']],
    // No parameter of this endpoint.
    ['?unprocessed=false&filter=n%3D8', ['{} 8']],
    ['?receiver=default&filter=n%3D8', ['{} 8']],
    ['?receiver=other', []],
    ['?receiver_matchers=name!%3Ddefault', []],
  ];
  for (const [query, groups] of cases) assert.deepEqual(await list(app, query), groups, query);
});

test('GET /api/v2/alerts/groups when alerts have ended: they are gone, and their group with the last of them', async (t) => {
  const app = await createListed(t);
  await app.post('/api/v2/alerts', [
    { labels: { alertname: 'Up', cluster: 'de', n: '5' }, endsAt: '2025-12-31T23:59:59Z' },
    { labels: { alertname: 'Up', cluster: 'eu', instance: '1', n: '4' }, endsAt: '2025-12-31T23:59:59Z' },
  ]);
  assert.deepEqual((await list(app)).slice(3), ['{"alertname":"Up","cluster":"eu"} 3,2,1']);
});

test('GET /api/v2/alerts/groups after a reload: by the new configuration', async (t) => {
  const app = await createListed(t);
  writeFileSync(app.configFile, 'route: {receiver: other, group_by: [job]}\nreceivers: [{name: other}]\n');
  await app.send('POST', '/-/reload');
  assert.deepEqual(await list(app), ['{} 4,8,7,6,5', '{"job":"a"} 3,2', '{"job":"b"} 1']);
  assert.deepEqual(await list(app, '?receiver=default'), []);
});
