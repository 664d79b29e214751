import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAnchored } from '../../kernel/regexp/regexp.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';

const PAGE = 'https://page.example';

async function preflight(app: TestApp, path: string, headers: Record<string, string>) {
  const answer = await app.send('OPTIONS', path, headers);
  assert.deepEqual([answer.status, answer.text], [204, ''], path);
  assert.equal(
    answer.headers.get('vary'),
    'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    path,
  );
  return ['origin', 'methods', 'headers'].map((name) => answer.headers.get(`access-control-allow-${name}`));
}

for (const base of ['/api/v2', '']) {
  test(`a page from elsewhere may GET and POST ${base || 'the base URL'}, without credentials`, async (t) => {
    const app = createTestApp(t);
    const origin = { origin: PAGE };
    const answers = [
      await app.get(`${base}/alerts`, origin),
      await app.get(`${base}/silences?filter=x`, origin),
      await app.get(`${base}/silence/x`, origin),
      await app.post(`${base}/alerts`, '[]', origin),
      await app.post(`${base}/silences`, '{}', origin),
      await app.send('HEAD', `${base}/alerts`, origin),
    ];
    for (const { headers } of answers) {
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.equal(headers.get('vary'), 'Origin');
    }
    const deleted = await app.send('DELETE', `${base}/silence/x`, origin);
    assert.equal(deleted.headers.get('access-control-allow-origin'), null);
  });

  test(`a preflight for ${base || 'the base URL'} is granted for GET, POST and HEAD with plain headers`, async (t) => {
    const app = createTestApp(t);
    const none = [null, null, null];
    const cases: readonly (readonly [headers: Record<string, string>, granted: readonly (string | null)[]])[] = [
      [{ method: 'GET' }, ['*', 'GET', null]],
      [{ method: 'POST' }, ['*', 'POST', null]],
      [{ method: 'post' }, ['*', 'POST', null]],
      [{ method: 'HEAD' }, ['*', 'HEAD', null]],
      [{ method: 'DELETE' }, none],
      [{ method: 'PUT' }, none],
      [{ method: 'POST', headers: 'content-type' }, ['*', 'POST', 'content-type']],
      [{ method: 'POST', headers: 'Content-Type' }, ['*', 'POST', 'content-type']],
      [
        { method: 'GET', headers: 'accept, x-requested-with,content-type' },
        ['*', 'GET', 'accept, x-requested-with, content-type'],
      ],
      [{ method: 'POST', headers: 'authorization' }, none],
      [{ method: 'POST', headers: 'content-type, x-other' }, none],
    ];
    for (const [asked, granted] of cases) {
      const headers: Record<string, string> = { origin: PAGE, 'access-control-request-method': asked.method ?? '' };
      if (asked.headers) headers['access-control-request-headers'] = asked.headers;
      assert.deepEqual(await preflight(app, `${base}/silences`, headers), granted, JSON.stringify(asked));
    }
    const withoutOrigin = { 'access-control-request-method': 'GET' };
    assert.deepEqual(await preflight(app, `${base}/silences`, withoutOrigin), none);
  });

  test(`a page of a named origin may use every method of ${base || 'the base URL'}`, async (t) => {
    const app = createTestApp(t, { corsOrigins: ['https://other.example', PAGE] });
    const headers = { origin: PAGE, 'access-control-request-method': 'DELETE' };
    assert.deepEqual(await preflight(app, `${base}/silence/x`, headers), [PAGE, 'DELETE', null]);
    const deleted = await app.send('DELETE', `${base}/silence/x`, { origin: PAGE });
    assert.equal(deleted.headers.get('access-control-allow-origin'), PAGE);
    assert.equal((await app.get(`${base}/alerts`, { origin: PAGE })).headers.get('access-control-allow-origin'), PAGE);
    // All others as before.
    for (const origin of ['https://page.example.evil', 'http://page.example', 'null']) {
      const asked = { origin, 'access-control-request-method': 'DELETE' };
      assert.deepEqual(await preflight(app, `${base}/silence/x`, asked), [null, null, null], origin);
      assert.equal((await app.get(`${base}/alerts`, { origin })).headers.get('access-control-allow-origin'), '*');
    }
  });
}

test('a preflight is answered before the check of path and method', async (t) => {
  const app = createTestApp(t);
  const headers = { origin: PAGE, 'access-control-request-method': 'POST' };
  for (const path of ['/api/v2/nowhere', '/api/v2/status', '/api/v2/alerts/groups']) {
    assert.deepEqual(await preflight(app, path, headers), ['*', 'POST', null], path);
  }
});

test('OPTIONS other than a preflight is not allowed', async (t) => {
  const app = createTestApp(t);
  const answer = await app.send('OPTIONS', '/api/v2/alerts', { origin: PAGE });
  assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET,POST']);
});

test('outside the API no page of another origin has access', async (t) => {
  const app = createTestApp(t, { corsOrigins: [PAGE] });
  for (const path of ['/-/healthy', '/-/ready', '/metrics', '/']) {
    const answer = await app.get(path, { origin: PAGE });
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('access-control-allow-origin'), null, path);
  }
  for (const path of ['/-/healthy', '/-/reload', '/metrics', '/']) {
    const headers = { origin: PAGE, 'access-control-request-method': 'POST' };
    assert.equal((await app.send('OPTIONS', path, headers)).status, 405, path);
  }
});

test('with a pattern of origins, matching pages may use every method and header, and others none', async (t) => {
  const compiled = compileAnchored('https://.*\\.example');
  assert.ok(compiled.ok);
  const app = createTestApp(t, { corsOriginPattern: compiled.pattern });
  const preflight = (origin: string, method: string) =>
    app.send('OPTIONS', '/api/v2/silence/x', {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    });
  const allowed = await preflight('https://ops.example', 'DELETE');
  assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://ops.example');
  assert.equal(allowed.headers.get('access-control-allow-headers'), 'authorization');
  assert.equal((await preflight('https://evil.test', 'GET')).headers.get('access-control-allow-origin'), null);
  const read = (origin: string) => app.get('/api/v2/alerts', { origin });
  assert.equal((await read('https://ops.example')).headers.get('access-control-allow-origin'), 'https://ops.example');
  assert.equal((await read('https://ops.example.evil.test')).headers.get('access-control-allow-origin'), null);
});

test('where the sites are named, a page of any other may not even read', async (t) => {
  const site = { hosts: [], allowsOrigin: (origin: string) => origin === 'http://hub.example', hostHint: '' };
  const app = createTestApp(t, { corsOrigins: [PAGE], site });
  for (const origin of [PAGE, 'http://hub.example'])
    assert.equal((await app.get('/api/v2/alerts', { origin })).headers.get('access-control-allow-origin'), origin);
  for (const origin of ['https://evil.example', 'null']) {
    const read = await app.get('/api/v2/status', { origin });
    assert.equal(read.headers.get('access-control-allow-origin'), null, origin);
    for (const method of ['GET', 'POST', 'DELETE']) {
      const asked = { origin, 'access-control-request-method': method };
      assert.deepEqual(await preflight(app, '/api/v2/silences', asked), [null, null, null], `${method} ${origin}`);
    }
  }
});
