import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const SILENCE = {
  matchers: [{ name: 'alertname', value: 'DiskFull', isRegex: false }],
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '2026-01-01T02:00:00Z',
  createdBy: 'ann',
  comment: 'works',
};

async function create(app: TestApp, rest: object = {}): Promise<string> {
  const answer = await app.post('/api/v2/silences', { ...SILENCE, ...rest });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { silenceID: string }).silenceID;
}

for (const base of ['/api/v2', '']) {
  test(`POST ${base}/silences by amtool: its id, and it is there in the next request`, async (t) => {
    const app = createTestApp(t);
    const body =
      '{"comment":"works","createdBy":"ann","endsAt":"2026-01-01T02:00:00.000Z",' +
      '"matchers":[{"isEqual":true,"isRegex":false,"name":"alertname","value":"DiskFull"}],"startsAt":"2026-01-01T01:00:00.000+01:00"}';
    const answer = await app.post(`${base}/silences`, body);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { silenceID, ...rest } = answer.json as { silenceID: string };
    assert.match(silenceID, UUID);
    assert.deepEqual(rest, {});
    assert.equal(answer.text, `{"silenceID":"${silenceID}"}\n`);
    const read = await app.get(`${base}/silence/${silenceID}`);
    assert.equal(
      read.text,
      `{"id":"${silenceID}","status":{"state":"active"},"updatedAt":"2026-01-01T00:00:00.000Z","comment":"works",` +
        '"createdBy":"ann","endsAt":"2026-01-01T02:00:00.000Z","matchers":[{"isEqual":true,"isRegex":false,' +
        '"name":"alertname","value":"DiskFull"}],"startsAt":"2026-01-01T00:00:00.000Z"}\n',
    );
  });
}

test('POST /api/v2/silences without isEqual, with annotations and texts of all kinds: kept as they are', async (t) => {
  const app = createTestApp(t);
  const matchers = [
    { name: '__proto__', value: 'été 😀', isRegex: false },
    { name: 'a b', value: 'x|y', isRegex: true, isEqual: false },
  ];
  const annotations = { ticket: '7', constructor: '' };
  const id = await create(app, { matchers, annotations, createdBy: '', comment: 'two\nlines' });
  const read = (await app.get(`/api/v2/silence/${id}`)).json as Record<string, unknown>;
  assert.deepEqual(read.matchers, [
    { isEqual: true, isRegex: false, name: '__proto__', value: 'été 😀' },
    { isEqual: false, isRegex: true, name: 'a b', value: 'x|y' },
  ]);
  assert.deepEqual([read.annotations, read.createdBy, read.comment], [annotations, '', 'two\nlines']);
});

test('POST /api/v2/silences that began in the past, or without a start: it begins now', async (t) => {
  const app = createTestApp(t);
  app.clock.advance(1_500);
  for (const startsAt of ['2025-01-01', '2026-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '']) {
    const id = await create(app, { startsAt });
    const read = (await app.get(`/api/v2/silence/${id}`)).json as Record<string, unknown>;
    assert.deepEqual([read.startsAt, read.status], ['2026-01-01T00:00:01.500Z', { state: 'active' }], startsAt);
  }
});

test('POST /api/v2/silences that ends at this very instant: it is not refused as past, and has expired', async (t) => {
  const app = createTestApp(t);
  const id = await create(app, { startsAt: '2025-01-01', endsAt: '2026-01-01T00:00:00Z' });
  const read = (await app.get(`/api/v2/silence/${id}`)).json as Record<string, unknown>;
  assert.deepEqual([read.startsAt, read.status], ['2026-01-01T00:00:00.000Z', { state: 'expired' }]);
});

test('POST /api/v2/silences with the id of a silence that can be changed: the same id, and everything but the matchers new', async (t) => {
  const app = createTestApp(t);
  const id = await create(app);
  app.clock.advance(60_000);
  const changed = { id, endsAt: '2026-01-01T03:00:00Z', comment: 'longer', createdBy: 'bob', annotations: { a: 'b' } };
  assert.equal(await create(app, changed), id);
  const listed = (await app.get('/api/v2/silences')).json as Record<string, unknown>[];
  assert.equal(listed.length, 1);
  assert.deepEqual(listed[0], {
    ...SILENCE,
    ...changed,
    matchers: [{ ...SILENCE.matchers[0], isEqual: true }],
    startsAt: '2026-01-01T00:00:00.000Z',
    endsAt: '2026-01-01T03:00:00.000Z',
    status: { state: 'active' },
    updatedAt: '2026-01-01T00:01:00.000Z',
  });
});

test('POST /api/v2/silences with other matchers for an id: a new id, and the old silence has ended', async (t) => {
  const app = createTestApp(t);
  const id = await create(app);
  app.clock.advance(60_000);
  const successor = await create(app, { id, matchers: [{ name: 'alertname', value: 'Other', isRegex: false }] });
  assert.notEqual(successor, id);
  assert.match(successor, UUID);
  const listed = (await app.get('/api/v2/silences')).json as { id: string; status: object; endsAt: string }[];
  assert.deepEqual(
    listed.map(({ id, status, endsAt }) => [id, status, endsAt]),
    [
      [successor, { state: 'active' }, '2026-01-01T02:00:00.000Z'],
      [id, { state: 'expired' }, '2026-01-01T00:01:00.000Z'],
    ],
  );
});

test('POST /api/v2/silences with the id of an ended silence: a new one, the old stays as it is', async (t) => {
  const app = createTestApp(t);
  const id = await create(app);
  await app.delete(`/api/v2/silence/${id}`);
  const before = await app.get(`/api/v2/silence/${id}`);
  app.clock.advance(1_000);
  const recreated = await create(app, { id });
  assert.notEqual(recreated, id);
  assert.equal((await app.get(`/api/v2/silence/${id}`)).text, before.text);
});

test('POST /api/v2/silences with an unknown id: 404 and a string', async (t) => {
  const app = createTestApp(t);
  for (const id of ['7d1f0c3a-52b6-4e9d-8a41-0123456789ab', 'no uuid', 'urn:x']) {
    const answer = await app.post('/api/v2/silences', { ...SILENCE, id });
    assert.equal(answer.status, 404, id);
    assert.equal(answer.text, '"silence not found"\n');
  }
  assert.equal((await app.get('/api/v2/silences')).text, '[]\n');
});

test('POST /api/v2/silences with an invalid silence: 400 and a string with the cause, and nothing is stored', async (t) => {
  const app = createTestApp(t);
  const matcher = (rest: object) => ({ matchers: [{ name: 'a', value: 'b', isRegex: false, ...rest }] });
  const cases: readonly (readonly [body: object, reason: string])[] = [
    [{}, 'comment in body is required'],
    [{ comment: '' }, 'createdBy in body is required'],
    [{ comment: '', createdBy: '' }, 'endsAt in body is required'],
    [{ comment: '', createdBy: '', endsAt: '2026-01-02' }, 'matchers in body is required'],
    [{ ...SILENCE, startsAt: undefined }, 'startsAt in body is required'],
    [{ ...SILENCE, startsAt: null }, 'startsAt in body is required'],
    [{ ...SILENCE, matchers: [] }, 'matchers in body should have at least 1 items'],
    [{ ...SILENCE, ...matcher({ isRegex: undefined }) }, 'matchers.0.isRegex in body is required'],
    [{ ...SILENCE, ...matcher({ name: undefined }) }, 'matchers.0.name in body is required'],
    [{ ...SILENCE, ...matcher({ value: undefined }) }, 'matchers.0.value in body is required'],
    [{ ...SILENCE, endsAt: '2026-01-01T00:00:00Z' }, 'Failed to create silence: start time must be before end time'],
    [{ ...SILENCE, startsAt: '2026-01-01T03:00:00Z' }, 'Failed to create silence: start time must be before end time'],
    [{ ...SILENCE, endsAt: '0001-01-01T00:00:00Z' }, 'Failed to create silence: start time must be before end time'],
    [
      { ...SILENCE, startsAt: '0001-01-01T00:00:00Z', endsAt: '0001-01-01T00:00:00Z' },
      'Failed to create silence: start time must be before end time',
    ],
    [
      { ...SILENCE, startsAt: '2025-01-01', endsAt: '2025-12-31T23:59:59.999Z' },
      "Failed to create silence: end time can't be in the past",
    ],
    [
      { ...SILENCE, startsAt: '0001-01-01T00:00:00Z', endsAt: '2025-01-01' },
      "Failed to create silence: end time can't be in the past",
    ],
    [
      { ...SILENCE, ...matcher({ name: '' }) },
      'invalid silence: invalid label matcher 0 in set 0: invalid label name ""',
    ],
    [
      { ...SILENCE, matchers: [...SILENCE.matchers, { name: 'a', value: '(', isRegex: true }] },
      'invalid silence: invalid label matcher 1 in set 0: invalid regular expression "(": error parsing regexp: missing closing ): `(`',
    ],
    [
      { ...SILENCE, ...matcher({ value: '' }) },
      'invalid silence: matcher set 0: at least one matcher must not match the empty string',
    ],
    [
      { ...SILENCE, ...matcher({ value: '.*', isRegex: true }) },
      'invalid silence: matcher set 0: at least one matcher must not match the empty string',
    ],
    [
      { ...SILENCE, endsAt: 'tomorrow' },
      'parsing silence body from "" failed, because endsAt must be a date-time such as 2006-01-02T15:04:05Z, not "tomorrow"',
    ],
    [{ ...SILENCE, comment: 7 }, 'parsing silence body from "" failed, because comment must be a string'],
  ];
  for (const [body, reason] of cases) {
    const answer = await app.post('/api/v2/silences', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.json, reason);
  }
  assert.equal((await app.get('/api/v2/silences')).text, '[]\n');
});

test('POST /api/v2/silences without a body, or with invalid JSON: 400 and a string', async (t) => {
  const app = createTestApp(t);
  for (const body of ['', ' \n']) {
    const answer = await app.post('/api/v2/silences', body);
    assert.deepEqual([answer.status, answer.json], [400, 'silence in body is required'], JSON.stringify(body));
  }
  for (const body of ['{', '[]', '7', 'nonsense']) {
    const answer = await app.post('/api/v2/silences', body);
    assert.equal(answer.status, 400, body);
    assert.match(String(answer.json), /^parsing silence body from "" failed, because ./, body);
  }
});

test('POST /api/v2/silences beyond a limit: 400 and the numbers', async (t) => {
  const few = createTestApp(t, { silenceRules: { maxSilences: 1 } });
  await create(few);
  const excess = await few.post('/api/v2/silences', SILENCE);
  assert.deepEqual([excess.status, excess.json], [400, 'exceeded maximum number of silences: 1 (limit: 1)']);
  const small = createTestApp(t, { silenceRules: { maxSilenceSizeBytes: 40 } });
  const large = await small.post('/api/v2/silences', SILENCE);
  assert.equal(large.status, 400);
  assert.match(String(large.json), /^silence exceeded maximum size: \d+ bytes \(limit: 40 bytes\)$/);
});

test('POST /api/v2/silences on a disk that is full: 500 and a string, and nothing is stored', async (t) => {
  const app = createTestApp(t);
  app.database.failure = new Error('disk is full');
  const answer = await app.post('/api/v2/silences', SILENCE);
  assert.equal(answer.status, 500);
  assert.equal(typeof answer.json, 'string');
  assert.equal((await app.get('/api/v2/silences')).text, '[]\n');
  assert.match(app.log.join(), /level=ERROR .*disk is full/);
});

test('POST /api/v2/silences where only classic names are allowed: other names are refused', async (t) => {
  const app = createTestApp(t, { matcherMode: 'classic' });
  const answer = await app.post('/api/v2/silences', {
    ...SILENCE,
    matchers: [{ name: 'a.b', value: 'x', isRegex: false }],
  });
  assert.deepEqual(
    [answer.status, answer.json],
    [400, 'invalid silence: invalid label matcher 0 in set 0: invalid label name "a.b"'],
  );
});
