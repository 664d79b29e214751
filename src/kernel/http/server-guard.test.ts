import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { hashSync } from 'bcryptjs';
import { FakeClock } from '../../testing/fake/clock.ts';
import { listen } from './server.ts';
import type { RequestRules } from './server-guard.ts';

const NO_RULES: RequestRules = { headers: {}, users: new Map() };

async function start(t: TestContext, rules: () => RequestRules, clock = new FakeClock()) {
  let asked = 0;
  const listener = await listen({
    fetch: () => {
      asked++;
      return new Response('hello', { headers: { 'x-own': '1' } });
    },
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock,
    rules,
  });
  t.after(() => listener.close(0));
  const get = async (user?: string, password?: string) => {
    const headers: Record<string, string> = { connection: 'close' };
    if (user !== undefined) headers.authorization = `Basic ${btoa(`${user}:${password}`)}`;
    const response = await fetch(listener.url, { headers });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return { get, clock, asked: () => asked };
}

describe('rules for requests', () => {
  test('without settings admit every request', async (t) => {
    const { get } = await start(t, () => NO_RULES);
    const { status, body } = await get();
    assert.deepEqual([status, body], [200, 'hello']);
  });

  test('with users admit only these', async (t) => {
    const users = new Map([['ann', hashSync('secret', 4)]]);
    const { get, clock, asked } = await start(t, () => ({ headers: { 'X-Frame-Options': 'deny' }, users }));
    for (const [user, password] of [[], ['ann', 'wrong'], ['bob', 'secret'], ['', '']]) {
      const refused = await get(user, password);
      assert.deepEqual([refused.status, refused.body], [401, 'Unauthorized\n']);
      assert.equal(refused.headers.get('www-authenticate'), 'Basic');
      assert.equal(refused.headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(refused.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(refused.headers.get('x-frame-options'), 'deny');
      clock.advance(100);
    }
    assert.equal(asked(), 0);
    for (let i = 0; i < 2; i++) assert.deepEqual([(await get('ann', 'secret')).status, asked()], [200, i + 1]);
  });

  test('apply as soon as they change', async (t) => {
    let rules = NO_RULES;
    const { get } = await start(t, () => rules);
    assert.equal((await get('ann', 'secret')).status, 200);
    rules = { ...NO_RULES, users: new Map([['ann', hashSync('secret', 4)]]) };
    assert.equal((await get('ann', 'secret')).status, 200);
    rules = { ...NO_RULES, users: new Map([['ann', hashSync('other', 4)]]) };
    assert.equal((await get('ann', 'secret')).status, 401);
  });

  test('add their headers beside those of the answer', async (t) => {
    const { get } = await start(t, () => ({ ...NO_RULES, headers: { 'Strict-Transport-Security': 'max-age=1' } }));
    const { headers } = await get();
    assert.equal(headers.get('strict-transport-security'), 'max-age=1');
    assert.equal(headers.get('x-own'), '1');
  });

  test('that cannot be read admit no request', async (t) => {
    const { get, asked } = await start(t, () => {
      throw new Error('broken');
    });
    const { status, body } = await get();
    assert.deepEqual([status, body, asked()], [500, 'Internal Server Error\n', 0]);
  });

  test('with a rate admit a burst and then one request per interval', async (t) => {
    const { get, clock } = await start(t, () => ({ ...NO_RULES, rateLimit: { burst: 2, intervalMs: 1000 } }));
    const statuses = async (count: number) => {
      const found: number[] = [];
      for (let i = 0; i < count; i++) found.push((await get()).status);
      return found;
    };
    assert.deepEqual(await statuses(3), [200, 200, 429]);
    clock.advance(999);
    assert.deepEqual(await statuses(1), [429]);
    clock.advance(1);
    assert.deepEqual(await statuses(2), [200, 429]);
    clock.advance(60_000);
    assert.deepEqual(await statuses(3), [200, 200, 429]);
    assert.equal((await get()).body, 'Too Many Requests\n');
  });

  test('with a burst of 0 admit no request, with an interval of 0 every request', async (t) => {
    const none = await start(t, () => ({ ...NO_RULES, rateLimit: { burst: 0, intervalMs: 1000 } }));
    assert.equal((await none.get()).status, 429);
    const all = await start(t, () => ({ ...NO_RULES, rateLimit: { burst: 0, intervalMs: 0 } }));
    assert.equal((await all.get()).status, 200);
  });
});
