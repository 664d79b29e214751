import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HttpAnswer } from '../kernel/http-client/exchange.ts';
import type { HttpRequest } from '../kernel/http-client/http-client.ts';
import { FakeClock } from '../testing/fake/clock.ts';
import { httpAnswer } from '../testing/http/client-parts.ts';
import { Goals } from './goals.ts';

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Upstream = (asked: Asked, index: number) => HttpAnswer | Promise<HttpAnswer>;

function goalsOf(answer: Upstream) {
  const clock = new FakeClock();
  const asked: Asked[] = [];
  const send = async ({ url, headers = {} }: HttpRequest) => {
    asked.push({ url: String(url), headers });
    return answer({ url: String(url), headers }, asked.length - 1);
  };
  const goals = new Goals({ upstream: { baseUri: 'https://upstream.example', http: { send } }, clock });
  const read = async () => {
    const got = await goals.read('env/1');
    return got && [got.status, got.body.toString()];
  };
  return { clock, asked, goals, read };
}

const cacheable = (headers: Record<string, string>, body = '[1]') => httpAnswer(200, body, headers);

test('without an upstream there are no goals', async () => {
  const answer = await new Goals({ upstream: undefined, clock: new FakeClock() }).read('x');
  assert.deepEqual([answer?.status, answer?.body.toString()], [200, '[]']);
});

test('they are requested by environment id only, and returned without CORS headers of upstream', async () => {
  const { goals, asked } = goalsOf(() =>
    cacheable({
      'content-type': 'application/json',
      'access-control-allow-origin': 'https://other.example',
      'set-cookie': 'a=b',
    }),
  );
  const answer = await goals.read('env/1');
  assert.deepEqual(answer?.headers, { 'content-type': 'application/json' });
  assert.deepEqual(asked, [{ url: 'https://upstream.example/sdk/goals/env%2F1', headers: {} }]);
});

describe('they are kept as long as upstream allows', () => {
  const cases: readonly (readonly [headers: Record<string, string>, freshMs: number])[] = [
    [{ 'cache-control': 'max-age=60' }, 60_000],
    [{ 'cache-control': 'public, max-age=60, s-maxage=10' }, 10_000],
    [{ 'cache-control': 'max-age=60', age: '20' }, 40_000],
    [{ expires: 'Thu, 01 Jan 2026 00:00:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, 30_000],
    [{ expires: '0' }, 0],
    [{}, 0],
    [{ 'cache-control': 'no-cache, max-age=60' }, 0],
    [{ 'cache-control': 'no-store, max-age=60' }, 0],
    [{ 'cache-control': 'private, max-age=60' }, 0],
  ];
  for (const [headers, freshMs] of cases) {
    test(`${JSON.stringify(headers)}: ${freshMs} ms`, async () => {
      const { clock, asked, read } = goalsOf(() => cacheable(headers));
      await read();
      if (freshMs > 0) {
        clock.advance(freshMs - 1);
        await read();
        assert.equal(asked.length, 1);
        clock.advance(1);
      }
      await read();
      assert.equal(asked.length, 2);
    });
  }

  test('then they are revalidated upstream', async () => {
    const headers = { 'cache-control': 'max-age=60', etag: '"1"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
    const { clock, asked, read } = goalsOf((_, index) =>
      index === 0 ? cacheable(headers) : httpAnswer(304, '', { 'cache-control': 'max-age=5' }),
    );
    await read();
    clock.advance(60_000);
    assert.deepEqual(await read(), [200, '[1]']);
    assert.deepEqual(asked[1]?.headers, { 'if-none-match': '"1"', 'if-modified-since': headers['last-modified'] });
    clock.advance(4999);
    await read();
    assert.equal(asked.length, 2);
  });

  test('concurrent requests share one response', async () => {
    const { asked, read } = goalsOf(() => cacheable({}));
    const all = await Promise.all([read(), read(), read()]);
    assert.deepEqual(all, Array(3).fill([200, '[1]']));
    assert.equal(asked.length, 1);
  });
});

describe('when upstream fails', () => {
  const failures: readonly (readonly [name: string, answer: Upstream])[] = [
    ['is not reached', () => Promise.reject(new Error('no'))],
    ['answers 503', () => httpAnswer(503)],
    ['sends without end', () => new HttpAnswer(200, new Headers(), Buffer.from('x'), false)],
  ];
  for (const [name, fail] of failures) {
    test(`it ${name}: the cached goals are still served`, async () => {
      const { read } = goalsOf((asked, index) => (index === 0 ? cacheable({}) : fail(asked, index)));
      await read();
      assert.deepEqual(await read(), [200, '[1]']);
    });
  }

  test('and nothing is cached: no response', async () => {
    const { read } = goalsOf(() => Promise.reject(new Error('no')));
    assert.equal(await read(), undefined);
  });

  test('its refusals are passed on and not kept', async () => {
    const { read } = goalsOf((_, index) =>
      index === 0 ? httpAnswer(404, 'gone', { 'cache-control': 'max-age=60' }) : cacheable({}),
    );
    assert.deepEqual(await read(), [404, 'gone']);
    assert.deepEqual(await read(), [200, '[1]']);
  });

  test('it hangs: the request is aborted', async () => {
    const { clock, goals } = goalsOf(() => new Promise(() => {}));
    void goals;
    const aborted = new Promise<void>((resolve) => {
      const http = {
        send: ({ signal }: HttpRequest) =>
          new Promise<HttpAnswer>((_, reject) => {
            signal?.addEventListener('abort', () => {
              resolve();
              reject(new Error('aborted'));
            });
          }),
      };
      const hanging = new Goals({ upstream: { baseUri: 'https://u.example', http }, clock });
      void hanging.read('x').then((answer) => assert.equal(answer, undefined));
    });
    clock.advance(10_000);
    await aborted;
  });
});
