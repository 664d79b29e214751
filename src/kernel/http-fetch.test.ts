import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHttpSink } from '../testing/http-sink.ts';
import type { Cleanup } from '../testing/processes.ts';
import { HttpFetch, type HttpFetchOptions } from './http-fetch.ts';
import { AUTHORITY, SERVER } from './testdata/tls-certificates.ts';

function createFetch(t: Cleanup, options: Partial<HttpFetchOptions> = {}): HttpFetch {
  const http = new HttpFetch({ connectTimeoutMs: 3000, variables: {}, ...options });
  t.after(() => http.close());
  return http;
}

test('a request goes out as it was given, and any status is an answer', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 503, headers: { 'x-a': '1' }, body: 'no' }));
  const response = await createFetch(t).fetch(`${sink.url}/bulk?a=b`, {
    method: 'POST',
    headers: { authorization: 'sdk-1', 'content-type': 'application/json' },
    body: Buffer.from('[1]'),
  });
  assert.deepEqual([response.status, response.headers.get('x-a'), await response.text()], [503, '1', 'no']);
  const [request] = sink.requests;
  assert.deepEqual(
    [request?.method, request?.path, request?.headers.authorization, request?.body],
    ['POST', '/bulk?a=b', 'sdk-1', '[1]'],
  );
});

test('a redirect is an answer', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 307, headers: { location: '/elsewhere' } }));
  const response = await createFetch(t).fetch(sink.url);
  await response.body?.cancel();
  assert.deepEqual([response.status, response.headers.get('location'), sink.requests.length], [307, '/elsewhere', 1]);
});

test('an answer without a body has none', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 204 }));
  assert.equal((await createFetch(t).fetch(sink.url)).body, null);
});

test('a body is handed out while it is still being written, and its abort is told', async (t) => {
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
  const response = await createFetch(t).fetch(url, { signal: abort.signal });
  const reader = response.body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'first');
  const next = reader?.read();
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
  const response = await createFetch(t).fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let before = -1;
  while (before !== written) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // What the kernel's socket buffers hold, and no more.
  assert.ok(written < 50 * 2 ** 20, `${written} bytes were taken`);
  await response.body?.cancel();
});

const PROXIES: Record<string, (url: string) => Partial<HttpFetchOptions>> = {
  'a configured proxy': (proxyUrl) => ({ proxyUrl }),
  'a proxy of the environment': (url) => ({ variables: { HTTP_PROXY: url } }),
  'a proxy of the environment without a scheme': (url) => ({ variables: { http_proxy: url.replace('http://', '') } }),
};

for (const [name, options] of Object.entries(PROXIES)) {
  test(`${name} is handed plain requests whole`, async (t) => {
    const proxy = await startHttpSink(t, () => ({ body: 'from the proxy' }));
    const response = await createFetch(t, options(proxy.url)).fetch('http://flags.invalid/all');
    assert.equal(await response.text(), 'from the proxy');
    assert.equal(proxy.requests[0]?.path, 'http://flags.invalid/all');
  });
}

test('a proxy is told its name and password, and they are quoted nowhere', async (t) => {
  const proxy = await startHttpSink(t, () => ({}));
  const withPassword = proxy.url.replace('//', '//user:p%40ss@');
  await (await createFetch(t, { proxyUrl: withPassword }).fetch('http://flags.invalid/')).text();
  assert.equal(proxy.requests[0]?.headers['proxy-authorization'], `Basic ${btoa('user:p@ss')}`);
  await assert.rejects(
    createFetch(t, { proxyUrl: 'http://user:p%40ss@[' }).fetch('http://a.invalid/'),
    (error: Error) => {
      assert.doesNotMatch(String(error.stack), /p%40ss|p@ss/);
      return true;
    },
  );
});

test('a URL that holds a name and password is refused, and they are quoted nowhere', async (t) => {
  for (const url of ['http://user:hunter2@127.0.0.1:1/', 'http://hunter2@127.0.0.1:1/', 'http://user:hunter2@[/']) {
    await assert.rejects(createFetch(t).fetch(url), (error: Error) => {
      assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /hunter2/);
      return true;
    });
  }
});

test('NO_PROXY names hosts that are reached without the proxy', async (t) => {
  const proxy = await startHttpSink(t, () => ({ body: 'from the proxy' }));
  const http = createFetch(t, { variables: { HTTP_PROXY: proxy.url, NO_PROXY: 'a.invalid' } });
  await assert.rejects(http.fetch('http://a.invalid/'));
  assert.equal(await (await http.fetch('http://b.invalid/')).text(), 'from the proxy');
});

for (const NO_PROXY of ['', '*']) {
  test(`this machine is reached without a proxy of the environment, NO_PROXY being '${NO_PROXY}'`, async (t) => {
    const sink = await startHttpSink(t, () => ({ body: 'direct' }));
    const variables = { HTTP_PROXY: 'http://proxy.invalid:1', NO_PROXY };
    assert.equal(await (await createFetch(t, { variables }).fetch(sink.url)).text(), 'direct');
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
  const response = await createFetch(t, { caCertFiles: [file] }).fetch(url, { headers: { connection: 'close' } });
  assert.equal(await response.text(), 'secure');
  await assert.rejects(createFetch(t).fetch(url), /certificate/);
});

test('a file of certificates that cannot be read is named', async (t) => {
  const http = createFetch(t, { caCertFiles: ['/nowhere/ca.pem'] });
  await assert.rejects(
    http.fetch('https://127.0.0.1:1/'),
    /cannot read the certificates in \/nowhere\/ca\.pem: ENOENT/,
  );
});

test('after its close it refuses', async (t) => {
  const http = createFetch(t);
  await http.close();
  await assert.rejects(http.fetch('http://127.0.0.1:1/'), /closed/);
});
