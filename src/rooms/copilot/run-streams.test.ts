import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CopilotRoom, openCopilotRoom, openWire } from '../../testing/copilot-room.ts';
import { eventually } from '../../testing/eventually.ts';
import { openAiStream } from '../../testing/fake-model.ts';

const WAIT_MS = 30_000;
const [, FIRST = '', SECOND = '', ...END] = openAiStream(['one ', 'two']);

async function askSlowly(room: CopilotRoom) {
  room.model.play({ stream: [FIRST], ending: 'hang' });
  const trigger = await room.post('@copilot go');
  const told = () => room.told.find(({ type }) => type === 'message.delta');
  const { data } = await eventually('the first delta', told, { deadlineMs: WAIT_MS });
  return { trigger, ...(JSON.parse(data) as { runId: string; messageId: string }) };
}

test('the stream of a run begins with what there is, goes on with what comes, and ends with the run', async (t) => {
  const room = await openCopilotRoom(t);
  const open = await openWire(t, room);
  const { trigger, runId } = await askSlowly(room);
  const stream = await open(`/api/run/${runId}/stream`);
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  const begin = await stream.next(WAIT_MS);
  assert.equal(begin?.event, 'run');
  const { run } = JSON.parse(begin?.data ?? '');
  assert.deepEqual([run.id, run.state, run.text], [runId, 'running', 'one ']);
  room.model.write(SECOND);
  const delta = await stream.next(WAIT_MS);
  assert.equal(delta?.event, 'message.delta');
  const { offset, text } = JSON.parse(delta?.data ?? '');
  assert.deepEqual([offset, text], [4, 'two']);
  room.model.write(END.join(''));
  room.model.write(null);
  const end = await stream.next(WAIT_MS);
  assert.equal(end?.event, 'run.finished');
  assert.equal(JSON.parse(end?.data ?? '').run.state, 'complete');
  assert.equal(await stream.next(WAIT_MS), undefined);
  assert.equal(await stream.over, 'ended');
  assert.equal((await room.answer(await room.ended(trigger))).body, 'one two');
  const late = await open(`/api/run/${runId}/stream`);
  const only = await late.next(WAIT_MS);
  assert.equal(only?.event, 'run.finished');
  assert.equal(JSON.parse(only?.data ?? '').run.text, 'one two');
  assert.equal(await late.over, 'ended');
});

test('who begins to listen in the middle of an answer gets it whole', async (t) => {
  const room = await openCopilotRoom(t);
  const open = await openWire(t, room);
  const { runId, messageId } = await askSlowly(room);
  const stream = await open('/api/event?rooms=ops&since=0');
  let text = '';
  for await (const { event, data } of stream) {
    const parsed = JSON.parse(data);
    if (event === 'message.snapshot') {
      assert.deepEqual([parsed.messageId, parsed.runId, parsed.offset], [messageId, runId, 4]);
      text = parsed.text;
      room.model.write(SECOND);
    }
    if (event === 'message.delta') {
      assert.equal(parsed.offset, text.length);
      text += parsed.text;
      break;
    }
  }
  assert.equal(text, 'one two');
  stream.close();
  room.model.write(null);
});

test('streams of runs end with the server, and for those who may not see them any more', async (t) => {
  const room = await openCopilotRoom(t);
  const open = await openWire(t, room);
  const { runId } = await askSlowly(room);
  const stream = await open(`/api/run/${runId}/stream`);
  await stream.next(WAIT_MS);
  await room.rooms.send('DELETE', '/api/room/ops', { as: 'ana' });
  assert.equal(await stream.over, 'ended');
});
