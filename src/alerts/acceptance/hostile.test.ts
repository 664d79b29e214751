import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { type Cleanup, memoryOf, type RunningServer, startOpsdeck } from '../../testing/processes.ts';

const MB = 1024 * 1024;

const POST_HEAD = 'POST /api/v2/alerts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

/** An ill-behaved client: `received()` is what it has read; unread data stays with the server. */
interface Rude {
  readonly socket: Socket;
  received(): string;
}

function dial(t: Cleanup, server: RunningServer, { reads = true } = {}): Promise<Rude> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  if (reads) {
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  t.after(() => socket.destroy());
  return new Promise((done, fail) => {
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      // To be cut off is what such a client has to expect.
      socket.on('error', () => {});
      done({ socket, received: () => text });
    });
  });
}

const dialMany = (t: Cleanup, server: RunningServer, count: number, options = {}): Promise<Rude[]> =>
  Promise.all(Array.from({ length: count }, () => dial(t, server, options)));

/** Writes the same piece until `total` bytes are written, or the server has closed or answered. */
async function pump({ socket, received }: Rude, piece: Buffer, total: number): Promise<void> {
  for (let sent = 0; sent < total && !socket.destroyed && received() === ''; sent += piece.length) {
    if (socket.write(piece)) continue;
    await new Promise<void>((done) => {
      const goOn = () => {
        socket.off('drain', goOn).off('close', goOn).off('data', goOn);
        done();
      };
      socket.on('drain', goOn).on('close', goOn).on('data', goOn);
    });
  }
}

const statusOf = (text: string) => /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];

let rounds = 0;

/** Posts an alert and reads it back, again and again, as a well-behaved client that must not notice anything. */
async function assertServed(client: PlainClient, times = 5): Promise<void> {
  for (let left = times; left > 0; left--) {
    const zone = `round ${++rounds}`;
    assert.equal((await client.post('/api/v2/alerts', [{ labels: { alertname: 'Served', zone } }])).status, 200);
    const { status, body } = await client.get(`/api/v2/alerts?filter=${encodeURIComponent(`zone="${zone}"`)}`);
    assert.equal(status, 200, body);
    assert.deepEqual(JSON.parse(body)[0]?.labels, { alertname: 'Served', zone });
  }
}

function assertPending(rude: readonly Rude[]): void {
  for (const { socket, received } of rude) assert.deepEqual([socket.destroyed, received()], [false, '']);
}

interface Storm {
  readonly name: string;
  readonly passes: (t: Cleanup, server: RunningServer, client: PlainClient) => Promise<void>;
}

/** Sends 100 MB four times at once; each is to be refused, and soon. */
function bigBodies(head: string, piece: Buffer): Storm['passes'] {
  return async (t, server, client) => {
    const rude = await dialMany(t, server, 4);
    for (const { socket } of rude) socket.write(head);
    const pumped = Promise.all(rude.map((one) => pump(one, piece, 100 * MB)));
    await assertServed(client);
    await eventually('an answer to each', () =>
      rude.every(({ socket, received }) => received() !== '' || socket.destroyed),
    );
    assert.deepEqual(
      rude.map((one) => statusOf(one.received())),
      ['413', '413', '413', '413'],
    );
    for (const { socket } of rude) socket.destroy();
    await pumped;
    await assertServed(client);
  };
}

const megabyte = Buffer.alloc(MB, ' ');
const chunkedMegabyte = Buffer.concat([Buffer.from(`${MB.toString(16)}\r\n`), megabyte, Buffer.from('\r\n')]);

const storms: Storm[] = [
  {
    name: 'a body of 100 MB that announces its length is refused with 413',
    passes: bigBodies(`${POST_HEAD}Content-Length: ${100 * MB}\r\n\r\n`, megabyte),
  },
  {
    name: 'a body of 100 MB that comes in chunks is refused with 413',
    passes: bigBodies(`${POST_HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunkedMegabyte),
  },
  {
    name: 'a flood of headers is refused with 431 or cut off',
    async passes(t, server, client) {
      const rude = await dialMany(t, server, 20);
      const header = Buffer.from(`X-${'a'.repeat(100)}: ${'b'.repeat(900)}\r\n`.repeat(64));
      for (const { socket } of rude) socket.write('GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\n');
      const pumped = Promise.all(rude.map((one) => pump(one, header, 100 * MB)));
      await assertServed(client);
      await pumped;
      await eventually('an end to each', () =>
        rude.every(({ socket, received }) => socket.destroyed || received() !== ''),
      );
      for (const { received } of rude) assert.match(received(), /^(HTTP\/1\.1 431 |$)/);
    },
  },
  {
    name: 'writers of a byte at a time that never finish do not delay other requests',
    async passes(t, server, client) {
      const rude = await dialMany(t, server, 100);
      const announced = `${POST_HEAD}Content-Length: 100000\r\n\r\n[`;
      for (const [index, { socket }] of rude.entries()) {
        socket.write(index % 2 === 0 ? announced : 'GET /api/v2/alerts HTTP/1.1\r\nX: ');
      }
      for (const { socket } of rude) socket.write('1');
      await assertServed(client, 1);
      // The server waits for all of them, and has served other requests meanwhile.
      assertPending(rude);
      for (let written = 0; written < 20; written++) {
        for (const { socket } of rude) socket.write('1');
        await assertServed(client, 1);
      }
      for (const { socket } of rude) socket.destroy();
    },
  },
  {
    name: '500 silent connections do not delay other requests',
    async passes(t, server, client) {
      const rude = await dialMany(t, server, 500);
      await assertServed(client, 1);
      assertPending(rude);
      await assertServed(client, 9);
      for (const { socket } of rude) socket.destroy();
    },
  },
];

test('an ill-behaved client does not delay other clients', async (t) => {
  const server = await startOpsdeck(t);
  const client = new PlainClient(t, server.url);
  await assertServed(client);
  for (const { name, passes } of storms) {
    await t.test(name, (subtest) => passes(subtest, server, client));
  }
});

const MANY = isLongRound ? 50_000 : 12_000;
const READERS = 20;
/** A third of what their whole answers would take, were they made at once. */
const READERS_MAY_HOLD = 80 * MB;

async function load(client: PlainClient, count: number): Promise<void> {
  const description = 'what an alert says to those who are woken by it, at some length. '.repeat(2);
  for (let at = 0; at < count; at += 1000) {
    const alerts = Array.from({ length: 1000 }, (_, index) => ({
      labels: { alertname: 'Many', instance: `host-${at + index}`, job: 'node', severity: 'warning' },
      annotations: { description },
    }));
    assert.equal((await client.post('/api/v2/alerts', alerts)).status, 200);
  }
}

test('long answers left unread cost little memory and do not delay other requests', {
  only: isLongRound,
}, async (t) => {
  const server = await startOpsdeck(t);
  const client = new PlainClient(t, server.url);
  const rss = () => memoryOf(server.pid)?.rss ?? 0;
  await load(client, MANY);
  // The cost of as many reading clients is ignored here: it is garbage not yet collected.
  const lists = await Promise.all(Array.from({ length: READERS }, () => client.get('/api/v2/alerts')));
  for (const { body } of lists) assert.equal(body.split('"fingerprint"').length - 1, MANY);
  const before = rss();

  const readers = await dialMany(t, server, READERS, { reads: false });
  let most = 0;
  for (const { socket } of readers) socket.write('GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  for (let round = 0; round < 40; round++) {
    await assertServed(client, 1);
    most = Math.max(most, rss());
  }
  for (const { socket } of readers) assert.equal(socket.destroyed, false);
  const growth = most - before;
  assert.ok(growth <= READERS_MAY_HOLD, `${READERS} readers hold ${Math.round(growth / MB)} MB`);

  // A reader that continues gets its whole answer, unmixed with later posts.
  const [late, ...others] = readers;
  assert.ok(late);
  for (const { socket } of others) socket.destroy();
  let text = '';
  late.socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await eventually('the end of the answer', () => late.socket.destroyed);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 200 /);
  const body = /^transfer-encoding: chunked/im.test(head)
    ? rest.join('\r\n\r\n').replace(/(^|\r\n)[0-9a-f]+\r\n/g, '')
    : rest.join('');
  const found: { labels: { alertname: string } }[] = JSON.parse(body);
  assert.equal(found.filter(({ labels }) => labels.alertname === 'Many').length, MANY);
  await assertServed(client);
});

test('clients that are in the middle of something do not keep the server from ending', async (t) => {
  const server = await startOpsdeck(t);
  const client = new PlainClient(t, server.url);
  await assertServed(client, 1);
  const rude = await dialMany(t, server, 20);
  for (const { socket } of rude) socket.write(`${POST_HEAD}Content-Length: 100000\r\n\r\n[`);
  await assertServed(client, 1);
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
});
