import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Hono } from 'hono';
import { HANG_MS } from '../testing/eventually.ts';
import { RawConnection } from '../testing/http/raw-connection.ts';
import { systemClock } from './clock.ts';
import { type BodyRead, type HttpEnv, readBody } from './http/app.ts';
import { listen } from './http/server.ts';

const LIMIT = 100_000;
const MB = 2 ** 20;

interface Reader {
  readonly url: string;
  /** What the next request's body was read as. */
  nextRead(): Promise<BodyRead>;
}

/** A server that reads bodies, after a wait of its own where the test gives one. */
async function startReader(t: TestContext, waitFirst?: (aborted: Promise<unknown>) => Promise<void>): Promise<Reader> {
  const waiting: ((read: BodyRead) => void)[] = [];
  const app = new Hono<HttpEnv>();
  app.post('/', async (c) => {
    const aborted = new Promise((done) => c.env.outgoing?.once('close', done));
    await waitFirst?.(aborted);
    const read = await readBody(c, LIMIT);
    waiting.shift()?.(read);
    return read.ok ? c.text(`${read.bytes.length} bytes`) : c.text(read.reason, 413);
  });
  app.get('/', (c) => c.text('still here'));
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  return { url: listener.url, nextRead: () => new Promise((done) => waiting.push(done)) };
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/** Posts the chunks, with the length announced or not. */
function post(url: string, chunks: readonly Buffer[], announced: boolean): Promise<Answer> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return new Promise((done, fail) => {
    const outgoing = request(url, {
      method: 'POST',
      headers: announced ? { 'content-length': length } : {},
      agent: false,
    });
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      text(response).then((body) => done({ status: response.statusCode, text: body }), fail);
    });
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}

const sizes: readonly (readonly [size: number, status: number, said: string])[] = [
  [0, 200, '0 bytes'],
  [1, 200, '1 bytes'],
  [LIMIT, 200, '100000 bytes'],
  [LIMIT + 1, 413, 'too large'],
];

for (const announced of [true, false]) {
  describe(`a body with${announced ? '' : 'out'} a content length`, () => {
    for (const [size, status, said] of sizes) {
      test(`of ${size} bytes is answered with ${status}`, async (t) => {
        const { url } = await startReader(t);
        assert.deepEqual(await post(url, [Buffer.alloc(size, 'x')], announced), { status, text: said });
      });
    }

    test('is read byte for byte, in any chunks', async (t) => {
      const reader = await startReader(t);
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
      const read = reader.nextRead();
      await post(reader.url, [bytes.subarray(0, 1), bytes.subarray(1, 40_000), bytes.subarray(40_000)], announced);
      assert.deepEqual(await read, { ok: true, bytes });
    });

    test('far too large is refused, and read to its end, so that its writer sees why and may go on', async (t) => {
      const { url } = await startReader(t);
      const connection = await RawConnection.open(url, { keepBodies: true });
      t.after(() => connection.close());
      for (const bytes of [Buffer.alloc(2 * LIMIT), Buffer.alloc(70 * MB)]) {
        const refusal = await connection.exchange('POST', framedPost(bytes, announced));
        assert.deepEqual([refusal.status, refusal.body.toString()], [413, 'too large']);
        const next = await connection.exchange('GET', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
        assert.deepEqual([next.status, next.body.toString()], [200, 'still here']);
      }
    });

    test('of a client that disconnects in the middle is aborted', async (t) => {
      const reader = await startReader(t);
      const read = reader.nextRead();
      const socket = await dial(t, reader.url);
      socket.write(
        announced ? postHead('content-length: 1000') : `${postHead('transfer-encoding: chunked')}5\r\nhello\r\n`,
      );
      socket.write(announced ? 'hello' : 'ff\r\nhel', () => socket.destroy());
      assert.deepEqual(await read, { ok: false, reason: 'aborted' });
    });
  });
}

function postHead(framing: string): string {
  return `POST / HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`;
}

/** A whole request, its body announced or as one chunk. */
function framedPost(body: Buffer, announced: boolean): Buffer {
  if (announced) return Buffer.concat([Buffer.from(postHead(`content-length: ${body.length}`)), body]);
  const head = `${postHead('transfer-encoding: chunked')}${body.length.toString(16)}\r\n`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n0\r\n\r\n')]);
}

function dial(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  return new Promise((done, fail) => socket.once('connect', () => done(socket)).once('error', fail));
}

test('an announced length that is too large is refused before a byte of the body has come', async (t) => {
  const { url } = await startReader(t);
  const connection = await RawConnection.open(url, { keepBodies: true });
  t.after(() => connection.close());
  const { status, body } = await connection.exchange('POST', postHead(`content-length: ${LIMIT + 1}`));
  assert.deepEqual([status, body.toString()], [413, 'too large']);
});

test('bodies received with their heads are read whole, one request after the other', {
  timeout: HANG_MS,
}, async (t) => {
  const reader = await startReader(t);
  const lengths = [1, 20_000, 3, 0, 5];
  const requests = lengths.map(
    (length, index) =>
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: ${index === lengths.length - 1 ? 'close' : 'keep-alive'}\r\n` +
      `Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
  );
  const socket = connect(Number(new URL(reader.url).port), '127.0.0.1');
  socket.write(requests.join(''));
  const answers = (await text(socket)).match(/\d+ bytes/g);
  assert.deepEqual(
    answers,
    lengths.map((length) => `${length} bytes`),
  );
});

test('a small body is there when its request is handed on, and is read without waiting', async (t) => {
  const reads: unknown[] = [];
  const app = new Hono<HttpEnv>();
  app.post('/', (c) => {
    reads.push(readBody(c, LIMIT));
    return c.text('');
  });
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  const connection = await RawConnection.open(listener.url);
  t.after(() => connection.close());
  for (const body of ['first', 'second']) {
    await connection.exchange('POST', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  }
  assert.deepEqual(reads, [
    { ok: true, bytes: Buffer.from('first') },
    { ok: true, bytes: Buffer.from('second') },
  ]);
});

test('a client gone before the read of its body is aborted', { timeout: HANG_MS }, async (t) => {
  const reader = await startReader(t, async (aborted) => {
    await aborted;
    await nextTurn();
  });
  const read = reader.nextRead();
  const socket = await dial(t, reader.url);
  socket.write(`${postHead('content-length: 1000')}hello`, () => socket.destroy());
  assert.deepEqual(await read, { ok: false, reason: 'aborted' });
});

describe('without sockets, as a test hands a request over', () => {
  const app = new Hono<HttpEnv>();
  app.post('/', async (c) => {
    const read = await readBody(c, LIMIT);
    return read.ok ? c.body(new Uint8Array(read.bytes)) : c.text(read.reason, 413);
  });

  test('a body is read', async () => {
    assert.equal(await (await app.request('/', { method: 'POST', body: 'grün' })).text(), 'grün');
    assert.equal((await app.request('/', { method: 'POST', body: 'x'.repeat(LIMIT) })).status, 200);
  });

  test('a body that is too large is refused, by its length or by its bytes', async () => {
    const body = 'x'.repeat(LIMIT + 1);
    assert.equal((await app.request('/', { method: 'POST', body })).status, 413);
    const headers = { 'content-length': String(LIMIT + 1) };
    assert.equal((await app.request('/', { method: 'POST', body: 'x', headers })).status, 413);
  });
});
