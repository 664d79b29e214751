import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import type { PlainResponse } from '../../testing/http/client.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { readHubPage } from '../hub-page.ts';
import { startTestDashboard } from '../testing/app.ts';
import { FAKE_TOKEN, fakeEvents, json, startFakeUsageUpstream } from '../testing/fake-usage-upstream.ts';

const MARKER = { id: 'm-1', user: 'info', start: '2026-05-04T09:00:00Z' };
const bodyOf = ({ body }: PlainResponse) => JSON.parse(body) as Record<string, unknown>;

async function startLive(t: Cleanup, variables: Readonly<Record<string, string>> = {}) {
  const upstream = await startFakeUsageUpstream(t);
  upstream.events = fakeEvents(3);
  const all = { USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN, USAGE_UPSTREAM_URL: upstream.url, ...variables };
  return { upstream, dashboard: await startTestDashboard(t, { variables: all }) };
}

test('section 4.A: / is the hub: one page with a link to /analytics, inline style, no script, below 6 KB', async (t) => {
  const { client } = await startTestDashboard(t);
  const { status, headers, body } = await client.get('/');
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
  assert.doesNotMatch(body, /<script/i);
  assert.match(body, /<a class="card" href="\.\/analytics">/);
  assert.ok(body.indexOf('href="./analytics"') < body.indexOf('href="./health"'));
  assert.ok(Buffer.byteLength(body) < 6 * 1024);
  assert.match(body, /opsdeck 0\.1\.0/);
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /default-src 'none'; style-src 'sha256-[\w+/]{43}='/);
  assert.doesNotMatch(policy, /unsafe/);
  const again = { method: 'GET', path: '/', headers: { 'If-None-Match': String(headers.etag) } };
  assert.equal((await client.send(again)).status, 304);
});

test('the hub links to the servers of its deck, where the reader reaches them, after the analytics page', () => {
  const source = '<style>a{}</style><a href="./analytics">Open</a>{header}';
  const packed = brotliCompressSync(source).toString('base64');
  const hub = readHubPage({ 'index.html': { type: 'text/html', etag: '', size: 0, brotli: packed } }, '1.0.0');
  const own = { name: 'dashboard', title: 'Usage', url: './analytics', state: 'ready' } as const;
  const alerts = { name: 'alerts', title: 'A<b>', url: 'http://0.0.0.0:9093/?a="', state: 'failing' } as const;
  const foreign = { ...alerts, name: 'relay', url: 'javascript:alert(1)' };
  const links = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);
  const view = { language: 'en', theme: 'dark' } as const;
  const choices = ['?language=de', '?theme=system'];
  const deck = { hub: 'http://0.0.0.0:8075/', servers: [alerts, own, foreign] };
  const { html } = hub.print(deck, 'http://ops.example:8060/', view);
  const reached = ['http://ops.example:8075/', 'http://ops.example:9093/?a=%22'];
  const expected = ['./analytics', ...reached, './analytics', ...choices];
  assert.deepEqual(links(html), expected);
  assert.doesNotMatch(html, /A<b>/);
  assert.match(html, /Alerts<i class="failing" role="img" aria-label="\(failing\)">/);
  const alone = hub.print({ hub: null, servers: [own] }, 'http://ops.example:8060/', view);
  assert.deepEqual(links(alone.html), ['./analytics', './analytics', ...choices]);
});

test('the hub follows the language and theme chosen on any page of the host, otherwise the browser, and sets both without scripts', async (t) => {
  const { client } = await startTestDashboard(t);
  const send = (path: string, headers: Record<string, string>) => client.send({ method: 'GET', path, headers });
  assert.match((await send('/', { 'Accept-Language': 'de-AT,en;q=0.5' })).body, /<html lang="de" data-theme="system">/);
  const Cookie = 'a=b; opsdeck.language=en; opsdeck.theme=dark';
  assert.match((await send('/', { 'Accept-Language': 'de', Cookie })).body, /<html lang="en" data-theme="dark">/);
  const { body } = await send('/', { Cookie: 'opsdeck.language=xx; opsdeck.theme="><b>' });
  assert.match(body, /<html lang="en" data-theme="system">/);
  for (const [choice, cookie] of [
    ['language=de', 'opsdeck.language=de; Path=/; Max-Age=31536000; SameSite=Lax'],
    ['theme=light', 'opsdeck.theme=light; Path=/; Max-Age=31536000; SameSite=Lax'],
  ]) {
    const { status, headers } = await send(`/?${choice}`, {});
    assert.deepEqual([status, headers.location, headers['set-cookie']], [303, './', [cookie]]);
  }
  const unknown = await send('/?theme=pink', {});
  assert.deepEqual([unknown.status, unknown.headers['set-cookie']], [200, undefined]);
});

test('/analytics is the page, under a policy without anything inline', async (t) => {
  const { client } = await startTestDashboard(t);
  const { status, headers } = await client.get('/analytics');
  assert.equal(status, 200);
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'self'; img-src 'self' data: blob:; worker-src 'self'; /,
  );
  const { location } = (await client.get('/analytics/')).headers;
  assert.equal(new URL(String(location), 'http://localhost/analytics/').pathname, '/analytics');
});

test('section 5: /health reports which users have a token and the port, never the token', async (t) => {
  const { dashboard } = await startLive(t);
  const { json: health } = await dashboard.get('/health');
  const { uptimeS, ...rest } = health;
  const port = Number(new URL(dashboard.url).port);
  assert.deepEqual(rest, { ok: true, users: { info: true, slope: false }, port, version: '0.1.0' });
  assert.ok(Number(uptimeS) >= 0);
});

test('/api/users lists the users with the CSV files that lie in data/', async (t) => {
  const files = { 'data/usage-events-slope.csv': 'Date\n' };
  const { get } = await startTestDashboard(t, { files, variables: { USAGE_EMAIL_SLOPE: 'Slope@example.org' } });
  const users = (await get('/api/users')).json.users as Record<string, unknown>[];
  assert.deepEqual(
    users.map(({ color, ...user }) => user),
    [
      { id: 'info', label: 'info', emails: [], defaultCsvPaths: [], hasToken: false },
      {
        id: 'slope',
        label: 'slope',
        emails: ['slope@example.org'],
        defaultCsvPaths: ['./data/usage-events-slope.csv'],
        hasToken: false,
      },
    ],
  );
});

test('section 4.A: GET and POST /api/events answer the same, and the second answer is from the cache', async (t) => {
  const { upstream, dashboard } = await startLive(t);
  const first = await dashboard.get('/api/events?user=info&startDate=2026-01-01&endDate=2026-04-30');
  const { fetchedAt, ...body } = first.json;
  assert.deepEqual(body, {
    user: 'info',
    events: fakeEvents(3),
    totalUsageEventsCount: 3,
    cached: false,
    truncated: false,
  });
  const asked = { user: 'info', startDate: 1767225600, endDate: '1777593599999' };
  const second = bodyOf(await dashboard.client.post('/api/events', asked));
  assert.deepEqual(second, { ...first.json, cached: true });
  assert.equal(upstream.pages.length, 1);
  assert.deepEqual([upstream.pages[0]?.startDate, upstream.pages[0]?.endDate], ['1767225600000', '1777593599999']);
  await dashboard.get('/api/events?user=info&startDate=2026-01-01&endDate=2026-04-30&refresh=1');
  assert.equal(upstream.pages.length, 2);
});

test('without a user the first configured one is meant; without dates nothing bounds the range', async (t) => {
  const { upstream, dashboard } = await startLive(t);
  assert.equal((await dashboard.get('/api/events')).json.user, 'info');
  assert.deepEqual(upstream.pages, [{ teamId: 0, page: 1, pageSize: 1000 }]);
});

test('events are NDJSON for clients that accept nothing else, and JSON if both are accepted and they are few', async (t) => {
  const { dashboard } = await startLive(t);
  const ask = (accept: string) =>
    dashboard.client.send({ method: 'GET', path: '/api/events', headers: { Accept: accept } });
  const lines = await ask('application/x-ndjson');
  assert.equal(lines.headers['content-type'], 'application/x-ndjson');
  const [about, ...events] = lines.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([about?.user, about?.totalUsageEventsCount, about?.events], ['info', 3, undefined]);
  assert.deepEqual(events, fakeEvents(3));
  assert.equal((await ask('application/x-ndjson, application/json')).headers['content-type'], 'application/json');
});

test('more than 50,000 events are NDJSON for clients that accept it', async (t) => {
  const { upstream, dashboard } = await startLive(t);
  upstream.events = fakeEvents(50_001);
  const headers = { Accept: 'application/json, application/x-ndjson' };
  const { body } = await dashboard.client.send({ method: 'GET', path: '/api/events', headers });
  const lines = body.trimEnd().split('\n');
  assert.equal(lines.length, 50_002);
  assert.equal((JSON.parse(lines.at(-1) ?? '') as { conversationId: string }).conversationId, 'c-50000');
  const whole = (await dashboard.get('/api/events')).json;
  assert.equal((whole.events as unknown[]).length, 50_001);
  assert.equal(whole.cached, true);
});

test('a failure on a later page is the answer, unless the earlier pages are requested', async (t) => {
  const { upstream, dashboard } = await startLive(t);
  upstream.events = fakeEvents(1500);
  upstream.trouble = ({ page }) => (page === 2 ? json({}, 401) : undefined);
  assert.equal((await dashboard.get('/api/events')).json.code, 'upstream_session_expired');
  const { status, json: body } = await dashboard.get('/api/events?allowPartial=1');
  assert.deepEqual([status, body.partial, (body.events as unknown[]).length], [200, true, 1000]);
  assert.equal((body.failure as { code: string }).code, 'upstream_session_expired');
});

const BAD_REQUESTS: Readonly<Record<string, string>> = {
  '/api/events?user=nobody': 'unknown_user',
  '/api/events?user=all': 'unknown_user',
  '/api/events?user=slope': 'no_token',
  '/api/summary?user=slope': 'no_token',
  '/api/events?startDate=yesterday': 'invalid_date',
  '/api/events?endDate=2026-02-30': 'invalid_date',
  '/api/events?startDate=12345': 'invalid_date',
  '/api/events?startDate=2026-05-02&endDate=2026-05-01': 'invalid_range',
};
for (const [path, code] of Object.entries(BAD_REQUESTS)) {
  test(`GET ${path} is a 400 ${code}`, async (t) => {
    const { upstream, dashboard } = await startLive(t);
    const { status, json: body } = await dashboard.get(path);
    assert.deepEqual([status, body.code], [400, code]);
    assert.equal(upstream.requests.length, 0);
  });
}

for (const [body, code] of [
  ['{', 'invalid_json'],
  ['', 'invalid_json'],
  ['"text"', 'invalid_body'],
  ['[]', 'invalid_body'],
  ['null', 'invalid_body'],
  ['{"user": 5}', 'invalid_body'],
  ['{"startDate": {}}', 'invalid_body'],
]) {
  test(`POST /api/events with ${body} is a 400 ${code}`, async (t) => {
    const { dashboard } = await startLive(t);
    const answer = await dashboard.client.send({ method: 'POST', path: '/api/events', body: body ?? '' });
    assert.deepEqual([answer.status, bodyOf(answer).code], [400, code]);
  });
}

test('section 4.A: OPTIONS is answered everywhere, and invites no other site', async (t) => {
  const { client } = await startTestDashboard(t);
  for (const [path, allow] of Object.entries({
    '/': 'GET, HEAD, OPTIONS',
    '/api/events': 'GET, POST, OPTIONS',
    '/api/markers': 'GET, PUT, OPTIONS',
    '/data/x.csv': 'GET, HEAD, OPTIONS',
  })) {
    const { status, headers } = await client.send({ method: 'OPTIONS', path });
    assert.deepEqual([status, headers.allow], [204, allow]);
    assert.equal(headers['access-control-allow-origin'], undefined);
    assert.equal(headers['access-control-allow-methods'], 'GET, POST, PUT, OPTIONS');
    const foreign = await client.send({ method: 'OPTIONS', path, headers: { origin: 'https://evil.example' } });
    assert.equal(foreign.status, 204);
    assert.equal(foreign.headers['access-control-allow-origin'], undefined);
  }
});

test('a preflight of another site is answered without permissions', async (t) => {
  const { client } = await startTestDashboard(t);
  for (const path of ['/api/events', '/api/markers', '/api/nothing']) {
    const asked = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' };
    const { status, headers, body } = await client.send({ method: 'OPTIONS', path, headers: asked });
    const permissions = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
    assert.deepEqual([status, permissions, String(body)], [204, [], '']);
  }
});

test('an unknown path is a 404 and another method a 405 with Allow, both in JSON', async (t) => {
  const { client } = await startTestDashboard(t);
  const missing = await client.get('/api/nothing');
  assert.deepEqual([missing.status, bodyOf(missing).code], [404, 'not_found']);
  for (const [method, path] of [
    ['DELETE', '/api/markers'],
    ['POST', '/'],
    ['PUT', '/data/x.csv'],
    ['HEAD', '/api/events'],
  ]) {
    const { status, headers } = await client.send({ method: method ?? '', path: path ?? '' });
    assert.equal(status, 405, `${method} ${path}`);
    assert.match(String(headers.allow), /GET/);
  }
});

test('rule 9: files of the project are served, with HEAD, and no hidden or outside files', async (t) => {
  const files = { 'data/usage events.csv': 'Date\n', '.env': 'USAGE_WEB_PORT=1\n', 'data/.x': 'x', 'page.html': '<p>' };
  const { client } = await startTestDashboard(t, { files });
  const csv = await client.get('/data/usage%20events.csv?v=3');
  assert.deepEqual([csv.status, csv.body, csv.headers['content-type']], [200, 'Date\n', 'text/csv; charset=utf-8']);
  const head = await client.send({ method: 'HEAD', path: '/data/usage%20events.csv' });
  assert.deepEqual([head.status, head.body, head.headers['content-length']], [200, '', '5']);
  assert.match(String((await client.get('/page.html')).headers['content-security-policy']), /^sandbox;/);
  const paths = [
    '/.env',
    '/%2eenv',
    '/./.env',
    '/data/../.env',
    '/data/%2e%2e/.env',
    '/data/..%2f.env',
    '/data/.x',
    '/data',
    '/data/',
    '//etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/%5c.env',
    '/%00',
    '/%',
    '/.env%00.csv',
  ];
  for (const path of paths) assert.equal((await client.get(path)).status, 404, path);
});

test('a foreign Host is refused on every path', async (t) => {
  const { client } = await startTestDashboard(t, { files: { 'data/x.csv': 'x' } });
  for (const path of ['/', '/health', '/api/markers', '/data/x.csv', '/api/events', '/nothing']) {
    const answer = await client.send({ method: 'GET', path, headers: { Host: 'evil.example:8060' } });
    assert.deepEqual([answer.status, bodyOf(answer).code], [403, 'foreign_host'], path);
  }
});

test('a page of another site can neither write nor preflight', async (t) => {
  const { client, folder, url } = await startTestDashboard(t);
  const body = JSON.stringify({ markers: [MARKER] });
  for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    const put = await client.send({ method: 'PUT', path: '/api/markers', headers: { ...headers }, body });
    assert.deepEqual([put.status, bodyOf(put).code], [403, 'foreign_origin']);
    assert.equal(
      (await client.send({ method: 'POST', path: '/api/events', headers: { ...headers }, body: '{}' })).status,
      403,
    );
  }
  const get = await client.send({ method: 'GET', path: '/api/markers', headers: { 'Sec-Fetch-Site': 'cross-site' } });
  assert.equal(get.status, 403);
  assert.ok(!existsSync(join(folder, 'data')));
  const own = await client.send({ method: 'PUT', path: '/api/markers', headers: { Origin: url }, body });
  assert.equal(own.status, 200);
  // A link from elsewhere may lead to the page.
  assert.equal(
    (await client.send({ method: 'GET', path: '/', headers: { 'Sec-Fetch-Site': 'cross-site' } })).status,
    200,
  );
});

test('every answer carries the headers of safety', async (t) => {
  const { client } = await startTestDashboard(t, { files: { 'data/x.csv': 'x' } });
  for (const path of [
    '/',
    '/analytics',
    '/health',
    '/api/markers',
    '/data/x.csv',
    '/sample/project-markers.json',
    '/no',
  ]) {
    const { headers } = await client.get(path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.ok(headers['content-security-policy'], path);
  }
});

test('no token reaches an answer or the log, for any request', async (t) => {
  const { upstream, dashboard } = await startLive(t);
  upstream.trouble = () => json({ error: `bad token ${FAKE_TOKEN}` }, 403);
  const paths = ['/', '/health', '/api/users', '/api/events', '/api/summary', '/api/events?user=x', '/no', '/.env'];
  const answers = await Promise.all(paths.map((path) => dashboard.client.get(path)));
  const text = JSON.stringify(answers) + dashboard.log();
  assert.doesNotMatch(text, /eyfaketoken|user_01TEST/);
});
