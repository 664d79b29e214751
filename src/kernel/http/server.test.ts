import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, get, type Server as HttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually, HANG_MS } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { systemClock } from '../clock.ts';
import { CommandError } from '../errors.ts';
import type { ListenAddress } from './listen-address.ts';
import { type Listener, type ListenOptions, listen } from './server.ts';

const LOOPBACK: ListenAddress = { host: '127.0.0.1', port: 0 };
const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

async function start(t: TestContext, options: Partial<ListenOptions> = {}): Promise<Listener> {
  const fetch = () => new Response('hello');
  const listener = await listen({ fetch, addresses: [LOOPBACK], clock: systemClock, ...options });
  t.after(() => listener.close(0));
  return listener;
}

async function dial(t: TestContext, url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await new Promise((done) => socket.once('connect', done));
  return socket;
}

/** Longer than any test: anything that ends before was not delayed. */
const DAY_MS = 86_400_000;

/** Node itself would close an idle connection after five seconds. */
function keepIdleConnections(t: TestContext): void {
  const keep = (message: unknown) => {
    (message as { server: HttpServer }).server.keepAliveTimeout = 0;
  };
  subscribe('http.server.request.start', keep);
  t.after(() => unsubscribe('http.server.request.start', keep));
}

const closed = (socket: Socket) => new Promise((done) => socket.once('close', done));
const isRefused = (url: string) =>
  fetch(url).then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  );

/** Answers only on request. */
function startHeld(t: TestContext, options: Partial<ListenOptions> = {}) {
  const waiting: (() => void)[] = [];
  const fetch = () => new Promise<Response>((done) => waiting.push(() => done(new Response('at last'))));
  const release = () => {
    for (const answer of waiting.splice(0)) answer();
  };
  t.after(release);
  const asked = (count = 1) => eventually(`${count} requests`, () => waiting.length === count, { everyMs: 1 });
  return start(t, { fetch, ...options }).then((listener) => ({ listener, asked, release }));
}

describe('listening', () => {
  test('on port 0 takes a free port and returns it', async (t) => {
    const { url, addresses } = await start(t);
    assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    assert.deepEqual(addresses, [url.slice('http://'.length)]);
    assert.equal(await (await fetch(url)).text(), 'hello');
  });

  test('on every interface names localhost in the URL', async (t) => {
    const { url, addresses } = await start(t, { addresses: [{ host: undefined, port: 0 }] });
    assert.match(url, /^http:\/\/localhost:\d+$/);
    assert.match(addresses[0] ?? '', /^(\[::\]|0\.0\.0\.0):\d+$/);
    assert.equal(await (await fetch(url.replace('localhost', '127.0.0.1'))).text(), 'hello');
  });

  test('on several addresses serves them all', async (t) => {
    const { url, addresses } = await start(t, { addresses: [LOOPBACK, LOOPBACK, LOOPBACK] });
    assert.equal(new Set(addresses).size, 3);
    assert.equal(url, `http://${addresses[0]}`);
    for (const address of addresses) assert.equal(await (await fetch(`http://${address}`)).text(), 'hello');
  });

  test('on an IPv6 address writes it in brackets', { skip: !hasIPv6 && 'this machine has no ::1' }, async (t) => {
    const { url, addresses } = await start(t, { addresses: [{ host: '::1', port: 0 }] });
    assert.match(addresses[0] ?? '', /^\[::1\]:\d+$/);
    assert.equal(await (await fetch(url)).text(), 'hello');
  });
});

/** Occupies a port. */
async function occupy(t: TestContext): Promise<{ server: Server; port: number }> {
  const server = createServer();
  t.after(() => server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, port: (server.address() as { port: number }).port };
}

async function refusal(addresses: readonly ListenAddress[]): Promise<string> {
  const error = await listen({ fetch: () => new Response(''), addresses, clock: systemClock }).then(
    () => assert.fail('listens'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof CommandError && error.exitCode === 1, String(error));
  return error.message;
}

describe('an unavailable address', () => {
  test('is named in one line, with the reason and the remedy', async (t) => {
    const { port } = await occupy(t);
    assert.equal(
      await refusal([{ host: '127.0.0.1', port }]),
      `cannot listen on 127.0.0.1:${port}: the port is taken; stop what listens there or choose another one`,
    );
    assert.match(
      await refusal([{ host: undefined, port }]),
      new RegExp(`^cannot listen on :${port}: the port is taken`),
    );
    assert.equal(
      await refusal([{ host: '192.0.2.1', port: 0 }]),
      'cannot listen on 192.0.2.1:0: no interface of this machine has that address',
    );
  });

  test('leaves no other one bound', async (t) => {
    const { port } = await occupy(t);
    const { server, port: free } = await occupy(t);
    await new Promise((done) => server.close(done));
    const wanted = { host: '127.0.0.1', port: free };
    await refusal([wanted, { host: '127.0.0.1', port }]);
    const { url } = await start(t, { addresses: [wanted] });
    assert.equal(url, `http://127.0.0.1:${free}`);
  });
});

describe('closing', () => {
  test('refuses new connections at once and waits for the running request', async (t) => {
    const { listener, asked, release } = await startHeld(t);
    const answer = fetch(listener.url);
    await asked();
    const done = listener.close(DAY_MS);
    assert.ok(await isRefused(listener.url));
    release();
    assert.equal(await (await answer).text(), 'at last');
    await done;
  });

  test('waits for every address', async (t) => {
    const { listener, asked, release } = await startHeld(t, { addresses: [LOOPBACK, LOOPBACK] });
    const answers = listener.addresses.map((address) => fetch(`http://${address}`).then((answer) => answer.text()));
    await asked(2);
    const done = listener.close(DAY_MS);
    for (const address of listener.addresses) assert.ok(await isRefused(`http://${address}`));
    release();
    assert.deepEqual(await Promise.all(answers), ['at last', 'at last']);
    await done;
  });

  test('waits until a slow reader has its whole answer', { timeout: HANG_MS }, async (t) => {
    const size = 32 * 2 ** 20;
    const listener = await start(t, { fetch: () => new Response('x'.repeat(size)) });
    const socket = await dial(t, listener.url);
    socket.pause().write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await new Promise((done) => socket.once('readable', done));
    const done = listener.close(DAY_MS);
    assert.ok(await isRefused(listener.url));
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    const gone = closed(socket.resume());
    await Promise.all([done, gone]);
    assert.ok(received > size, `${received} bytes of ${size}`);
  });

  test('cuts remaining connections at the deadline, not before', { timeout: HANG_MS }, async (t) => {
    const clock = new FakeClock();
    const { listener, asked } = await startHeld(t, { clock });
    const socket = await dial(t, listener.url);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await asked();
    let over = false;
    const done = listener.close(5_000).then(() => {
      over = true;
    });
    clock.advance(4_999);
    // Long enough for a cut, had there been one, to arrive.
    assert.ok(await isRefused(listener.url));
    await nextTurn();
    assert.deepEqual([over, socket.destroyed, socket.readableEnded], [false, false, false]);
    const gone = closed(socket.resume());
    clock.advance(1);
    await Promise.all([done, gone]);
  });

  test('is one closing, however often it is requested', async (t) => {
    let ended = 0;
    const endStreams = async () => {
      ended++;
    };
    const { listener, asked, release } = await startHeld(t, { endStreams });
    const answer = fetch(listener.url);
    await asked();
    const first = listener.close(DAY_MS);
    const second = listener.close(0);
    release();
    assert.equal(await (await answer).text(), 'at last', 'the first deadline counts');
    await Promise.all([first, second, listener.close(0)]);
    assert.equal(ended, 1);
  });

  test('ends the streams that never end by themselves', { timeout: HANG_MS }, async (t) => {
    const streams: ReadableStreamDefaultController[] = [];
    const endStreams = async () => {
      for (const stream of streams) stream.close();
    };
    const body = () => new ReadableStream({ start: (controller) => void streams.push(controller) });
    const listener = await start(t, { fetch: () => new Response(body()), endStreams });
    const answer = await fetch(listener.url);
    streams[0]?.enqueue(new TextEncoder().encode('event'));
    await listener.close(DAY_MS);
    assert.equal(await answer.text(), 'event');
  });

  test('goes on when the streams cannot be ended', { timeout: HANG_MS }, async (t) => {
    const listener = await start(t, { endStreams: () => Promise.reject(new Error('no')) });
    await listener.close(DAY_MS);
  });
});

describe('closing is not delayed', { timeout: HANG_MS }, () => {
  test('by a kept-alive connection without a request', async (t) => {
    const listener = await start(t);
    const socket = await dial(t, listener.url);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await new Promise((done) => socket.once('data', done));
    const gone = closed(socket);
    await listener.close(DAY_MS);
    await gone;
  });

  test('by the kept-alive connection of the request that it waited for', async (t) => {
    keepIdleConnections(t);
    const { listener, asked, release } = await startHeld(t);
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    const answer = new Promise<string>((done, fail) => {
      get(listener.url, { agent }, (response) => text(response).then(done, fail));
    });
    await asked();
    const done = listener.close(DAY_MS);
    release();
    assert.equal(await answer, 'at last');
    await done;
  });

  test('by a connection that was opened in advance and says nothing', async (t) => {
    const listener = await start(t);
    const socket = await dial(t, listener.url);
    const gone = closed(socket.resume());
    // Accepted for certain: this one came later and is answered.
    await (await fetch(listener.url)).text();
    await listener.close(DAY_MS);
    await gone;
  });

  test('by a request whose headers never end', async (t) => {
    const listener = await start(t);
    const socket = await dial(t, listener.url);
    const gone = closed(socket.resume());
    socket.write('GET / HTTP/1.1\r\nhost: ');
    await (await fetch(listener.url)).text();
    await listener.close(DAY_MS);
    await gone;
  });
});

test('a request of HTTP/1.0, which has no Host, is answered like any other', async (t) => {
  const { url } = await start(t);
  const socket = await dial(t, url);
  socket.write('GET /-/healthy HTTP/1.0\r\n\r\n');
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*hello$/);
});
