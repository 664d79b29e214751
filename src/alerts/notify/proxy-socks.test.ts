import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startHttpSink } from '../../testing/http-sink.ts';
import { openTestClient } from '../../testing/notifier-parts.ts';
import { LOCAL_CERT, LOCAL_KEY } from './testdata/http-certificates.ts';

interface SocksProxy {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** What it was told, in hexadecimal digits; credentials as text. */
  readonly told: string[];
}

/** A SOCKS5 proxy that connects everybody to one port of this machine. `status` is its answer to the wish. */
async function startSocks(
  t: TestContext,
  targetPort: number,
  { wantsPassword = false, status = 0 } = {},
): Promise<SocksProxy> {
  const told: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => {});
  };
  const next = (socket: Socket) => new Promise<Buffer>((resolve) => socket.once('data', resolve));
  const server = createServer(async (socket) => {
    keep(socket);
    told.push((await next(socket)).toString('hex'));
    socket.write(Buffer.from([5, wantsPassword ? 2 : 0]));
    if (wantsPassword) {
      told.push((await next(socket)).toString('latin1'));
      socket.write(Buffer.from([1, 0]));
    }
    told.push((await next(socket)).toString('hex'));
    // In two pieces, the second of which ends with an address of a name.
    socket.write(Buffer.from([5, status, 0]));
    if (status !== 0) {
      socket.write(Buffer.from([1]));
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
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, told };
}

const get = (url: string) => ({ method: 'GET', url, signal: new AbortController().signal }) as const;
const hex = (text: string) => Buffer.from(text).toString('hex');

const targets: [host: string, address: string][] = [
  ['hooks.example.org', `0311${hex('hooks.example.org')}`],
  ['192.0.2.7', '01c0000207'],
  ['[2001:db8::5:0:1]', '0420010db8000000000000000500000001'],
];
for (const [host, address] of targets) {
  test(`a SOCKS5 proxy is asked for ${host}`, async (t) => {
    const sink = await startHttpSink(t, ({ path, headers }) => ({ body: `${headers.host} ${path}` }));
    const proxy = await startSocks(t, Number(new URL(sink.url).port));
    const client = openTestClient(t, `proxy_url: "socks5://${proxy.address}"`);
    assert.equal((await client.send(get(`http://${host}/in`))).text, `${host} /in`);
    assert.deepEqual(proxy.told, ['050100', `050100${address}0050`]);
  });
}

test('a SOCKS5 proxy is told name and password where it wants them', async (t) => {
  const sink = await startHttpSink(t);
  const proxy = await startSocks(t, Number(new URL(sink.url).port), { wantsPassword: true });
  const client = openTestClient(t, `proxy_url: "socks5h://us%40r:pw@${proxy.address}"`);
  assert.equal((await client.send(get('http://a/'))).status, 200);
  assert.deepEqual(proxy.told.slice(0, 2), ['05020002', '\u0001\u0004us@r\u0002pw']);
});

test('TLS is spoken through a SOCKS5 proxy with the server behind it', async (t) => {
  const server = createTlsServer({ cert: LOCAL_CERT, key: LOCAL_KEY }, (_, response) => response.end('safe'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const proxy = await startSocks(t, (server.address() as AddressInfo).port);
  const client = openTestClient(
    t,
    `{proxy_url: "socks5://${proxy.address}", tls_config: {insecure_skip_verify: true}}`,
  );
  assert.equal((await client.send(get('https://hooks.example.org/'))).text, 'safe');
  assert.equal(proxy.told[1], `0501000311${hex('hooks.example.org')}01bb`);
});

test('a SOCKS5 proxy that refuses is told of', async (t) => {
  const refusing = await startSocks(t, 1, { status: 2 });
  const client = openTestClient(t, `proxy_url: "socks5://${refusing.address}"`);
  await assert.rejects(client.send(get('http://a/')), { message: /^the proxy refused the connection with status 2$/ });
  const picky = await startSocks(t, 1, { wantsPassword: true });
  await assert.rejects(openTestClient(t, `proxy_url: "socks5://${picky.address}"`).send(get('http://a/')), {
    message: 'the proxy wants another authentication',
  });
});

test('what is no SOCKS5 proxy is told of, and so is a scheme that no proxy speaks', async (t) => {
  const sink = await startHttpSink(t);
  const client = openTestClient(t, `proxy_url: "${sink.url.replace('http:', 'socks5:')}"`);
  await assert.rejects(client.send(get('http://a/')), {
    message: /^(the proxy does not speak SOCKS5|the proxy closed the connection)$/,
  });
  await assert.rejects(openTestClient(t, 'proxy_url: "quic://u:secret@p"').send(get('http://a/')), {
    message: 'proxies are spoken to by http, https or socks5, not by quic',
  });
});
