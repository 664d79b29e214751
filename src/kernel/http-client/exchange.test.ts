import assert from 'node:assert/strict';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Dispatcher } from 'undici';
import { openHttpClient } from '../../testing/http/client-parts.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import { exchangeOver } from './exchange.ts';
import type { HttpRequest } from './http-client.ts';

function post(url: string, signal = new AbortController().signal): HttpRequest {
  return { method: 'POST', url, body: '{}', signal };
}

/** A server that does this with every connection. */
async function startTcpSink(t: TestContext, connected: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    connected(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers each request with these bytes, and leaves the connection open. */
function startRawSink(t: TestContext, answer: string | Buffer): Promise<string> {
  return startTcpSink(t, (socket) => void socket.on('data', () => socket.write(answer)));
}

test('a header of an answer is found by its name, with all its values', async (t) => {
  const answer = 'HTTP/1.1 200 OK\r\nX-One: a\r\nx-one: b\r\nCONTENT-LENGTH: 0\r\nx-\u00f6: \u00e9\r\n\r\n';
  const { headers } = await openHttpClient(t).send(
    post(await startRawSink(t, Buffer.from(answer.replace('x-\u00f6', 'x-o'), 'latin1'))),
  );
  assert.deepEqual(
    ['x-one', 'content-length', 'x-o', 'x-two'].map((name) => headers.get(name)),
    ['a, b', '0', '\u00e9', null],
  );
});

test('an informational response is not the answer', async (t) => {
  const early = 'HTTP/1.1 103 Early Hints\r\nx-a: early\r\n\r\n';
  const url = await startRawSink(t, `${early}HTTP/1.1 201 Created\r\nx-a: late\r\ncontent-length: 2\r\n\r\nok`);
  const { status, headers, text } = await openHttpClient(t).send(post(url));
  assert.deepEqual([status, headers.get('x-a'), text], [201, 'late', 'ok']);
});

test('a status outside HTTP is not an answer', async (t) => {
  const url = await startRawSink(t, 'HTTP/1.1 699 Odd\r\ncontent-length: 0\r\n\r\n');
  await assert.rejects(openHttpClient(t).send(post(url)), { message: 'the answer has the status 699' });
});

test('invalid UTF-8 is replaced, and a byte order mark is left out', async (t) => {
  const body = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]);
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`;
  const { text } = await openHttpClient(t).send(post(await startRawSink(t, Buffer.concat([Buffer.from(head), body]))));
  assert.equal(text, 'a\ufffd');
});

test('an answer of which enough was read is an answer, though it never ends', async (t) => {
  const url = await startRawSink(t, `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(70_000)}`);
  assert.equal((await openHttpClient(t).send(post(url))).text.length, 65_536);
});

test('the signal ends at once what still waits for a connection', async (t) => {
  // The server never starts the TLS handshake.
  let connected = () => {};
  const isConnected = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const url = (await startTcpSink(t, () => connected())).replace('http:', 'https:');
  const controller = new AbortController();
  const sent = openHttpClient(t).send(post(url, controller.signal));
  await isConnected;
  controller.abort(new DOMException('late', 'TimeoutError'));
  await assert.rejects(sent, { message: 'late' });
});

test('nothing listens to the signal when the answer has come, or cannot come', async (t) => {
  const sink = await startHttpSink(t);
  const client = openHttpClient(t);
  for (const url of [sink.url, 'http://127.0.0.1:1']) {
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await client.send(post(url, signal)).catch(() => {});
    assert.equal(listeners, 0);
  }
});

/** Answers with the status, and then with nothing more. */
function unendingAnswer(status: number, afterwards: () => void): Dispatcher {
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler) => {
    const controller = { abort() {} } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseStart?.(controller, status, {});
    queueMicrotask(afterwards);
    return true;
  };
  return { dispatch } as unknown as Dispatcher;
}

const unending: [status: number, statusSuffices: boolean, status: number | undefined][] = [
  [200, true, 200],
  [204, true, 204],
  [200, false, undefined],
  [503, true, undefined],
  [302, true, undefined],
  [103, true, undefined],
];
for (const [status, statusSuffices, expected] of unending) {
  const what = statusSuffices ? 'of which the status suffices' : 'that is read';
  test(`an answer of ${status} ${what}, and that never ends, is ${expected ? 'one' : 'none'} at the deadline`, async () => {
    const controller = new AbortController();
    const late = new DOMException('late', 'TimeoutError');
    const dispatcher = unendingAnswer(status, () => controller.abort(late));
    const request = { path: '/', method: 'POST' } as const;
    const answer = exchangeOver(dispatcher, request, controller.signal, { statusSuffices });
    if (expected === undefined) await assert.rejects(answer, late);
    else assert.equal((await answer).status, expected);
  });
}
