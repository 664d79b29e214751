import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { openAiStream, startFakeModel } from '../testing/copilot/fake-model.ts';
import { startRoomsProcess } from '../testing/process.ts';

// The built server, over PostgreSQL.

interface Node {
  readonly url: string;
}

async function send({ url }: Node, method: string, path: string, body?: object) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-opsdeck-user': 'ana' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: answer.status, json: (await answer.json()) as any };
}

async function make(node: Node, path: string, body: object) {
  const { status, json } = await send(node, 'POST', path, body);
  assert.equal(status, 201, JSON.stringify(json));
  return json;
}

const say = (node: Node, body: string) => make(node, '/api/room/ops/message', { body });
const wordsOf = ({ json }: SinkRequest) => (json as { data: { message: { body: string } } }).data.message.body;

test('the run and the deliveries of a suspended node are taken over, and it does nothing of them when it wakes up', async (t) => {
  if (!needsPostgres(t)) return;
  const { url: storage } = await openTestDatabase();
  const start = () => startRoomsProcess(t, { args: ['--storage-url', storage] });
  const model = await startFakeModel(t);
  let suspend = () => {};
  const suspended = new Promise<void>((done) => {
    suspend = done;
  });
  const sink = await startHttpSink(t, async (request) => {
    await suspended;
    return wordsOf(request) === '@copilot go' ? { body: '{"text":"of the hook"}' } : {};
  });
  const a = await start();
  const provider = {
    name: 'fake',
    kind: 'openai',
    baseUrl: model.url,
    model: 'm',
    apiKey: 'of-the-tests',
    allowPrivate: true,
  };
  await make(a, '/api/provider', provider);
  await make(a, '/api/room', { name: 'Ops', copilot: { provider: 'fake' } });
  const hook = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: sink.url, allowPrivate: true };
  await make(a, '/api/hook', { ...hook, events: ['message.created'] });
  const b = await start();

  const words = 'data: {"choices":[{"delta":{"content":"of the first"}}]}\n\n';
  model.play({ stream: [words], ending: 'hang' }, { stream: openAiStream(['of the second']) });
  await say(a, '@copilot go');
  await Promise.all([model.received(1), sink.received(1)]);
  process.kill(a.pid, 'SIGSTOP');
  // It finds both answers when it wakes up.
  for (const piece of openAiStream([' node'])) model.write(piece);
  model.write(null);
  suspend();

  await say(b, 'two');
  const logOf = async (node: Node) =>
    (await send(node, 'GET', '/api/event/log?since=0&wait=0&limit=500')).json.events as readonly {
      readonly event: string;
      // biome-ignore lint/suspicious/noExplicitAny: data of every event
      readonly data: any;
    }[];
  const finished = async (node: Node) => (await logOf(node)).filter(({ event }) => event === 'run.finished');
  const [ended] = await eventually('the end of the run', async () => {
    const found = await finished(b);
    return found.length > 0 && found;
  });
  assert.deepEqual([ended?.data.run.state, ended?.data.run.attempt], ['complete', 2]);
  await sink.received(4);

  process.kill(a.pid, 'SIGCONT');
  await say(a, 'three');
  const deliveries = await sink.received(5);
  assert.deepEqual(
    deliveries.map(wordsOf).filter((body) => body !== ''),
    ['@copilot go', '@copilot go', 'two', 'three'],
  );
  const ids = deliveries.map(({ headers }) => headers['webhook-id']);
  assert.equal(ids[0], ids[1]);
  assert.equal(new Set(ids).size, 4);
  // Its lease is renewed, or its loss learned, each second.
  await eventually('the run as the others know it', async () => {
    const { json } = await send(a, 'GET', `/api/run/${ended?.data.run.id}`);
    return json.attempt === 2;
  });
  for (const node of [a, b]) {
    assert.equal((await finished(node)).length, 1);
    const { messages } = (await send(node, 'GET', '/api/room/ops/message')).json;
    const bodies = messages.map(({ body }: { body: string }) => body);
    assert.deepEqual(bodies.toSorted(), ['@copilot go', 'of the hook', 'of the second', 'three', 'two']);
  }
  assert.equal(model.requests.length, 2);
  assert.deepEqual(await Promise.all([a, b].map((node) => node.end('SIGTERM'))), [0, 0]);
  for (const { stderr } of [a, b]) assert.doesNotMatch(stderr(), /level=ERROR/);
});
