import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

interface Listed {
  readonly id: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

async function create(app: TestApp, comment: string, startsAt: string, endsAt: string, ...matchers: object[]) {
  const answer = await app.post('/api/v2/silences', { matchers, startsAt, endsAt, createdBy: 'ann', comment });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as { silenceID: string }).silenceID;
}

const A = { name: 'a', value: 'x', isRegex: false };
const B = { name: 'b', value: 'y|z', isRegex: true };
const C = { name: 'c', value: 'w', isRegex: false, isEqual: false };
const at = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours)).toISOString();

/** At 12:00 two silences each are active, pending and expired; their comments say so. */
async function createListed(t: Parameters<typeof createTestApp>[0]): Promise<TestApp> {
  const app = createTestApp(t);
  await create(app, 'expired at 2', at(0), at(2), A);
  await create(app, 'active until 20', at(0), at(20), A, B);
  await create(app, 'pending from 16', at(16), at(17), B);
  await create(app, 'expired at 5', at(0), at(5), C);
  await create(app, 'active until 15', at(0), at(15), C);
  await create(app, 'pending from 14', at(14), at(99), A, C);
  app.clock.advance(12 * 3_600_000);
  return app;
}

async function list(app: TestApp, query = ''): Promise<readonly string[]> {
  const answer = await app.get(`/api/v2/silences${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as Listed[]).map(({ comment, status }) => {
    assert.ok(comment.startsWith(status.state));
    return comment;
  });
}

for (const base of ['/api/v2', '']) {
  test(`GET ${base}/silences, without authentication: active ones by end, pending by start, expired ones from the latest`, async (t) => {
    const app = await createListed(t);
    const answer = await app.get(`${base}/silences`);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
    assert.deepEqual(
      (answer.json as Listed[]).map(({ comment }) => comment),
      ['active until 15', 'active until 20', 'pending from 14', 'pending from 16', 'expired at 5', 'expired at 2'],
    );
  });
}

test('GET /api/v2/silences without silences: an empty array', async (t) => {
  assert.equal((await createTestApp(t).get('/api/v2/silences')).text, '[]\n');
});

test('GET /api/v2/silences over time: states and order follow it', async (t) => {
  const app = await createListed(t);
  const statesOf = async () =>
    ((await app.get('/api/v2/silences')).json as Listed[]).map(
      ({ comment, status }) => `${comment.split(' ').at(-1)} ${status.state}`,
    );
  app.clock.advance(2 * 3_600_000);
  assert.deepEqual(await statesOf(), ['15 active', '20 active', '14 active', '16 pending', '5 expired', '2 expired']);
  app.clock.advance(3_600_000 - 1);
  assert.equal((await statesOf())[0], '15 active');
  app.clock.advance(1);
  assert.deepEqual(await statesOf(), ['20 active', '14 active', '16 pending', '15 expired', '5 expired', '2 expired']);
});

test('GET /api/v2/silences with filters: silences that contain every matcher as written', async (t) => {
  const app = await createListed(t);
  const cases: readonly (readonly [query: string, comments: readonly string[]])[] = [
    ['?filter=a%3D%22x%22', ['active until 20', 'pending from 14', 'expired at 2']],
    ['?filter=a%3Dx&filter=b%3D~%22y%7Cz%22', ['active until 20']],
    ['?filter=c!%3Dw', ['active until 15', 'pending from 14', 'expired at 5']],
    ['?filter=a%3D~%22x%22', []],
    ['?filter=b%3D%22y%22', []],
    ['?filter=a%3D~%22.*%22', []],
    ['?filter=d%3D%22%22', []],
  ];
  for (const [query, comments] of cases) assert.deepEqual(await list(app, query), comments, query);
});

test('GET /api/v2/silences with flags: each state can be left out, and only the words for true are true', async (t) => {
  const app = await createListed(t);
  const active = ['active until 15', 'active until 20'];
  const pending = ['pending from 14', 'pending from 16'];
  const expired = ['expired at 5', 'expired at 2'];
  const cases: readonly (readonly [query: string, comments: readonly string[]])[] = [
    ['?active=true&pending=1&expired=yes', [...active, ...pending, ...expired]],
    ['?active=&pending=&expired=', [...active, ...pending, ...expired]],
    ['?active=false', [...pending, ...expired]],
    ['?pending=0', [...active, ...expired]],
    ['?expired=nonsense', [...active, ...pending]],
    ['?expired=false&expired=true', [...active, ...pending, ...expired]],
    ['?expired=true&expired=false', [...active, ...pending]],
    ['?active=no&pending=no', expired],
    ['?active=no&pending=no&expired=no', []],
    ['?expired=false&filter=a%3Dx', ['active until 20', 'pending from 14']],
    // A flag of the alerts, not of the silences.
    ['?silenced=false', [...active, ...pending, ...expired]],
  ];
  for (const [query, comments] of cases) assert.deepEqual(await list(app, query), comments, query);
});

test('GET /api/v2/silences with a bad filter: 400 and a string with the cause', async (t) => {
  const app = createTestApp(t);
  const cases: readonly (readonly [query: string, reason: string])[] = [
    ['?filter=nope', 'bad matcher format: nope'],
    ['?filter=', 'bad matcher format: '],
    ['?filter=a%3Db&filter=x', 'bad matcher format: x'],
    ['?filter=%7Ba%3D%22b%22%7D', 'unexpected open or close brace: {a="b"}'],
    ['?filter=a%3D~%22(%22', 'error parsing regexp: missing closing ): `^(?:()$`'],
    ['?filter=a%3D%22b%22c%22', 'matcher value contains unescaped double quote: "b"c"'],
  ];
  for (const [query, reason] of cases) {
    const answer = await app.get(`/api/v2/silences${query}`);
    assert.deepEqual([answer.status, answer.json], [400, reason], query);
  }
});
