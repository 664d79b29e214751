import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { eventually, HANG_MS } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Clock } from '../clock.ts';
import { type ListenOptions, listen } from '../http/server.ts';
import { AUTHORITY, SERVER } from '../testdata/tls-certificates.ts';
import { whenOver } from './answer-over.ts';
import type { StreamClient } from './client.ts';
import { Fanout } from './fanout.ts';
import { frameEvent } from './frame.ts';
import { onTakenSocket } from './stream-socket.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const message = (data: string) => frameEvent({ data });
const HELLO = message('hello');

interface Opened {
  readonly outgoing: ServerResponse;
  readonly client: StreamClient;
}

/** A server, of Node and nothing else, whose every answer is a stream that begins with `hello`. */
async function startStreams(t: TestContext, onAnswer = (_: ServerResponse) => {}) {
  const fanout = new Fanout({ clock: new FakeClock(), heartbeatMs: 0 });
  const opened: Opened[] = [];
  const taken: Socket[] = [];
  const server = createServer((_, outgoing) => {
    onAnswer(outgoing);
    opened.push({ outgoing, client: fanout.open(outgoing, { snapshot: HELLO }) });
  });
  onTakenSocket(server, (socket) => taken.push(socket));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of taken) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { fanout, server, opened, taken, port };
}

class Peer {
  readonly socket: Socket;
  received = '';

  constructor(t: TestContext, socket: Socket, request: string) {
    this.socket = socket;
    t.after(() => socket.destroy());
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        this.received += chunk.toString('latin1');
      });
    socket.write(request);
  }

  async hears(what: string): Promise<void> {
    await eventually(`${what} heard`, () => this.received.includes(what));
  }
}

function dial(t: TestContext, port: number, request = REQUEST): Peer {
  return new Peer(t, connect({ port, host: '127.0.0.1', allowHalfOpen: true }), request);
}

describe('a stream', () => {
  test('releases its answer when its beginning is sent, and continues in the same chunks', async (t) => {
    const { fanout, opened, taken, port } = await startStreams(t);
    const peer = dial(t, port);
    await peer.hears('hello');
    await eventually('taken', () => taken.length === 1);
    await eventually('the answer over', () => opened[0]?.outgoing.closed === true);
    assert.deepEqual([opened[0]?.outgoing.socket, opened[0]?.client.isOpen, fanout.size], [null, true, 1]);
    fanout.send(message('a'));
    fanout.send(message('b'));
    await peer.hears('data: b');
    fanout.close();
    await once(peer.socket, 'end');
    const [, body] = peer.received.split('\r\n\r\n', 2);
    const chunk = (data: string) => `${(8 + data.length).toString(16)}\r\ndata: ${data}\n\n\r\n`;
    assert.equal(
      peer.received.slice(peer.received.indexOf(body ?? '')),
      `${['hello', 'a', 'b'].map(chunk).join('')}0\r\n\r\n`,
    );
  });

  test('is still counted by its server, which waits for it to close', async (t) => {
    const { fanout, server, taken, port } = await startStreams(t);
    await dial(t, port).hears('hello');
    await eventually('taken', () => taken.length === 1);
    assert.equal(await new Promise((resolve) => server.getConnections((_, count) => resolve(count))), 1);
    let isClosed = false;
    const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => {
      isClosed = true;
    });
    await nextTurn();
    assert.equal(isClosed, false);
    fanout.close();
    await closed;
  });

  test('reports its own end, not that of its answer', async (t) => {
    const reported: string[] = [];
    const onAnswer = (outgoing: ServerResponse) => whenOver(outgoing, () => reported.push('answer'));
    const { opened, taken, port } = await startStreams(t, onAnswer);
    const peer = dial(t, port);
    await eventually('opened', () => opened.length === 1);
    const { outgoing, client } = opened[0] as Opened;
    client.whenOver(() => reported.push('stream'));
    client.whenOver(() => reported.push('stream again'));
    await eventually('taken', () => taken.length === 1 && outgoing.closed);
    assert.deepEqual(reported, []);
    peer.socket.destroy();
    await eventually('the ends', () => reported.length === 3);
    assert.deepEqual(reported.sort(), ['answer', 'stream', 'stream again']);
    client.send(HELLO);
    client.end();
    assert.equal(reported.length, 3);
  });

  test('has no chunks for a client of HTTP/1.0, and ends with its connection', async (t) => {
    const { fanout, taken, port } = await startStreams(t);
    const peer = dial(t, port, 'GET / HTTP/1.0\r\n\r\n');
    await peer.hears('hello');
    await eventually('taken', () => taken.length === 1);
    fanout.send(message('more'));
    await peer.hears('more');
    fanout.close();
    await once(peer.socket, 'end');
    assert.match(peer.received, /\r\n\r\ndata: hello\n\ndata: more\n\n$/);
    assert.doesNotMatch(peer.received, /transfer-encoding/i);
  });

  test('stays with its answer while its request is not read, and works', async (t) => {
    const { fanout, opened, taken, port } = await startStreams(t);
    const peer = dial(t, port, 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n');
    await peer.hears('hello');
    fanout.send(message('unread'));
    await peer.hears('unread');
    assert.deepEqual([taken.length, fanout.size], [0, 1]);
    opened[0]?.outgoing.req.resume();
    peer.socket.write('abc');
    await eventually('request read', () => opened[0]?.outgoing.req.complete === true);
    fanout.send(message('read'));
    await eventually('taken', () => taken.length === 1);
    fanout.send(message('after'));
    await peer.hears('data: after');
  });

  test('ignores data from its client after the request', async (t) => {
    const { fanout, opened, taken, port } = await startStreams(t);
    const peer = dial(t, port);
    await eventually('taken', () => taken.length === 1);
    peer.socket.write(`${REQUEST}\0\r\nnonsense${'x'.repeat(200_000)}`);
    await eventually('all read', () => (taken[0]?.bytesRead ?? 0) > 200_000);
    fanout.send(message('more'));
    await peer.hears('more');
    assert.deepEqual([opened.length, fanout.size], [1, 1]);
  });

  test('ends when its client will send nothing more', async (t) => {
    const { fanout, taken, port } = await startStreams(t);
    const peer = dial(t, port);
    await eventually('taken', () => taken.length === 1);
    peer.socket.end();
    await once(peer.socket, 'end');
    await eventually('forgotten', () => fanout.size === 0);
  });

  test('is over with a reset of its connection', async (t) => {
    const { fanout, taken, port } = await startStreams(t);
    const peer = dial(t, port);
    await eventually('taken', () => taken.length === 1);
    peer.socket.resetAndDestroy();
    await eventually('forgotten', () => fanout.size === 0);
  });
});

describe('a listener that closes', { timeout: HANG_MS }, () => {
  async function startListener(t: TestContext, options: Partial<ListenOptions> = {}, bytes = 5) {
    const clock = new FakeClock();
    const fanout = new Fanout({ clock, heartbeatMs: 0 });
    const fetch = (_: Request, env: unknown) => {
      fanout.open((env as HttpBindings).outgoing, { snapshot: HELLO });
      return RESPONSE_ALREADY_SENT;
    };
    const listener = await listen({
      fetch,
      addresses: [{ host: '127.0.0.1', port: 0 }],
      clock: clock as Clock,
      endStreams: () => fanout.close(),
      ...options,
    });
    t.after(() => {
      const closed = listener.close(0);
      clock.advance(0);
      return closed;
    });
    const send = () => fanout.send(message('x'.repeat(bytes)));
    return { clock, fanout, listener, port: Number(new URL(listener.url).port), send };
  }

  test('ends idle streams cleanly', async (t) => {
    const { listener, port } = await startListener(t);
    const peer = dial(t, port);
    await peer.hears('hello');
    await nextTurn();
    const ended = once(peer.socket, 'end');
    await listener.close(60_000);
    await ended;
    assert.match(peer.received, /0\r\n\r\n$/);
  });

  test('cuts an unread stream at its deadline', async (t) => {
    const { clock, listener, port, send, fanout } = await startListener(t, {}, 16 * 2 ** 20);
    const peer = dial(t, port);
    await peer.hears('hello');
    await nextTurn();
    peer.socket.pause();
    send();
    let isClosed = false;
    const closed = listener.close(3000).then(() => {
      isClosed = true;
    });
    await nextTurn();
    clock.advance(2999);
    await nextTurn();
    assert.equal(isClosed, false);
    clock.advance(1);
    await closed;
    await fanout.close();
  });

  test('has streamed over TLS as well', async (t) => {
    const tls = () =>
      ({
        ...SERVER,
        clientCertificates: 'none',
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
        prefersOwnCiphers: true,
      }) as const;
    const { fanout, listener, port, send } = await startListener(t, { tls });
    const peer = new Peer(t, connectTls({ host: '127.0.0.1', port, ca: AUTHORITY }), REQUEST);
    await peer.hears('hello');
    await nextTurn();
    send();
    await peer.hears('xxxxx');
    assert.equal(fanout.size, 1);
    const over = text(peer.socket);
    await listener.close(60_000);
    await over;
    assert.match(peer.received, /0\r\n\r\n$/);
  });
});
