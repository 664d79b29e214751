import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { type SinkAnswer, type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { endLeases, openTestNodes, type TestNode } from '../testing/nodes.ts';

const SECOND_MS = 1_000;

const wordsOf = ({ json }: SinkRequest) => (json as { data: { message: { body: string } } }).data.message.body;
const idOf = ({ headers }: SinkRequest) => headers['webhook-id'];

const say = async ({ rooms }: TestNode, body: string) => {
  const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body } });
  assert.equal(posted.status, 201, posted.text);
};

/** A hook for a room; which of the two nodes delivers its events was decided between them. */
async function openHook(t: TestContext, answer: (request: SinkRequest, index: number) => SinkAnswer = () => ({})) {
  const { postgres, nodes } = await openTestNodes(t, 2);
  const [a, b] = nodes;
  const sink = await startHttpSink(t, answer);
  await a.rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: sink.url, allowPrivate: true };
  const made = await a.rooms.send('POST', '/api/hook', { as: 'ana', body });
  assert.equal(made.status, 201, made.text);
  const { id } = made.json;
  const owner = await eventually('an owner', async () => {
    const sql = 'SELECT owner FROM opsdeck.lease WHERE id = $1';
    const [row] = await postgres.query<{ owner: string }>(sql, [`hook/${id}`]);
    return nodes.find(({ incarnation }) => incarnation === row?.owner);
  });
  const other = owner === a ? b : a;
  await eventually('the other node knows the room', () => other.rooms.core.state.get('hook', id) !== undefined);
  /** The stored progress, as a node knows it. */
  const reaches = (node: TestNode, pos: number) =>
    eventually(`position ${pos}`, () => (node.rooms.core.state.get('progress', id)?.cursor ?? 0) >= pos);
  return { postgres, sink, id, owner, other, reaches };
}

test('one node delivers the events of all, in the order of the log', async (t) => {
  if (!needsPostgres(t)) return;
  const { sink, owner, other } = await openHook(t);
  const sent: string[] = [];
  for (let number = 0; number < 10; number++) {
    await say(number % 2 === 0 ? owner : other, `message ${number}`);
    sent.push(`message ${number}`);
  }
  assert.deepEqual((await sink.received(10)).map(wordsOf), sent);
});

test('another node resumes at the stored progress when that node is lost, and repeats under the same id', async (t) => {
  if (!needsPostgres(t)) return;
  const { sink, owner, other, reaches, postgres } = await openHook(t, (_, index) => (index === 1 ? 'hang' : {}));
  await say(owner, 'one');
  await sink.received(1);
  await reaches(other, owner.rooms.core.writer.pos);
  await say(other, 'two');
  await sink.received(2);
  await endLeases(postgres);
  other.clock.advance(SECOND_MS);
  await sink.received(3);
  // The first node wakes up: its request in progress is cut, and nothing more of it is sent or written.
  owner.clock.advance(SECOND_MS);
  await eventually('the request is cut', () => sink.abandoned === 1);
  await say(owner, 'three');
  const requests = await sink.received(4);
  await reaches(owner, other.rooms.core.writer.pos);
  assert.deepEqual(requests.map(wordsOf), ['one', 'two', 'two', 'three']);
  assert.equal(new Set(requests.map(idOf)).size, 3);
  assert.equal(idOf(requests[1] as SinkRequest), idOf(requests[2] as SinkRequest));
});

test('a request to deliver again is carried out by whichever node delivers', async (t) => {
  if (!needsPostgres(t)) return;
  const { sink, id, owner, other, reaches } = await openHook(t);
  await say(owner, 'one');
  const { pos } = owner.rooms.core.writer;
  await say(owner, 'two');
  await sink.received(2);
  await reaches(other, owner.rooms.core.writer.pos);
  const again = await other.rooms.send('POST', `/api/hook/${id}/redeliver?from=${pos}`, { as: 'ana' });
  assert.equal(again.status, 202, again.text);
  const requests = await sink.received(4);
  assert.deepEqual(requests.map(wordsOf), ['one', 'two', 'one', 'two']);
  assert.equal(idOf(requests[0] as SinkRequest), idOf(requests[2] as SinkRequest));
});

test('a node that stops hands its hooks over', async (t) => {
  if (!needsPostgres(t)) return;
  const { sink, id, owner, other } = await openHook(t);
  await say(owner, 'one');
  await eventually('it is delivered', async () => {
    const { cursor } = (await owner.rooms.send('GET', `/api/hook/${id}`, { as: 'ana' })).json;
    return cursor === owner.rooms.core.writer.pos;
  });
  await owner.rooms.rooms.close();
  await say(other, 'two');
  other.clock.advance(SECOND_MS);
  assert.deepEqual((await sink.received(2)).map(wordsOf), ['one', 'two']);
});
