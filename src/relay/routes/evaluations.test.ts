import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { createTestRelay, ENV_ID, flagOf, MOBILE_KEY, type RelayAppOptions, SDK_KEY } from '../testing/app.ts';

const encode = (context: unknown) => Buffer.from(JSON.stringify(context)).toString('base64url');
const CONTEXT = encode({ kind: 'user', key: 'a' });
const server = { authorization: SDK_KEY };
const JSON_TYPE = { 'content-type': 'application/json' };

const HIDDEN = { usingMobileKey: false, usingEnvironmentId: false };
const DATA: RelayAppOptions['data'] = {
  flags: {
    zebra: flagOf('zebra', { clientSideAvailability: HIDDEN }),
    'mobile-only': flagOf('mobile-only', { clientSideAvailability: { ...HIDDEN, usingMobileKey: true } }),
    'browser-only': flagOf('browser-only', { clientSideAvailability: { ...HIDDEN, usingEnvironmentId: true } }),
    plain: { key: 'plain', version: 4, on: false, variations: ['x'], offVariation: 0, salt: '' },
    gone: { key: 'gone', version: 2, deleted: true },
    dependent: flagOf('dependent', {
      version: 7,
      prerequisites: [{ key: 'zebra', variation: 0 }],
      trackEvents: true,
      debugEventsUntilDate: 1000,
    }),
  },
};

const worth = 'value":true,"variation":0,"version":1';
const ZEBRA = `"zebra":{"${worth}}`;
const MOBILE = `"mobile-only":{"${worth}}`;
const BROWSER = `"browser-only":{"${worth}}`;
const PLAIN = '"plain":{"value":"x","variation":0,"version":4}';
const DEPENDENT =
  '"dependent":{"value":true,"variation":0,"version":7,"trackEvents":true,"debugEventsUntilDate":1000,"prerequisites":["zebra"]}';

describe('the kind of SDK decides which flags are visible; invisible prerequisites count', () => {
  const cases: readonly (readonly [path: string, headers: Record<string, string>, body: string])[] = [
    [`/sdk/evalx/contexts/${CONTEXT}`, server, `{${BROWSER},${DEPENDENT},${MOBILE},${PLAIN},${ZEBRA}}`],
    [`/msdk/evalx/contexts/${CONTEXT}`, { authorization: MOBILE_KEY }, `{${DEPENDENT},${MOBILE},${PLAIN}}`],
    [`/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`, {}, `{${BROWSER},${DEPENDENT}}`],
  ];
  for (const [path, headers, body] of cases) {
    test(path, async (t) => {
      const answer = await createTestRelay(t, { data: DATA }).get(path, headers);
      assert.deepEqual([answer.status, answer.text], [200, body]);
    });
  }

  test('without any flag the answer is an empty object', async (t) => {
    assert.equal((await createTestRelay(t).get(`/sdk/evalx/contexts/${CONTEXT}`, server)).text, '{}');
  });
});

test('reasons are sent only for the exact query parameter', async (t) => {
  const relay = createTestRelay(t, { data: { flags: { f: flagOf('f') } } });
  const ask = async (query: string) => (await relay.get(`/sdk/evalx/contexts/${CONTEXT}${query}`, server)).text;
  const withReason = '{"f":{"value":true,"variation":0,"version":1,"reason":{"kind":"FALLTHROUGH"}}}';
  assert.equal(await ask('?withReasons=true'), withReason);
  for (const query of ['', '?withReasons=1', '?withReasons=TRUE', '?withReasons']) {
    assert.equal(await ask(query), '{"f":{"value":true,"variation":0,"version":1}}', query);
  }
});

describe('a context in the path', () => {
  const bad64 = '{"message":"context part of URL path did not decode as valid base64"}';
  const badContext = '{"message":"context part of URL path did not decode to valid evaluation context as JSON"}';
  const noKey = '{"message":"User must have a \'key\' attribute"}';
  const json = (text: string) => Buffer.from(text).toString('base64url');
  const padded = Buffer.from('{"kind":"user","key":"ab"}').toString('base64');
  const cases: readonly (readonly [name: string, context: string, status: number, body?: string])[] = [
    ['without padding', CONTEXT, 200],
    ['with padding', padded, 200],
    ['with padding that the browser has escaped', padded.replaceAll('=', '%3D'), 200],
    ['a user in the old format', json('{"key":"a","custom":{"b":1}}'), 200],
    ['several kinds', json('{"kind":"multi","user":{"key":"a"},"org":{"key":"b"}}'), 200],
    ['with invalid letters', '!!!!', 400, bad64],
    ['in the alphabet of plain base64', 'eyJr+W5k', 400, bad64],
    ['of a length that no bytes have', 'eyJra', 400, bad64],
    ['padded in its midst', 'ey=Jra', 400, bad64],
    ['other than JSON', json('{"kind":'), 400, badContext],
    ['other than an object', json('[]'), 400, badContext],
    ['without a key', json('{"kind":"user"}'), 400, badContext],
    ['with an empty key', json('{"kind":"user","key":""}'), 400, badContext],
    ['of an invalid kind', json('{"kind":"a b","key":"a"}'), 400, badContext],
    ['of an old user with an empty key', json('{"key":""}'), 400, noKey],
  ];
  for (const [name, context, status, body] of cases) {
    test(`${name}: ${status}`, async (t) => {
      const answer = await createTestRelay(t).get(`/sdk/evalx/contexts/${context}`, server);
      assert.equal(answer.status, status);
      if (body !== undefined) {
        assert.equal(answer.text, body);
        assert.equal(answer.headers.get('content-type'), 'application/json');
      }
    });
  }

  test('of nearly a megabyte is answered; a longer head is refused', async (t) => {
    const relay = createTestRelay(t);
    const url = await relay.listen();
    const ask = (size: number) => {
      const context = encode({ kind: 'user', key: 'a', note: 'x'.repeat(size) });
      return fetch(`${url}/sdk/evalx/contexts/${context}`, { headers: server });
    };
    assert.equal((await ask(700 * 1024)).status, 200);
    assert.equal((await ask(900 * 1024)).status, 431);
  });
});

describe('a context in the body', () => {
  const cases: readonly (readonly [type: string | undefined, body: string, status: number, answer: string])[] = [
    ['application/json', '{"kind":"user","key":"a"}', 200, '{}'],
    ['application/json; charset=utf-8', '{"kind":"user","key":"a"}', 200, '{}'],
    ['text/plain', '{"kind":"user","key":"a"}', 415, 'Content-Type must be application/json.'],
    ['application/jsonp', '{"kind":"user","key":"a"}', 415, 'Content-Type must be application/json.'],
    [undefined, '{"kind":"user","key":"a"}', 415, 'Content-Type must be application/json.'],
    ['application/json', '{"kind":"user","key":""}', 400, '{"message":"context key must not be empty"}'],
    ['application/json', '{"kind":"user"}', 400, '{"message":"\\"key\\" property not found in JSON context object"}'],
    ['application/json', '{"kind":"","key":"a"}', 400, '{"message":"context kind cannot be empty"}'],
    ['application/json', '{"kind":"kind","key":"a"}', 400, '{"message":"\\"kind\\" is not a valid context kind"}'],
    ['application/json', '{"kind":"multi"}', 400, '{"message":"multi-context must contain at least one kind"}'],
    ['application/json', `{"kind":"user","key":"${'a'.repeat(2000)}"}`, 413, ''],
  ];
  const paths = [
    ['/sdk/evalx/context', server],
    ['/msdk/evalx/user', { authorization: MOBILE_KEY }],
    [`/sdk/evalx/${ENV_ID}/contexts`, {}],
  ] as const;
  for (const [path, headers] of paths) {
    for (const [type, body, status, text] of cases) {
      test(`REPORT ${path} as ${type}: ${body.slice(0, 40)}: ${status}`, async (t) => {
        const relay = createTestRelay(t, { maxBodyBytes: 1000 });
        const url = await relay.listen();
        const sent = { ...headers, ...(type === undefined ? {} : { 'content-type': type }) };
        // A text would be typed by fetch itself.
        const answer = await fetch(url + path, { method: 'REPORT', headers: sent, body: Buffer.from(body) });
        assert.deepEqual([answer.status, await answer.text()], [status, text]);
      });
    }
  }

  test('invalid JSON is refused without being quoted', async (t) => {
    const answer = await createTestRelay(t).send(
      'REPORT',
      '/sdk/evalx/context',
      { ...server, ...JSON_TYPE },
      '{"secret',
    );
    assert.equal(answer.status, 400);
    assert.doesNotMatch(answer.text, /secret/);
    assert.equal(typeof (JSON.parse(answer.text) as { message: unknown }).message, 'string');
  });
});

describe('secure mode', () => {
  const sign = (text: string, key = SDK_KEY) => createHmac('sha256', key).update(text).digest('hex');
  const refusal = '{"message":"Environment is in secure mode, and context hash does not match."}';
  const org = encode({ kind: 'org', key: 'a:b' });
  const cases: readonly (readonly [name: string, path: string, headers: Record<string, string>, status: number])[] = [
    ['a hash', `/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}?h=${sign('a')}`, {}, 200],
    ['a hash of another kind of key', `/sdk/evalx/${ENV_ID}/contexts/${org}?h=${sign('org:a%3Ab')}`, {}, 200],
    ['no hash', `/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`, {}, 400],
    ['the hash of another key', `/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}?h=${sign('b')}`, {}, 400],
    ['a hash by another secret', `/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}?h=${sign('a', 'x')}`, {}, 400],
    ['a hash in capitals', `/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}?h=${sign('a').toUpperCase()}`, {}, 400],
    ['a stream without a hash', `/eval/${ENV_ID}/${CONTEXT}`, {}, 400],
    ['a server, which is asked for none', `/sdk/evalx/contexts/${CONTEXT}`, server, 200],
    ['a mobile application likewise', `/msdk/evalx/contexts/${CONTEXT}`, { authorization: MOBILE_KEY }, 200],
  ];
  for (const [name, path, headers, status] of cases) {
    test(`${name}: ${status}`, async (t) => {
      const answer = await createTestRelay(t, { environments: [{ secureMode: true }] }).get(path, headers);
      assert.deepEqual([answer.status, answer.text], [status, status === 400 ? refusal : '{}']);
    });
  }

  test('comes after the context, and before the data', async (t) => {
    const relay = createTestRelay(t, { environments: [{ secureMode: true }], data: 'none' });
    relay.clock.advance(60_000);
    assert.equal((await relay.get(`/sdk/evalx/${ENV_ID}/contexts/!`)).status, 400);
    assert.equal((await relay.get(`/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`)).status, 400);
    assert.equal((await relay.get(`/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}?h=${sign('a')}`)).status, 503);
  });
});

describe('an answer already known to the client', () => {
  test('is not sent again until a flag or a segment changes, or the context changes', async (t) => {
    const relay = createTestRelay(t, { data: { flags: { f: flagOf('f') } } });
    const path = `/sdk/evalx/contexts/${CONTEXT}`;
    const first = await relay.get(path, server);
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^W\/".+"$/);
    const ask = async (at: string, headers: Record<string, string> = server) => {
      const { status, text } = await relay.get(at, { ...headers, 'if-none-match': etag });
      return [status, text];
    };
    assert.deepEqual(await ask(path), [304, '']);
    assert.equal((await ask(`/sdk/evalx/contexts/${encode({ kind: 'user', key: 'b' })}`))[0], 200);
    assert.equal((await ask(`${path}?withReasons=true`))[0], 200);
    assert.equal((await ask(`/msdk/evalx/contexts/${CONTEXT}`, { authorization: MOBILE_KEY }))[0], 200);
    relay.environment.store.upsert('segments', 's', { key: 's', version: 1 });
    assert.equal((await ask(path))[0], 200);
  });

  test('of a REPORT is always sent', async (t) => {
    const relay = createTestRelay(t);
    const body = '{"kind":"user","key":"a"}';
    const answer = await relay.send(
      'REPORT',
      '/sdk/evalx/context',
      { ...server, ...JSON_TYPE, 'if-none-match': '*' },
      body,
    );
    assert.deepEqual([answer.status, answer.headers.get('etag')], [200, null]);
  });
});

test('a context never reaches the log, nor the request observer', async (t) => {
  const relay = createTestRelay(t, { logLevel: 'debug' });
  const url = await relay.listen();
  await (await fetch(`${url}/sdk/evalx/${ENV_ID}/contexts/${CONTEXT}`)).text();
  await (await fetch(`${url}/sdk/evalx/contexts/${CONTEXT}`, { headers: server })).text();
  assert.deepEqual(
    relay.admitted.map(({ route }) => route),
    ['/sdk/evalx/{envId}/contexts/{context}', '/sdk/evalx/contexts/{context}'],
  );
  assert.doesNotMatch(relay.log.join(''), new RegExp(`${CONTEXT}|${SDK_KEY}`));
  assert.match(relay.log.join(''), /route=\/sdk\/evalx\/{envId}\/contexts\/{context}|route="/);
});
