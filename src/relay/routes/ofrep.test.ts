import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { ENV_ID, flagOf, MOBILE_KEY, SDK_KEY } from '../testing/app.ts';
import { createOfrepRelay } from '../testing/ofrep-relay.ts';

const ONE = '/ofrep/v1/evaluate/flags/';
const ALL = '/ofrep/v1/evaluate/flags';
const BEARER = { authorization: `Bearer ${SDK_KEY}` };
const ASK = '{"context":{"targetingKey":"a"}}';
const NO_CLIENT = { usingMobileKey: false, usingEnvironmentId: false };

const EVERYBODY_SECOND = { kind: 'rollout', variations: [{ variation: 1, weight: 100_000 }] };
const rule = (fields: object) => ({ id: 'r', clauses: [], variation: 1, ...fields });
const clause = { attribute: 'plan', op: 'in', values: ['gold'], negate: false };

describe('OFREP: the evaluation of a flag', () => {
  const rows: readonly [what: string, fields: object, answer: object][] = [
    [
      'on, for every context',
      {},
      { key: 'f', value: true, reason: 'STATIC', variant: '0', metadata: { version: 1, ldReason: 'FALLTHROUGH' } },
    ],
    [
      'on, split',
      { fallthrough: { rollout: EVERYBODY_SECOND } },
      { key: 'f', value: false, reason: 'SPLIT', variant: '1', metadata: { version: 1, ldReason: 'FALLTHROUGH' } },
    ],
    [
      'off',
      { on: false },
      { key: 'f', value: false, reason: 'DISABLED', variant: '1', metadata: { version: 1, ldReason: 'OFF' } },
    ],
    [
      'off, with nothing to serve: the default of the code stands',
      { on: false, offVariation: null },
      { key: 'f', reason: 'DISABLED', metadata: { version: 1, ldReason: 'OFF' } },
    ],
    [
      'a variation that is null: likewise',
      { variations: [null] },
      { key: 'f', reason: 'STATIC', variant: '0', metadata: { version: 1, ldReason: 'FALLTHROUGH' } },
    ],
    [
      'a target',
      { targets: [{ values: ['a'], variation: 1 }] },
      {
        key: 'f',
        value: false,
        reason: 'TARGETING_MATCH',
        variant: '1',
        metadata: { version: 1, ldReason: 'TARGET_MATCH' },
      },
    ],
    [
      'a rule',
      { rules: [rule({ clauses: [clause] })], version: 7 },
      {
        key: 'f',
        value: false,
        reason: 'TARGETING_MATCH',
        variant: '1',
        metadata: { version: 7, ldReason: 'RULE_MATCH' },
      },
    ],
    [
      'an unmet prerequisite',
      { prerequisites: [{ key: 'missing', variation: 0 }] },
      {
        key: 'f',
        value: false,
        reason: 'PREREQUISITE_FAILED',
        variant: '1',
        metadata: { version: 1, ldReason: 'PREREQUISITE_FAILED' },
      },
    ],
    [
      'a value with a structure',
      { variations: [{ a: [1, 'two'] }] },
      {
        key: 'f',
        value: { a: [1, 'two'] },
        reason: 'STATIC',
        variant: '0',
        metadata: { version: 1, ldReason: 'FALLTHROUGH' },
      },
    ],
  ];
  for (const [what, fields, answer] of rows) {
    test(`${what}: alone and among all`, async (t) => {
      const relay = createOfrepRelay(t, { data: { flags: { f: flagOf('f', fields as Record<string, never>) } } });
      const body = '{"context":{"targetingKey":"a","plan":"gold"}}';
      const one = await relay.send('POST', `${ONE}f`, BEARER, body);
      assert.equal(one.status, 200);
      assert.equal(one.headers.get('content-type'), 'application/json');
      assert.equal(one.text, JSON.stringify(answer));
      const all = await relay.send('POST', ALL, BEARER, body);
      assert.deepEqual(JSON.parse(all.text).flags, [answer]);
    });
  }

  test('a malformed flag fails a request for it, and alone among all', async (t) => {
    const flags = { bad: flagOf('bad', { fallthrough: { variation: 9 } }), good: flagOf('good') };
    const relay = createOfrepRelay(t, { data: { flags } });
    const one = await relay.send('POST', `${ONE}bad`, BEARER, ASK);
    assert.equal(one.status, 400);
    assert.equal(one.text, '{"key":"bad","errorCode":"PARSE_ERROR","errorDetails":"flag \\"bad\\" is malformed"}');
    const all = await relay.send('POST', ALL, BEARER, ASK);
    assert.equal(all.status, 200);
    const [bad, good] = JSON.parse(all.text).flags;
    assert.deepEqual(bad, { key: 'bad', errorCode: 'GENERAL', errorDetails: 'flag "bad" is malformed' });
    assert.equal(good.value, true);
  });

  test('a key in the path is unescaped', async (t) => {
    const relay = createOfrepRelay(t, { data: { flags: { 'a/b ü': flagOf('a/b ü') } } });
    const one = await relay.send('POST', `${ONE}${encodeURIComponent('a/b ü')}`, BEARER, ASK);
    assert.equal(JSON.parse(one.text).key, 'a/b ü');
  });

  test('several kinds of context in one', async (t) => {
    const rules = [rule({ clauses: [{ ...clause, contextKind: 'org' }] })];
    const relay = createOfrepRelay(t, { data: { flags: { f: flagOf('f', { rules }) } } });
    const context = { kind: 'multi', user: { targetingKey: 'a' }, org: { targetingKey: 'o', plan: 'gold' } };
    const one = await relay.send('POST', `${ONE}f`, BEARER, JSON.stringify({ context }));
    assert.equal(JSON.parse(one.text).reason, 'TARGETING_MATCH');
  });
});

describe('OFREP: access', () => {
  const flags = {
    all: flagOf('all'),
    mobile: flagOf('mobile', { clientSideAvailability: { ...NO_CLIENT, usingMobileKey: true } }),
    none: flagOf('none', { clientSideAvailability: NO_CLIENT }),
    web: flagOf('web', { clientSideAvailability: { ...NO_CLIENT, usingEnvironmentId: true } }),
  };
  const rows: readonly [what: string, headers: Record<string, string>, visible: readonly string[]][] = [
    ['an SDK key as bearer token', BEARER, ['all', 'mobile', 'none', 'web']],
    ['the scheme in other letters', { authorization: `bearer ${SDK_KEY}` }, ['all', 'mobile', 'none', 'web']],
    ['an SDK key alone', { authorization: SDK_KEY }, ['all', 'mobile', 'none', 'web']],
    ['an SDK key in X-API-Key', { 'x-api-key': SDK_KEY }, ['all', 'mobile', 'none', 'web']],
    ['a mobile key', { authorization: `Bearer ${MOBILE_KEY}` }, ['all', 'mobile']],
    ['a mobile key in X-API-Key', { 'x-api-key': MOBILE_KEY }, ['all', 'mobile']],
    ['an environment id', { authorization: `Bearer ${ENV_ID}` }, ['all', 'web']],
    ['an environment id in X-API-Key', { 'x-api-key': ENV_ID }, ['all', 'web']],
  ];
  for (const [what, headers, visible] of rows) {
    test(what, async (t) => {
      const relay = createOfrepRelay(t, { data: { flags } });
      const all = await relay.send('POST', ALL, headers, ASK);
      assert.deepEqual(
        JSON.parse(all.text).flags.map(({ key }: { key: string }) => key),
        visible,
      );
      for (const key of Object.keys(flags)) {
        const one = await relay.send('POST', ONE + key, headers, ASK);
        assert.equal(one.status, visible.includes(key) ? 200 : 404, key);
      }
      assert.equal(relay.evaluated(), visible.length * 2);
    });
  }

  test('an admitted request is observed with its kind of SDK and path', async (t) => {
    const relay = createOfrepRelay(t, { data: { flags } });
    await relay.send('POST', `${ONE}all`, { 'x-api-key': ENV_ID, 'user-agent': 'web/1' }, ASK);
    await relay.send('POST', ALL, { authorization: MOBILE_KEY }, ASK);
    assert.deepEqual(
      relay.admitted.map(({ sdkKind, route, method, userAgent }) => [sdkKind, route, method, userAgent]),
      [
        ['client', '/ofrep/v1/evaluate/flags/{key}', 'POST', 'web/1'],
        ['mobile', '/ofrep/v1/evaluate/flags', 'POST', ''],
      ],
    );
  });

  test('a payload filter chooses the variant of the environment', async (t) => {
    const environments = [{}, { name: 'production/few', filter: 'few' }];
    const relay = createOfrepRelay(t, { environments, data: { flags: { f: flagOf('f') } } });
    relay.environments[1]?.store.replace({ flags: {}, segments: {} });
    assert.equal(JSON.parse((await relay.send('POST', `${ALL}?filter=few`, BEARER, ASK)).text).flags.length, 0);
    assert.equal(JSON.parse((await relay.send('POST', ALL, BEARER, ASK)).text).flags.length, 1);
    const unknown = await relay.send('POST', `${ALL}?filter=other`, BEARER, ASK);
    assert.equal(unknown.status, 404);
    assert.match(JSON.parse(unknown.text).errorDetails, /payload filter was not found/);
  });

  test('in secure mode a browser shows that its site has signed the context', async (t) => {
    const relay = createOfrepRelay(t, { environments: [{ secureMode: true }], data: { flags: { f: flagOf('f') } } });
    const h = createHmac('sha256', SDK_KEY).update('a').digest('hex');
    const client = { authorization: `Bearer ${ENV_ID}` };
    for (const path of [ALL, `${ONE}f`]) {
      const refused = await relay.send('POST', path, client, ASK);
      assert.equal(refused.status, 403);
      assert.match(JSON.parse(refused.text).errorDetails, /secure mode/);
      assert.equal((await relay.send('POST', `${path}?h=${h}`, client, ASK)).status, 200);
      assert.equal((await relay.send('POST', path, BEARER, ASK)).status, 200);
    }
  });
});
