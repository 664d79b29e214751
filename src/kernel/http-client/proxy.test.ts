import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openHttpClient } from '../../testing/http/client-parts.ts';
import { startSecureSink } from '../../testing/http/http2-sink.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import measured from '../testdata/proxy-exceptions.json' with { type: 'json' };
import { AUTHORITY } from '../testdata/tls-certificates.ts';
import { describeFailure } from './failure.ts';
import { type ProxySettings, proxyChoice } from './proxy.ts';

// Measured with golang.org/x/net/http/httpproxy.
for (const { noProxy, direct } of measured.rows) {
  test(`NO_PROXY ${JSON.stringify(noProxy)} excepts the hosts that Go excepts`, () => {
    const variables = { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1', NO_PROXY: noProxy };
    const choose = proxyChoice({ variables });
    assert.deepEqual(
      measured.urls.filter((url) => choose(new URL(url)) === undefined),
      direct,
    );
  });
}

const choices: [name: string, ProxySettings, url: string, string | undefined][] = [
  ['none configured', {}, 'http://a.org', undefined],
  ['proxyUrl serves this machine too', { proxyUrl: 'http://p' }, 'http://localhost', 'http://p'],
  ['with noProxy it does not', { proxyUrl: 'http://p', noProxy: 'x' }, 'http://localhost', undefined],
  ['noProxy excepts', { proxyUrl: 'http://p', noProxy: 'a.org' }, 'https://a.org', undefined],
  ['noProxy excepts no others', { proxyUrl: 'http://p', noProxy: 'a.org' }, 'https://b.org', 'http://p'],
  [
    'proxyUrl before the environment',
    { proxyUrl: 'p:1', variables: { HTTP_PROXY: 'e' } },
    'http://a.org',
    'http://p:1',
  ],
  ['by scheme', { variables: { HTTPS_PROXY: 'http://s' } }, 'https://a.org', 'http://s'],
  ['by scheme, none for http', { variables: { HTTPS_PROXY: 'http://s' } }, 'http://a.org', undefined],
  ['lower case', { variables: { http_proxy: 'http://l' } }, 'http://a.org', 'http://l'],
  ['upper case first', { variables: { http_proxy: 'l', HTTP_PROXY: 'u' } }, 'http://a.org', 'http://u'],
  ['without a scheme', { variables: { HTTP_PROXY: 'p:3128' } }, 'http://a.org', 'http://p:3128'],
];
for (const [name, settings, url, proxy] of choices) {
  test(`the proxy is chosen: ${name}`, () => {
    assert.equal(proxyChoice(settings)(new URL(url)), proxy);
  });
}

interface ProxySink {
  readonly port: number;
  /** Method, target and the headers that are meant for the proxy. */
  readonly seen: string[];
}

/** A proxy that passes everything on to one port of this machine. */
async function startProxy(t: TestContext, targetPort: number, refuseWith?: number): Promise<ProxySink> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers }: IncomingMessage) =>
    seen.push([method, url, headers['proxy-authorization'] ?? '-', headers['x-pass'] ?? '-'].join(' '));
  const server = createServer((request, response) => {
    note(request);
    response.writeHead(refuseWith ?? 200).end('from the proxy');
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    if (refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${refuseWith} No\r\n\r\n`);
      return;
    }
    const onward = connect(targetPort, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on('error', () => {});
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Why no answer came. */
async function failureOf(sent: Promise<unknown>): Promise<string> {
  return sent.then(() => 'none', describeFailure);
}

test('an http target is requested from the proxy, with its credentials and without the headers for a tunnel', async (t) => {
  const proxy = await startProxy(t, 1);
  const http = openHttpClient(t, {
    proxyUrl: `http://u:p%40@127.0.0.1:${proxy.port}`,
    connectHeaders: { 'X-Pass': ['s'] },
  });
  const answer = await http.send({ url: 'http://hooks.example.org/in?x' });
  assert.equal(answer.text, 'from the proxy');
  assert.deepEqual(proxy.seen, [`GET http://hooks.example.org/in?x Basic ${btoa('u:p@')} -`]);
});

test('an https target is reached through a tunnel, which has headers of its own', async (t) => {
  // The target is not a TLS server: only the CONNECT to the proxy matters.
  const target = await startHttpSink(t);
  const proxy = await startProxy(t, Number(new URL(target.url).port));
  const http = openHttpClient(t, {
    proxyUrl: `http://u:p@127.0.0.1:${proxy.port}`,
    connectHeaders: { 'X-Pass': ['s'] },
  });
  assert.match(await failureOf(http.send({ url: 'https://hooks.example.org/secret' })), /^TLS: /);
  assert.deepEqual(proxy.seen, [`CONNECT hooks.example.org:443 Basic ${btoa('u:p')} s`]);
});

test('HTTP/2 is spoken through the tunnel of a proxy', async (t) => {
  const sink = await startSecureSink(t);
  const proxy = await startProxy(t, sink.port);
  const tls = async () => ({ ca: AUTHORITY });
  const http = openHttpClient(t, { proxyUrl: `http://127.0.0.1:${proxy.port}`, http2: true, tls });
  for (let count = 0; count < 2; count++) assert.equal((await http.send({ url: sink.url })).status, 200);
  assert.deepEqual(
    sink.requests.map(({ version }) => version),
    ['2.0', '2.0'],
  );
  assert.equal(proxy.seen.length, 1);
});

test("a proxy's 407 is reported with its status, with a tunnel and without", async (t) => {
  const proxy = await startProxy(t, 1, 407);
  const http = openHttpClient(t, { proxyUrl: `http://127.0.0.1:${proxy.port}` });
  for (const scheme of ['https', 'http']) {
    const failure = await failureOf(http.send({ url: `${scheme}://hooks.example.org/secret` }));
    assert.equal(failure, 'the proxy refused the connection with status 407');
  }
});

test('a client closes also while a proxy keeps it waiting for a tunnel', async (t) => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const silent = createServer().on('connect', (_, socket: Socket) => {
    socket
      .on('error', () => {})
      .on('end', () => socket.end())
      .resume();
    asked();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => silent.close(resolve)));
  const http = openHttpClient(t, { proxyUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  const controller = new AbortController();
  const sent = http.send({ url: 'https://hooks.example.org/', signal: controller.signal });
  await isAsked;
  controller.abort(new Error('enough'));
  await assert.rejects(sent, { message: 'enough' });
  await http.finish();
});

test('a client that finishes waits for requests under way', async (t) => {
  let answer: (answer: { body: string }) => void = () => {};
  const sink = await startHttpSink(
    t,
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const http = openHttpClient(t);
  const sent = http.send({ url: sink.url });
  await sink.received(1);
  const closed = http.finish();
  await assert.rejects(http.send({ url: sink.url }), { message: 'the client is closed' });
  answer({ body: 'late' });
  assert.equal((await sent).text, 'late');
  await closed;
});

test('the environment names the proxy, and its no_proxy bypasses it', async (t) => {
  const target = await startHttpSink(t, () => ({ body: 'itself' }));
  const proxy = await startProxy(t, 1);
  const variables = { HTTP_PROXY: `127.0.0.1:${proxy.port}`, NO_PROXY: '.example.org' };
  const http = openHttpClient(t, { variables });
  assert.equal((await http.send({ url: 'http://example.com/' })).text, 'from the proxy');
  assert.equal((await http.send({ url: target.url })).text, 'itself');
});

test('a silent proxy is reported without its credentials', async (t) => {
  const http = openHttpClient(t, { proxyUrl: 'http://u:secret@127.0.0.1:1' });
  assert.equal(await failureOf(http.send({ url: 'http://hooks.example.org/' })), 'connection refused');
});
