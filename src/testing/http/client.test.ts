import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { PlainClient } from './client.ts';

/** Answers this many requests per connection, and closes it at the next one. */
async function startClosing(t: TestContext, answers: number) {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    let left = answers;
    socket.on('error', () => {});
    socket.on('data', () => {
      if (left-- > 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const client = new PlainClient(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 });
  return { client, connections: () => connections };
}

test('a request that meets the end of a kept connection is sent again over another', async (t) => {
  const { client, connections } = await startClosing(t, 1);
  const answers = await Promise.all([client.get('/'), client.get('/')]);
  answers.push(await client.get('/'));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(connections(), 3);
});

test('a request over a new connection is sent once', async (t) => {
  const { client, connections } = await startClosing(t, 0);
  await assert.rejects(client.get('/'), { code: 'ECONNRESET' });
  assert.equal(connections(), 1);
});
