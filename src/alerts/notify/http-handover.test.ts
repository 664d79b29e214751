import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { bundleScript, startChild } from '../../testing/child-script.ts';
import { startHttpSink } from '../../testing/http-sink.ts';
import { openTestClient } from '../../testing/notifier-parts.ts';
import type { Handover, HttpRequest } from './notifier.ts';
import { LOCAL_CERT as cert, LOCAL_KEY as key } from './testdata/http-certificates.ts';

function post(url: string, body: string, handover: Handover): HttpRequest {
  return { method: 'POST', url, body, signal: new AbortController().signal, handover };
}

/** Counts what a client says of a request. */
function watch() {
  const heard = { done: 0, undone: 0 };
  return { heard, done: () => void heard.done++, undone: () => void heard.undone++ };
}

/** Sends requests of so many bytes one after the other, and kills itself when the last one has been handed over. */
const sender = bundleScript(`
  import { createHttpClient } from '../alerts/notify/http-client.ts';
  import { httpConfig } from '../alerts/config/http-config.ts';
  import { ConfigNode } from '../alerts/config/config-node.ts';

  const [url, ...sizes] = process.argv.slice(1);
  const config = httpConfig.read(ConfigNode.parse('tls_config: {insecure_skip_verify: true}'));
  const client = createHttpClient(config, { clock: undefined, readSecret: undefined, environment: {}, userAgent: 'test' });
  for (const [index, size] of sizes.entries()) {
    const done = () => {
      if (index === sizes.length - 1) process.kill(process.pid, 'SIGKILL');
    };
    await client.send({
      method: 'POST', url, body: 'x'.repeat(Number(size)), signal: new AbortController().signal,
      handover: { done, undone() {} },
    });
  }
`);

async function sendAndDie(t: TestContext, url: string, sizes: readonly number[]): Promise<void> {
  const child = startChild(t, await sender, { args: [url, ...sizes.map(String)] });
  assert.deepEqual(await child.end, { code: null, signal: 'SIGKILL', stderr: '' });
}

for (const [name, sizes] of [
  ['on a new connection', [10]],
  ['on a connection that was kept', [10, 20, 30]],
  ['with more than fits into a socket', [10, 8_000_000]],
  ['without a body', [0]],
] as const) {
  test(`what was handed over arrives whole though the process dies at once: ${name}`, async (t) => {
    // Whoever hangs does not keep the last request from being handed over.
    const sink = await startHttpSink(t, (_, index) => (index === sizes.length - 1 ? 'hang' : {}));
    await sendAndDie(t, sink.url, sizes);
    await sink.received(sizes.length);
    assert.deepEqual(
      sink.requests.map(({ body }) => body.length),
      sizes,
    );
  });
}

test('what was handed over arrives whole though the process dies at once: through TLS', async (t) => {
  const sizes: number[] = [];
  let resolve = () => {};
  const all = new Promise<void>((done) => {
    resolve = done;
  });
  const server = createServer({ cert, key }, (request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    request.on('end', () => {
      sizes.push(size);
      response.end();
      if (sizes.length === 3) resolve();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await sendAndDie(t, url, [10, 20, 5_000_000]);
  await all;
  assert.deepEqual(sizes, [10, 20, 5_000_000]);
});

test('what the socket cannot take at once is handed over when the other side has made room', async (t) => {
  const connections: Socket[] = [];
  const server = createTcpServer((socket) => {
    connections.push(socket);
    socket.pause();
    socket.on('error', () => {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  const told = watch();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sent = openTestClient(t).send(post(url, 'x'.repeat(30_000_000), told));
  const connected = async () => {
    while (connections.length === 0) await new Promise((done) => setTimeout(done, 5));
    return connections[0] as Socket;
  };
  const socket = await connected();
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setTimeout(done, 5));
  assert.equal(told.heard.done, 0);
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > 30_000_000) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  socket.resume();
  assert.equal((await sent).status, 200);
  assert.deepEqual(told.heard, { done: 1, undone: 0 });
});

test('a request that never leaves is not handed over', async (t) => {
  const told = watch();
  await assert.rejects(openTestClient(t).send(post('http://127.0.0.1:1', '{}', told)));
  assert.deepEqual(told.heard, { done: 0, undone: 0 });
});

test('a redirect takes back that the request before it told anybody', async (t) => {
  const sink = await startHttpSink(t, ({ path }) =>
    path === '/to' ? {} : { status: 307, headers: { location: '/to' } },
  );
  const order: string[] = [];
  const handover = { done: () => void order.push('done'), undone: () => void order.push('undone') };
  await openTestClient(t).send(post(`${sink.url}/from`, '{}', handover));
  assert.deepEqual(order, ['done', 'undone', 'done']);
});

test('fetching a token hands nothing over, and a token that is refused takes the request back', async (t) => {
  const sink = await startHttpSink(t, ({ path, headers }) => {
    if (path === '/token') return { body: `{"access_token":"t${tokens++}","token_type":"bearer"}` };
    return headers.authorization === 'Bearer t0' ? { status: 401 } : {};
  });
  let tokens = 0;
  const order: string[] = [];
  const handover = {
    done: () => void order.push(`done after ${sink.requests.length}`),
    undone: () => void order.push('undone'),
  };
  const yaml = `oauth2: {client_id: a, client_secret: b, token_url: "${sink.url}/token"}`;
  const { status } = await openTestClient(t, yaml).send(post(`${sink.url}/in`, '{}', handover));
  assert.equal(status, 200);
  assert.deepEqual(order, ['done after 1', 'undone', 'done after 3']);
});
