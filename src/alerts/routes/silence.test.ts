import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

async function create(app: TestApp, startsAt = '2026-01-01T00:00:00Z'): Promise<string> {
  const answer = await app.post('/api/v2/silences', {
    matchers: [{ name: 'a', value: 'b', isRegex: false }],
    startsAt,
    endsAt: '2026-01-01T02:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  return (answer.json as { silenceID: string }).silenceID;
}

const UNKNOWN = [
  '7d1f0c3a-52b6-4e9d-8a41-0123456789ab',
  'abc',
  '%20',
  'a%2Fb',
  '__proto__',
  'urn:uuid:7d1f0c3a-52b6-4e9d-8a41-0123456789ab',
];

for (const base of ['/api/v2', '']) {
  test(`GET ${base}/silence/{id}, without authentication: the silence in its current state`, async (t) => {
    const app = createTestApp(t);
    const id = await create(app, '2026-01-01T01:00:00Z');
    const stateOf = async () => {
      const answer = await app.get(`${base}/silence/${id}`);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
      return (answer.json as { status: unknown }).status;
    };
    assert.deepEqual(await stateOf(), { state: 'pending' });
    app.clock.advance(3_600_000);
    assert.deepEqual(await stateOf(), { state: 'active' });
    app.clock.advance(3_600_000 - 1);
    assert.deepEqual(await stateOf(), { state: 'active' });
    app.clock.advance(1);
    assert.deepEqual(await stateOf(), { state: 'expired' });
  });

  test(`GET and DELETE ${base}/silence/{id} of an unknown id: 404 without a body`, async (t) => {
    const app = createTestApp(t);
    for (const id of UNKNOWN) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await app.send(method, `${base}/silence/${id}`);
        assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [404, '', null], id);
      }
    }
  });

  test(`DELETE ${base}/silence/{id} by amtool: it has ended now, and again makes no difference`, async (t) => {
    const app = createTestApp(t);
    const id = await create(app);
    app.clock.advance(1_000);
    const answer = await app.delete(`${base}/silence/${id}`);
    assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [200, '', null]);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const read = await app.get(`${base}/silence/${id}`);
    const { status, endsAt, updatedAt } = read.json as Record<string, unknown>;
    assert.deepEqual(
      [status, endsAt, updatedAt],
      [{ state: 'expired' }, '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.000Z'],
    );
    app.clock.advance(1_000);
    assert.equal((await app.delete(`${base}/silence/${id}`)).status, 200);
    assert.equal((await app.get(`${base}/silence/${id}`)).text, read.text);
  });
}

test('DELETE /api/v2/silence/{id} of a pending silence: it begins and ends now', async (t) => {
  const app = createTestApp(t);
  const id = await create(app, '2026-01-01T01:00:00Z');
  await app.delete(`/api/v2/silence/${id}`);
  const read = (await app.get(`/api/v2/silence/${id}`)).json as Record<string, unknown>;
  const now = '2026-01-01T00:00:00.000Z';
  assert.deepEqual([read.status, read.startsAt, read.endsAt], [{ state: 'expired' }, now, now]);
});

test('an id is found only as it is written, not as another form of the same UUID', async (t) => {
  const app = createTestApp(t);
  const id = await create(app);
  for (const other of [id.replaceAll('-', ''), `urn:uuid:${id}`, `{${id}}`, `${id}0`]) {
    assert.equal((await app.get(`/api/v2/silence/${encodeURIComponent(other)}`)).status, 404, other);
  }
  assert.equal((await app.get(`/api/v2/silence/${id}`)).status, 200);
});

test('DELETE /api/v2/silence/{id} on a disk that is full: 500 and a string, and the silence stays active', async (t) => {
  const app = createTestApp(t);
  const id = await create(app);
  app.database.failure = new Error('disk is full');
  const answer = await app.delete(`/api/v2/silence/${id}`);
  assert.equal(answer.status, 500);
  assert.equal(typeof answer.json, 'string');
  const read = (await app.get(`/api/v2/silence/${id}`)).json as { status: unknown };
  assert.deepEqual(read.status, { state: 'active' });
});
