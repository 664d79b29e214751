import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startHttpSink } from '../../testing/http/sink.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { ForbiddenAddressError, OutboundGuard, type Resolve } from './outbound-guard.ts';

const PUBLIC = '93.184.215.14';

/** Records its requests, and forwards nothing. */
async function startProxy(t: Cleanup): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end('from the proxy');
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 no\r\n\r\n');
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

function openGuard(t: Cleanup, proxyUrl: string, addresses: () => readonly string[]): OutboundGuard {
  const resolve: Resolve = (_name, done) =>
    done(
      null,
      addresses().map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  const guard = new OutboundGuard({ connectTimeoutMs: 2_000, resolve, proxyUrl });
  t.after(() => guard.close());
  return guard;
}

const STRICT = { allowPrivate: false };
const OPEN = { allowPrivate: true };

test('a public name is handed to the outbound proxy', async (t) => {
  const proxy = await startProxy(t);
  const guard = openGuard(t, proxy.url, () => [PUBLIC]);
  const { text } = await guard.send({ url: 'http://models.example.com/v1' }, STRICT);
  assert.equal(text, 'from the proxy');
  await assert.rejects(guard.send({ url: 'https://models.example.com/v1' }, STRICT));
  await guard.send({ url: `http://${PUBLIC}/` }, STRICT);
  assert.deepEqual(proxy.asked, [
    'GET http://models.example.com/v1',
    'CONNECT models.example.com:443',
    `GET http://${PUBLIC}/`,
  ]);
});

const BAD: readonly (readonly [string, readonly string[]])[] = [
  ['http://models.example.com/', ['10.0.0.1']],
  ['https://models.example.com/', ['10.0.0.1']],
  ['http://models.example.com/', [PUBLIC, '127.0.0.1']],
  ['http://models.example.com./', ['::ffff:10.0.0.1', PUBLIC]],
  ['https://models.example.com/', ['169.254.169.254']],
  ['http://10.0.0.1/', [PUBLIC]],
  ['http://0x0a.1/', [PUBLIC]],
  ['http://[::ffff:a00:1]/', [PUBLIC]],
  ['http://metadata.example.com/', []],
];

for (const [url, addresses] of BAD) {
  test(`${url} as [${addresses}] is not handed to the outbound proxy`, async (t) => {
    const proxy = await startProxy(t);
    const guard = openGuard(t, proxy.url, () => addresses);
    await assert.rejects(guard.send({ url }, STRICT), (error) => addresses.length === 0 || isForbidden(error));
    assert.deepEqual(proxy.asked, []);
  });
}

test('a name is resolved before each request that is handed to the outbound proxy', async (t) => {
  const proxy = await startProxy(t);
  let answer = PUBLIC;
  const guard = openGuard(t, proxy.url, () => [answer]);
  const url = 'http://models.example.com/';
  await guard.send({ url }, STRICT);
  answer = '10.0.0.1';
  await assert.rejects(guard.send({ url }, STRICT), isForbidden);
  assert.equal(proxy.asked.length, 1);
});

test('a private address that an admin has allowed is reached without the outbound proxy', async (t) => {
  const proxy = await startProxy(t);
  const sink = await startHttpSink(t, () => ({ body: 'from this machine' }));
  const guard = openGuard(t, proxy.url, () => ['127.0.0.1']);
  for (const host of ['127.0.0.1', 'models.example.com']) {
    const url = sink.url.replace('127.0.0.1', host);
    assert.equal((await guard.send({ url }, OPEN)).text, 'from this machine');
  }
  assert.deepEqual(proxy.asked, []);
  await assert.rejects(guard.send({ url: 'http://169.254.169.254/' }, OPEN), isForbidden);
});

test('an aborted request does not wait for a name to be resolved', async (t) => {
  const guard = new OutboundGuard({ connectTimeoutMs: 2_000, resolve: () => {}, proxyUrl: 'http://127.0.0.1:9' });
  t.after(() => guard.close());
  const abort = new AbortController();
  const asked = guard.open({ url: 'http://models.example.com/', signal: abort.signal }, STRICT);
  abort.abort(new Error('given up'));
  await assert.rejects(asked, /given up/);
});

/** The client wraps errors of a connection. */
function isForbidden(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ForbiddenAddressError) return true;
  }
  return false;
}
