import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { eventually, HANG_MS } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import type { CancelTimer, Clock } from '../clock.ts';
import type { StreamClient } from './client.ts';
import { Fanout, type FanoutOptions, type OpenOptions } from './fanout.ts';
import { type EventFields, type Frame, frameComment, frameEvent } from './frame.ts';
import { SseReader } from './reader.ts';
import { onTakenSocket } from './stream-socket.ts';

/** A fake clock with the number of its armed timers. */
class CountingClock implements Clock {
  readonly #clock = new FakeClock();
  timers = 0;

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  advance(ms: number): void {
    this.#clock.advance(ms);
  }

  after(ms: number, action: () => void): CancelTimer {
    const fire = () => {
      cancel();
      action();
    };
    const cancel = this.#count(this.#clock.after(ms, fire));
    return cancel;
  }

  every(ms: number, action: () => void): CancelTimer {
    return this.#count(this.#clock.every(ms, action));
  }

  #count(stop: CancelTimer): CancelTimer {
    let armed = true;
    this.timers += 1;
    return () => {
      if (armed) this.timers -= 1;
      armed = false;
      stop();
    };
  }
}

interface Room {
  readonly fanout: Fanout;
  readonly port: number;
  readonly server: Server;
  /** The streams that were opened, in order. */
  readonly opened: readonly StreamClient[];
  /** Opens a stream and waits for its head. */
  join(): Promise<SseStream>;
}

type Opening = OpenOptions | ((outgoing: ServerResponse) => OpenOptions);

/** A server whose every answer is a stream of one fan-out. */
async function startRoom(t: TestContext, options: Partial<FanoutOptions> = {}, opening: Opening = {}): Promise<Room> {
  const fanout = new Fanout({ clock: new FakeClock(), heartbeatMs: 0, ...options });
  const opened: StreamClient[] = [];
  const server = createServer((_, outgoing) => {
    opened.push(fanout.open(outgoing, typeof opening === 'function' ? opening(outgoing) : opening));
  });
  const port = await listen(t, server);
  const url = `http://127.0.0.1:${port}/`;
  const join = async () => {
    const stream = await openSse(url);
    t.after(() => stream.close());
    return stream;
  };
  return { fanout, port, server, opened, join };
}

/** A server that never answers the first request of a connection; the streams of those behind it have to wait. */
async function startQueue(t: TestContext, options: Partial<FanoutOptions>) {
  const fanout = new Fanout({ clock: new FakeClock(), heartbeatMs: 0, ...options });
  const server = createServer((incoming, outgoing) => {
    if (incoming.url !== '/unanswered') fanout.open(outgoing);
  });
  return { fanout, port: await listen(t, server) };
}

async function listen(t: TestContext, server: Server): Promise<number> {
  const taken: Socket[] = [];
  onTakenSocket(server, (socket) => taken.push(socket));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of taken) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function connectRaw(t: TestContext, port: number, requests: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(requests);
  return socket;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const UNANSWERED = REQUEST.replace('/', '/unanswered');
const textOf = (frame: Frame) => frame.bytes.toString('utf8');
const message = (data: string) => frameEvent({ data });
const filler = (bytes: number) => message('x'.repeat(bytes));

async function nextData(stream: SseStream, count: number): Promise<string[]> {
  const data: string[] = [];
  while (data.length < count) data.push((await stream.next())?.data ?? 'no more');
  return data;
}

describe('frameEvent', () => {
  const frames: Record<string, [fields: EventFields, text: string]> = {
    'writes name and data with a space after the colon, and nothing else': [
      { event: 'put', data: '{"a":1}' },
      'event: put\ndata: {"a":1}\n\n',
    ],
    'writes no name unless asked': [{ data: 'x' }, 'data: x\n\n'],
    'writes retry, id, event, data in this order': [
      { retry: 2000, id: 'k3-7', event: 'hello', data: 'x' },
      'retry: 2000\nid: k3-7\nevent: hello\ndata: x\n\n',
    ],
    'writes one data field a line, for every kind of line end': [
      { data: 'a\nb\r\nc\rd' },
      'data: a\ndata: b\ndata: c\ndata: d\n\n',
    ],
    'keeps blank lines within and at the ends': [
      { data: '\na\n\nb\n' },
      'data: \ndata: a\ndata: \ndata: b\ndata: \n\n',
    ],
    'writes empty data': [{ event: 'ping', data: '' }, 'event: ping\ndata: \n\n'],
    'writes a blank as a blank': [{ event: 'ping', data: ' ' }, 'event: ping\ndata:  \n\n'],
    'writes an empty id, which makes clients forget theirs': [{ id: '', data: 'x' }, 'id: \ndata: x\n\n'],
    'writes UTF-8': [{ event: 'grüße', data: '東京 🚨' }, 'event: grüße\ndata: 東京 🚨\n\n'],
  };
  for (const [rule, [fields, text]] of Object.entries(frames)) {
    test(rule, () => assert.equal(textOf(frameEvent(fields)), text));
  }

  const refused: [fields: EventFields, message: RegExp][] = [
    [{ event: 'a\nb', data: '' }, /^event of an event: "a\\nb" cannot stand on one line$/],
    [{ event: 'a\rb', data: '' }, /^event of an event: "a\\rb" cannot/],
    [{ id: 'a\nb', data: '' }, /^id of an event: "a\\nb" cannot/],
    [{ id: 'a\0b', data: '' }, /^id of an event: "a\\u0000b" cannot/],
    [{ retry: -1, data: '' }, /^retry of an event: -1 is not a whole number of milliseconds$/],
    [{ retry: 0.5, data: '' }, /^retry of an event: 0.5 is not/],
  ];
  for (const [fields, message] of refused) {
    test(`refuses ${JSON.stringify(fields)}`, () =>
      assert.throws(() => frameEvent(fields), { name: 'RangeError', message }));
  }

  test('is read back as it was, with line feeds for line ends', () => {
    for (const data of ['', ' ', 'x', '\n', 'a\n', '\na', 'a\r\n\r\nb\r', '{"a":"ü🚨"}', ':', 'data: x', '\uFEFF']) {
      const items = new SseReader().push(frameEvent({ event: 'put', id: '7', data }).bytes);
      assert.deepEqual(items, [{ kind: 'event', event: 'put', id: '7', data: data.replaceAll(/\r\n|\r/g, '\n') }]);
    }
  });
});

test('frameComment writes a bare comment, a text, or several lines, with a blank line by default', () => {
  assert.equal(textOf(frameComment()), ':\n\n');
  assert.equal(textOf(frameComment(' hb')), ': hb\n\n');
  assert.equal(textOf(frameComment('a\nb')), ':a\n:b\n\n');
  assert.equal(textOf(frameComment('', { blankLine: false })), ':\n');
});

describe('open', () => {
  test('answers at once with a head that forbids storing and buffering', async (t) => {
    const { join } = await startRoom(t);
    const { status, headers } = await join();
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.equal(headers['cache-control'], 'no-cache, no-transform');
    assert.equal(headers['x-accel-buffering'], 'no');
    assert.equal(headers['transfer-encoding'], 'chunked');
    assert.equal(headers['content-length'], undefined);
  });

  test('allows its caller to add headers and replace its own, in any spelling', async (t) => {
    const headers = {
      'Cache-Control': 'no-store',
      'CONTENT-TYPE': 'text/event-stream; charset=utf-8',
      'X-Room': 'ops',
    };
    const { join } = await startRoom(t, {}, { headers });
    const stream = await join();
    assert.equal(stream.headers['cache-control'], 'no-store');
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers['x-room'], 'ops');
    assert.equal(stream.headers['x-accel-buffering'], 'no');
  });

  test('keeps headers that were set on the response before', async (t) => {
    const { join } = await startRoom(t, {}, (outgoing) => {
      outgoing.setHeader('Access-Control-Allow-Origin', 'https://ops.example');
      return {};
    });
    assert.equal((await join()).headers['access-control-allow-origin'], 'https://ops.example');
  });

  test('remembers the last event id of the request', async (t) => {
    const { fanout } = await startRoom(t);
    const lastEventIds: string[] = [];
    const server = createServer((incoming, outgoing) => {
      const lastEventId = incoming.headers['last-event-id'] as string | undefined;
      lastEventIds.push(fanout.open(outgoing, { lastEventId }).lastEventId);
    });
    const url = `http://127.0.0.1:${await listen(t, server)}/`;
    await openSse(url, { headers: { 'Last-Event-ID': 'k3-7' } });
    await openSse(url);
    assert.deepEqual(lastEventIds, ['k3-7', '']);
  });

  test('sends the snapshot first, then all that is sent from the same turn on', async (t) => {
    const snapshot = [message('first'), message('second')];
    const room = await startRoom(t, {}, () => {
      queueMicrotask(() => room.fanout.send(message('same turn')));
      process.nextTick(() => room.fanout.send(message('next tick')));
      setImmediate(() => room.fanout.send(message('next turn')));
      return { snapshot };
    });
    const data = await nextData(await room.join(), 5);
    assert.deepEqual(data.slice(0, 2), ['first', 'second']);
    assert.deepEqual(data.slice(2).sort(), ['next tick', 'next turn', 'same turn']);
  });

  test('may be handed a single frame as its snapshot', async (t) => {
    const { join } = await startRoom(t, {}, { snapshot: message('all') });
    assert.deepEqual(await nextData(await join(), 1), ['all']);
  });

  test('accepts no client that disconnected before its answer', async (t) => {
    const clock = new CountingClock();
    const fanout = new Fanout({ clock, heartbeatMs: 0, maxConnectionMs: 1000 });
    const server = createServer((_, outgoing) => {
      outgoing.once('close', () => server.emit('opened', fanout.open(outgoing)));
    });
    const socket = await connectRaw(t, await listen(t, server), REQUEST);
    const opened = new Promise<{ isOpen: boolean }>((resolve) => server.once('opened', resolve));
    server.once('request', () => socket.destroy());
    assert.equal((await opened).isOpen, false);
    await nextTurn();
    assert.deepEqual([fanout.size, clock.timers], [0, 0]);
  });
});

describe('send', () => {
  test('reaches every client, in order', async (t) => {
    const { fanout, join } = await startRoom(t);
    const streams = await Promise.all([join(), join(), join()]);
    for (const data of ['a', 'b', 'c']) fanout.send(message(data));
    for (const stream of streams) assert.deepEqual(await nextData(stream, 3), ['a', 'b', 'c']);
  });

  test('to one client is in order with events to all', async (t) => {
    const { fanout } = await startRoom(t);
    const server = createServer((_, outgoing) => {
      const client = fanout.open(outgoing);
      fanout.send(message('all 1'));
      client.send(message('one'));
      fanout.send(message('all 2'));
    });
    const stream = await openSse(`http://127.0.0.1:${await listen(t, server)}/`);
    t.after(() => stream.close());
    assert.deepEqual(await nextData(stream, 3), ['all 1', 'one', 'all 2']);
  });

  test('and end do nothing once a client has ended or gone', async (t) => {
    const clock = new CountingClock();
    const fanout = new Fanout({ clock, heartbeatMs: 0 });
    const clients: StreamClient[] = [];
    const server = createServer((_, outgoing) => {
      const client = fanout.open(outgoing);
      clients.push(client);
      client.end();
      client.send(message('late'));
      client.end();
    });
    const stream = await openSse(`http://127.0.0.1:${await listen(t, server)}/`);
    assert.equal(await stream.over, 'ended');
    assert.equal(stream.text(), '');
    await eventually('no timer left', () => clock.timers === 0);
    for (const client of clients) {
      client.send(message('later'));
      client.end();
    }
    await fanout.close();
    assert.equal(clock.timers, 0);
  });
});

describe('heartbeats', () => {
  test('are bare comments sent to all by one timer', async (t) => {
    const clock = new CountingClock();
    const { fanout, join } = await startRoom(t, { clock, heartbeatMs: 15_000 });
    const streams = await Promise.all([join(), join(), join()]);
    assert.equal(clock.timers, 1);
    clock.advance(14_999);
    fanout.send(message('before'));
    clock.advance(1);
    clock.advance(15_000);
    for (const stream of streams) {
      await eventually('two heartbeats', () => stream.items.length === 3);
      assert.equal(stream.text(), 'data: before\n\n:\n\n:\n\n');
    }
  });

  test('are any frame of their owner', async (t) => {
    const clock = new CountingClock();
    const heartbeat = frameComment(' hb', { blankLine: false });
    const { join } = await startRoom(t, { clock, heartbeatMs: 1000, heartbeat });
    const stream = await join();
    clock.advance(1000);
    await eventually('a heartbeat', () => stream.items.length === 1);
    assert.equal(stream.text(), ': hb\n');
  });
});

describe('a client that disconnects', () => {
  test('is removed, and its timer too, however many come and go', async (t) => {
    const clock = new CountingClock();
    const { fanout, join } = await startRoom(t, { clock, heartbeatMs: 1000, maxConnectionMs: 60_000 });
    for (let round = 0; round < 5; round++) {
      const streams = await Promise.all(Array.from({ length: 40 }, join));
      assert.deepEqual([fanout.size, clock.timers], [40, 41]);
      fanout.send(message('x'));
      for (const stream of streams) stream.close();
      await eventually('all forgotten', () => fanout.size === 0);
      assert.equal(clock.timers, 1);
    }
  });

  test('in the turn of its arrival is removed, too', async (t) => {
    const { fanout, join } = await startRoom(t, {}, (outgoing) => {
      process.nextTick(() => outgoing.destroy());
      return { snapshot: message('x') };
    });
    await assert.rejects(join());
    await nextTurn();
    assert.equal(fanout.size, 0);
  });

  test('with a reset, in the middle of an event, does not affect other clients', async (t) => {
    const { fanout, port, join } = await startRoom(t);
    const stays = await join();
    const goes = await Promise.all(Array.from({ length: 10 }, () => connectRaw(t, port, REQUEST)));
    await eventually('all there', () => fanout.size === 11);
    for (let sent = 0; sent < 50; sent++) {
      fanout.send(filler(20_000));
      if (sent === 10) for (const socket of goes) socket.resetAndDestroy();
      await stays.next();
    }
    assert.equal(fanout.size, 1);
    assert.equal(fanout.dropped, 0);
  });

  test('is removed at the next heartbeat when its request was still waiting behind another one', async (t) => {
    const clock = new CountingClock();
    const { fanout, port } = await startQueue(t, { clock, heartbeatMs: 1000, maxConnectionMs: 60_000 });
    const socket = await connectRaw(t, port, UNANSWERED + REQUEST.repeat(2));
    await eventually('both', () => fanout.size === 2);
    const gone = once(socket, 'close');
    socket.destroy();
    await gone;
    await eventually('forgotten', () => {
      clock.advance(1000);
      return fanout.size === 0;
    });
    assert.equal(clock.timers, 1);
  });

  test('is removed at the next event when its request waits behind an endless stream', async (t) => {
    const clock = new CountingClock();
    const { fanout, opened, port } = await startRoom(t, { clock, maxConnectionMs: 60_000 }, { snapshot: message('x') });
    await connectRaw(t, port, REQUEST.repeat(3));
    const arePassed = () => opened.map(({ isOpen }) => isOpen).join() === 'true,false,false';
    await eventually('two passed over', () => opened.length === 3 && arePassed());
    fanout.send(message('y'));
    assert.equal(fanout.size, 1);
    assert.equal(clock.timers, 1);
  });
});

describe('a client that does not read', () => {
  const maxBufferedBytes = 64 * 1024;

  test('is cut once it leaves more unread than the limit, and the others are not delayed', async (t) => {
    const dropped: StreamClient[] = [];
    const { fanout, opened, join } = await startRoom(t, {
      maxBufferedBytes,
      onDrop: (client) => dropped.push(client),
    });
    const stalled = await join();
    stalled.pause();
    const reads = [await join(), await join()];
    const frame = filler(16 * 1024);
    for (let sent = 0; fanout.dropped === 0 && sent < 5000; sent++) {
      fanout.send(frame);
      for (const stream of reads) await stream.next();
    }
    assert.deepEqual([fanout.dropped, fanout.size], [1, 2]);
    assert.deepEqual(dropped, [opened[0]]);
    stalled.resume();
    assert.equal(await stalled.over, 'broken');
    fanout.send(message('still here'));
    for (const stream of reads) assert.deepEqual(await nextData(stream, 1), ['still here']);
  });

  test('is sent at most the limit and the frames of one turn', async (t) => {
    const { fanout, opened, join } = await startRoom(t, { maxBufferedBytes });
    (await join()).pause();
    const frame = filler(16 * 1024);
    let mostUnread = 0;
    for (let sent = 0; fanout.size > 0 && sent < 5000; sent++) {
      mostUnread = Math.max(mostUnread, opened[0]?.waitingBytes ?? 0);
      fanout.send(frame);
      await nextTurn();
    }
    assert.equal(fanout.size, 0);
    assert.ok(mostUnread > maxBufferedBytes, `${mostUnread} bytes were unread`);
    assert.ok(mostUnread < maxBufferedBytes + 3 * frame.bytes.length, `${mostUnread} bytes were unread`);
  });

  test('is not cut for a snapshot bigger than the limit, nor for events while it still reads that', async (t) => {
    const { fanout, opened, join } = await startRoom(t, { maxBufferedBytes }, { snapshot: filler(16 * 1024 * 1024) });
    const stream = await join();
    stream.pause();
    for (let sent = 1; sent <= 10; sent++) {
      fanout.send(message(`${sent}`));
      await nextTurn();
    }
    assert.ok((opened[0]?.waitingBytes ?? 0) > maxBufferedBytes, 'the snapshot has left already');
    stream.resume();
    const [snapshot, ...after] = await nextData(stream, 11);
    assert.equal(snapshot?.length, 16 * 1024 * 1024);
    assert.deepEqual(after, ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  });

  test('is held to the limit again after it has read a snapshot', async (t) => {
    const { fanout, opened, join } = await startRoom(t, { maxBufferedBytes }, { snapshot: filler(16 * 1024 * 1024) });
    const stream = await join();
    await stream.next();
    await eventually('all written', () => opened[0]?.waitingBytes === 0);
    stream.pause();
    let mostUnread = 0;
    for (let sent = 0; fanout.size > 0 && sent < 5000; sent++) {
      mostUnread = Math.max(mostUnread, opened[0]?.waitingBytes ?? 0);
      fanout.send(filler(16 * 1024));
      await nextTurn();
    }
    assert.equal(fanout.dropped, 1);
    assert.ok(mostUnread < 1024 * 1024, `${mostUnread} bytes were unread`);
  });

  test('is distinguished from one that was sent a burst within one turn', async (t) => {
    const { fanout, join } = await startRoom(t, { maxBufferedBytes });
    const stream = await join();
    for (let sent = 0; sent < 100; sent++) fanout.send(filler(16 * 1024));
    await nextData(stream, 100);
    fanout.send(message('after'));
    assert.deepEqual(await nextData(stream, 1), ['after']);
    assert.equal(fanout.dropped, 0);
  });

  test('is cut with its connection when its request waits behind another one', async (t) => {
    const { fanout, port } = await startQueue(t, { maxBufferedBytes });
    const socket = await connectRaw(t, port, UNANSWERED + REQUEST);
    const closed = once(socket.resume(), 'close');
    await eventually('one waits', () => fanout.size === 1);
    for (let sent = 0; fanout.dropped === 0 && sent < 5000; sent++) {
      fanout.send(filler(16 * 1024));
      await nextTurn();
    }
    await closed;
    assert.deepEqual([fanout.size, fanout.dropped], [0, 1]);
  });
});

describe('a longest connection', () => {
  test('ends cleanly after up to a tenth less than its time', async (t) => {
    const clock = new CountingClock();
    const randoms = [0, 0.5, 0.999];
    const random = () => randoms.shift() ?? 0;
    const { fanout, join } = await startRoom(t, { clock, maxConnectionMs: 10_000, random });
    const streams = [await join(), await join(), await join()];
    const sizes = [9000, 2, 498, 500].map((ms) => {
      clock.advance(ms);
      return fanout.size;
    });
    assert.deepEqual(sizes, [3, 2, 1, 0]);
    for (const stream of streams) assert.equal(await stream.over, 'ended');
    await eventually('no timer left', () => clock.timers === 0);
  });

  test('has one of a thousand durations, since Node keeps something for each until it has passed', async (t) => {
    const clock = new CountingClock();
    const randoms = [0.5, 0.5009];
    const random = () => randoms.shift() ?? 0;
    const { fanout, join } = await startRoom(t, { clock, maxConnectionMs: 4 * 3_600_000, random });
    await Promise.all([join(), join()]);
    clock.advance(3.8 * 3_600_000 - 1);
    assert.equal(fanout.size, 2);
    clock.advance(1);
    assert.equal(fanout.size, 0);
  });

  test('ends with its stream, so that the client may be sent elsewhere', { timeout: HANG_MS }, async (t) => {
    const clock = new CountingClock();
    const { fanout, server, port } = await startRoom(t, { clock, maxConnectionMs: 10_000 });
    server.keepAliveTimeout = 0;
    const socket = await connectRaw(t, port, REQUEST);
    await eventually('one listens', () => fanout.size === 1);
    const received = text(socket);
    clock.advance(10_000);
    assert.match(await received, /\r\n\r\n0\r\n\r\n$/);
  });

  test('lasts exactly its time without a source of randomness', async (t) => {
    const clock = new CountingClock();
    const { fanout, join } = await startRoom(t, { clock, maxConnectionMs: 10_000 });
    await join();
    clock.advance(9999);
    assert.equal(fanout.size, 1);
    clock.advance(1);
    assert.equal(fanout.size, 0);
  });
});

describe('close', () => {
  test('ends every stream cleanly after its earlier events, so that the server can close', async (t) => {
    const clock = new CountingClock();
    const { fanout, server, join } = await startRoom(t, { clock, heartbeatMs: 1000, maxConnectionMs: 60_000 });
    const streams = await Promise.all(Array.from({ length: 20 }, join));
    fanout.send(frameEvent({ event: 'shutdown', data: 'bye', retry: 1000 }));
    const closed = Promise.all([fanout.close(), fanout.close()]);
    assert.equal(fanout.size, 0);
    await new Promise((resolve) => server.close(resolve));
    await closed;
    for (const stream of streams) {
      assert.equal(await stream.over, 'ended');
      assert.deepEqual(await nextData(stream, 2), ['bye', 'no more']);
    }
    await eventually('no timer left', () => clock.timers === 0);
  });

  test('answers later clients with an ended stream', async (t) => {
    const { fanout, join } = await startRoom(t, {}, { snapshot: message('x') });
    fanout.close();
    const stream = await join();
    assert.equal(stream.status, 200);
    assert.equal(await stream.over, 'ended');
    assert.equal(stream.text(), '');
    assert.equal(fanout.size, 0);
  });

  test('waits for slow clients', async (t) => {
    const { fanout, server, join } = await startRoom(t, {}, { snapshot: filler(16 * 1024 * 1024) });
    const quick = await join();
    const stream = await join();
    stream.pause();
    let isClosed = false;
    const closed = fanout.close().then(() => {
      isClosed = true;
    });
    assert.equal(await quick.over, 'ended');
    assert.equal(isClosed, false);
    stream.resume();
    await closed;
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await stream.over, 'ended');
    assert.equal((await stream.next())?.data.length, 16 * 1024 * 1024);
  });

  test('cuts clients that have not read to the end after ten seconds', async (t) => {
    const clock = new CountingClock();
    const { fanout, server, join } = await startRoom(t, { clock }, { snapshot: filler(16 * 1024 * 1024) });
    const stream = await join();
    stream.pause();
    const closed = fanout.close();
    clock.advance(9999);
    await nextTurn();
    assert.equal(await connectionsOf(server), 1);
    clock.advance(1);
    await closed;
    stream.resume();
    assert.equal(await stream.over, 'broken');
    assert.equal(clock.timers, 0);
  });

  test('is done at once without clients', async () => {
    await new Fanout({ clock: new FakeClock(), heartbeatMs: 1000 }).close();
  });
});

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

test('a route of Hono opens a stream and answers that it has', async (t) => {
  const fanout = new Fanout({ clock: new FakeClock(), heartbeatMs: 0 });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/stream', async (c) => {
    await nextTurn();
    fanout.open(c.env.outgoing, { snapshot: message('all'), lastEventId: c.req.header('last-event-id') });
    return RESPONSE_ALREADY_SENT;
  });
  app.get('/direct', (c) => {
    fanout.open(c.env.outgoing, { snapshot: message('all') });
    return RESPONSE_ALREADY_SENT;
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  const streams = await Promise.all([openSse(`${url}/stream`), openSse(`${url}/direct`)]);
  fanout.send(message('change'));
  for (const stream of streams) {
    assert.equal(stream.headers['content-type'], 'text/event-stream');
    assert.deepEqual(await nextData(stream, 2), ['all', 'change']);
  }
  fanout.close();
  for (const stream of streams) assert.equal(await stream.over, 'ended');
});
