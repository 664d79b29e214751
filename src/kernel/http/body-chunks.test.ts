import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hono } from 'hono';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { systemClock } from '../clock.ts';
import type { HttpEnv } from './app.ts';
import { takeBody } from './body-chunks.ts';
import { listen } from './server.ts';

const MB = 2 ** 20;

/** Answers how many bytes a body has; of one with a zero, as soon as it sees that. */
function counter(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.post('/', (c) =>
    takeBody(c, async (chunks) => {
      let size = 0;
      for await (const chunk of chunks) {
        if (chunk.includes(0)) return c.text('a zero', 400);
        size += chunk.length;
      }
      return c.text(`${size} bytes`);
    }),
  );
  return app;
}

async function dialCounter(t: Cleanup): Promise<RawConnection> {
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: counter().fetch, addresses, clock: systemClock });
  t.after(() => listener.close(0));
  const connection = await RawConnection.open(listener.url, { keepBodies: true });
  t.after(() => connection.close());
  return connection;
}

function chunkedPost(body: Buffer): Buffer {
  const head = `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n0\r\n\r\n')]);
}

test('a body is handed on to its end', async (t) => {
  const connection = await dialCounter(t);
  for (const size of [0, 1, 3 * MB]) {
    const body = Buffer.alloc(size, 'x');
    const announced = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n${body}`;
    for (const request of size === 0 ? [announced] : [announced, chunkedPost(body)])
      assert.equal((await connection.exchange('POST', request)).body.toString(), `${size} bytes`);
  }
});

test('a handler that stops reading during the body still answers, and the connection goes on', async (t) => {
  const connection = await dialCounter(t);
  const long = chunkedPost(Buffer.alloc(16 * MB));
  for (let round = 0; round < 4; round++) {
    const refused = await connection.exchange('POST', long);
    assert.deepEqual([refused.status, refused.body.toString()], [400, 'a zero']);
  }
  assert.equal((await connection.exchange('POST', chunkedPost(Buffer.from('x')))).body.toString(), '1 bytes');
});

test('without sockets, as a test hands a request over, a body is handed on as well', async () => {
  assert.equal(await (await counter().request('/', { method: 'POST', body: 'xyz' })).text(), '3 bytes');
  assert.equal(await (await counter().request('/', { method: 'POST' })).text(), '0 bytes');
});
