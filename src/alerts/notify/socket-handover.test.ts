import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { handOver } from './socket-handover.ts';
import { LOCAL_CERT as cert, LOCAL_KEY as key } from './testdata/http-certificates.ts';

/** More than an operating system takes for a server that does not read. */
const MUCH = 30_000_000;

/** Both ends of a connection whose server does not read. */
async function openConnection(t: TestContext, isEncrypted: boolean): Promise<{ client: Socket; server: Socket }> {
  let accept = (_: Socket) => {};
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  const listener = isEncrypted ? createTlsServer({ cert, key }, accept) : createServer(accept);
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const { port } = listener.address() as AddressInfo;
  const client = isEncrypted
    ? connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    : connect({ host: '127.0.0.1', port });
  await new Promise<void>((done) => client.once(isEncrypted ? 'secureConnect' : 'connect', done));
  const server = await accepted;
  server.pause();
  for (const socket of [client, server]) socket.on('error', () => {});
  t.after(async () => {
    client.destroy();
    server.destroy();
    await new Promise((done) => listener.close(done));
  });
  return { client, server };
}

function watch(client: Socket) {
  let taken = () => {};
  const heard = { done: 0, once: new Promise<void>((resolve) => (taken = resolve)) };
  const done = () => {
    heard.done++;
    taken();
  };
  handOver(client, { done, undone() {} });
  return heard;
}

const turn = () => new Promise((done) => setImmediate(done));

const someTurns = async () => {
  for (let count = 0; count < 10; count++) await new Promise((done) => setTimeout(done, 5));
};

for (const [way, isEncrypted] of [
  ['a plain socket', false],
  ['a socket with TLS', true],
] as const) {
  describe(`what was written to ${way}`, () => {
    test(`is handed over in ${isEncrypted ? 'the next turn' : 'the same turn'} where there is room`, async (t) => {
      const { client } = await openConnection(t, isEncrypted);
      client.write('Hello');
      const heard = watch(client);
      assert.equal(heard.done, isEncrypted ? 0 : 1);
      await turn();
      assert.equal(heard.done, 1);
    });

    test('is handed over when the other side has made room for its last byte', async (t) => {
      const { client, server } = await openConnection(t, isEncrypted);
      client.write(Buffer.alloc(MUCH));
      client.write('.');
      const heard = watch(client);
      await someTurns();
      assert.equal(heard.done, 0);
      server.resume();
      await heard.once;
      await someTurns();
      assert.equal(heard.done, 1);
    });

    test('is not handed over where the connection ends before', async (t) => {
      const { client, server } = await openConnection(t, isEncrypted);
      client.write(Buffer.alloc(MUCH));
      const heard = watch(client);
      await someTurns();
      server.destroy();
      await new Promise((done) => client.once('close', done));
      await someTurns();
      assert.equal(heard.done, 0);
    });
  });
}
