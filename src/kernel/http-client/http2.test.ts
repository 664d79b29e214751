import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { type TestContext, test } from 'node:test';
import { openHttpClient } from '../../testing/http/client-parts.ts';
import { type SecureAnswer, startSecureSink } from '../../testing/http/http2-sink.ts';
import { AUTHORITY } from '../testdata/tls-certificates.ts';
import type { ConnectionOptions } from './connections.ts';
import { describeFailure } from './failure.ts';
import type { HttpRequest } from './http-client.ts';

const trusted: ConnectionOptions = { http2: true, tls: async () => ({ ca: AUTHORITY }) };

const post = (url: string, body = '{}', signal?: AbortSignal): HttpRequest => ({ method: 'POST', url, body, signal });

/** Why no answer came. */
const failureOf = (sent: Promise<unknown>): Promise<string> => sent.then(() => 'none', describeFailure);

const negotiated: [name: string, protocols: 'h2' | 'http/1.1' | 'both', http2: boolean, version: string][] = [
  ['HTTP/2 alone', 'h2', true, '2.0'],
  ['both', 'both', true, '2.0'],
  ['HTTP/1.1 alone', 'http/1.1', true, '1.1'],
  ['both, to a client without HTTP/2', 'both', false, '1.1'],
];
for (const [name, protocols, http2, version] of negotiated) {
  test(`HTTP/${version} is spoken with a server that speaks ${name}`, async (t) => {
    const answer: SecureAnswer = (response) => {
      response.writeHead(201, { 'x-a': '1' });
      response.end('ok');
    };
    const sink = await startSecureSink(t, { protocols, answer });
    const http = openHttpClient(t, { ...trusted, http2 });
    const request = { ...post(`${sink.url}/a?b=c`, 'body'), headers: { authorization: 'token' } };
    const { status, headers, text } = await http.send(request);
    assert.deepEqual([status, headers.get('x-a'), text], [201, '1', 'ok']);
    const [seen] = sink.requests;
    assert.deepEqual(
      [seen?.version, seen?.path, seen?.body, seen?.headers.authorization, seen?.headers['content-length']],
      [version, '/a?b=c', 'body', 'token', '4'],
    );
    assert.deepEqual((await (await http.open(request)).body.toArray()).join(''), 'ok');
  });
}

test('a server without HTTP/1.1 is not understood by a client without HTTP/2', async (t) => {
  const sink = await startSecureSink(t, { protocols: 'h2' });
  const sent = openHttpClient(t, { ...trusted, http2: false }).send(post(sink.url));
  assert.equal(await failureOf(sent), 'TLS: tlsv1 alert no application protocol');
});

test('concurrent and later requests share one HTTP/2 connection, in streams beside each other', async (t) => {
  const waiting: (() => void)[] = [];
  const answer: SecureAnswer = (response, { body }) => {
    waiting.push(() => response.end(body));
    if (waiting.length === 50) for (const release of waiting) release();
    if (waiting.length > 50) response.end(body);
  };
  const sink = await startSecureSink(t, { answer });
  const http = openHttpClient(t, { ...trusted, maxConnections: 256 });
  const bodies = Array.from({ length: 50 }, (_, index) => `body ${index}`);
  const answers = await Promise.all(bodies.map((body) => http.send(post(sink.url, body))));
  assert.deepEqual(
    answers.map(({ text }) => text),
    bodies,
  );
  await http.send(post(sink.url, 'later'));
  assert.equal(sink.connections.length, 1);
});

test('concurrent requests over HTTP/1.1 have a connection each', async (t) => {
  const waiting: (() => void)[] = [];
  const answer: SecureAnswer = (response) => {
    waiting.push(() => response.end());
    if (waiting.length === 10) for (const release of waiting) release();
  };
  const sink = await startSecureSink(t, { protocols: 'http/1.1', answer });
  const http = openHttpClient(t, { ...trusted, maxConnections: 256 });
  await Promise.all(Array.from({ length: 10 }, () => http.send(post(sink.url))));
  assert.equal(sink.connections.length, 10);
});

test('requests beyond the limit of streams wait, or use another connection', async (t) => {
  const sink = await startSecureSink(t, { maxConcurrentStreams: 3 });
  const http = openHttpClient(t, { ...trusted, maxConnections: 2 });
  await Promise.all(Array.from({ length: 40 }, (_, index) => http.send(post(sink.url, String(index)))));
  assert.deepEqual(new Set(sink.requests.map(({ body }) => body)).size, 40);
  assert.equal(sink.requests.length, 40);
  assert.ok(sink.connections.length <= 2, `${sink.connections.length} connections`);
});

/** A server that fails its first request so, and answers the others. */
async function failingOnce(t: TestContext, fail: SecureAnswer) {
  const sink = await startSecureSink(t, {
    answer: (response, request, index) => (index === 0 ? fail(response, request, index) : response.end('ok')),
  });
  return { sink, http: openHttpClient(t, trusted) };
}

const BROKEN = 'the server broke off the HTTP/2 exchange';
const CLOSED = 'connection closed by the other side';

const failures: [name: string, SecureAnswer, failure: string][] = [
  ['resets the stream', (response) => response.stream.close(constants.NGHTTP2_INTERNAL_ERROR), BROKEN],
  ['closes the stream without an answer', (response) => response.stream.close(constants.NGHTTP2_CANCEL), BROKEN],
  ['closes the connection', (response) => response.stream.session?.socket.destroy(), CLOSED],
  ['destroys the session', (response) => response.stream.session?.destroy(), CLOSED],
  ['destroys the session with an error', (response) => response.stream.session?.destroy(new Error('broken')), BROKEN],
];
for (const [name, fail, failure] of failures) {
  test(`a request fails when the server ${name}, is not repeated, and the next one succeeds`, async (t) => {
    const { sink, http } = await failingOnce(t, fail);
    assert.equal(await failureOf(http.send(post(sink.url, 'first'))), failure);
    assert.equal((await http.send(post(sink.url, 'second'))).text, 'ok');
    assert.deepEqual(
      sink.requests.map(({ body }) => body),
      ['first', 'second'],
    );
  });
}

test('concurrent requests to a server that refuses connections all fail', async (t) => {
  const http = openHttpClient(t, { ...trusted, maxConnections: 256 });
  const sent = await Promise.all(Array.from({ length: 20 }, () => failureOf(http.send(post('https://127.0.0.1:1/')))));
  assert.deepEqual(new Set(sent), new Set(['connection refused']));
});

test('a request that the server refused to process is sent again', async (t) => {
  const { sink, http } = await failingOnce(t, (response) => response.stream.close(constants.NGHTTP2_REFUSED_STREAM));
  assert.equal((await http.send(post(sink.url, 'first'))).text, 'ok');
  assert.equal(sink.requests.length, 2);
});

test('a server that is going away answers what it accepted, and later requests use a new connection', async (t) => {
  const { sink, http } = await failingOnce(t, (response) => {
    response.stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
    setImmediate(() => response.end('last'));
  });
  assert.equal((await http.send(post(sink.url))).text, 'last');
  assert.equal((await http.send(post(sink.url))).text, 'ok');
  assert.equal(sink.connections.length, 2);
});

test('the signal ends a stream that hangs; the next request does not share its connection, which others still use', async (t) => {
  const held: (() => void)[] = [];
  const sink = await startSecureSink(t, {
    answer: (response, { body }) => {
      if (body === 'slow') held.push(() => response.end('slow'));
      else if (body !== 'hangs') response.end('ok');
    },
  });
  const http = openHttpClient(t, trusted);
  await http.send(post(sink.url, 'warm'));
  const controller = new AbortController();
  const slow = http.send(post(sink.url, 'slow'));
  const hanging = http.send(post(sink.url, 'hangs', controller.signal));
  while (sink.requests.length < 3) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new DOMException('late', 'TimeoutError'));
  await assert.rejects(hanging, { message: 'late' });
  assert.equal((await http.send(post(sink.url, 'next'))).text, 'ok');
  assert.equal(sink.connections.length, 2);
  for (const release of held) release();
  assert.equal((await slow).text, 'slow');
  assert.equal(sink.requests.length, 4);
});

test('enough of an unending answer is an answer, and the connection goes on', async (t) => {
  const sink = await startSecureSink(t, {
    answer: (response, _, index) => (index === 0 ? response.write('x'.repeat(70_000)) : response.end('ok')),
  });
  const http = openHttpClient(t, trusted);
  assert.equal((await http.send(post(sink.url))).text.length, 65_536);
  assert.equal((await http.send(post(sink.url))).text, 'ok');
  assert.equal(sink.connections.length, 1);
});

test('an informational response is not the answer over HTTP/2 either', async (t) => {
  const sink = await startSecureSink(t, {
    answer: (response) => {
      response.stream.additionalHeaders({ ':status': 103, 'x-a': 'early' });
      response.writeHead(201, { 'x-a': 'late' });
      response.end('ok');
    },
  });
  const { status, headers, text } = await openHttpClient(t, trusted).send(post(sink.url));
  assert.deepEqual([status, headers.get('x-a'), text], [201, 'late', 'ok']);
});

test('a server that vanishes in the middle of many streams fails each of them once', async (t) => {
  const sink = await startSecureSink(t, {
    answer: (response, _, index) => {
      if (index === 19) response.stream.session?.socket.destroy();
      else if (index > 19) response.end('ok');
    },
  });
  const http = openHttpClient(t, trusted);
  const sent = await Promise.all(
    Array.from({ length: 20 }, (_, index) => failureOf(http.send(post(sink.url, String(index))))),
  );
  assert.deepEqual(new Set(sent), new Set([CLOSED]));
  assert.equal((await http.send(post(sink.url))).text, 'ok');
  assert.equal(sink.requests.length, 21);
});
