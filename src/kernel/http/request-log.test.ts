import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Hono } from 'hono';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import type { HttpEnv } from './app.ts';
import { logRequests } from './request-log.ts';
import { listen } from './server.ts';

async function startLogged(t: TestContext) {
  const lines: Record<string, unknown>[] = [];
  const clock = new FakeClock();
  const write = (line: string) => void lines.push(JSON.parse(line));
  const app = new Hono<HttpEnv>();
  app.use(logRequests(createLog({ level: 'debug', format: 'json', clock, write }), clock));
  app.all('/slow/:id', async (c) => {
    clock.advance(250);
    return c.text('done', 201);
  });
  let held = 0;
  app.get('/never', () => {
    held++;
    return new Promise<Response>(() => {});
  });
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  const logged = () => eventually('a line', () => lines.shift(), { everyMs: 1 });
  return { url: listener.url, app, lines, logged, held: () => held };
}

test('an answered request is one line: method, path, status, duration; never its query', async (t) => {
  const { url, logged, lines } = await startLogged(t);
  await (await fetch(`${url}/slow/7?token=secret`, { method: 'POST' })).text();
  const { time, ...line } = await logged();
  assert.equal(time, '2026-01-01T00:00:00.250Z');
  const expected = {
    level: 'DEBUG',
    msg: 'request',
    method: 'POST',
    path: '/slow/7',
    status: 201,
    ms: 250,
    finished: true,
  };
  assert.deepEqual(line, expected);
  await (await fetch(`${url}/nowhere`)).text();
  assert.equal((await logged()).status, 404);
  assert.deepEqual(lines, []);
});

test('an abandoned request is logged as such', async (t) => {
  const { url, logged, held } = await startLogged(t);
  const connection = await RawConnection.open(url);
  connection.exchange('GET', 'GET /never HTTP/1.1\r\nhost: a\r\n\r\n').catch(() => {});
  await eventually('it runs', () => held() === 1, { everyMs: 1 });
  connection.close();
  const { path, finished } = await logged();
  assert.deepEqual([path, finished], ['/never', false]);
});

test('without sockets there is an answer and no line', async (t) => {
  const { app, lines } = await startLogged(t);
  assert.equal((await app.request('/slow/7')).status, 201);
  assert.deepEqual(lines, []);
});
