import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { request } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { eventually, HANG_MS } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { Fanout } from '../sse/fanout.ts';
import { frameEvent } from '../sse/frame.ts';
import { AUTHORITY, SERVER } from '../testdata/tls-certificates.ts';
import { type HttpContext, readBody } from './app.ts';
import { type ListenOptions, listen } from './server.ts';
import type { TlsSettings } from './tls-front.ts';

const SETTINGS: TlsSettings = {
  ...SERVER,
  clientCertificates: 'none',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  prefersOwnCiphers: true,
};
const MEBIBYTE = 2 ** 20;
const message = (data: string) => frameEvent({ data });

/** Answers every path in its own way. */
async function start(t: TestContext, options: Partial<ListenOptions> = {}) {
  const clock = new FakeClock();
  const fanout = new Fanout({ clock, heartbeatMs: 0, maxBufferedBytes: 100_000 });
  const released: (() => void)[] = [];
  const fetch = async (incoming: Request, env: unknown): Promise<Response> => {
    const { pathname } = new URL(incoming.url);
    if (pathname === '/held') await new Promise<void>((resolve) => released.push(resolve));
    if (pathname === '/large') return new Response('x'.repeat(16 * MEBIBYTE));
    if (pathname === '/body') {
      const body = await readBody({ env } as HttpContext, 1000);
      return new Response(body.ok ? `${body.bytes.length}` : body.reason);
    }
    if (pathname !== '/stream') return new Response(`${(env as HttpBindings).incoming.headers.host}${pathname}`);
    const headers = { connection: 'keep-alive', 'x-extra': 'yes' };
    fanout.open((env as HttpBindings).outgoing, { snapshot: message('hello'), headers });
    return RESPONSE_ALREADY_SENT;
  };
  const listener = await listen({
    fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    tls: () => SETTINGS,
    clock,
    endStreams: () => fanout.close(),
    ...options,
  });
  t.after(() => {
    const closed = listener.close(0);
    clock.advance(0);
    return closed;
  });
  const release = () => {
    for (const resolve of released.splice(0)) resolve();
  };
  const dial = async () => {
    const session = connect(listener.url, { ca: AUTHORITY, maxSendHeaderBlockLength: 2 ** 20 });
    t.after(() => session.destroy());
    session.on('error', () => {});
    await once(session, 'remoteSettings');
    // So that an unread stream does not hold up others.
    session.setLocalWindowSize(64 * MEBIBYTE);
    return session;
  };
  return { clock, fanout, listener, dial, released, release, port: Number(new URL(listener.url).port) };
}

class Answer {
  readonly stream: ClientHttp2Stream;
  readonly head: Promise<IncomingHttpHeaders>;
  readonly closed: Promise<void>;
  text = '';

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream.setEncoding('utf8').on('error', () => {});
    this.head = new Promise((resolve) => stream.once('response', resolve));
    this.closed = new Promise((resolve) => stream.once('close', resolve));
  }

  read(): this {
    this.stream.on('data', (chunk: string) => {
      this.text += chunk;
    });
    return this;
  }

  hears(what: string): Promise<void> {
    return eventually(`${what} heard`, () => this.text.includes(what), { everyMs: 1 }).then(() => {});
  }
}

const ask = (session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}) =>
  new Answer(session.request({ ':path': path, ...headers }));

async function get(session: ClientHttp2Session, path: string, headers: OutgoingHttpHeaders = {}): Promise<string> {
  const answer = ask(session, path, headers).read();
  await answer.closed;
  return answer.stream.rstCode === 0 ? answer.text : `reset ${answer.stream.rstCode}`;
}

/** A minute, and as long as reading it at 16 kB a second takes. */
const LARGE_STALLED_MS = 60_000 + (16 * MEBIBYTE) / 16;

/** Lets time pass as it does: between two checks of a server, connections get their turn. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    clock.advance(5_000);
    await nextTurn();
  }
}

/** A frame of HTTP/2. Source: RFC 9113, 4.1. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** `GET https://relay/large` in HPACK. */
const GET_LARGE = Buffer.concat([
  Buffer.from([0x82, 0x87, 0x04, 6]),
  Buffer.from('/large'),
  Buffer.from([0x01, 5]),
  Buffer.from('relay'),
]);

/** A connection whose client writes its frames itself. */
async function dialRaw(t: TestContext, port: number): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca: AUTHORITY, ALPNProtocols: ['h2'] });
  t.after(() => socket.destroy());
  socket.on('error', () => {}).resume();
  await once(socket, 'secureConnect');
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]));
  return socket;
}

describe('HTTP/2', { timeout: HANG_MS }, () => {
  test('answers, reads bodies, and gives the host of its own field', async (t) => {
    const { dial, port } = await start(t);
    const session = await dial();
    assert.equal(await get(session, '/a'), `127.0.0.1:${port}/a`);
    assert.equal(await get(session, '/a', { ':authority': 'relay', host: 'other' }), 'relay/a');
    const post = ask(session, '/body', { ':method': 'POST' }).read();
    post.stream.end('x'.repeat(900));
    await post.closed;
    const tooLong = ask(session, '/body', { ':method': 'POST' }).read();
    tooLong.stream.end('x'.repeat(200_000));
    await tooLong.closed;
    assert.deepEqual([post.text, tooLong.text], ['900', 'too large']);
  });

  test('HTTP/1.1 is answered on the same port', async (t) => {
    const { port, dial } = await start(t);
    const session = await dial();
    const body = await new Promise<string>((resolve, reject) => {
      request({ port, host: '127.0.0.1', ca: AUTHORITY, agent: false }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end();
    });
    assert.equal(body, await get(session, '/'));
  });

  test('twenty event streams of one connection get every event, and end when the server closes', async (t) => {
    const { dial, fanout, listener } = await start(t);
    const session = await dial();
    const streams = Array.from({ length: 20 }, () => ask(session, '/stream').read());
    for (const stream of streams) await stream.hears('hello');
    const head = await streams[0]?.head;
    assert.deepEqual(
      [head?.[':status'], head?.['content-type'], head?.connection, head?.['x-extra']],
      [200, 'text/event-stream', undefined, 'yes'],
    );
    fanout.send(message('one'));
    fanout.send(message('two'));
    for (const stream of streams) await stream.hears('data: two');
    assert.equal(fanout.size, 20);
    streams[0]?.stream.close(constants.NGHTTP2_CANCEL);
    await eventually('one has left', () => fanout.size === 19);
    const closed = once(session, 'close');
    await listener.close(60_000);
    await closed;
    for (const { text, stream } of streams.slice(1))
      assert.deepEqual([text, stream.rstCode], ['data: hello\n\ndata: one\n\ndata: two\n\n', 0]);
  });

  const departures: Readonly<Record<string, (session: ClientHttp2Session, tls: TLSSocket, tcp: Socket) => void>> = {
    'ends its session': (session) => session.destroy(),
    'breaks its connection': (_, tls) => tls.destroy(),
    'is gone without a word': (_, __, tcp) => tcp.destroy(),
    'resets its connection': (_, __, tcp) => tcp.resetAndDestroy(),
  };
  for (const [how, leave] of Object.entries(departures))
    test(`a client that ${how} has left all its streams`, async (t) => {
      const { fanout, listener, port } = await start(t);
      const tcp = connectTcp(port, '127.0.0.1');
      const tls = connectTls({ socket: tcp, ca: AUTHORITY, ALPNProtocols: ['h2'], servername: 'localhost' });
      const session = connect(listener.url, { createConnection: () => tls }).on('error', () => {});
      const streams = [ask(session, '/stream').read(), ask(session, '/stream').read()];
      for (const stream of streams) await stream.hears('hello');
      leave(session, tls, tcp);
      await eventually('all have left', () => fanout.size === 0, { everyMs: 1 });
    });

  test('a stream that is not read is cut, and others of its connection go on', async (t) => {
    const { dial, fanout } = await start(t);
    const session = await dial();
    const unread = ask(session, '/stream');
    await unread.head;
    const other = ask(session, '/stream').read();
    await other.hears('hello');
    for (let count = 0; fanout.dropped === 0; count++) {
      fanout.send(message(`${count} ${'x'.repeat(10_000)}`));
      await other.hears(`data: ${count} `);
    }
    await eventually('reset', () => unread.stream.rstCode === constants.NGHTTP2_CANCEL || unread.stream.destroyed);
    fanout.send(message('goes on'));
    await other.hears('goes on');
    assert.equal(fanout.size, 1);
  });
});

describe('a closing server', { timeout: HANG_MS }, () => {
  test('says so to its clients of HTTP/2, and finishes their requests', async (t) => {
    const { dial, listener, released, release } = await start(t);
    const [busy, idle] = [await dial(), await dial()];
    const answer = ask(busy, '/held').read();
    await eventually('asked', () => released.length === 1, { everyMs: 1 });
    const goaway = Promise.all([busy, idle].map((session) => once(session, 'goaway')));
    const closed = listener.close(60_000);
    await goaway;
    release();
    await answer.closed;
    assert.match(answer.text, /held$/);
    await closed;
  });

  test('cuts at its deadline what is not finished', async (t) => {
    const { dial, listener, released, clock } = await start(t);
    const session = await dial();
    const answer = ask(session, '/held');
    await eventually('asked', () => released.length === 1, { everyMs: 1 });
    const closed = listener.close(3_000);
    clock.advance(2_999);
    await nextTurn();
    assert.equal(answer.stream.closed, false);
    clock.advance(1);
    await Promise.all([closed, answer.closed]);
  });
});

describe('a client of HTTP/2', { timeout: HANG_MS }, () => {
  test('that takes nothing of an answer is cut after a time that grows with the answer', async (t) => {
    const { dial, clock } = await start(t);
    const session = await dial();
    const stalled = ask(session, '/large');
    await stalled.head;
    await pass(clock, LARGE_STALLED_MS);
    assert.match(await get(session, '/still-there'), /still-there$/);
    assert.equal(stalled.stream.closed, false);
    await pass(clock, 10_000);
    await stalled.closed;
    assert.match(await get(session, '/other'), /other$/);
  });

  test('that sends only a part of a request is cut after a minute', async (t) => {
    const { dial, clock } = await start(t);
    const session = await dial();
    const late = ask(session, '/body', { ':method': 'POST' });
    late.stream.write('some');
    const held = ask(session, '/stream').read();
    await held.hears('hello');
    clock.advance(60_000);
    await late.closed;
    assert.equal(late.stream.rstCode, constants.NGHTTP2_CANCEL);
    assert.equal(held.stream.closed, false);
  });

  test('that asks nothing is closed after 75 seconds', async (t) => {
    const { dial, clock } = await start(t);
    const [idle, streaming] = [await dial(), await dial()];
    await get(idle, '/');
    const held = ask(streaming, '/stream').read();
    await held.hears('hello');
    const closed = once(idle, 'close');
    clock.advance(70_000);
    assert.match(await get(idle, '/kept'), /kept$/);
    clock.advance(70_000);
    assert.match(await get(idle, '/kept'), /kept$/);
    await pass(clock, 80_000);
    await closed;
    assert.equal(streaming.closed, false);
  });

  test('whose connection takes nothing at all loses it', async (t) => {
    const { port, clock, dial, listener } = await start(t);
    const socket = await dialRaw(t, port);
    const window = Buffer.from([0x7f, 0, 0, 0]);
    socket.write(Buffer.concat([frame(8, 0, 0, window), frame(1, 5, 1, GET_LARGE), frame(8, 0, 1, window)]));
    await eventually('the answer begins', () => socket.bytesRead > 10_000, { everyMs: 1 });
    socket.pause();
    const other = await dial();
    assert.match(await get(other, '/other'), /other$/);
    other.close();
    await pass(clock, LARGE_STALLED_MS + 20_000);
    // Otherwise this would wait for it.
    await listener.close(60_000);
  });

  const floods: readonly [name: string, flood: Buffer][] = [
    ['settings', frame(4, 0, 0, Buffer.alloc(0))],
    ['pings', frame(6, 0, 0, Buffer.alloc(8))],
  ];
  for (const [name, flood] of floods)
    test(`that floods its connection with ${name} and reads no answer loses it`, async (t) => {
      const { port, dial } = await start(t);
      const socket = await dialRaw(t, port);
      socket.pause();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const burst = Buffer.concat(Array.from({ length: 1_000 }, () => flood));
      const flooding = setInterval(() => socket.writableLength === 0 && socket.write(burst), 1);
      await closed.finally(() => clearInterval(flooding));
      assert.match(await get(await dial(), '/other'), /other$/);
    });

  test('that opens and resets requests without end is cut, and others are served', async (t) => {
    const { dial, released, listener } = await start(t);
    const [hostile, other] = [await dial(), await dial()];
    for (let round = 0; round < 100 && !hostile.destroyed; round++) {
      const answers = Array.from({ length: 50 }, () => ask(hostile, '/held'));
      await nextTurn();
      for (const { stream } of answers) stream.close(constants.NGHTTP2_CANCEL);
      await nextTurn();
    }
    assert.match(await get(other, '/other'), /other$/);
    assert.ok(released.length < 1_000, `${released.length} requests`);
    other.close();
    // Otherwise this would wait for the hostile connection.
    await listener.close(60_000);
  });

  test('may send a head of the limit, and no longer one', async (t) => {
    const { dial } = await start(t, { maxHeaderBytes: 2 ** 20 });
    const session = await dial();
    assert.equal(session.remoteSettings.maxHeaderListSize, 80 * 1024);
    assert.match(await get(session, `/${'x'.repeat(60_000)}`), /x$/);
    const [long, short] = [{ a: 'x'.repeat(50_000), b: 'y'.repeat(50_000) }, { a: 'x' }];
    assert.equal(await get(session, '/', long), `reset ${constants.NGHTTP2_ENHANCE_YOUR_CALM}`);
    assert.match(await get(session, '/', short), /^127/);
  });

  test('may have 128 requests at once', async (t) => {
    const { dial, released } = await start(t);
    const session = await dial();
    assert.equal(session.remoteSettings.maxConcurrentStreams, 128);
    const answers = Array.from({ length: 140 }, () => ask(session, '/held'));
    await eventually('128 asked', () => released.length === 128, { everyMs: 1 });
    answers[0]?.stream.close(constants.NGHTTP2_CANCEL);
    await eventually('one more', () => released.length === 129, { everyMs: 1 });
  });
});
