import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../testing/app.ts';

const PATHS: readonly (readonly [path: string, allowed: string])[] = [
  ['/status', 'GET'],
  ['/receivers', 'GET'],
  ['/silences', 'GET,POST'],
  ['/silence/7d1f0c3a-52b6-4e9d-8a41-0123456789ab', 'GET,DELETE'],
  ['/alerts', 'GET,POST'],
  ['/alerts/groups', 'GET'],
];

const MIB = 1024 * 1024;

for (const base of ['/api/v2', '']) {
  test(`an unsupported method of ${base || 'the base URL'}: 405, the allowed methods, and an object with the reason`, async (t) => {
    const app = createTestApp(t);
    for (const [path, allowed] of PATHS) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (allowed.split(',').includes(method)) continue;
        const answer = await app.send(method, base + path);
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.equal(answer.headers.get('allow'), allowed);
        assert.equal(answer.headers.get('content-type'), 'application/json');
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.deepEqual(answer.json, {
          code: 405,
          message: `method ${method} is not allowed, but [${allowed}] are`,
        });
      }
    }
  });

  test(`HEAD on ${base || 'the base URL'}: 405 without a body, also where GET is allowed`, async (t) => {
    const app = createTestApp(t);
    for (const [path, allowed] of PATHS) {
      const answer = await app.send('HEAD', base + path);
      assert.deepEqual([answer.status, answer.text, answer.headers.get('allow')], [405, '', allowed], path);
    }
  });

  test(`${base || 'the base URL'} answers as well with a slash at the end`, async (t) => {
    const app = createTestApp(t);
    for (const path of ['/status/', '/receivers/', '/silences/', '/alerts/', '/alerts/groups/']) {
      assert.equal((await app.get(base + path)).status, 200, path);
    }
    assert.equal((await app.post(`${base}/alerts/`, '[]')).status, 200);
  });

  test(`a client of ${base || 'the base URL'} that does not accept JSON: 406 and an object with the reason`, async (t) => {
    const app = createTestApp(t);
    const refused = [
      'text/html',
      'application/xml',
      'application/json;q=0',
      '*/*; q=0.0',
      'application/vnd.x+json',
      'json',
    ];
    const taken = [
      '',
      '*/*',
      'application/*',
      'application/json',
      'APPLICATION/JSON; charset=utf-8',
      'text/html, application/json;q=0.1',
      'text/html,*/*;q=0.5',
    ];
    for (const [path, allowed] of PATHS.filter(([path]) => !path.startsWith('/silence/'))) {
      for (const method of allowed.split(',')) {
        const body = method === 'POST' ? '[]' : undefined;
        const send = (accept: string) =>
          app.send(method, base + path, { accept, 'content-type': 'application/json' }, body);
        for (const accept of refused) {
          const answer = await send(accept);
          assert.equal(answer.status, 406, `${method} ${path} ${accept}`);
          assert.deepEqual(answer.json, {
            code: 406,
            message: 'unsupported media type requested, only [application/json] are available',
          });
        }
        for (const accept of taken) assert.notEqual((await send(accept)).status, 406, `${method} ${path} ${accept}`);
      }
    }
  });

  test(`a body for ${base || 'the base URL'} of another type than JSON: 415 and an object with its type`, async (t) => {
    const app = createTestApp(t);
    const cases: readonly (readonly [headers: Record<string, string>, named: string])[] = [
      [{ 'content-type': 'text/plain' }, 'text/plain'],
      [{ 'content-type': 'Application/X-WWW-Form-urlencoded; a=b' }, 'application/x-www-form-urlencoded'],
      [{ 'content-type': '' }, 'application/octet-stream'],
    ];
    for (const path of ['/alerts', '/silences']) {
      for (const [headers, named] of cases) {
        const answer = await app.send('POST', base + path, headers, '[]');
        assert.equal(answer.status, 415, named);
        assert.deepEqual(answer.json, {
          code: 415,
          message: `unsupported media type "${named}", only [application/json] are allowed`,
        });
      }
    }
  });
}

test('GET and DELETE /api/v2/silence/{id} by a client that does not accept JSON: 406', async (t) => {
  const app = createTestApp(t);
  const posted = await app.post('/api/v2/silences', {
    matchers: [{ name: 'a', value: 'b', isRegex: false }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T02:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  const path = `/api/v2/silence/${(posted.json as { silenceID: string }).silenceID}`;
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await app.send(method, path, { accept: 'text/html' })).status, 406, method);
  }
  assert.match((await app.get(path)).text, /"state":"active"/);
});

test('a JSON type may have parameters and capitals; an unreadable one is a bad request', async (t) => {
  const app = createTestApp(t);
  for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset=x']) {
    assert.equal((await app.send('POST', '/api/v2/alerts', { 'content-type': type }, '[]')).status, 200, type);
  }
  for (const type of ['a b', '/', 'application/json/x', 'text plain; a=b']) {
    const answer = await app.send('POST', '/api/v2/alerts', { 'content-type': type }, '[]');
    assert.equal(answer.status, 400, type);
    assert.equal(typeof answer.json, 'string');
  }
});

test('a POST without a body needs no type, and is refused for the missing body', async (t) => {
  const answer = await createTestApp(t).send('POST', '/api/v2/alerts');
  assert.deepEqual([answer.status, answer.json], [400, 'alerts in body is required']);
});

test('a body of a wrong type is refused before an unacceptable answer type', async (t) => {
  const headers = { 'content-type': 'text/plain', accept: 'text/html' };
  assert.equal((await createTestApp(t).send('POST', '/api/v2/alerts', headers, '[]')).status, 415);
});

test('a body of more than 16 MiB: 413 and an object with the reason, whether its length is announced or not', async (t) => {
  const app = createTestApp(t);
  const expected = {
    code: 413,
    message: 'the body is larger than 16777216 bytes; send fewer alerts at once',
  };
  const body = ' '.repeat(16 * MIB - 2);
  assert.equal((await app.post('/api/v2/alerts', `${body}[]`)).status, 200);
  const json = { 'content-type': 'application/json' };
  for (const length of [String(16 * MIB + 1), '0']) {
    const answer = await app.send('POST', '/api/v2/alerts', { ...json, 'content-length': length }, `${body}[ ]`);
    assert.deepEqual([answer.status, answer.json], [413, expected], length);
  }
  assert.equal((await app.post('/api/v2/silences', `${body}[ ]`)).status, 413);
});

test('an unknown path: 404 and an object with the path as sent', async (t) => {
  const app = createTestApp(t);
  const cases: readonly (readonly [path: string, named: string])[] = [
    ['/api/v2/nowhere', '/api/v2/nowhere'],
    ['/api/v2/', '/api/v2/'],
    ['/api/v2/silence', '/api/v2/silence'],
    ['/api/v2/silence/a/b', '/api/v2/silence/a/b'],
    ['/api/v2/alerts/x?filter=a', '/api/v2/alerts/x'],
    ['/api/v2/a%20b/%C3%A9', '/api/v2/a%20b/%C3%A9'],
    ['/api/v2/__proto__', '/api/v2/__proto__'],
  ];
  for (const [path, named] of cases) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await app.send(method, path);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.deepEqual(answer.json, { code: 404, message: `path ${named} was not found` });
    }
    assert.deepEqual([(await app.send('HEAD', path)).status, (await app.send('HEAD', path)).text], [404, '']);
  }
});

test('an unknown path outside the API: 404 and a text', async (t) => {
  const app = createTestApp(t);
  for (const path of ['/nowhere', '/api', '/api/v3/alerts', '/alerts/x', '/-/x', '/assets/x.js']) {
    const answer = await app.get(path);
    assert.deepEqual([answer.status, answer.text], [404, '404 page not found\n'], path);
  }
});

test('every answer of the API forbids storing, and varies by Origin', async (t) => {
  const app = createTestApp(t);
  const answers = [
    await app.get('/api/v2/status'),
    await app.get('/api/v2/alerts?filter=x'),
    await app.get('/api/v2/silence/x'),
    await app.get('/api/v2/nowhere'),
    await app.send('PUT', '/api/v2/alerts'),
    await app.get('/api/v2/alerts', { accept: 'text/html' }),
    await app.post('/api/v2/alerts', '[]'),
    await app.get('/alerts'),
  ];
  for (const { headers } of answers) {
    assert.deepEqual([headers.get('cache-control'), headers.get('vary')], ['no-store', 'Origin']);
    assert.equal(headers.get('access-control-allow-origin'), null);
  }
});
