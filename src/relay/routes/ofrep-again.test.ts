import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ENV_ID, flagOf, MOBILE_KEY, SDK_KEY } from '../testing/app.ts';
import { createOfrepRelay } from '../testing/ofrep-relay.ts';

const ONE = '/ofrep/v1/evaluate/flags/';
const ALL = '/ofrep/v1/evaluate/flags';
const BEARER = { authorization: `Bearer ${SDK_KEY}` };
const ASK = '{"context":{"targetingKey":"a"}}';

describe('OFREP: asking again', () => {
  const data = { flags: { f: flagOf('f'), g: flagOf('g', { targets: [{ values: ['b'], variation: 1 }] }) } };
  const ask = (relay: ReturnType<typeof createOfrepRelay>, tag: string, { key = 'a', by = SDK_KEY } = {}) =>
    relay.send(
      'POST',
      ALL,
      { authorization: `Bearer ${by}`, 'if-none-match': tag },
      JSON.stringify({ context: { targetingKey: key } }),
    );

  async function start(t: Parameters<typeof createOfrepRelay>[0]) {
    const relay = createOfrepRelay(t, { data });
    const first = await ask(relay, '');
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]{22}\.[\w-]{22}"$/);
    return { relay, tag };
  }

  test('the same data: 304 without an evaluation', async (t) => {
    const { relay, tag } = await start(t);
    const before = relay.evaluated();
    for (const form of [tag, `W/${tag}`, `"x", ${tag}`, tag.slice(1, -1)]) {
      const again = await ask(relay, form);
      assert.equal(again.status, 304, form);
      assert.equal(again.text, '');
      assert.equal(again.headers.get('etag'), tag);
    }
    assert.equal(relay.evaluated(), before);
  });

  test('other data that make no difference to this context: 304 all the same', async (t) => {
    const { relay, tag } = await start(t);
    relay.environment.store.upsert('segments', 's', { key: 's', version: 1, included: ['z'] });
    const again = await ask(relay, tag);
    assert.equal(again.status, 304);
    const newer = again.headers.get('etag') ?? '';
    assert.notEqual(newer, tag);
    const before = relay.evaluated();
    assert.equal((await ask(relay, newer)).status, 304);
    assert.equal(relay.evaluated(), before);
  });

  test('another value: 200', async (t) => {
    const { relay, tag } = await start(t);
    relay.environment.store.upsert('flags', 'f', flagOf('f', { on: false, version: 2 }));
    const again = await ask(relay, tag);
    assert.equal(again.status, 200);
    assert.notEqual(again.headers.get('etag'), tag);
  });

  test('a tag applies to its context and credential alone', async (t) => {
    const { relay, tag } = await start(t);
    assert.equal((await ask(relay, tag, { key: 'b' })).status, 200);
    assert.equal((await ask(relay, tag, { key: 'c' })).status, 200);
    assert.equal((await ask(relay, tag, { by: MOBILE_KEY })).status, 200);
    assert.equal((await ask(relay, tag, { by: ENV_ID })).status, 200);
  });

  test('the id of a change stream event is not a condition', async (t) => {
    const { relay } = await start(t);
    const path = `${ALL}?flagConfigEtag=${relay.environment.revision}&flagConfigLastModified=1`;
    assert.equal((await relay.send('POST', path, BEARER, ASK)).status, 200);
  });
});

describe('OFREP: browsers', () => {
  const origin = 'https://shop.example';
  const data = { flags: { f: flagOf('f') } };
  const CORS = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'false',
    'access-control-max-age': '300',
    'access-control-expose-headers': 'Date,ETag,Retry-After',
    'access-control-allow-methods': 'POST,OPTIONS',
    vary: 'Origin',
  };

  function checkCors(headers: Headers): void {
    for (const [name, value] of Object.entries(CORS)) assert.equal(headers.get(name), value, name);
    const allowed = (headers.get('access-control-allow-headers') ?? '').split(',');
    for (const name of ['Authorization', 'X-API-Key', 'If-None-Match', 'Content-Type'])
      assert.ok(allowed.includes(name), name);
  }

  test('a preflight needs no credential', async (t) => {
    const relay = createOfrepRelay(t, { data });
    for (const path of [ALL, `${ONE}f`]) {
      const answer = await relay.send('OPTIONS', path, { origin, 'access-control-request-method': 'POST' });
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '');
      checkCors(answer.headers);
    }
  });

  test('every answer may be read, errors too', async (t) => {
    const relay = createOfrepRelay(t, { data });
    const first = await relay.send('POST', ALL, { ...BEARER, origin }, ASK);
    checkCors(first.headers);
    checkCors((await relay.send('POST', ALL, { ...BEARER, origin, 'if-none-match': '*' }, ASK)).headers);
    checkCors((await relay.send('POST', ALL, { ...BEARER, origin }, '{')).headers);
    checkCors((await relay.send('POST', ALL, { origin }, ASK)).headers);
    checkCors((await relay.send('POST', `${ONE}g`, { ...BEARER, origin }, ASK)).headers);
  });

  test('an environment with allowed origins names only those to others', async (t) => {
    const relay = createOfrepRelay(t, { data, environments: [{ allowedOrigins: ['https://a.example'] }] });
    const answer = await relay.send('POST', ALL, { ...BEARER, origin }, ASK);
    assert.equal(answer.headers.get('access-control-allow-origin'), 'https://a.example');
  });
});
