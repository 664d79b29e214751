import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { createTestRelay, type RelayAppOptions, SDK_KEY } from '../testing/app.ts';

const server = { authorization: SDK_KEY };
const DATA: RelayAppOptions['data'] = {
  flags: {
    b: { key: 'b', version: 12 },
    a: { key: 'a', version: 3 },
    gone: { key: 'gone', version: 4, deleted: true },
  },
  segments: { s: { key: 's', version: 5 }, old: { key: 'old', version: 6, deleted: true } },
};
const hash = createHash('sha1').update('a:3b:12gone:4').digest('hex').slice(0, 15);

describe('requests of the PHP SDK', () => {
  const cases: readonly (readonly [path: string, etag: string, body: string])[] = [
    ['/sdk/flags', `W/"relay-${hash}"`, '{"b":{"key":"b","version":12},"a":{"key":"a","version":3}}'],
    ['/sdk/flags/a', 'W/"relay-3"', '{"key":"a","version":3}'],
    ['/sdk/segments/s', 'W/"relay-5"', '{"key":"s","version":5}'],
  ];
  for (const [path, etag, body] of cases) {
    test(`${path}, with a tag`, async (t) => {
      const { status, headers, text } = await createTestRelay(t, { data: DATA }).get(path, server);
      assert.deepEqual([status, headers.get('content-type'), text], [200, 'application/json', body]);
      assert.equal(headers.get('etag'), etag);
      for (const name of ['vary', 'expires', 'cache-control']) assert.equal(headers.get(name), null);
    });

    const bare = etag.slice(3, -1);
    const known = [bare, `"${bare}"`, etag, `"x", ${etag}`, `x,${bare}`, '*'];
    const other = ['', 'x', `${bare}0`, `W/${bare}"`, '"x", "y"'];
    test(`${path} with a matching tag: 304 without a body`, async (t) => {
      const relay = createTestRelay(t, { data: DATA });
      const ask = (tag: string) => relay.get(path, { ...server, 'if-none-match': tag });
      for (const tag of known) {
        const { status, text, headers } = await ask(tag);
        assert.deepEqual([status, text, headers.get('etag')], [304, '', null], tag);
      }
      for (const tag of other) assert.equal((await ask(tag)).status, 200, tag);
    });

    test(`${path} with a TTL has cache headers, also for 304`, async (t) => {
      const relay = createTestRelay(t, { data: DATA, environments: [{ ttlMs: 90_000 }] });
      for (const headers of [server, { ...server, 'if-none-match': etag }]) {
        const got = (await relay.get(path, headers)).headers;
        assert.equal(got.get('vary'), 'Authorization');
        assert.equal(got.get('expires'), 'Thu, 01 Jan 2026 00:01:30 GMT');
        assert.equal(got.get('cache-control'), 'max-age=90');
      }
    });
  }

  for (const path of [
    '/sdk/flags/none',
    '/sdk/flags/gone',
    '/sdk/flags/s',
    '/sdk/segments/none',
    '/sdk/segments/old',
  ]) {
    test(`${path}: 404 without a body`, async (t) => {
      const { status, text } = await createTestRelay(t, { data: DATA }).get(path, server);
      assert.deepEqual([status, text], [404, '']);
    });
  }

  test('an escaped key is found', async (t) => {
    const relay = createTestRelay(t, { data: { flags: { 'a b/é': { key: 'a b/é', version: 1 } } } });
    assert.equal((await relay.get(`/sdk/flags/${encodeURIComponent('a b/é')}`, server)).status, 200);
  });
});

describe('requests of a polling server', () => {
  const paths = ['/sdk/latest-all', '/sdk/latest-flags'] as const;
  for (const path of paths) {
    test(`${path}: nothing until there is something new`, async (t) => {
      const relay = createTestRelay(t, { data: DATA });
      const first = await relay.get(path, server);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^W\/"[0-9a-f]{15}"$/);
      const again = () => relay.get(path, { ...server, 'if-none-match': etag });
      assert.deepEqual(
        [(await again()).status, (await again()).text, (await again()).headers.get('etag')],
        [304, '', etag],
      );
      relay.environment.store.upsert('flags', 'a', { key: 'a', version: 4 });
      assert.equal((await again()).status, 200);
    });
  }

  test('a segment is a change of all data, and not of flags', async (t) => {
    const relay = createTestRelay(t, { data: DATA });
    const tagOf = async (path: string) => (await relay.get(path, server)).headers.get('etag');
    const [all, flags] = [await tagOf('/sdk/latest-all'), await tagOf('/sdk/latest-flags')];
    relay.environment.store.upsert('segments', 's', { key: 's', version: 6 });
    assert.notEqual(await tagOf('/sdk/latest-all'), all);
    assert.equal(await tagOf('/sdk/latest-flags'), flags);
  });
});
