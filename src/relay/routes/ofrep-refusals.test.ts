import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { flagOf, type RelayAppOptions, SDK_KEY } from '../testing/app.ts';
import { createOfrepRelay } from '../testing/ofrep-relay.ts';

const ONE = '/ofrep/v1/evaluate/flags/';
const ALL = '/ofrep/v1/evaluate/flags';
const BEARER = { authorization: `Bearer ${SDK_KEY}` };
const ASK = '{"context":{"targetingKey":"a"}}';
const rule = (fields: object) => ({ id: 'r', clauses: [], variation: 1, ...fields });
const clause = { attribute: 'plan', op: 'in', values: ['gold'], negate: false };

describe('OFREP: refusals', () => {
  const flags = { f: flagOf('f') };
  const noKey = 'the context has no targetingKey';
  const rows: readonly [what: string, body: string, status: number, fault: object][] = [
    ['no JSON', '{', 400, { errorCode: 'PARSE_ERROR', errorDetails: 'the body is not a JSON object' }],
    ['nothing', '', 400, { errorCode: 'PARSE_ERROR', errorDetails: 'the body is not a JSON object' }],
    ['no object', '[]', 400, { errorCode: 'PARSE_ERROR', errorDetails: 'the body is not a JSON object' }],
    ['no context', '{}', 400, { errorCode: 'TARGETING_KEY_MISSING', errorDetails: noKey }],
    ['no targeting key', '{"context":{}}', 400, { errorCode: 'TARGETING_KEY_MISSING', errorDetails: noKey }],
    [
      'an empty one',
      '{"context":{"targetingKey":""}}',
      400,
      { errorCode: 'TARGETING_KEY_MISSING', errorDetails: noKey },
    ],
    [
      'a context other than an object',
      '{"context":7}',
      400,
      { errorCode: 'INVALID_CONTEXT', errorDetails: 'the context is not an object' },
    ],
    [
      'too much',
      `{"x":"${'x'.repeat(2000)}"}`,
      413,
      { errorCode: 'GENERAL', errorDetails: 'the body exceeds 1000 bytes' },
    ],
  ];
  for (const [what, body, status, fault] of rows) {
    test(`${what}: ${status}`, async (t) => {
      const relay = createOfrepRelay(t, { data: { flags }, maxBodyBytes: 1000 });
      const all = await relay.send('POST', ALL, BEARER, body);
      assert.equal(all.status, status);
      assert.equal(all.headers.get('content-type'), 'application/json');
      assert.equal(all.text, JSON.stringify(fault));
      const one = await relay.send('POST', `${ONE}f`, BEARER, body);
      assert.equal(one.status, status);
      assert.equal(one.text, JSON.stringify({ key: 'f', ...fault }));
    });
  }

  test('a kind that may not be: 400 with the reason', async (t) => {
    const relay = createOfrepRelay(t, { data: { flags } });
    const all = await relay.send('POST', ALL, BEARER, '{"context":{"targetingKey":"a","kind":"kind"}}');
    assert.equal(all.status, 400);
    assert.equal(JSON.parse(all.text).errorCode, 'INVALID_CONTEXT');
  });

  test('no such flag: 404', async (t) => {
    const relay = createOfrepRelay(t, { data: { flags } });
    const one = await relay.send('POST', `${ONE}g`, BEARER, ASK);
    assert.equal(one.status, 404);
    assert.equal(one.text, '{"key":"g","errorCode":"FLAG_NOT_FOUND","errorDetails":"unknown flag \\"g\\""}');
  });

  const credentials: readonly [what: string, headers: Record<string, string>][] = [
    ['no credential', {}],
    ['an empty one', { authorization: 'Bearer ' }],
    ['an unknown one', { authorization: 'Bearer sdk-ffffffff-0000-4000-8000-00000000000a' }],
    ['one with a space', { authorization: `Basic ${SDK_KEY}` }],
  ];
  for (const [what, headers] of credentials) {
    test(`${what}: 401`, async (t) => {
      const relay = createOfrepRelay(t, { data: { flags } });
      for (const path of [ALL, `${ONE}f`]) {
        const answer = await relay.send('POST', path, headers, ASK);
        assert.equal(answer.status, 401);
        assert.deepEqual(Object.keys(JSON.parse(answer.text)), ['errorDetails']);
        assert.ok(!answer.text.includes('ffffffff'));
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
      assert.equal(relay.admitted.length, 0);
    });
  }

  test('a key that upstream refused from the start is unknown: 401', async (t) => {
    const relay = createOfrepRelay(t, { data: 'none' });
    relay.environment.connection.refused({ kind: 'ERROR_RESPONSE', time: 1, statusCode: 401 });
    assert.equal((await relay.send('POST', ALL, BEARER, ASK)).status, 401);
  });

  const early: readonly [what: string, options: RelayAppOptions, waitMs: number][] = [
    ['while the data are awaited', { data: 'none' }, 0],
    ['when the wait for them is over', { data: 'none' }, 20_000],
  ];
  for (const [what, options, waitMs] of early) {
    test(`${what}: 503`, async (t) => {
      const relay = createOfrepRelay(t, options);
      relay.clock.advance(waitMs);
      const answer = await relay.send('POST', ALL, BEARER, ASK);
      assert.equal(answer.status, 503);
      assert.equal(answer.text, '{"errorDetails":"client was not initialized"}');
      assert.equal(answer.headers.get('retry-after'), '1');
    });
  }

  test('before the list of environments is there: 503', async (t) => {
    const relay = createOfrepRelay(t, { data: { flags } });
    relay.credentials.isComplete = false;
    const answer = await relay.send('POST', ALL, BEARER, ASK);
    assert.equal(answer.status, 503);
    assert.match(answer.text, /does not have list of environments yet/);
  });

  test('another method: 405; the configuration of older versions: 404', async (t) => {
    const relay = createOfrepRelay(t, { data: { flags } });
    assert.equal((await relay.send('GET', ALL, BEARER)).status, 405);
    assert.equal((await relay.send('PUT', `${ONE}f`, BEARER)).status, 405);
    assert.equal((await relay.send('GET', '/ofrep/v1/configuration', BEARER)).status, 404);
  });
});

describe('OFREP: hostile bodies', () => {
  const deep = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
  const rows: readonly [what: string, body: string, status: number][] = [
    ['lists nested without end', deep('[', ']', 400_000), 400],
    ['an attribute nested deep', `{"context":{"targetingKey":"a","x":${deep('{"y":', '}', 5000)}}}`, 200],
    ['a prototype', '{"context":{"targetingKey":"a","__proto__":{"key":"b"},"constructor":1}}', 200],
    ['a prototype as kind', '{"context":{"kind":"multi","__proto__":{"targetingKey":"a"}}}', 200],
    ['a context in the prototype', '{"__proto__":{"context":{"targetingKey":"a"}}}', 400],
    ['a key other than a text', '{"context":{"targetingKey":{"a":1}}}', 400],
    ['invalid characters', '{"context":{"targetingKey":"\\u0000\\ud800"}}', 200],
    ['many kinds', JSON.stringify({ context: { kind: 'multi', ...kinds(20_000) } }), 200],
  ];
  function kinds(count: number): Record<string, object> {
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, { targetingKey: 'a' }]));
  }
  for (const [what, body, status] of rows) {
    test(`${what}: ${status}`, async (t) => {
      const rules = [rule({ clauses: [clause] })];
      const relay = createOfrepRelay(t, { data: { flags: { f: flagOf('f', { rules }) } } });
      for (const path of [ALL, `${ONE}f`]) assert.equal((await relay.send('POST', path, BEARER, body)).status, status);
    });
  }
});
