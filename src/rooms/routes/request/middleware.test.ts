import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Hono } from 'hono';
import { systemClock } from '../../../kernel/clock.ts';
import type { HttpContext, HttpEnv } from '../../../kernel/http/app.ts';
import { listen } from '../../../kernel/http/server.ts';
import { openTestRooms } from '../../testing/app.ts';
import { completePaths, type Middleware, mountBehind } from './middleware.ts';

type Described = Readonly<Record<string, Readonly<Record<string, object>>>>;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'];

describe('every path and method', () => {
  test('is described, or answered with 405 and the allowed methods', async (t) => {
    const rooms = await openTestRooms(t);
    const routes = rooms.rooms.app.routes.filter(({ path }) => path.startsWith('/') && path !== '/*');
    const { paths } = (await rooms.send('GET', '/openapi.json')).json as { paths: Described };
    const mounted = new Set(routes.map(({ path }) => path.replace(/:(\w+)/g, '{$1}')));
    assert.deepEqual(Object.keys(paths).sort(), [...mounted].sort());
    assert.ok(mounted.size > 30, `only ${mounted.size} paths`);
    for (const [path, described] of Object.entries(paths)) {
      const allowed = METHODS.filter((method) => described[method.toLowerCase()]);
      for (const method of METHODS) {
        if (allowed.includes(method)) continue;
        const answer = await rooms.send(method, path.replace(/\{\w+\}/g, 'x'));
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.equal(answer.headers.get('allow'), allowed.join(', '), `${method} ${path}`);
        assert.equal(answer.headers.get('x-error-code'), 'method_not_allowed');
        assert.ok(answer.headers.get('x-request-id'));
      }
      const options = await rooms.send('OPTIONS', path.replace(/\{\w+\}/g, 'x'));
      assert.equal(options.status, 204, path);
      assert.equal(options.headers.get('allow'), allowed.join(', '), path);
    }
  });

  test('is closed without a token, except for monitoring', async (t) => {
    const rooms = await openTestRooms(t, { options: { auth: 'token', adminToken: 'the-secret-of-the-admin' } });
    const { paths } = (await rooms.send('GET', '/openapi.json')).json as { paths: Described };
    const open = new Set<string>();
    for (const [path, described] of Object.entries(paths)) {
      for (const method of Object.keys(described).map((name) => name.toUpperCase())) {
        if (!METHODS.includes(method) || method === 'OPTIONS' || path.includes('{secret}')) continue;
        const body = ['POST', 'PUT'].includes(method) ? { body: {} } : {};
        const answer = await rooms.send(method, path.replace(/\{\w+\}/g, 'x'), body);
        if (answer.status !== 401) open.add(`${method} ${path}`);
      }
    }
    for (const path of ['/health', '/metrics', '/version', '/openapi.json', '/'])
      for (const method of ['GET', 'HEAD']) open.delete(`${method} ${path}`);
    open.delete('POST /api/session');
    // An invite is its own key: its link shows its target.
    for (const method of ['GET', 'HEAD']) open.delete(`${method} /api/invite/{code}`);
    const pages = [...open].filter((route) => /^(GET|HEAD) \/(?!api\/)/.test(route));
    assert.deepEqual(
      [...open].filter((route) => !pages.includes(route)),
      [],
    );
  });
});

test('a page of another site opens no stream, with any spelling of the path', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  for (const path of [
    '/api/event/log',
    '/api/event/lo%67',
    '/api/%65vent',
    '/api/room/ops/even%74',
    '/api/run/x/strea%6d',
  ]) {
    const refused = await rooms.send('GET', path, { headers: { 'sec-fetch-site': 'cross-site' } });
    assert.equal(refused.headers.get('x-error-code'), 'origin_refused', path);
  }
});

test('PATCH of a message names its replacement, for every caller and for absent messages too', async (t) => {
  const rooms = await openTestRooms(t, { options: { auth: 'token', adminToken: 'the-secret-of-the-admin' } });
  const answer = await rooms.send('PATCH', '/api/message/anything', { body: {} });
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, PUT, DELETE, OPTIONS');
  assert.equal(answer.json, 'PATCH /api/message/{id} was removed in 0.4.5; send the full message with PUT');
});

test('each answer has an id: its own, or that of the request', async (t) => {
  const rooms = await openTestRooms(t);
  const ids = new Set<string | null>();
  for (const path of ['/health', '/health', '/nothing', '/api/me'])
    ids.add((await rooms.send('GET', path)).headers.get('x-request-id'));
  assert.equal(ids.size, 4);
  const own = await rooms.send('GET', '/health', { headers: { 'x-request-id': 'trace-1' } });
  assert.equal(own.headers.get('x-request-id'), 'trace-1');
  const odd = await rooms.send('GET', '/health', { headers: { 'x-request-id': 'a b<script>' } });
  assert.match(odd.headers.get('x-request-id') ?? '', /^[0-9a-f]{8}-\w+$/);
});

describe('refusals', () => {
  test('are a JSON string with a code for machines', async (t) => {
    const rooms = await openTestRooms(t);
    const answer = await rooms.send('GET', '/nothing/here');
    assert.equal(answer.status, 404);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.headers.get('x-error-code'), 'not_found');
    assert.equal(answer.json, '/nothing/here is not here');
  });

  test('are RFC 9457 if the client accepts it', async (t) => {
    const rooms = await openTestRooms(t);
    const headers = { accept: 'application/problem+json' };
    const answer = await rooms.send('POST', '/api/user', { headers, body: { id: 'Ana' } });
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    const { detail, ...problem } = answer.json;
    assert.match(detail, /^id: small letters/);
    assert.deepEqual(problem, {
      type: 'urn:opsdeck:rooms:invalid_body',
      title: 'invalid body',
      status: 400,
      instance: '/api/user',
      code: 'invalid_body',
      errors: [{ path: 'id', message: detail }],
    });
  });

  test('of foreign hosts and pages precede all others', async (t) => {
    const rooms = await openTestRooms(t);
    for (const path of ['/health', '/api/me', '/nothing', '/api/event']) {
      const answer = await rooms.send('GET', path, { headers: { host: 'evil.example' } });
      assert.equal(answer.status, 403, path);
      assert.equal(answer.headers.get('x-error-code'), 'host_refused');
    }
    const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    for (const [method, path] of [
      ['POST', '/api/message'],
      ['PATCH', '/api/message/x'],
      ['GET', '/api/event'],
    ] as const) {
      const answer = await rooms.send(method, path, { headers });
      assert.equal(answer.headers.get('x-error-code'), 'origin_refused', `${method} ${path}`);
    }
    assert.equal(rooms.core.state.all('user').size, 0);
  });
});

describe('CORS', () => {
  const origin = 'https://tools.example.com';

  test('is off by default', async (t) => {
    const rooms = await openTestRooms(t);
    const headers = { origin, 'access-control-request-method': 'PUT' };
    const preflight = await rooms.send('OPTIONS', '/api/message/x', { headers });
    assert.equal(preflight.headers.get('access-control-allow-origin'), null);
    assert.equal(preflight.headers.get('access-control-allow-methods'), null);
  });

  test('accepts the named pages', async (t) => {
    const rooms = await openTestRooms(t, { options: { corsOrigins: [origin] } });
    const headers = { origin, 'access-control-request-method': 'PUT', 'sec-fetch-site': 'cross-site' };
    const preflight = await rooms.send('OPTIONS', '/api/message/x', { headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, PUT, DELETE, OPTIONS');
    const post = await rooms.send('POST', '/api/user', { headers, body: { id: 'ana' } });
    assert.equal(post.status, 201);
    assert.match(post.headers.get('access-control-expose-headers') ?? '', /X-Error-Code/);
    assert.equal(post.headers.get('vary'), 'Origin');
    const other = await rooms.send('POST', '/api/user', { headers: { ...headers, origin: 'https://x.example' } });
    assert.equal(other.status, 403);
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  });
});

test('bodies other than JSON are refused, each for its reason', async (t) => {
  const rooms = await openTestRooms(t);
  const json = { 'content-type': 'application/json' };
  const bodies: readonly (readonly [Readonly<Record<string, string>>, string, number, string])[] = [
    [{ 'content-type': 'text/plain' }, '{}', 415, 'unsupported_media_type'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'id=ana', 415, 'unsupported_media_type'],
    [json, '', 400, 'invalid_json'],
    [json, '{"id":', 400, 'invalid_json'],
    [json, `{"id":"${'x'.repeat(20_000)}"}`, 413, 'too_large'],
    [json, '[['.repeat(4000), 400, 'invalid_json'],
    [json, '{"__proto__":{"role":"admin"},"id":"ana"}', 400, 'unknown_field'],
    [json, '{"id":"ana","constructor":1}', 400, 'unknown_field'],
  ];
  for (const [headers, body, status, code] of bodies) {
    const answer = await rooms.send('POST', '/api/user', { headers, body });
    assert.equal(answer.status, status, body.slice(0, 40));
    assert.equal(answer.headers.get('x-error-code'), code, body.slice(0, 40));
  }
});

test('parts of a path beside its template stay out of the log', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/hook/some-hook/whsec-of-the-hook', { body: { text: 'x' } });
  await rooms.send('GET', '/api/invite/codeOfTheInvite');
  await rooms.send('GET', '/api/me?access_token=in-the-query');
  await rooms.send('PATCH', '/api/hook/some-hook/whsec-of-the-hook');
  const log = rooms.log();
  assert.match(log, /msg=request method=GET route=\/api\/invite\/:code status=404/);
  for (const secret of ['whsec-of-the-hook', 'codeOfTheInvite', 'in-the-query'])
    assert.ok(!log.includes(secret), secret);
});

test('over a socket answers have the same headers, and limits are reported', async (t) => {
  const options = { auth: 'token', adminToken: 'the-secret-of-the-admin', rateLimits: true } as const;
  const rooms = await openTestRooms(t, { options: { ...options, corsOrigins: ['https://tools.example.com'] } });
  const { fetch: answer } = rooms.rooms.app;
  const listener = await listen({ fetch: answer, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  const headers = {
    authorization: 'Bearer the-secret-of-the-admin',
    'content-type': 'application/json',
    origin: 'https://tools.example.com',
    'x-request-id': 'trace-2',
    connection: 'close',
  };
  const send = (path: string, body: object) =>
    fetch(`${listener.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal((await send('/api/room', { name: 'Ops' })).status, 201);
  const posted = await send('/api/room/ops/message', { body: 'hello' });
  assert.equal(posted.status, 201);
  assert.equal(posted.headers.get('etag'), '"m1"');
  assert.equal(posted.headers.get('x-request-id'), 'trace-2');
  assert.equal(posted.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(posted.headers.get('access-control-allow-origin'), 'https://tools.example.com');
  assert.equal(posted.headers.get('ratelimit-policy'), '"post";q=30;w=3');
  assert.match(posted.headers.get('ratelimit') ?? '', /^"post";r=29;t=1$/);
  const many = await Promise.all(Array.from({ length: 60 }, () => send('/api/room/ops/message', { body: 'more' })));
  const [refused] = many.filter(({ status }) => status === 429);
  assert.equal(refused?.headers.get('x-error-code'), 'rate_limited');
  assert.equal(refused?.headers.get('retry-after'), '1');
  await Promise.all(many.map((one) => one.text()));
});

test('over a socket every answer has the headers of the gate, whatever its source', async (t) => {
  const rooms = await openTestRooms(t);
  const { fetch: answer } = rooms.rooms.app;
  const endStreams = () => rooms.rooms.endStreams();
  const listener = await listen({
    fetch: answer,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    endStreams,
  });
  t.after(() => listener.close(0));
  await rooms.send('POST', '/api/room', { body: { name: 'Ops' } });
  const keyed = { 'content-type': 'application/json', 'idempotency-key': 'k-1' };
  const user = { method: 'POST', headers: keyed, body: '{"id":"kim"}' };
  const requests: readonly (readonly [path: string, status: number, request?: RequestInit])[] = [
    ['/api/room/ops', 200],
    ['/api/room/ops', 200, { method: 'HEAD' }],
    ['/api/room/ops', 204, { method: 'OPTIONS' }],
    ['/api/room/ops', 405, { method: 'PATCH' }],
    ['/api/room/none', 404],
    ['/nothing', 404],
    ['/metrics', 200],
    ['/api/room/ops/export', 200],
    ['/api/user', 201, user],
    ['/api/user', 201, user],
    ['/api/event', 200],
    ['/api/event/log?since=0&wait=0', 200],
  ];
  for (const [index, [path, status, request]] of requests.entries()) {
    const abort = new AbortController();
    const headers = { ...request?.headers, connection: 'close', 'x-request-id': `trace-${index}` };
    const answered = await fetch(`${listener.url}${path}`, { ...request, headers, signal: abort.signal });
    const what = `${request?.method ?? 'GET'} ${path}`;
    assert.equal(answered.status, status, what);
    assert.equal(answered.headers.get('x-request-id'), `trace-${index}`, what);
    assert.equal(answered.headers.get('x-content-type-options'), 'nosniff', what);
    abort.abort();
  }
});

describe('with other nodes', () => {
  /** Paths in a table, behind a middleware that catches up with other nodes as `catchUp` says. */
  function ask(method: string, path: string, catchUp: () => Promise<void>) {
    const app = new Hono<HttpEnv>();
    const middleware: Middleware = {
      ...{ refuse: () => undefined, allowsOrigin: () => false, newRequestId: () => '1', answered: () => {} },
      ...{ now: () => 0, catchUp },
    };
    const answer = (c: HttpContext) => c.text('answered');
    const tables = ['/', '/r/:room', '/i/:code', '/assets/:file', '/health', '/metrics', '/api/me', '/api/event'];
    const paths = Object.fromEntries(tables.map((one) => [one, { GET: answer, POST: answer }]));
    mountBehind(middleware, app, completePaths(paths, middleware), (c) => c.text('no', 405));
    return app.request(`http://localhost${path}`, { method });
  }

  test('what shows rooms or needs rights waits for what they have committed; files and probes do not', async () => {
    const waiting: string[] = [];
    for (const path of ['/', '/r/ops', '/i/x', '/assets/x', '/health', '/metrics', '/api/me', '/api/event']) {
      for (const method of ['GET', 'POST', 'PATCH']) {
        let hasAsked = false;
        await ask(method, path, async () => {
          hasAsked = true;
        });
        if (hasAsked) waiting.push(`${method} ${path}`);
      }
    }
    const shown = ['/', '/r/ops', '/i/x', '/api/me', '/api/event'];
    assert.deepEqual(
      waiting,
      shown.flatMap((path) => [`GET ${path}`, `POST ${path}`]),
    );
  });

  test('nothing is answered before', async () => {
    let isThere = false;
    const answer = await ask('GET', '/api/me', async () => {
      await new Promise((done) => setImmediate(done));
      isThere = true;
    });
    assert.equal(await answer.text(), 'answered');
    assert.ok(isThere);
  });
});
