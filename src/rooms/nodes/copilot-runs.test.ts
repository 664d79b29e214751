import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import type { Run } from '../domain/run/run.ts';
import { type ModelScript, openAiStream, startFakeModel } from '../testing/copilot/fake-model.ts';
import { type CopilotRoom, follow, makeCopilotRoom } from '../testing/copilot/room.ts';
import { endLeases, openTestNodes, type TestNode } from '../testing/nodes.ts';

const content = (words: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: words } }] })}\n\n`;
const OPEN: ModelScript = { stream: [content('some words')], ending: 'hang' };
const SECOND_MS = 1_000;

/** A room on two nodes; its questions are asked through the first one. */
async function openNodes(t: TestContext, copilot: object = {}) {
  const { postgres, nodes } = await openTestNodes(t, 2);
  const [a, b] = nodes;
  const model = await startFakeModel(t);
  const room = await makeCopilotRoom(a.rooms, model, { copilot });
  const other = follow(b.rooms, model);
  await eventually('the other node knows the room', async () => {
    const found = await b.rooms.send('GET', '/api/room/ops/copilot', { as: 'ana' });
    return found.status === 200;
  });
  return { postgres, model, a: { ...a, room }, b: { ...b, room: other } };
}

type Node = TestNode & { readonly room: CopilotRoom };

const kindsOf = ({ room }: Node, id: string) =>
  room.events.flatMap((event) => ('run' in event && event.run.id === id ? [event.type] : []));

const hears = ({ room }: Node, type: string, words: string) =>
  eventually(`${type}: ${words}`, () => room.published.some((one) => one.type === type && one.data.includes(words)));

const cancel = ({ rooms }: Node, { id }: Pick<Run, 'id'>) => rooms.send('DELETE', `/api/run/${id}`, { as: 'ana' });

async function find({ rooms }: Node, { id }: Pick<Run, 'id'>): Promise<Run> {
  const found = await rooms.send('GET', `/api/run/${id}`, { as: 'ana' });
  assert.equal(found.status, 200, found.text);
  return found.json;
}

/** A run of the first node whose words both nodes have heard. */
async function startOpenRun(a: Node, b: Node): Promise<Run> {
  a.room.model.play(OPEN);
  const trigger = await a.room.post('@copilot go');
  const run = await b.room.run('run.started', ({ triggerId }) => triggerId === trigger.id);
  for (const node of [a, b]) await hears(node, 'message.delta', 'some words');
  return run;
}

/** The second node takes over the runs of the first one, which does not know it yet. */
async function takeOver({ postgres, b }: { postgres: Parameters<typeof endLeases>[0]; b: Node }): Promise<void> {
  const { length } = b.room.model.requests;
  await endLeases(postgres);
  b.clock.advance(SECOND_MS);
  await b.room.model.received(length + 1);
}

/** The node renews its leases, and learns that it has lost its run. */
async function notice(node: Node, run: Run): Promise<void> {
  node.clock.advance(SECOND_MS);
  await node.room.model.requests[0]?.abandoned;
  await eventually('the run is not its own', async () => (await find(node, run)).attempt === 2);
}

test('a run is performed by one node; the others show its words, and cancel it', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, model } = await openNodes(t);
  const run = await startOpenRun(a, b);
  assert.deepEqual([(await find(b, run)).text, (await find(b, run)).state], ['some words', 'running']);
  for (let seconds = 0; seconds < 6; seconds++) b.clock.advance(SECOND_MS);
  const cancelled = await cancel(b, run);
  assert.deepEqual([cancelled.status, cancelled.json.state], [200, 'cancelled'], cancelled.text);
  await model.requests[0]?.abandoned;
  const answer = await b.room.answer(run);
  assert.deepEqual([answer.status, answer.body], ['cancelled', 'some words']);
  assert.equal((await cancel(b, run)).status, 409);
  assert.equal(model.requests.length, 1);
  assert.equal(b.rooms.core.state.all('cancellation').size, 0);
  for (const node of [a, b]) assert.deepEqual(kindsOf(node, run.id), ['run.queued', 'run.started', 'run.finished']);
});

test('the run of a lost node is started again once, into the same reply, and the lost node writes nothing more', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, model, postgres } = await openNodes(t);
  const run = await startOpenRun(a, b);
  model.play({ stream: openAiStream(['well']) });
  await takeOver({ postgres, b });
  const ended = await b.room.run('run.finished');
  assert.deepEqual([ended.id, ended.state, ended.attempt], [run.id, 'complete', 2]);
  // The first node wakes up: it cannot end the run any more.
  assert.equal((await cancel(a, run)).status, 409);
  await model.requests[0]?.abandoned;
  for (const node of [a, b]) {
    const answer = await node.room.answer(run);
    assert.deepEqual([answer.status, answer.body, answer.id], ['complete', 'well', run.messageId]);
    assert.deepEqual(kindsOf(node, run.id), ['run.queued', 'run.started', 'run.finished']);
  }
  assert.equal((await find(a, run)).attempt, 2);
  assert.equal(model.requests.length, 2);
});

test('a node that has lost its run follows it from then on', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, model, postgres } = await openNodes(t);
  const run = await startOpenRun(a, b);
  model.play({ stream: [content('a new')], ending: 'hang' });
  await takeOver({ postgres, b });
  await notice(a, run);
  model.write(content(' beginning'));
  await hears(a, 'message.delta', ' beginning');
  await hears(a, 'message.snapshot', '"text":""');
  const cancelled = await cancel(a, run);
  assert.equal(cancelled.json.state, 'cancelled', cancelled.text);
  assert.equal((await a.room.answer(run)).body, 'a new beginning');
});

test('a second loss ends a run as interrupted', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, model, postgres } = await openNodes(t);
  const run = await startOpenRun(a, b);
  await takeOver({ postgres, b });
  await notice(a, run);
  await endLeases(postgres);
  a.clock.advance(SECOND_MS);
  const ended = await a.room.run('run.finished');
  assert.deepEqual([ended.state, ended.error?.code, ended.attempt], ['interrupted', 'interrupted', 2]);
  b.clock.advance(SECOND_MS);
  await model.requests[1]?.abandoned;
  await b.room.run('run.finished');
  const answer = await b.room.answer(run);
  assert.deepEqual([answer.status, answer.run?.error?.code], ['failed', 'interrupted']);
  assert.equal(kindsOf(b, run.id).filter((kind) => kind === 'run.finished').length, 1);
  assert.equal(model.requests.length, 2);
});

test('a request to cancel outlives the node of its run', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, model, postgres } = await openNodes(t);
  const run = await startOpenRun(a, b);
  // The first node may write nothing any more, and does not know it.
  await postgres.query("UPDATE opsdeck.lease SET fence = fence + 1000, lease_until = '-infinity'");
  const answered = cancel(b, run);
  await eventually('the request is stored', () => b.rooms.core.state.get('cancellation', run.id) !== undefined);
  b.clock.advance(SECOND_MS);
  assert.equal((await answered).json.state, 'cancelled');
  assert.equal(model.requests.length, 1);
});

test('a node that stops leaves its queued runs to another', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b, model } = await openNodes(t, { limits: { concurrent: 1, queue: 5 } });
  const first = await startOpenRun(a, b);
  const trigger = await a.room.post('@copilot second');
  const second = await b.room.run('run.queued', ({ triggerId }) => triggerId === trigger.id);
  model.play({ stream: openAiStream(['well']) });
  await a.rooms.rooms.close();
  b.clock.advance(SECOND_MS);
  const ended = await b.room.run('run.finished', ({ id }) => id === second.id);
  assert.deepEqual([ended.state, ended.attempt], ['complete', undefined]);
  assert.equal((await b.room.answer(ended)).body, 'well');
  assert.equal((await find(b, first)).state, 'interrupted');
});
