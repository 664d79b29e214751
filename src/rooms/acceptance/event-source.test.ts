import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventSource } from 'eventsource';
import { eventually } from '../../testing/eventually.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { startRoomsProcess } from '../testing/process.ts';
import { openTcpProxy } from '../testing/tcp-proxy.ts';

async function post({ url }: { readonly url: string }, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-opsdeck-user': 'ana' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 201, await answer.text());
}

/** A stream whose clients reconnect soon: the server asks them to wait for seconds, so that they do not return together. */
async function* impatient(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const chunk of stream)
    yield Buffer.from(decoder.decode(chunk, { stream: true }).replace(/^retry: \d+$/gm, 'retry: 100'));
}

test('eventsource follows a room from node to node, without a gap or a repetition', async (t) => {
  if (!needsPostgres(t)) return;
  const { url: storage } = await openTestDatabase();
  const start = () => startRoomsProcess(t, { args: ['--storage-url', storage] });
  const [a, b, c] = await Promise.all([start(), start(), start()]);
  const balancer = await openTcpProxy(t);
  balancer.forwardTo(a.url);
  await post(a, '/api/room', { name: 'Ops' });

  const resumedAt: (string | undefined)[] = [];
  const source = new EventSource(`${balancer.url}/api/room/ops/event`, {
    fetch: async (url, init) => {
      resumedAt.push(init.headers['Last-Event-ID']);
      const answer = await fetch(url, { ...init, headers: { ...init.headers, 'x-opsdeck-user': 'ana' } });
      const { status, redirected, headers } = answer;
      return {
        url: answer.url,
        status,
        redirected,
        headers,
        body: answer.body && ReadableStream.from(impatient(answer.body)),
      };
    },
  });
  t.after(() => source.close());
  const resets: string[] = [];
  source.addEventListener('reset', ({ data }) => resets.push(data));
  const heard: string[] = [];
  const ids: string[] = [];
  source.addEventListener('message.created', ({ data, lastEventId }) => {
    heard.push(JSON.parse(data).message.body);
    ids.push(lastEventId);
  });
  let opened = 0;
  source.addEventListener('open', () => opened++);

  const said: string[] = [];
  const say = async (...nodes: (typeof a)[]) => {
    for (const node of nodes) {
      said.push(`message ${said.length}`);
      await post(node, '/api/room/ops/message', { body: said.at(-1) });
    }
  };
  /** All that was said, by its nth connection. */
  const hearsAt = (connection: number) =>
    eventually(`all messages at connection ${connection}`, () => opened === connection && heard.length >= said.length);

  await hearsAt(1);
  await say(a, b, c);
  await hearsAt(1);
  // Its node is lost.
  balancer.forwardTo(b.url);
  await a.end('SIGKILL');
  await say(b, c, b);
  await hearsAt(2);
  // Its connection is cut while others write.
  const writing = say(c, b, c, b, c);
  balancer.forwardTo(c.url);
  balancer.cut();
  await writing;
  await hearsAt(3);
  // Its node stops in order.
  balancer.forwardTo(b.url);
  await Promise.all([c.end('SIGTERM'), say(b, b)]);
  await say(b);
  await hearsAt(4);

  assert.deepEqual(heard, said);
  assert.equal(new Set(ids).size, said.length);
  assert.deepEqual(resets, []);
  assert.ok(
    resumedAt.slice(1).every((id) => id !== undefined),
    String(resumedAt),
  );
});
