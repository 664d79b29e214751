import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSse } from '../../testing/http/sse-client.ts';
import { createTestRelay, flagOf } from '../testing/app.ts';

// Every row of the tables of endpoints, credentials and errors, written out once more.

const SDK = 'sdk-00000000-0000-4000-8000-00000000000a';
const MOB = 'mob-00000000-0000-4000-8000-00000000000b';
const ID = '507f1f77bcf86cd799439011';
const JSON_TYPE = { 'content-type': 'application/json' };
/** `{"kind":"user","key":"a"}` */
const CONTEXT = 'eyJraW5kIjoidXNlciIsImtleSI6ImEifQ';
const CONTEXT_JSON = '{"kind":"user","key":"a"}';
/** `{"key":"a","custom":{"b":1}}` */
const USER = 'eyJrZXkiOiJhIiwiY3VzdG9tIjp7ImIiOjF9fQ==';
const USER_JSON = '{"key":"a","custom":{"b":1}}';

const server: Credential = { headers: { authorization: SDK } };
const mobile: Credential = { headers: { authorization: MOB } };
const client: Credential = { headers: {} };

interface Credential {
  readonly headers: Readonly<Record<string, string>>;
}

interface Endpoint {
  readonly method: 'GET' | 'REPORT' | 'POST';
  readonly path: string;
  readonly by: Credential;
  readonly body?: string;
  readonly answers: Answers;
}
type Answers = 'evaluations' | 'stream' | 'flags' | 'flag' | 'segment' | 'all' | '202' | 'gif' | 'goals';

const get = (path: string, by: Credential, answers: Answers): Endpoint => ({ method: 'GET', path, by, answers });
const report = (path: string, by: Credential, body: string, answers: Answers): Endpoint => ({
  method: 'REPORT',
  path,
  by,
  body,
  answers,
});
const post = (path: string, by: Credential): Endpoint => ({ method: 'POST', path, by, body: '[]', answers: '202' });

const endpoints: readonly Endpoint[] = [
  // 4.2
  get(`/sdk/evalx/contexts/${CONTEXT}`, server, 'evaluations'),
  report('/sdk/evalx/context', server, CONTEXT_JSON, 'evaluations'),
  get(`/sdk/evalx/users/${USER}`, server, 'evaluations'),
  report('/sdk/evalx/user', server, USER_JSON, 'evaluations'),
  // 4.3
  get('/all', server, 'stream'),
  post('/bulk', server),
  post('/diagnostic', server),
  get('/flags', server, 'stream'),
  get('/sdk/flags', server, 'flags'),
  get('/sdk/flags/on', server, 'flag'),
  get('/sdk/segments/vip', server, 'segment'),
  get('/sdk/latest-all', server, 'all'),
  get('/sdk/latest-flags', server, 'flags'),
  // 4.4
  get(`/meval/${CONTEXT}`, mobile, 'stream'),
  report('/meval', mobile, CONTEXT_JSON, 'stream'),
  post('/mobile', mobile),
  post('/mobile/events', mobile),
  post('/mobile/events/bulk', mobile),
  post('/mobile/events/diagnostic', mobile),
  get('/mping', mobile, 'stream'),
  get(`/msdk/evalx/contexts/${CONTEXT}`, mobile, 'evaluations'),
  report('/msdk/evalx/context', mobile, CONTEXT_JSON, 'evaluations'),
  get(`/msdk/evalx/users/${USER}`, mobile, 'evaluations'),
  report('/msdk/evalx/user', mobile, USER_JSON, 'evaluations'),
  // 4.5
  get(`/a/${ID}.gif?d=W10%3D`, client, 'gif'),
  get(`/eval/${ID}/${CONTEXT}`, client, 'stream'),
  report(`/eval/${ID}`, client, CONTEXT_JSON, 'stream'),
  post(`/events/bulk/${ID}`, client),
  post(`/events/diagnostic/${ID}`, client),
  get(`/ping/${ID}`, client, 'stream'),
  get(`/sdk/evalx/${ID}/contexts/${CONTEXT}`, client, 'evaluations'),
  report(`/sdk/evalx/${ID}/contexts`, client, CONTEXT_JSON, 'evaluations'),
  report(`/sdk/evalx/${ID}/context`, client, CONTEXT_JSON, 'evaluations'),
  get(`/sdk/evalx/${ID}/users/${USER}`, client, 'evaluations'),
  report(`/sdk/evalx/${ID}/users`, client, USER_JSON, 'evaluations'),
  report(`/sdk/evalx/${ID}/user`, client, USER_JSON, 'evaluations'),
  get(`/sdk/goals/${ID}`, client, 'goals'),
];

const FLAG =
  '{"key":"on","version":1,"on":true,"salt":"salt","variations":[true,false],"fallthrough":{"variation":0},"offVariation":1,"clientSideAvailability":{"usingMobileKey":true,"usingEnvironmentId":true}}';
const SEGMENT = '{"key":"vip","version":3,"included":["a"]}';
const BODIES: Readonly<Record<Answers, readonly [status: number, type: string | null, body: string]>> = {
  evaluations: [200, 'application/json', '{"on":{"value":true,"variation":0,"version":1}}'],
  stream: [200, 'text/event-stream; charset=utf-8', ''],
  flags: [200, 'application/json', `{"on":${FLAG}}`],
  flag: [200, 'application/json', FLAG],
  segment: [200, 'application/json', SEGMENT],
  all: [200, 'application/json', `{"flags":{"on":${FLAG}},"segments":{"vip":${SEGMENT}}}`],
  '202': [202, null, ''],
  gif: [200, 'image/gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64').toString()],
  goals: [200, 'application/json', '[]'],
};

const DATA = { flags: { on: flagOf('on') }, segments: { vip: { key: 'vip', version: 3, included: ['a'] } } };
const GOALS = async () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('[]') });

describe('every endpoint answers its credential', () => {
  for (const { method, path, by, body, answers } of endpoints.filter(({ answers }) => answers !== 'stream')) {
    test(`${method} ${path}`, async (t) => {
      const relay = createTestRelay(t, { data: DATA, goals: GOALS });
      const answer = await relay.send(method, path, { ...by.headers, ...JSON_TYPE }, body);
      assert.deepEqual([answer.status, answer.headers.get('content-type'), answer.text], BODIES[answers]);
      assert.equal(answer.headers.get('x-ld-envid'), ID);
      assert.equal(relay.admitted.length, 1);
    });
  }

  for (const { method, path, by, body } of endpoints.filter(({ answers }) => answers === 'stream')) {
    test(`${method} ${path}: a stream`, async (t) => {
      const relay = createTestRelay(t, { data: DATA });
      const stream = await openSse(`${await relay.listen()}${path}`, {
        method,
        headers: { ...by.headers, ...JSON_TYPE },
        ...(body === undefined ? {} : { body }),
      });
      assert.equal(stream.status, 200);
      const { headers } = stream;
      assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-cache, no-store, must-revalidate');
      assert.equal(headers.connection, 'keep-alive');
      assert.equal(headers['x-accel-buffering'], 'no');
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.equal(headers['x-ld-envid'], ID);
      assert.equal((await stream.next())?.event, by === server ? 'put' : 'ping');
      assert.equal(relay.openStreams(), 1);
      stream.close();
    });
  }
});

const plain = 'text/plain; charset=utf-8';
const NO_ENVIRONMENTS = 'Relay Proxy is not yet fully initialized, does not have list of environments yet';
const NO_FILTER = 'Relay Proxy recognizes the provided credential, but the payload filter was not found';
const NO_KEY = 'Relay Proxy does not recognize the client credential (missing or invalid Authorization header)';
const NO_ID = 'URL did not contain an environment ID';
const NO_CLIENT = 'client was not initialized';

describe('every endpoint refuses a wrong credential', () => {
  const unknownOf = (path: string, by: Credential) => path.replace(ID, by === client ? '000000000000000000000000' : ID);
  const keys = [
    [undefined, 401, '', null],
    ['', 401, '', null],
    [`Bearer ${SDK}`, 401, '', null],
    ['sdk-unknown', 401, NO_KEY, plain],
  ] as const;

  for (const { method, path, by, body } of endpoints) {
    test(`${method} ${path}`, async (t) => {
      const relay = createTestRelay(t, { data: DATA });
      const send = (headers: Record<string, string>, at = path) =>
        relay.send(method, at, { ...JSON_TYPE, ...headers }, body);
      if (by === client) {
        const answer = await send({ origin: 'https://app.example' }, unknownOf(path, by));
        assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [404, NO_ID, plain]);
        assert.equal(answer.headers.get('access-control-allow-origin'), 'https://app.example');
      } else {
        for (const [authorization, status, text, type] of keys) {
          const answer = await send(authorization === undefined ? {} : { authorization });
          assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [status, text, type]);
        }
        const other = await send({ authorization: by === server ? MOB : SDK });
        assert.deepEqual([other.status, other.text], [401, NO_KEY]);
      }
      const filtered = await send({ ...by.headers }, `${path}${path.includes('?') ? '&' : '?'}filter=none`);
      assert.deepEqual([filtered.status, filtered.text], [404, NO_FILTER]);
      relay.credentials.isComplete = false;
      const early = await send({ ...by.headers });
      assert.deepEqual([early.status, early.text, early.headers.get('content-type')], [503, NO_ENVIRONMENTS, plain]);
      assert.deepEqual(relay.admitted, []);
    });
  }
});

describe('until an environment has data', () => {
  const reading = endpoints.filter(({ method, answers }) => method !== 'POST' && answers !== 'gif');

  for (const { method, path, by, body, answers } of reading) {
    test(`${method} ${path} answers 503`, async (t) => {
      const relay = createTestRelay(t, { data: 'none', goals: GOALS, initTimeoutMs: 10_000 });
      const send = () => relay.send(method, path, { ...by.headers, ...JSON_TYPE }, body);
      const early = await send();
      assert.deepEqual([early.status, early.text, early.headers.get('content-type')], [503, NO_CLIENT, plain]);
      relay.clock.advance(10_000);
      const late = await send();
      assert.equal(late.status, 503);
      assert.equal(late.text, answers === 'evaluations' ? '{"message":"Service not initialized"}' : NO_CLIENT);
      assert.equal(late.headers.get('content-type'), answers === 'evaluations' ? 'application/json' : plain);
      assert.equal(late.headers.get('access-control-allow-origin'), by === client ? '*' : null);
    });

    test(`${method} ${path} is unknown when its key was refused from the start`, async (t) => {
      const relay = createTestRelay(t, { data: 'none', goals: GOALS });
      relay.environment.connection.refused({ kind: 'ERROR_RESPONSE', time: 0, statusCode: 401 });
      const answer = await relay.send(method, path, { ...by.headers, ...JSON_TYPE }, body);
      assert.deepEqual([answer.status, answer.text], by === client ? [404, NO_ID] : [401, NO_KEY]);
    });
  }

  for (const { path, by } of endpoints.filter(({ method }) => method === 'POST')) {
    test(`POST ${path} waits until the limit for the data, and no longer`, async (t) => {
      const relay = createTestRelay(t, { data: 'none' });
      const send = () => relay.send('POST', path, { ...by.headers, ...JSON_TYPE }, '[]');
      assert.deepEqual([(await send()).status, (await send()).text], [503, NO_CLIENT]);
      relay.clock.advance(10_000);
      assert.equal((await send()).status, 202);
    });
  }

  test('the image is answered in any case', async (t) => {
    const relay = createTestRelay(t, { data: 'none' });
    assert.equal((await relay.get(`/a/${ID}.gif`)).status, 200);
  });

  test('and once it had some, they are served through any outage', async (t) => {
    const relay = createTestRelay(t, { data: DATA });
    relay.environment.connection.refused({ kind: 'ERROR_RESPONSE', time: 0, statusCode: 401 });
    assert.equal((await relay.get(`/sdk/evalx/contexts/${CONTEXT}`, server.headers)).status, 200);
  });
});

describe('methods and paths', () => {
  const paths = [...new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))];
  for (const [path, { by }] of paths) {
    test(`${path}: 405 without a body for other methods`, async (t) => {
      const relay = createTestRelay(t, { data: DATA, goals: GOALS });
      for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH', ...(by === client ? [] : ['OPTIONS'])]) {
        const answer = await relay.send(method, path, { ...by.headers });
        assert.deepEqual([answer.status, answer.text, answer.headers.get('content-type')], [405, '', null], method);
      }
    });
  }

  for (const path of [
    '/',
    '/nothing',
    '/all/',
    '/status/',
    '/sdk',
    '/sdk/eval/x',
    '/meval/',
    '/sdk/flags/on/',
    `/eval/${ID}/`,
  ]) {
    test(`${path}: nothing is there`, async (t) => {
      const relay = createTestRelay(t, { data: DATA });
      const answer = await relay.get(path, server.headers);
      assert.deepEqual([answer.status, answer.text], [404, '404 page not found\n']);
      assert.equal(answer.headers.get('content-type'), plain);
    });
  }
});

describe('the second version of flag delivery, for other SDKs than those of servers', () => {
  for (const path of [`/sdk/poll/eval/${CONTEXT}`, `/sdk/stream/eval/${CONTEXT}`]) {
    test(`GET ${path} is declined, so that the SDK falls back to version 1`, async (t) => {
      const answer = await createTestRelay(t).get(path, server.headers);
      assert.deepEqual([answer.status, answer.headers.get('x-ld-fd-fallback')], [404, 'true']);
    });
  }

  for (const path of ['/sdk/poll/eval', '/sdk/stream/eval']) {
    for (const method of ['POST', 'REPORT']) {
      test(`${method} ${path} likewise, so that a browser may read it`, async (t) => {
        const answer = await createTestRelay(t).send(method, path, { origin: 'https://a.example' }, CONTEXT_JSON);
        assert.deepEqual([answer.status, answer.headers.get('x-ld-fd-fallback')], [404, 'true']);
        assert.equal(answer.headers.get('access-control-allow-origin'), 'https://a.example');
        assert.equal(answer.headers.get('access-control-expose-headers'), 'Date,x-ld-fd-fallback');
      });
    }
    test(`OPTIONS ${path} requires no credential`, async (t) => {
      assert.equal((await createTestRelay(t).send('OPTIONS', path)).status, 200);
    });
  }
});
