import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Hono } from 'hono';
import { systemClock } from '../../kernel/clock.ts';
import { type HttpEnv, readBody } from '../../kernel/http/app.ts';
import { listen } from '../../kernel/http/server.ts';
import { forwardTo } from '../routes/forwarded.ts';
import { answerForwarded } from './forwarded-request.ts';

const MAX_BODY_BYTES = 10;

test('a forwarded request arrives with its method, query, headers, body and client, and so does its answer', async (t) => {
  const main = new Hono<HttpEnv>();
  main.all('/page/:name', async (c) => {
    const incoming = c.env.incoming as IncomingMessage;
    const body = await readBody(c, MAX_BODY_BYTES);
    const { host, 'x-one': one } = incoming.headers;
    c.header('x-client', incoming.socket.remoteAddress);
    c.header('set-cookie', 'a=1', { append: true });
    c.header('set-cookie', 'b=2', { append: true });
    const seen = [c.req.method, c.req.param('name'), c.req.query('q'), c.req.header('x-one'), one, host];
    return c.json([...seen, body.ok && body.bytes.toString()], 201);
  });
  const worker = new Hono<HttpEnv>();
  worker.all(
    '*',
    forwardTo((request) => answerForwarded((raw, env) => main.fetch(raw, env as never), request), MAX_BODY_BYTES),
  );
  const listener = await listen({
    fetch: worker.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
  });
  t.after(() => listener.close(0));
  const { host } = new URL(listener.url);
  const url = `${listener.url}/page/${encodeURIComponent('ä/')}?q=a%20b`;
  const post = await fetch(url, { method: 'POST', headers: { 'x-one': '1' }, body: '12345' });
  assert.equal(post.status, 201);
  assert.deepEqual(await post.json(), ['POST', 'ä/', 'a b', '1', '1', host, '12345']);
  assert.match(post.headers.get('x-client') ?? '', /127\.0\.0\.1/);
  assert.deepEqual(post.headers.getSetCookie(), ['a=1', 'b=2']);
  const read = await fetch(url);
  assert.deepEqual(await read.json(), ['GET', 'ä/', 'a b', null, null, host, '']);
  assert.equal((await fetch(url, { method: 'POST', body: '0'.repeat(MAX_BODY_BYTES + 1) })).status, 413);
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [201, '']);
  assert.equal((await fetch(`${listener.url}/elsewhere`)).status, 404);
});
