import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, type TestApp } from '../testing/app.ts';

type Cleanup = Parameters<typeof createTestApp>[0];

interface Listed {
  readonly labels: Record<string, string>;
  readonly fingerprint: string;
}

/** Four alerts; n="2" is silenced. */
async function createListed(t: Cleanup): Promise<TestApp> {
  const app = createTestApp(t, { config: 'route: {receiver: team-a}\nreceivers: [{name: team-a}, {name: team-b}]\n' });
  await app.post('/api/v2/alerts', [
    { labels: { alertname: 'DiskFull', n: '1', severity: 'critical' } },
    { labels: { alertname: 'DiskFull', n: '2', severity: 'warning' } },
    { labels: { alertname: 'NodeDown', n: '3', severity: 'critical', __proto__x: 'p' } },
    { labels: { n: '4', 'été 😀': 'y' } },
  ]);
  await app.post('/api/v2/silences', {
    matchers: [{ name: 'n', value: '2', isRegex: false }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T02:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  return app;
}

async function list(app: TestApp, query: string): Promise<readonly string[]> {
  const answer = await app.get(`/api/v2/alerts${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (answer.json as Listed[]).map(({ labels }) => labels.n ?? '').sort();
}

for (const base of ['/api/v2', '']) {
  test(`GET ${base}/alerts, without authentication: all alerts in the order of their fingerprints`, async (t) => {
    const app = await createListed(t);
    const answer = await app.get(`${base}/alerts`);
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
      [200, 'application/json', 'no-store'],
    );
    const fingerprints = (answer.json as Listed[]).map(({ fingerprint }) => fingerprint);
    assert.equal(fingerprints.length, 4);
    assert.deepEqual(fingerprints, [...fingerprints].sort());
    for (const fingerprint of fingerprints) assert.match(fingerprint, /^[0-9a-f]{16}$/);
  });
}

test('GET /api/v2/alerts without alerts: an empty array', async (t) => {
  assert.equal((await createTestApp(t).get('/api/v2/alerts')).text, '[]\n');
});

test('GET /api/v2/alerts with flags: each state can be left out, and only the words for true are true', async (t) => {
  const app = await createListed(t);
  const cases: readonly (readonly [query: string, numbers: readonly string[]])[] = [
    ['?active=true&silenced=true&inhibited=true&unprocessed=true', ['1', '2', '3', '4']],
    ['?active=&silenced=&inhibited=&unprocessed=', ['1', '2', '3', '4']],
    ['?active=false', ['2']],
    ['?silenced=false', ['1', '3', '4']],
    ['?silenced=nonsense', ['1', '3', '4']],
    ['?silenced=YES', ['1', '2', '3', '4']],
    ['?silenced=false&silenced=1', ['1', '2', '3', '4']],
    ['?silenced=1&silenced=false', ['1', '3', '4']],
    ['?inhibited=false', ['1', '2', '3', '4']],
    // What Go cannot read of a URL it leaves out.
    ['?silenced=false;active=false&filter=%zz', ['1', '2', '3', '4']],
    // No alert is ever unprocessed: a posted alert has its state at once.
    ['?unprocessed=false', ['1', '2', '3', '4']],
    ['?active=false&silenced=false', []],
    ['?active=0&unprocessed=true', ['2']],
  ];
  for (const [query, numbers] of cases) assert.deepEqual(await list(app, query), numbers, query);
});

test('GET /api/v2/alerts with filters: alerts that satisfy all of them; an empty value matches a missing label', async (t) => {
  const app = await createListed(t);
  const cases: readonly (readonly [filters: readonly string[], numbers: readonly string[]])[] = [
    [['alertname="DiskFull"'], ['1', '2']],
    [['alertname=DiskFull', 'severity=critical'], ['1']],
    [['alertname!="DiskFull"'], ['3', '4']],
    [['alertname=~"Disk.*|x"'], ['1', '2']],
    [['alertname=~"Disk"'], []],
    [['alertname!~"Disk.*"'], ['3', '4']],
    [['alertname=""'], ['4']],
    [['alertname!=""'], ['1', '2', '3']],
    [['alertname=~""'], ['4']],
    [['alertname!~""'], ['1', '2', '3']],
    [['alertname=~".*"'], ['1', '2', '3', '4']],
    [['alertname=~".+"'], ['1', '2', '3']],
    [['alertname!~".+"'], ['4']],
    [['nothing=""'], ['1', '2', '3', '4']],
    [['nothing!=""'], []],
    [['constructor=""'], ['1', '2', '3', '4']],
    [['__proto__x=p'], ['3']],
    [['"été 😀"="y"'], ['4']],
    [['severity = critical ', 'n!=1'], ['3']],
    [['severity=~"(?i)CRIT.*"'], ['1', '3']],
  ];
  for (const [filters, numbers] of cases) {
    const query = `?${filters.map((filter) => `filter=${encodeURIComponent(filter)}`).join('&')}`;
    assert.deepEqual(await list(app, query), numbers, query);
  }
});

test('GET /api/v2/alerts with a receiver: alerts of receivers whose whole name matches', async (t) => {
  const app = await createListed(t);
  const all = ['1', '2', '3', '4'];
  const cases: readonly (readonly [query: string, numbers: readonly string[]])[] = [
    ['?receiver=team-a', all],
    ['?receiver=team-.', all],
    ['?receiver=', all],
    ['?receiver=team', []],
    ['?receiver=team-b', []],
    ['?receiver=TEAM-A', []],
    ['?receiver=(?i)TEAM-A', all],
    ['?receiver=x%7Cteam-a', all],
    ['?receiver=x&receiver=team-a', all],
    ['?receiver=team-a&receiver=x', []],
    ['?receiver_matchers=name%3D%22team-a%22', all],
    ['?receiver_matchers=name%3D%22team-b%22', []],
    ['?receiver_matchers=name!%3D%22team-b%22&receiver_matchers=name%3D~%22team.*%22', all],
    ['?receiver_matchers=owner%3D%22dba%22', []],
    ['?receiver=team-a&filter=n%3D1&silenced=false', ['1']],
  ];
  for (const [query, numbers] of cases) assert.deepEqual(await list(app, query), numbers, query);
});

test('GET /api/v2/alerts with a bad parameter: 400 and a string, the filter first, then receiver, then its matchers', async (t) => {
  const app = createTestApp(t);
  const receiver = 'failed to parse receiver param: error parsing regexp: missing closing ): `^(?:()$`';
  const cases: readonly (readonly [query: string, reason: string])[] = [
    ['?filter=nope', 'bad matcher format: nope'],
    ['?filter=', 'bad matcher format: '],
    ['?filter=a%3Db&filter=x', 'bad matcher format: x'],
    ['?filter=%7Ba%3Db%7D', 'unexpected open or close brace: {a=b}'],
    ['?filter=a%3D%FF', 'matcher value not valid UTF-8: \ufffd'],
    ['?filter=a%3D~%22%5Ba)%22', 'error parsing regexp: missing closing ]: `[a))$`'],
    ['?filter=a%3D~%22(%3F%3Dx)%22', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['?receiver=(', receiver],
    ['?receiver_matchers=x', 'failed to parse receiver_matchers param: bad matcher format: x'],
    ['?receiver_matchers=x&receiver=(&filter=y', 'bad matcher format: y'],
    ['?receiver_matchers=x&receiver=(', receiver],
  ];
  for (const path of ['/api/v2/alerts', '/api/v2/alerts/groups', '/alerts', '/alerts/groups']) {
    for (const [query, reason] of cases) {
      const answer = await app.get(path + query);
      assert.deepEqual([answer.status, answer.json], [400, reason], path + query);
      assert.equal(answer.headers.get('content-type'), 'application/json');
    }
  }
});

test('GET /api/v2/alerts with a matcher that only the old syntax allows: it is read and logged', async (t) => {
  const app = await createListed(t);
  assert.deepEqual(await list(app, '?filter=alertname%3DDisk%20Full'), []);
  assert.match(app.log.join(), /level=WARN .*input="alertname=Disk Full"/);
  const strict = createTestApp(t, { matcherMode: 'utf8-strict' });
  assert.equal((await strict.get('/api/v2/alerts?filter=alertname%3DDisk%20Full')).status, 400);
});
