import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSse } from '../../testing/http/sse-client.ts';
import { createTestRelay, ENV_ID, MOBILE_KEY, SDK_KEY } from '../testing/app.ts';

const CONTEXT = 'eyJraW5kIjoidXNlciIsImtleSI6ImEifQ';
const REQUEST_HEADERS =
  'Cache-Control,Content-Type,Content-Length,Accept-Encoding,X-LaunchDarkly-User-Agent,X-LaunchDarkly-Payload-ID,' +
  'X-LaunchDarkly-Wrapper,X-LaunchDarkly-Event-Schema,X-LaunchDarkly-Tags,X-LaunchDarkly-Instance-Id,Authorization,If-None-Match';

const ofCors = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe('CORS headers', () => {
  const cases: readonly (readonly [allowed: readonly string[], origin: string | undefined, answer: string])[] = [
    [[], undefined, '*'],
    [[], 'https://a.example', 'https://a.example'],
    [['https://a.example', 'https://b.example'], 'https://b.example', 'https://b.example'],
    [['https://a.example', 'https://b.example'], 'https://c.example', 'https://a.example'],
    [['https://a.example'], undefined, 'https://a.example'],
  ];
  for (const [allowedOrigins, origin, answer] of cases) {
    test(`${origin} where ${allowedOrigins.join(' and ') || 'any origin'} is allowed: ${answer}`, async (t) => {
      const relay = createTestRelay(t, { environments: [{ allowedOrigins }] });
      const headers: Record<string, string> = origin === undefined ? {} : { origin };
      const got = await relay.get(`/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`, headers);
      assert.deepEqual(ofCors(got.headers), {
        'access-control-allow-origin': answer,
        'access-control-allow-credentials': 'false',
        'access-control-max-age': '300',
        'access-control-expose-headers': 'Date',
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-allow-methods': 'GET,OPTIONS',
      });
      assert.equal(got.headers.get('vary'), answer === '*' ? null : 'Origin');
    });
  }

  test('configured headers are allowed beside the usual ones', async (t) => {
    const relay = createTestRelay(t, { environments: [{ allowedHeaders: ['X-One', 'X-Two'] }] });
    const got = await relay.get(`/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`);
    assert.equal(got.headers.get('access-control-allow-headers'), `${REQUEST_HEADERS},X-One,X-Two`);
  });

  test('a stream keeps to the origins of its environment', async (t) => {
    const relay = createTestRelay(t, { environments: [{ allowedOrigins: ['https://a.example'] }] });
    const stream = await openSse(`${await relay.listen()}/ping/${ENV_ID}`, {
      headers: { origin: 'https://b.example' },
    });
    assert.equal(stream.headers['access-control-allow-origin'], 'https://a.example');
    assert.equal(stream.headers['access-control-expose-headers'], 'Date');
    stream.close();
  });
});

describe('errors are readable by the page', () => {
  const bad = `/sdk/evalx/${ENV_ID}/contexts/!`;
  const cases = [
    ['GET', bad, 400],
    ['REPORT', `/sdk/evalx/${ENV_ID}/context`, 415],
    ['GET', `/ping/${'0'.repeat(24)}`, 404],
    ['GET', `/ping/${ENV_ID}?filter=x`, 404],
  ] as const;
  for (const [method, path, status] of cases) {
    test(`${method} ${path}: ${status}`, async (t) => {
      const got = await createTestRelay(t).send(method, path, { origin: 'https://a.example' });
      assert.equal(got.status, status);
      assert.equal(got.headers.get('access-control-allow-origin'), 'https://a.example');
      assert.equal(got.headers.get('access-control-allow-methods'), `${method},OPTIONS`);
    });
  }
});

describe('OPTIONS', () => {
  const paths: readonly (readonly [path: string, methods: string])[] = [
    [`/sdk/goals/${ENV_ID}`, 'GET,OPTIONS'],
    [`/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`, 'GET,OPTIONS'],
    [`/sdk/evalx/${ENV_ID}/users/${CONTEXT}`, 'GET,OPTIONS'],
    [`/sdk/evalx/${ENV_ID}/context`, 'REPORT,OPTIONS'],
    [`/sdk/evalx/${ENV_ID}/user`, 'REPORT,OPTIONS'],
    [`/sdk/evalx/${ENV_ID}/contexts`, 'REPORT,OPTIONS'],
    [`/sdk/evalx/${ENV_ID}/users`, 'REPORT,OPTIONS'],
    [`/eval/${ENV_ID}/${CONTEXT}`, 'GET,OPTIONS'],
    [`/eval/${ENV_ID}`, 'REPORT,OPTIONS'],
    [`/ping/${ENV_ID}`, 'GET,OPTIONS'],
    [`/events/bulk/${ENV_ID}`, 'POST,OPTIONS'],
    [`/events/diagnostic/${ENV_ID}`, 'POST,OPTIONS'],
    [`/a/${ENV_ID}.gif`, 'GET,OPTIONS'],
  ];
  for (const [path, methods] of paths) {
    test(`${path} answers 200 without a body, with or without data`, async (t) => {
      const relay = createTestRelay(t, { data: 'none', environments: [{ secureMode: true }] });
      const got = await relay.send('OPTIONS', path, { origin: 'https://a.example' });
      assert.deepEqual([got.status, got.text], [200, '']);
      assert.equal(got.headers.get('access-control-allow-methods'), methods);
      assert.equal(got.headers.get('access-control-allow-origin'), 'https://a.example');
    });

    test(`${path} of an unknown environment: 200, so that the browser shows the 404 of the request itself`, async (t) => {
      const origin = 'https://a.example';
      const got = await createTestRelay(t).send('OPTIONS', path.replace(ENV_ID, '0'.repeat(24)), { origin });
      assert.deepEqual([got.status, got.text], [200, '']);
      assert.equal(got.headers.get('access-control-allow-methods'), methods);
      assert.equal(got.headers.get('access-control-allow-origin'), origin);
    });
  }
});

test('server-side and mobile SDKs get no CORS headers', async (t) => {
  const relay = createTestRelay(t);
  const origin = 'https://a.example';
  const server = await relay.get('/sdk/flags', { authorization: SDK_KEY, origin });
  const mobile = await relay.get(`/msdk/evalx/contexts/${CONTEXT}`, { authorization: MOBILE_KEY, origin });
  assert.deepEqual([ofCors(server.headers), ofCors(mobile.headers)], [{}, {}]);
});
