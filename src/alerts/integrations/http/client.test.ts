import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { AUTHORITY } from '../../../kernel/testdata/tls-certificates.ts';
import { startSecureSink } from '../../../testing/http/http2-sink.ts';
import { startHttpSink } from '../../../testing/http/sink.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import { openTestClient } from '../../testing/notifier-parts.ts';
import type { HttpRequest } from '../notifier.ts';

function post(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', url, headers, body: '{"a":"ü"}', signal: new AbortController().signal, ...more };
}

test('a request is sent as it is, with the user agent and nothing more', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 202, headers: { 'x-a': 'b' }, body: 'thanks' }));
  const answer = await openTestClient(t).send(post(`${sink.url}/in?x=%20y`));
  assert.deepEqual([answer.status, answer.headers.get('x-a'), answer.text], [202, 'b', 'thanks']);
  const [request] = sink.requests;
  assert.equal(request?.method, 'POST');
  assert.equal(request.path, '/in?x=%20y');
  assert.equal(request.body, '{"a":"ü"}');
  const { host: _, ...headers } = request.headers;
  assert.deepEqual(headers, {
    connection: 'keep-alive',
    'content-length': '10',
    'content-type': 'application/json',
    'user-agent': 'Alertmanager/0.34.0',
  });
});

test('a GET has no body, a PUT has one', async (t) => {
  const sink = await startHttpSink(t);
  const client = openTestClient(t);
  const { signal } = new AbortController();
  await client.send({ method: 'GET', url: sink.url, signal });
  await client.send(post(sink.url, { method: 'PUT' }));
  assert.deepEqual(
    sink.requests.map(({ method, body }) => [method, body]),
    [
      ['GET', ''],
      ['PUT', '{"a":"ü"}'],
    ],
  );
});

test('connections are kept for the next request', async (t) => {
  const sink = await startHttpSink(t);
  const client = openTestClient(t);
  for (let i = 0; i < 3; i++) {
    await client.send(post(sink.url));
    // A connection is free a moment after the answer has been read.
    await new Promise(setImmediate);
  }
  assert.equal(new Set(sink.requests.map(({ port }) => port)).size, 1);
});

for (const [yaml, version] of [
  ['', '2.0'],
  [', enable_http2: false', '1.1'],
] as const) {
  test(`HTTP/${version} is spoken to a receiver that speaks both${yaml && ' with'}${yaml.slice(1)}`, async (t) => {
    const sink = await startSecureSink(t);
    const client = openTestClient(t, `{tls_config: {ca: ${JSON.stringify(AUTHORITY)}}${yaml}}`);
    assert.equal((await client.send(post(sink.url))).status, 200);
    const [request] = sink.requests;
    assert.deepEqual([request?.version, request?.headers['user-agent']], [version, 'Alertmanager/0.34.0']);
  });
}

for (const status of [204, 205, 304, 404, 503]) {
  test(`a status of ${status} is an answer`, async (t) => {
    const sink = await startHttpSink(t, () => ({ status }));
    assert.equal((await openTestClient(t).send(post(sink.url))).status, status);
  });
}

test('of a long answer the first 64 KiB are read', async (t) => {
  const sink = await startHttpSink(t, () => ({ body: 'x'.repeat(1_000_000) }));
  const client = openTestClient(t);
  for (let i = 0; i < 3; i++) assert.equal((await client.send(post(sink.url))).text.length, 65_536);
});

const authorizations: [name: string, yaml: string, header: string][] = [
  ['basic_auth', 'basic_auth: {username: ann, password: "p:ö"}', `Basic ${btoa('ann:p:Ã¶')}`],
  ['basic_auth without a password', 'basic_auth: {username: ann}', `Basic ${btoa('ann:')}`],
  ['authorization', 'authorization: {credentials: abc}', 'Bearer abc'],
  ['authorization of another type', 'authorization: {type: GenieKey, credentials: abc}', 'GenieKey abc'],
  ['bearer_token', 'bearer_token: abc', 'Bearer abc'],
];
for (const [name, yaml, header] of authorizations) {
  test(`${name} is sent`, async (t) => {
    const sink = await startHttpSink(t);
    await openTestClient(t, yaml).send(post(sink.url));
    assert.equal(sink.requests[0]?.headers.authorization, header);
  });
}

test('credentials of the integration take precedence over the URL, and the URL over the configuration', async (t) => {
  const sink = await startHttpSink(t);
  const client = openTestClient(t, 'authorization: {credentials: configured}');
  const withUser = sink.url.replace('//', '//u%40x:p%3A@');
  await client.send(post(withUser, { headers: { Authorization: 'Own x' } }));
  await client.send(post(withUser));
  await client.send(post(sink.url));
  assert.deepEqual(
    sink.requests.map(({ headers }) => headers.authorization),
    ['Own x', `Basic ${btoa('u@x:p:')}`, 'Bearer configured'],
  );
});

test('secrets in files are read at each request', async (t) => {
  const sink = await startHttpSink(t);
  const folder = temporaryFolder(t);
  const [user, password, header] = ['user', 'password', 'header'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const client = openTestClient(
    t,
    `{basic_auth: {username_file: ${user}, password_file: ${password}}, http_headers: {X-Key: {files: [${header}]}}}`,
  );
  for (const round of ['1', '2']) {
    await Promise.all([user, password, header].map((file) => writeFile(file, `${round}\n`)));
    await client.send(post(sink.url));
  }
  assert.deepEqual(
    sink.requests.map(({ headers }) => [headers.authorization, headers['x-key']]),
    [
      [`Basic ${btoa('1:1')}`, '1'],
      [`Basic ${btoa('2:2')}`, '2'],
    ],
  );
});

test('a missing file is named in the error', async (t) => {
  const client = openTestClient(t, 'authorization: {credentials_file: /nowhere/token}');
  await assert.rejects(client.send(post('http://127.0.0.1:1')), {
    message: "unable to read authorization credentials: ENOENT: no such file or directory, open '/nowhere/token'",
  });
});

test('http_headers are added, each with all its values', async (t) => {
  const sink = await startHttpSink(t);
  const client = openTestClient(t, 'http_headers: {X-A: {values: [a, b], secrets: [c]}, X-B: {secrets: [d]}}');
  await client.send(post(sink.url));
  assert.deepEqual([sink.requests[0]?.headers['x-a'], sink.requests[0]?.headers['x-b']], ['a, b, c', 'd']);
});

const redirects: [status: number, method: string, body: string][] = [
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', '{"a":"ü"}'],
  [308, 'POST', '{"a":"ü"}'],
];
for (const [status, method, body] of redirects) {
  test(`a redirect with ${status} is followed with ${method}`, async (t) => {
    const sink = await startHttpSink(t, ({ path }) =>
      path === '/from' ? { status, headers: { location: '/to' }, body: 'moved' } : { body: 'here' },
    );
    assert.equal((await openTestClient(t).send(post(`${sink.url}/from`))).text, 'here');
    assert.deepEqual([sink.requests[1]?.path, sink.requests[1]?.method, sink.requests[1]?.body], ['/to', method, body]);
  });
}

test('without follow_redirects the redirect itself is the answer', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 307, headers: { location: '/to' } }));
  assert.equal((await openTestClient(t, 'follow_redirects: false').send(post(sink.url))).status, 307);
  assert.equal(sink.requests.length, 1);
});

test('a redirect loop ends', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 307, headers: { location: '/again' } }));
  await assert.rejects(openTestClient(t).send(post(sink.url)), { message: 'stopped after 10 redirects' });
  assert.equal(sink.requests.length, 11);
});

test('another host is not sent credentials of the first one, even after a redirect back', async (t) => {
  const sink = await startHttpSink(t, ({ path, headers }) => {
    const port = headers.host?.split(':')[1];
    if (path === '/1') return { status: 307, headers: { location: `http://localhost:${port}/2` } };
    return path === '/2' ? { status: 307, headers: { location: `http://127.0.0.1:${port}/3` } } : {};
  });
  const headers = '{Cookie: {secrets: [c]}, X-Key: {values: [a], secrets: [k]}, X-Plain: {values: [p]}}';
  await openTestClient(t, `{authorization: {credentials: abc}, http_headers: ${headers}}`).send(post(`${sink.url}/1`));
  assert.deepEqual(
    sink.requests.map(({ path, headers }) => [
      path,
      headers.authorization,
      headers.cookie,
      headers['x-key'],
      headers['x-plain'],
    ]),
    [
      ['/1', 'Bearer abc', 'c', 'a, k', 'p'],
      ['/2', undefined, undefined, undefined, 'p'],
      ['/3', undefined, undefined, undefined, 'p'],
    ],
  );
});

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a refused connection: the error names it, and neither URL nor secret', async (t) => {
  const client = openTestClient(t, 'authorization: {credentials: abc}');
  const url = `http://u:secret@127.0.0.1:${await closedPort()}/token`;
  await assert.rejects(client.send(post(url)), { message: 'connection refused' });
});

test('an unknown host has its own error', async (t) => {
  await assert.rejects(openTestClient(t).send(post('http://secret.invalid/token')), {
    message: /^(no such host|name resolution failed for the moment)$/,
  });
});

test('a cut connection is reported', async (t) => {
  const sink = await startHttpSink(t, () => 'reset');
  await assert.rejects(openTestClient(t).send(post(sink.url)), {
    message: /^connection (closed|reset) by the other side$/,
  });
});

test('an answer other than HTTP is reported', async (t) => {
  const server = createTcpServer((socket) => socket.resume().end('220 mail.example.org ESMTP\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await assert.rejects(openTestClient(t).send(post(url)), { message: 'the answer is not HTTP' });
});

const badUrls: [url: string, message: string][] = [
  ['nonsense', 'the URL cannot be read'],
  ['ftp://secret.example.org', 'unsupported scheme "ftp" for URL'],
];
for (const [url, message] of badUrls) {
  test(`the URL ${url} is refused without being repeated`, async (t) => {
    await assert.rejects(openTestClient(t).send(post(url)), { message });
  });
}

test('a header that cannot be sent is not repeated in the error', async (t) => {
  const client = openTestClient(t, 'authorization: {credentials: "a\\nsecret"}');
  await assert.rejects(client.send(post('http://127.0.0.1:1')), { message: 'the request could not be sent' });
});

test('the signal ends a request without an answer, at the deadline and at the stop of the server', async (t) => {
  const sink = await startHttpSink(t, () => 'hang');
  const client = openTestClient(t);
  for (const [reason, message] of [
    [new DOMException('late', 'TimeoutError'), 'context deadline exceeded'],
    [new DOMException('stop', 'AbortError'), 'context canceled'],
  ] as const) {
    const controller = new AbortController();
    const sent = client.send(post(sink.url, { signal: controller.signal }));
    await sink.received(sink.requests.length + 1);
    controller.abort(reason);
    await assert.rejects(sent, { message });
  }
});

test('the signal ends a request whose answer does not end', async (t) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const controller = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sent = openTestClient(t).send(post(url, { signal: controller.signal }));
  server.once('connection', (socket) => socket.once('data', () => setImmediate(() => controller.abort())));
  await assert.rejects(sent, { message: 'context canceled' });
});

test('a closed client sends nothing more', async (t) => {
  const sink = await startHttpSink(t);
  const client = openTestClient(t);
  await client.send(post(sink.url));
  await client.close();
  await assert.rejects(client.send(post(sink.url)), { message: 'the client is closed' });
  assert.equal(sink.requests.length, 1);
});

const quoted: [what: string, yaml: string, secrets: readonly string[]][] = [
  ['basic_auth', 'basic_auth: {username: ann, password: p-w-d}', ['p-w-d', btoa('ann:p-w-d')]],
  ['authorization', 'authorization: {credentials: c-r-e}', ['c-r-e']],
  ['http_headers', 'http_headers: {X-A: {values: [seen], secrets: [h-1, h-2]}}', ['h-1', 'h-2']],
];
for (const [what, yaml, secrets] of quoted) {
  test(`an unsuccessful answer reveals no secret of ${what}, even if the service quotes it`, async (t) => {
    const sink = await startHttpSink(t, ({ headers }) => ({
      status: 400,
      body: `${JSON.stringify(headers)} ${secrets.join()}`,
    }));
    const { text } = await openTestClient(t, yaml).send(post(sink.url));
    for (const secret of secrets) assert.ok(!text.includes(secret), text);
    assert.match(text, /<redacted>/);
    assert.match(text, /application\/json/);
  });
}

test('nor of the name and password in the URL', async (t) => {
  const sink = await startHttpSink(t, ({ headers }) => ({ status: 500, body: `${headers.authorization} p-w-d` }));
  const { text } = await openTestClient(t).send(post(sink.url.replace('//', '//ann:p-w-d@')));
  assert.equal(text, 'Basic <redacted> <redacted>');
});

test('the text of a successful answer is left as it is', async (t) => {
  const sink = await startHttpSink(t, () => ({ body: '{"token":"c-r-e"}' }));
  const { text } = await openTestClient(t, 'authorization: {credentials: c-r-e}').send(post(sink.url));
  assert.equal(text, '{"token":"c-r-e"}');
});
