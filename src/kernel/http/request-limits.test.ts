import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Hono, type MiddlewareHandler } from 'hono';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import { systemClock } from '../clock.ts';
import type { HttpEnv } from './app.ts';
import { limitConcurrentGets, limitDuration } from './request-limits.ts';
import { listen } from './server.ts';

/** An app behind one limit, whose /slow answers only on request. */
function slowApp(limit: MiddlewareHandler<HttpEnv>) {
  const waiting: (() => void)[] = [];
  const app = new Hono<HttpEnv>();
  app.use(limit);
  app.all('/slow', (c) => new Promise<Response>((done) => waiting.push(() => done(c.text('at last')))));
  app.all('/', (c) => c.text('at once'));
  app.get('/broken', () => Promise.reject(new Error('broken')));
  app.onError((error, c) => c.text(error.message, 500));
  const release = () => {
    for (const answer of waiting.splice(0)) answer();
  };
  return { app, waiting, release };
}

async function serve(t: TestContext, app: Hono<HttpEnv>): Promise<string> {
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  return listener.url;
}

const said = (answer: Response | Promise<Response>) =>
  Promise.resolve(answer).then(async (response) => [response.status, await response.text()]);
const REFUSAL = [503, 'Limit of concurrent GET requests reached (2), try again later.\n\n'];

describe('of concurrent GETs', () => {
  test('requests beyond the limit are refused, until an earlier one is answered', async (t) => {
    let refused = 0;
    const { app, waiting, release } = slowApp(limitConcurrentGets(2, () => refused++));
    const url = await serve(t, app);
    const running = [fetch(`${url}/slow`), fetch(`${url}/slow`)];
    await eventually('both run', () => waiting.length === 2, { everyMs: 1 });
    assert.equal(refused, 0);
    assert.deepEqual(await said(fetch(url)), REFUSAL);
    assert.deepEqual(await said(fetch(`${url}/slow`)), REFUSAL);
    assert.equal(refused, 2);
    release();
    for (const answer of running) assert.deepEqual(await said(answer), [200, 'at last']);
    assert.deepEqual(await said(fetch(url)), [200, 'at once']);
  });

  test('a refused request does not count, nor does any other method', async (t) => {
    const { app, waiting, release } = slowApp(limitConcurrentGets(2, () => {}));
    const url = await serve(t, app);
    const running = [fetch(`${url}/slow`), fetch(`${url}/slow`)];
    await eventually('both run', () => waiting.length === 2, { everyMs: 1 });
    for (const method of ['POST', 'HEAD', 'DELETE', 'OPTIONS'])
      assert.equal((await fetch(url, { method })).status, 200, method);
    for (let round = 0; round < 5; round++) assert.equal((await fetch(url)).status, 503);
    release();
    for (const answer of running) await said(answer);
    const again = [fetch(`${url}/slow`), fetch(`${url}/slow`)];
    await eventually('both run', () => waiting.length === 2, { everyMs: 1 });
    assert.deepEqual(await said(fetch(url)), REFUSAL);
    release();
    for (const answer of again) assert.equal((await answer).status, 200);
  });

  test('a request no longer counts after its client is gone', async (t) => {
    const { app, waiting } = slowApp(limitConcurrentGets(1, () => {}));
    const url = await serve(t, app);
    const connection = await RawConnection.open(url);
    connection.exchange('GET', 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n').catch(() => {});
    await eventually('it runs', () => waiting.length === 1, { everyMs: 1 });
    assert.equal((await fetch(url)).status, 503);
    connection.close();
    await eventually('room for another', async () => (await fetch(url)).status === 200, { everyMs: 1 });
  });

  test('pipelined requests no longer count when their connection is gone', async (t) => {
    const { app, waiting } = slowApp(limitConcurrentGets(3, () => {}));
    const url = await serve(t, app);
    const connection = await RawConnection.open(url);
    connection.exchange('GET', 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(3)).catch(() => {});
    await eventually('all run', () => waiting.length === 3, { everyMs: 1 });
    connection.close();
    await eventually('room for others', async () => (await fetch(url)).status === 200, { everyMs: 1 });
    const end = new AbortController();
    t.after(() => end.abort());
    const others = [1, 2].map(() => fetch(`${url}/slow`, { signal: end.signal }));
    for (const other of others) other.catch(() => {});
    await eventually('as many others run', () => waiting.length === 5, { everyMs: 1 });
    assert.equal((await fetch(url)).status, 200);
  });

  test('a failed request no longer counts', async (t) => {
    const { app } = slowApp(limitConcurrentGets(1, () => {}));
    const url = await serve(t, app);
    for (let round = 0; round < 3; round++) assert.deepEqual(await said(fetch(`${url}/broken`)), [500, 'broken']);
  });

  test('they are counted without sockets too', async () => {
    const { app, release } = slowApp(limitConcurrentGets(2, () => {}));
    const running = [app.request('/slow'), app.request('/slow')];
    assert.deepEqual(await said(app.request('/')), REFUSAL);
    release();
    for (const answer of running) assert.deepEqual(await said(answer), [200, 'at last']);
    assert.deepEqual(await said(app.request('/')), [200, 'at once']);
  });
});

describe('a limit of duration', () => {
  test('answers 503 at its end to unanswered requests', async () => {
    const clock = new FakeClock();
    const { app, release } = slowApp(limitDuration(90_000, clock));
    let early = true;
    const answer = Promise.resolve(app.request('/slow')).finally(() => {
      early = false;
    });
    clock.advance(89_999);
    await nextTurn();
    assert.ok(early);
    clock.advance(1);
    assert.deepEqual(await said(answer), [503, 'Exceeded configured timeout of 1m30s.\n']);
    release();
    await nextTurn();
  });

  test('does not affect answers in time', async () => {
    const clock = new FakeClock();
    const { app, release } = slowApp(limitDuration(1_000, clock));
    assert.deepEqual(await said(app.request('/')), [200, 'at once']);
    const answer = app.request('/slow');
    clock.advance(999);
    release();
    assert.deepEqual(await said(answer), [200, 'at last']);
    clock.advance(10_000);
  });

  test('leaves no timer behind', async () => {
    let armed = 0;
    const clock = new FakeClock();
    const counting = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      every: clock.every.bind(clock),
      after(ms: number, action: () => void) {
        armed++;
        const cancel = clock.after(ms, action);
        return () => {
          armed--;
          cancel();
        };
      },
    };
    const { app } = slowApp(limitDuration(1_000, counting));
    await app.request('/');
    await app.request('/broken');
    assert.equal(armed, 0);
  });

  test('leaves a failure to its handler, before its end and after', async (t) => {
    const clock = new FakeClock();
    const failures: (() => void)[] = [];
    const { app } = slowApp(limitDuration(1_000, clock));
    app.get('/fails', () => new Promise<Response>((_, fail) => failures.push(() => fail(new Error('late')))));
    const url = await serve(t, app);
    assert.deepEqual(await said(fetch(`${url}/broken`)), [500, 'broken']);
    const answer = fetch(`${url}/fails`);
    await eventually('it runs', () => failures.length === 1, { everyMs: 1 });
    clock.advance(1_000);
    assert.equal((await answer).status, 503);
    failures[0]?.();
    assert.deepEqual(await said(fetch(url)), [200, 'at once']);
  });
});
