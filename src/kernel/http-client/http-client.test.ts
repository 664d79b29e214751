import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { bundleScript, startChild } from '../../testing/child-script.ts';
import { openHttpClient } from '../../testing/http/client-parts.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import { AUTHORITY, SERVER } from '../testdata/tls-certificates.ts';
import type { ConnectionOptions } from './connections.ts';
import { trusting } from './tls.ts';

test('a request is sent as given, and any status is an answer', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 503, headers: { 'x-a': '1' }, body: 'no' }));
  const { status, headers, text } = await openHttpClient(t).send({
    url: `${sink.url}/bulk?a=b`,
    method: 'POST',
    headers: { authorization: 'sdk-1', 'content-type': 'application/json' },
    body: Buffer.from('[1]'),
  });
  assert.deepEqual([status, headers.get('x-a'), text], [503, '1', 'no']);
  const [request] = sink.requests;
  assert.deepEqual(
    [request?.method, request?.path, request?.headers.authorization, request?.body],
    ['POST', '/bulk?a=b', 'sdk-1', '[1]'],
  );
});

test('a redirect is an answer', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 307, headers: { location: '/elsewhere' } }));
  const { status, headers } = await openHttpClient(t).send({ url: sink.url });
  assert.deepEqual([status, headers.get('location'), sink.requests.length], [307, '/elsewhere', 1]);
});

test('consecutive requests share a connection', async (t) => {
  let connections = 0;
  const server = createServer((_, response) => response.end('x'.repeat(100))).on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const http = openHttpClient(t);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A connection is free again a turn after its answer has ended.
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  for (let count = 0; count < 3; count++) await http.send({ url }).then(nextTurn);
  await text((await http.open({ url })).body).then(nextTurn);
  await http.send({ url });
  assert.equal(connections, 1);
});

test('an answer is kept up to the limit, and marked as truncated', async (t) => {
  const sink = await startHttpSink(t, () => ({ body: 'abcdef' }));
  const http = openHttpClient(t);
  const read = async (maxBytes: number) => {
    const { text, isWhole } = await http.send({ url: sink.url, maxBytes });
    return [text, isWhole];
  };
  assert.deepEqual(await read(5), ['abcde', false]);
  assert.deepEqual(await read(6), ['abcdef', true]);
});

test('a body is readable while it is still being written, and its abort is reported', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200).write('first');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const abort = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { body } = await openHttpClient(t).open({ url, signal: abort.signal });
  const reader = body[Symbol.asyncIterator]();
  assert.equal(String((await reader.next()).value), 'first');
  const next = reader.next();
  abort.abort(new Error('enough'));
  await assert.rejects(async () => next, /enough/);
});

test('a reader that stops is not read ahead of', async (t) => {
  let written = 0;
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(256 * 1024);
    const write = () => {
      while (written < 400 * chunk.length && !response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { body } = await openHttpClient(t).open({ url });
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // What the kernel's socket buffers hold, and no more.
  assert.ok(written < 50 * 2 ** 20, `${written} bytes were taken`);
  body.destroy();
});

const PROXIES: Record<string, (url: string) => ConnectionOptions> = {
  'a configured proxy': (proxyUrl) => ({ proxyUrl }),
  'a proxy of the environment': (url) => ({ variables: { HTTP_PROXY: url } }),
  'a proxy of the environment without a scheme': (url) => ({ variables: { http_proxy: url.replace('http://', '') } }),
};

for (const [name, options] of Object.entries(PROXIES)) {
  test(`${name} is handed plain requests whole`, async (t) => {
    const proxy = await startHttpSink(t, () => ({ body: 'from the proxy' }));
    const { text } = await openHttpClient(t, options(proxy.url)).send({ url: 'http://flags.invalid/all' });
    assert.equal(text, 'from the proxy');
    assert.equal(proxy.requests[0]?.path, 'http://flags.invalid/all');
  });
}

test('a proxy is sent its user name and password, and they are quoted nowhere', async (t) => {
  const proxy = await startHttpSink(t, () => ({}));
  const withPassword = proxy.url.replace('//', '//user:p%40ss@');
  await openHttpClient(t, { proxyUrl: withPassword }).send({ url: 'http://flags.invalid/' });
  assert.equal(proxy.requests[0]?.headers['proxy-authorization'], `Basic ${btoa('user:p@ss')}`);
  await assert.rejects(
    openHttpClient(t, { proxyUrl: 'http://user:p%40ss@[' }).send({ url: 'http://a.invalid/' }),
    (error: Error) => {
      assert.doesNotMatch(String(error.stack), /p%40ss|p@ss/);
      return true;
    },
  );
});

test('a URL with a name and password is refused, and they are quoted nowhere', async (t) => {
  for (const url of ['http://user:hunter2@127.0.0.1:1/', 'http://hunter2@127.0.0.1:1/', 'http://user:hunter2@[/']) {
    await assert.rejects(openHttpClient(t).send({ url }), (error: Error) => {
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hunter2/);
      return true;
    });
  }
});

test('NO_PROXY names hosts that are reached without the proxy', async (t) => {
  const proxy = await startHttpSink(t, () => ({ body: 'from the proxy' }));
  const http = openHttpClient(t, { variables: { HTTP_PROXY: proxy.url, NO_PROXY: 'a.invalid' } });
  await assert.rejects(http.send({ url: 'http://a.invalid/' }));
  assert.equal((await http.send({ url: 'http://b.invalid/' })).text, 'from the proxy');
});

for (const NO_PROXY of ['', '*']) {
  test(`this machine is reached without a proxy of the environment, NO_PROXY being '${NO_PROXY}'`, async (t) => {
    const sink = await startHttpSink(t, () => ({ body: 'direct' }));
    const variables = { HTTP_PROXY: 'http://proxy.invalid:1', NO_PROXY };
    assert.equal((await openHttpClient(t, { variables }).send({ url: sink.url })).text, 'direct');
  });
}

test('a server is trusted by an authority that is named', async (t) => {
  const server = createTlsServer(SERVER, (_, response) => void response.end('secure'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  await writeFile(file, AUTHORITY);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const http = openHttpClient(t, { tls: () => trusting([file]) });
  assert.equal((await http.send({ url, headers: { connection: 'close' } })).text, 'secure');
  await assert.rejects(openHttpClient(t).send({ url }), /certificate/);
});

test('a file of certificates that cannot be read is named', async (t) => {
  const http = openHttpClient(t, { tls: () => trusting(['/nowhere/ca.pem']) });
  await assert.rejects(
    http.send({ url: 'https://127.0.0.1:1/' }),
    /cannot read the certificates in \/nowhere\/ca\.pem: ENOENT/,
  );
});

/** V8 would optimize at the second call, at once, and prints what it compiles. */
const tracedRequests = await bundleScript(`
  import { setFlagsFromString } from 'node:v8';
  import { HttpClient } from './http-client/http-client.ts';
  for (const flag of ['--trace-wasm-compilation-times', '--wasm-tiering-budget=1', '--wasm-sync-tier-up']) setFlagsFromString(flag);
  const http = new HttpClient();
  for (let request = 0; request < 20; request++) await http.send({ url: process.argv[1] });
  await http.close();
`);

test('the parser of answers is compiled, but not optimized', async (t) => {
  const { url } = await startHttpSink(t);
  const child = startChild(t, tracedRequests, { args: [url] });
  const lines: string[] = [];
  for (let line = await child.readLine(); line !== undefined; line = await child.readLine()) lines.push(line);
  assert.equal((await child.end).code, 0);
  assert.ok(lines.some((line) => /^Compiled function .* Liftoff/.test(line)));
  assert.deepEqual(
    lines.filter((line) => /TurboFan/.test(line)),
    [],
  );
});

test('after its close it refuses', async (t) => {
  const http = openHttpClient(t);
  await http.close();
  await assert.rejects(http.send({ url: 'http://127.0.0.1:1/' }), /closed/);
  await assert.rejects(http.open({ url: 'http://127.0.0.1:1/' }), /closed/);
});
