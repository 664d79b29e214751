import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openHttpClient } from '../../testing/http/client-parts.ts';
import { startSecureSink } from '../../testing/http/http2-sink.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import { AUTHORITY, SERVER } from '../testdata/tls-certificates.ts';
import { describeFailure } from './failure.ts';

interface SocksProxy {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** Received messages in hexadecimal digits; credentials as text. */
  readonly received: string[];
}

/** A SOCKS5 proxy that connects every client to one port of this machine. `status` is its reply to the connect request. */
async function startSocks(
  t: TestContext,
  targetPort: number,
  { wantsPassword = false, status = 0 } = {},
): Promise<SocksProxy> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => {});
  };
  const next = (socket: Socket) => new Promise<Buffer>((resolve) => socket.once('data', resolve));
  const server = createServer(async (socket) => {
    keep(socket);
    received.push((await next(socket)).toString('hex'));
    socket.write(Buffer.from([5, wantsPassword ? 2 : 0]));
    if (wantsPassword) {
      received.push((await next(socket)).toString('latin1'));
      socket.write(Buffer.from([1, 0]));
    }
    received.push((await next(socket)).toString('hex'));
    // In two pieces, the second of which ends with an address of a name.
    socket.write(Buffer.from([5, status, 0]));
    if (status !== 0) {
      socket.write(Buffer.from([1, 0, 0, 0, 0, 0, 0]));
      return;
    }
    const onward = keep(connect(targetPort, '127.0.0.1'));
    onward.once('connect', () => {
      socket.write(Buffer.from([3, 1, 97, 0, 80]));
      socket.pipe(onward).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

test('HTTP/2 is spoken through a SOCKS5 proxy', async (t) => {
  const sink = await startSecureSink(t);
  const socks = await startSocks(t, sink.port);
  const tls = async () => ({ ca: AUTHORITY });
  const http = openHttpClient(t, { proxyUrl: `socks5://${socks.address}`, http2: true, tls });
  assert.equal((await http.send({ url: sink.url })).status, 200);
  assert.equal(sink.requests[0]?.version, '2.0');
});

/** Why no answer came through a proxy. */
async function failureOf(t: TestContext, proxyUrl: string): Promise<string> {
  return openHttpClient(t, { proxyUrl })
    .send({ url: 'http://a/' })
    .then(() => 'none', describeFailure);
}

const hex = (text: string) => Buffer.from(text).toString('hex');

const targets: [host: string, address: string][] = [
  ['hooks.example.org', `0311${hex('hooks.example.org')}`],
  ['192.0.2.7', '01c0000207'],
  ['[2001:db8::5:0:1]', '0420010db8000000000000000500000001'],
];
for (const [host, address] of targets) {
  test(`a SOCKS5 proxy is sent ${host}`, async (t) => {
    const sink = await startHttpSink(t, ({ path, headers }) => ({ body: `${headers.host} ${path}` }));
    const proxy = await startSocks(t, Number(new URL(sink.url).port));
    const http = openHttpClient(t, { proxyUrl: `socks5://${proxy.address}` });
    assert.equal((await http.send({ url: `http://${host}/in` })).text, `${host} /in`);
    assert.deepEqual(proxy.received, ['050100', `050100${address}0050`]);
  });
}

test('a SOCKS5 proxy is sent name and password if it requires them', async (t) => {
  const sink = await startHttpSink(t);
  const proxy = await startSocks(t, Number(new URL(sink.url).port), { wantsPassword: true });
  const http = openHttpClient(t, { proxyUrl: `socks5h://us%40r:pw@${proxy.address}` });
  assert.equal((await http.send({ url: 'http://a/' })).status, 200);
  assert.deepEqual(proxy.received.slice(0, 2), ['05020200', '\u0001\u0004us@r\u0002pw']);
});

test('TLS is spoken through a SOCKS5 proxy with the server behind it', async (t) => {
  const server = createTlsServer(SERVER, (_, response) => response.end('safe'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const proxy = await startSocks(t, (server.address() as AddressInfo).port);
  const tls = async () => ({ rejectUnauthorized: false });
  const http = openHttpClient(t, { proxyUrl: `socks5://${proxy.address}`, tls });
  assert.equal((await http.send({ url: 'https://hooks.example.org/' })).text, 'safe');
  assert.equal(proxy.received[1], `0501000311${hex('hooks.example.org')}01bb`);
});

test('a refusal by a SOCKS5 proxy is reported', async (t) => {
  const refusing = await startSocks(t, 1, { status: 2 });
  assert.equal(await failureOf(t, `socks5://${refusing.address}`), 'the proxy refused the connection with status 2');
  const picky = await startSocks(t, 1, { wantsPassword: true });
  assert.equal(await failureOf(t, `socks5://${picky.address}`), 'the proxy wants another authentication');
});

test('a server other than a SOCKS5 proxy is reported, and so is an unsupported scheme', async (t) => {
  const sink = await startHttpSink(t);
  assert.match(
    await failureOf(t, sink.url.replace('http:', 'socks5:')),
    /^the proxy (does not speak SOCKS5|closed the connection)$/,
  );
  assert.equal(await failureOf(t, 'quic://u:secret@p'), 'proxies are spoken to by http, https or socks5, not by quic');
});

test('a connection closed by a SOCKS5 proxy is reported at once', async (t) => {
  const closing = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end()));
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  t.after(() => closing.close());
  const { port } = closing.address() as AddressInfo;
  assert.equal(await failureOf(t, `socks5://127.0.0.1:${port}`), 'the proxy closed the connection');
});

test('a SOCKS5 proxy has an address of IPv6', async (t) => {
  assert.equal(await failureOf(t, 'socks5://[::1]:1'), 'connection refused');
});

test('a connection through a SOCKS5 proxy is used again', async (t) => {
  const sink = await startHttpSink(t);
  const proxy = await startSocks(t, Number(new URL(sink.url).port));
  const http = openHttpClient(t, { proxyUrl: `socks5://${proxy.address}` });
  for (let count = 0; count < 3; count++) {
    await http.send({ url: 'http://a/' });
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(proxy.received.length, 2);
});
