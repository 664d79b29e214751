import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

interface Listed {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly updatedAt: string;
  readonly generatorURL?: string;
  readonly fingerprint: string;
  readonly status: { readonly state: string; readonly silencedBy: readonly string[] };
}

const list = async (app: TestApp) => (await app.get('/api/v2/alerts')).json as Listed[];

for (const base of ['/api/v2', '']) {
  test(`POST ${base}/alerts by Prometheus: 200 without a body, and the alert is there in the next request`, async (t) => {
    const app = createTestApp(t);
    const body =
      '[{"annotations":{"summary":"full"},"endsAt":"2026-01-01T00:04:00.000Z","startsAt":"2025-12-31T23:59:00.000Z",' +
      '"generatorURL":"http://prometheus:9090/graph?g0.expr=up","labels":{"alertname":"foo","severity":"critical"}}]';
    const answer = await app.post(`${base}/alerts`, body);
    assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [200, '', null]);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('vary'), 'Origin');
    const read = await app.get(`${base}/alerts`);
    assert.equal(
      read.text,
      '[{"annotations":{"summary":"full"},"endsAt":"2026-01-01T00:04:00.000Z","fingerprint":"8fa107ec8feba4bc",' +
        '"receivers":[{"name":"default"}],"startsAt":"2025-12-31T23:59:00.000Z",' +
        '"status":{"inhibitedBy":[],"mutedBy":[],"silencedBy":[],"state":"active"},"updatedAt":"2026-01-01T00:00:00.000Z",' +
        '"generatorURL":"http://prometheus:9090/graph?g0.expr=up","labels":{"alertname":"foo","severity":"critical"}}]\n',
    );
  });
}

test('POST /api/v2/alerts without times: it starts now and ends when resolve_timeout has passed', async (t) => {
  const app = createTestApp(t, {
    config: 'global: {resolve_timeout: 2m}\nroute: {receiver: a}\nreceivers: [{name: a}]\n',
  });
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }]);
  const [alert] = await list(app);
  assert.deepEqual(
    [alert?.startsAt, alert?.endsAt, alert?.annotations, alert?.generatorURL],
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:02:00.000Z', {}, undefined],
  );
  app.clock.advance(2 * 60_000);
  assert.equal((await list(app)).length, 1);
  app.clock.advance(1);
  assert.deepEqual(await list(app), []);
});

test('POST /api/v2/alerts again and again: it keeps its start, and its end moves on', async (t) => {
  const app = createTestApp(t);
  for (let minute = 0; minute < 12; minute += 3) {
    await app.post('/api/v2/alerts', [{ labels: { a: 'b' }, annotations: { minute: String(minute) } }]);
    app.clock.advance(3 * 60_000);
  }
  const [alert] = await list(app);
  assert.deepEqual(
    [alert?.startsAt, alert?.endsAt, alert?.updatedAt, alert?.annotations.minute],
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:14:00.000Z', '2026-01-01T00:09:00.000Z', '9'],
  );
});

test('POST /api/v2/alerts of an ended alert: it leaves the list', async (t) => {
  const app = createTestApp(t);
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }]);
  app.clock.advance(60_000);
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' }, endsAt: '2026-01-01T00:00:30Z' }]);
  assert.deepEqual(await list(app), []);
});

test('POST /api/v2/alerts with empty values and strange names: the labels lose them, the annotations do not', async (t) => {
  const app = createTestApp(t);
  const body =
    '[{"labels":{"a":"b","c":"","__proto__":"x","été 😀":"y"},"annotations":{"d":"","constructor":"z"},"unknown":[7]}]';
  assert.equal((await app.post('/api/v2/alerts', body)).status, 200);
  const [alert] = await list(app);
  assert.deepEqual(Object.entries(alert?.labels ?? {}), [
    ['__proto__', 'x'],
    ['a', 'b'],
    ['été 😀', 'y'],
  ]);
  assert.deepEqual(alert?.annotations, JSON.parse('{"constructor":"z","d":""}'));
});

test('POST /api/v2/alerts with some invalid alerts: the valid ones are stored, and each invalid one has its line', async (t) => {
  const app = createTestApp(t);
  const answer = await app.post('/api/v2/alerts', [
    { labels: { n: '0' } },
    {},
    { labels: { n: '2' }, startsAt: '2026-01-01T00:00:01Z', endsAt: '2026-01-01T00:00:00Z' },
    { labels: {} },
    7,
    null,
    { labels: { '': 'x' } },
    { labels: { n: '7' }, annotations: { '': 'x' } },
    { labels: { n: '8' }, generatorURL: 'xx' },
    { labels: { n: 9 } },
    { labels: { n: '10' } },
  ]);
  assert.equal(answer.status, 400);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.deepEqual(String(answer.json).split('\n'), [
    '1.labels in body is required',
    'start time must be before end time',
    'at least one label pair required',
    'parsing alerts body from "" failed, because 4 must be an object',
    'parsing alerts body from "" failed, because 5 must be an object',
    'invalid label set: invalid name ""',
    'invalid annotations: invalid name ""',
    '8.generatorURL in body must be of type uri: "xx"',
    'parsing alerts body from "" failed, because 9.labels must be an object whose values are strings',
  ]);
  assert.deepEqual((await list(app)).map(({ labels }) => labels.n).sort(), ['0', '10']);
});

test("POST /api/v2/alerts with invalid alerts: 400 and a string in Alertmanager's words", async (t) => {
  const app = createTestApp(t);
  const cases: readonly (readonly [body: string, reason: string | RegExp])[] = [
    ['', 'alerts in body is required'],
    [' \n', 'alerts in body is required'],
    ['null', 'alerts in body is required'],
    ['[{"labels":null}]', '0.labels in body is required'],
    ['[{"labels":{"a":""}}]', 'at least one label pair required'],
    ['[[]]', 'parsing alerts body from "" failed, because 0 must be an object'],
    ['{"labels":{"a":"b"}}', 'parsing alerts body from "" failed, because the body must be an array of alerts'],
    ['7', 'parsing alerts body from "" failed, because the body must be an array of alerts'],
    ['[{"labels":{"a":"b"}', /^parsing alerts body from "" failed, because ./],
    ['nonsense', /^parsing alerts body from "" failed, because ./],
    [
      '[{"labels":{"a":"b"},"startsAt":"yesterday"}]',
      'parsing alerts body from "" failed, because 0.startsAt must be a date-time such as 2006-01-02T15:04:05Z, not "yesterday"',
    ],
  ];
  for (const [body, reason] of cases) {
    const answer = await app.post('/api/v2/alerts', body);
    assert.equal(answer.status, 400, body);
    if (typeof reason === 'string') assert.equal(answer.json, reason, body);
    else assert.match(String(answer.json), reason, body);
  }
  assert.deepEqual(await list(app), []);
});

test('POST /api/v2/alerts of no alerts, or with more behind the array: 200', async (t) => {
  const app = createTestApp(t);
  for (const body of ['[]', '[] and more', '[{"labels":{"a":"b"}}][7]']) {
    const answer = await app.post('/api/v2/alerts', body);
    assert.deepEqual([answer.status, answer.text], [200, ''], body);
  }
  assert.equal((await list(app)).length, 1);
});

test('POST /api/v2/alerts where only classic names are allowed: other names are refused', async (t) => {
  const app = createTestApp(t, { matcherMode: 'classic' });
  const answer = await app.post('/api/v2/alerts', [
    { labels: { 'a.b': 'x' } },
    { labels: { a: 'x' }, annotations: { 'c-d': 'x' } },
    { labels: { a_b: 'x' } },
  ]);
  assert.equal(answer.json, 'invalid label set: invalid name "a.b"\ninvalid annotations: invalid name "c-d"');
  assert.equal((await list(app)).length, 1);
});

test('POST /api/v2/alerts beyond the limit of an alert name: 200, and the alert is dropped', async (t) => {
  const app = createTestApp(t, { perAlertnameLimit: 1 });
  const answer = await app.post('/api/v2/alerts', [
    { labels: { alertname: 'A', n: '1' } },
    { labels: { alertname: 'A', n: '2' } },
    { labels: { alertname: 'B' } },
  ]);
  assert.equal(answer.status, 200);
  assert.deepEqual((await list(app)).map(({ labels }) => labels.alertname + (labels.n ?? '')).sort(), ['A1', 'B']);
});

test('POST /api/v2/alerts does not wait for the disk', async (t) => {
  const app = createTestApp(t);
  app.database.hold();
  assert.equal((await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }])).status, 200);
  app.clock.advance(60_000);
  assert.ok(app.database.writes > 0);
  assert.deepEqual(app.database.committed, []);
  assert.equal((await list(app)).length, 1);
});

const SILENCE = {
  matchers: [{ name: 'a', value: 'b', isRegex: false }],
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '2026-01-01T00:01:00Z',
  createdBy: 'ann',
  comment: 'works',
};

test('an alert is silenced in the next request, whether it or the silence comes first, and until that ends', async (t) => {
  const app = createTestApp(t);
  const statuses = async () =>
    Object.fromEntries((await list(app)).map(({ labels, status }) => [labels.n, [status.state, ...status.silencedBy]]));
  await app.post('/api/v2/alerts', [{ labels: { a: 'b', n: '1' } }, { labels: { a: 'c', n: '3' } }]);
  const posted = await app.post('/api/v2/silences', SILENCE);
  const { silenceID } = posted.json as { silenceID: string };
  assert.deepEqual(await statuses(), { 1: ['suppressed', silenceID], 3: ['active'] });
  await app.post('/api/v2/alerts', [{ labels: { a: 'b', n: '2' } }]);
  assert.deepEqual(await statuses(), { 1: ['suppressed', silenceID], 2: ['suppressed', silenceID], 3: ['active'] });
  app.clock.advance(60_000);
  assert.deepEqual(await statuses(), { 1: ['active'], 2: ['active'], 3: ['active'] });
});

test('an alert is active again in the request after its silence was ended', async (t) => {
  const app = createTestApp(t);
  await app.post('/api/v2/alerts', [{ labels: { a: 'b' } }]);
  const posted = await app.post('/api/v2/silences', SILENCE);
  const { silenceID } = posted.json as { silenceID: string };
  await app.delete(`/api/v2/silence/${silenceID}`);
  assert.deepEqual((await list(app))[0]?.status, { inhibitedBy: [], mutedBy: [], silencedBy: [], state: 'active' });
});

test('POST /api/v2/alerts of thousands: all are accepted together, invalid ones are named in their order', async (t) => {
  const app = createTestApp(t);
  const alerts: unknown[] = Array.from({ length: 5_000 }, (_, n) => ({
    labels: { n: `${n}` },
    annotations: { summary: '\u00fc'.repeat(200) },
  }));
  alerts[700] = { labels: {} };
  alerts[4_700] = { labels: 1 };
  const answer = await app.post('/api/v2/alerts', alerts);
  assert.deepEqual(
    [answer.status, answer.json],
    [
      400,
      'at least one label pair required\n' +
        'parsing alerts body from "" failed, because 4700.labels must be an object whose values are strings',
    ],
  );
  assert.equal((await list(app)).length, 4_998);
  const broken = await app.post('/api/v2/alerts', `${JSON.stringify(alerts).replaceAll('"n"', '"m"').slice(0, -1)},]`);
  assert.equal(broken.status, 400);
  assert.equal((await list(app)).length, 4_998);
});
