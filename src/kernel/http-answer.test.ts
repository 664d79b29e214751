import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { Hono } from 'hono';
import { eventually, HANG_MS } from '../testing/eventually.ts';
import { RawConnection } from '../testing/http/raw-connection.ts';
import { systemClock } from './clock.ts';
import { answerArray, type HttpEnv } from './http/app.ts';
import { listen } from './http/server.ts';

interface Answering {
  readonly url: string;
  /** Number of elements read so far. */
  readonly made: () => number;
  readonly outgoing: () => ServerResponse;
}

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const HEADERS = { 'content-type': 'application/json', 'x-own': 'kept' };

/** A list with the number of its read `entries`. */
class CountedElements extends Array<string> {
  made = 0;

  override *entries(): ArrayIterator<[number, string]> {
    for (let index = 0; index < this.length; index++) {
      this.made = index + 1;
      yield [index, this[index] as string];
    }
  }
}

/** A server that answers with a list of elements, and on /ping with a word. */
async function startAnswering(t: TestContext, count: number, elementOf: (index: number) => string): Promise<Answering> {
  const elements = CountedElements.from({ length: count }, (_, index) => elementOf(index)) as CountedElements;
  let outgoing: ServerResponse | undefined;
  const app = new Hono<HttpEnv>();
  app.get('/', (c) => {
    outgoing = c.env.outgoing as ServerResponse | undefined;
    return answerArray(c, elements, HEADERS);
  });
  app.get('/ping', (c) => c.text('pong'));
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  return { url: listener.url, made: () => elements.made, outgoing: () => outgoing as ServerResponse };
}

/** A client that sends a request and does not read the answer. */
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

describe('a short array', () => {
  for (const [name, count, whole] of [
    ['goes out in one piece, its length announced', 3, '[[0,"ü"],[1,"ü"],[2,"ü"]]\n'],
    ['may be empty', 0, '[]\n'],
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

  test('needs no socket, however long it is', async () => {
    const app = new Hono<HttpEnv>();
    app.get('/', (c) => answerArray(c, Array(5).fill('1'.repeat(100_000)), HEADERS));
    const response = await app.request('/');
    assert.deepEqual([response.status, response.headers.get('x-own')], [200, 'kept']);
    assert.equal((await response.text()).length, 500_000 + '[,,,,]\n'.length);
  });
});

describe('a long array', () => {
  /** Of characters of one, two, three and four bytes. */
  const element = (index: number, repeats = 20_000) => JSON.stringify(`${index}:${'aü€😀'.repeat(repeats)}`);

  test('arrives whole and in order, in chunks, with its headers', async (t) => {
    const { url } = await startAnswering(t, 20, element);
    const { status, head, body } = await exchange(t, url);
    assert.equal(status, 200);
    assert.ok(body === `[${Array.from({ length: 20 }, (_, index) => element(index)).join(',')}]\n`);
    assert.match(head, /^transfer-encoding: chunked$/im);
    assert.match(head, /^x-own: kept$/im);
  });

  test('arrives whole wherever its chunks end', async (t) => {
    for (const repeats of [0, 1, 37, 8_738, 43_690, 100_000]) {
      const count = Math.ceil(300_000 / (repeats + 1));
      const few = Math.min(count, 3_000);
      const { url } = await startAnswering(t, few, (index) => element(index, repeats));
      const whole = `[${Array.from({ length: few }, (_, index) => element(index, repeats)).join(',')}]\n`;
      assert.ok((await exchange(t, url)).body === whole, `elements of ${repeats} repeats`);
    }
  });

  test('of bytes alone announces its length', async (t) => {
    const elements = Array.from({ length: 20 }, (_, index) => Buffer.from(element(index, index * 1_000)));
    const app = new Hono<HttpEnv>();
    app.get('/', (c) => answerArray(c, elements, HEADERS));
    const listener = await listen({
      fetch: app.fetch,
      addresses: [{ host: '127.0.0.1', port: 0 }],
      clock: systemClock,
    });
    t.after(() => listener.close(0));
    const { head, body } = await exchange(t, listener.url);
    assert.ok(body === `[${elements.join(',')}]\n`);
    assert.match(head, new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, 'im'));
    assert.doesNotMatch(head, /transfer-encoding/i);
  });

  test('may be of texts and of bytes, large and small', async (t) => {
    const elements = Array.from({ length: 40 }, (_, index) => element(index, [0, 7, 1_000, 60_000][index % 4]));
    const app = new Hono<HttpEnv>();
    const mixed = elements.map((text, index) => (index % 3 === 0 ? text : Buffer.from(text)));
    app.get('/', (c) => answerArray(c, mixed, HEADERS));
    app.get('/short', (c) => answerArray(c, [Buffer.from('"\u00fc"'), '1', Buffer.from('2,3')], HEADERS));
    const listener = await listen({
      fetch: app.fetch,
      addresses: [{ host: '127.0.0.1', port: 0 }],
      clock: systemClock,
    });
    t.after(() => listener.close(0));
    assert.ok((await exchange(t, listener.url)).body === `[${elements.join(',')}]\n`);
    assert.equal(await (await fetch(`${listener.url}/short`)).text(), '["\u00fc",1,2,3]\n');
  });

  test('leaves a connection that serves the next request', async (t) => {
    const { url } = await startAnswering(t, 10, element);
    const connection = await RawConnection.open(url, { keepBodies: true });
    t.after(() => connection.close());
    await connection.exchange('GET', GET);
    assert.equal((await connection.exchange('GET', GET.replace('/', '/ping'))).body.toString(), 'pong');
  });

  test('is written only as fast as it is read, and delays no other', { timeout: HANG_MS }, async (t) => {
    const { url, made } = await startAnswering(t, 128, (index) => `${index}`.padEnd(256 * 1024, '.'));
    const socket = await startSlowReader(t, url);
    await eventually('the answer has begun', () => made() > 0, { everyMs: 1 });
    const before = made();
    for (let round = 0; round < 20; round++) assert.equal(await (await fetch(`${url}/ping`)).text(), 'pong');
    assert.ok(made() < 64, `${made()} of 128 elements are made, ${before} at first`);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await eventually('all of it', () => received > 128 * 256 * 1024, { everyMs: 5 });
    assert.equal(made(), 128);
  });

  test('is no longer written once its client is gone', { timeout: HANG_MS }, async (t) => {
    const { url, made, outgoing } = await startAnswering(t, 128, (index) => `${index}`.padEnd(256 * 1024, '.'));
    const socket = await startSlowReader(t, url);
    await eventually('the answer has begun', () => made() > 0, { everyMs: 1 });
    const closed = new Promise((done) => outgoing().once('close', done));
    socket.destroy();
    await closed;
    assert.equal(outgoing().writableFinished, false);
    const left = made();
    for (let round = 0; round < 5; round++) assert.equal(await (await fetch(`${url}/ping`)).text(), 'pong');
    assert.equal(made(), left);
    assert.ok(left < 64, `${left} of 128 elements were made`);
  });

  test('is cut off after a minute without reads of its client', async (t) => {
    const { url, made, outgoing } = await startAnswering(t, 128, (index) => `${index}`.padEnd(256 * 1024, '.'));
    await startSlowReader(t, url);
    await eventually('the answer has begun', () => made() > 0, { everyMs: 1 });
    assert.equal(outgoing().socket?.timeout, 60_000);
    const closed = new Promise((done) => outgoing().once('close', done));
    outgoing().socket?.emit('timeout');
    await closed;
    assert.equal(outgoing().writableFinished, false);
  });
});
