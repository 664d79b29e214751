import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { Hono } from 'hono';
import { eventually } from '../testing/eventually.ts';
import { RawConnection } from '../testing/raw-connection.ts';
import { systemClock } from './clock.ts';
import { answerPieces, type HttpEnv } from './http.ts';
import { listen } from './server.ts';

interface Answering {
  readonly url: string;
  /** How many pieces were asked for so far. */
  readonly made: () => number;
  readonly outgoing: () => ServerResponse;
}

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const HEADERS = { 'content-type': 'application/json', 'x-own': 'kept' };

/** A server that answers with so many pieces, and on /ping with a word. */
async function startAnswering(t: TestContext, count: number, pieceOf: (index: number) => string): Promise<Answering> {
  let made = 0;
  let outgoing: ServerResponse | undefined;
  function* pieces() {
    while (made < count) yield pieceOf(made++);
  }
  const app = new Hono<HttpEnv>();
  app.get('/', (c) => {
    outgoing = c.env.outgoing as ServerResponse | undefined;
    return answerPieces(c, pieces(), HEADERS);
  });
  app.get('/ping', (c) => c.text('pong'));
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  return { url: listener.url, made: () => made, outgoing: () => outgoing as ServerResponse };
}

/** A client that has asked and does not read what is answered. */
async function startSlowReader(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await new Promise((done) => socket.once('connect', done));
  socket.pause().write(GET);
  return socket;
}

async function exchange(t: TestContext, url: string): Promise<{ status: number; head: string; body: string }> {
  const connection = await RawConnection.open(url, { keepBodies: true });
  t.after(() => connection.close());
  const { status, head, body } = await connection.exchange('GET', GET);
  return { status, head, body: body.toString() };
}

describe('a short text', () => {
  for (const [name, count, whole] of [
    ['goes out in one piece, its length announced', 3, '[0,"ü"][1,"ü"][2,"ü"]'],
    ['may be empty', 0, ''],
  ] as const) {
    test(name, async (t) => {
      const { url } = await startAnswering(t, count, (index) => `[${index},"ü"]`);
      const { status, head, body } = await exchange(t, url);
      assert.deepEqual([status, body], [200, whole]);
      assert.match(head, new RegExp(`^content-length: ${Buffer.byteLength(whole)}$`, 'im'));
      assert.match(head, /^content-type: application\/json$/im);
      assert.match(head, /^x-own: kept$/im);
    });
  }

  test('needs no socket', async () => {
    const app = new Hono<HttpEnv>();
    app.get('/', (c) => answerPieces(c, Array(5).fill('x'.repeat(100_000)), HEADERS));
    const response = await app.request('/');
    assert.deepEqual([response.status, response.headers.get('x-own')], [200, 'kept']);
    assert.equal((await response.text()).length, 500_000);
  });
});

describe('a long text', () => {
  /** 200 KB each, of characters of one, two, three and four bytes. */
  const piece = (index: number) => `${index}:${'aü€😀'.repeat(20_000)}\n`;

  test('arrives whole and in order, in chunks, with its headers', async (t) => {
    const { url } = await startAnswering(t, 20, piece);
    const { status, head, body } = await exchange(t, url);
    assert.equal(status, 200);
    assert.ok(body === Array.from({ length: 20 }, (_, index) => piece(index)).join(''));
    assert.match(head, /^transfer-encoding: chunked$/im);
    assert.match(head, /^x-own: kept$/im);
  });

  test('may end with a chunk', async (t) => {
    for (const count of [1, 2]) {
      const { url } = await startAnswering(t, count, () => 'x'.repeat(256 * 1024));
      assert.equal((await exchange(t, url)).body, 'x'.repeat(256 * 1024 * count));
    }
  });

  test('leaves a connection that serves the next request', async (t) => {
    const { url } = await startAnswering(t, 10, piece);
    const connection = await RawConnection.open(url, { keepBodies: true });
    t.after(() => connection.close());
    await connection.exchange('GET', GET);
    assert.equal((await connection.exchange('GET', GET.replace('/', '/ping'))).body.toString(), 'pong');
  });

  test('is made only as fast as it is read, and holds up nobody else', { timeout: 20_000 }, async (t) => {
    const { url, made } = await startAnswering(t, 256, (index) => `${index}`.padEnd(256 * 1024, '.'));
    const socket = await startSlowReader(t, url);
    await eventually('the answer has begun', () => made() > 0, { everyMs: 1 });
    const before = made();
    for (let round = 0; round < 20; round++) assert.equal(await (await fetch(`${url}/ping`)).text(), 'pong');
    assert.ok(made() < 128, `${made()} of 256 pieces are made, ${before} at first`);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await eventually('all of it', () => received > 256 * 256 * 1024, { everyMs: 5 });
    assert.equal(made(), 256);
  });

  test('is no longer made once its client has gone away', { timeout: 20_000 }, async (t) => {
    const { url, made, outgoing } = await startAnswering(t, 256, (index) => `${index}`.padEnd(256 * 1024, '.'));
    const socket = await startSlowReader(t, url);
    await eventually('the answer has begun', () => made() > 0, { everyMs: 1 });
    const closed = new Promise((done) => outgoing().once('close', done));
    socket.destroy();
    await closed;
    assert.equal(outgoing().writableFinished, false);
    const left = made();
    for (let round = 0; round < 5; round++) assert.equal(await (await fetch(`${url}/ping`)).text(), 'pong');
    assert.equal(made(), left);
    assert.ok(left < 128, `${left} of 256 pieces were made`);
  });

  test('is cut off after a minute in which its client takes nothing', async (t) => {
    const { url, made, outgoing } = await startAnswering(t, 256, (index) => `${index}`.padEnd(256 * 1024, '.'));
    await startSlowReader(t, url);
    await eventually('the answer has begun', () => made() > 0, { everyMs: 1 });
    assert.equal(outgoing().socket?.timeout, 60_000);
    const closed = new Promise((done) => outgoing().once('close', done));
    outgoing().socket?.emit('timeout');
    await closed;
    assert.equal(outgoing().writableFinished, false);
  });
});
