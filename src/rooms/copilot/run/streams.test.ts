import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { listen } from '../../../kernel/http/server.ts';
import { eventually } from '../../../testing/eventually.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { openSse } from '../../../testing/http/sse-client.ts';
import { openAiStream, startFakeModel } from '../../testing/copilot/fake-model.ts';
import { type CopilotRoom, openCopilotRoom, openWire } from '../../testing/copilot/room.ts';
import { openPeople } from '../../testing/people.ts';

const [, FIRST = '', SECOND = '', ...END] = openAiStream(['one ', 'two']);

async function askSlowly(room: CopilotRoom) {
  room.model.play({ stream: [FIRST], ending: 'hang' });
  const trigger = await room.post('@copilot go');
  const firstDelta = () => room.published.find(({ type }) => type === 'message.delta');
  const { data } = await eventually('the first delta', firstDelta);
  return { trigger, ...(JSON.parse(data) as { runId: string; messageId: string }) };
}

test('the stream of a run begins with the text so far, continues with new text, and ends with the run', async (t) => {
  const room = await openCopilotRoom(t);
  const open = await openWire(t, room);
  const { trigger, runId } = await askSlowly(room);
  const stream = await open(`/api/run/${runId}/stream`);
  assert.equal(stream.headers['content-type'], 'text/event-stream');
  const begin = await stream.next();
  assert.equal(begin?.event, 'run');
  const { run } = JSON.parse(begin?.data ?? '');
  assert.deepEqual([run.id, run.state, run.text], [runId, 'running', 'one ']);
  room.model.write(SECOND);
  const delta = await stream.next();
  assert.equal(delta?.event, 'message.delta');
  const { offset, text } = JSON.parse(delta?.data ?? '');
  assert.deepEqual([offset, text], [4, 'two']);
  room.model.write(END.join(''));
  room.model.write(null);
  const end = await stream.next();
  assert.equal(end?.event, 'run.finished');
  assert.equal(JSON.parse(end?.data ?? '').run.state, 'complete');
  assert.equal(await stream.next(), undefined);
  assert.equal(await stream.over, 'ended');
  assert.equal((await room.answer(await room.ended(trigger))).body, 'one two');
  const late = await open(`/api/run/${runId}/stream`);
  const only = await late.next();
  assert.equal(only?.event, 'run.finished');
  assert.equal(JSON.parse(only?.data ?? '').run.text, 'one two');
  assert.equal(await late.over, 'ended');
});

test('a listener that joins in the middle of an answer receives the whole text', async (t) => {
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

test('streams of runs end with the server, and with the right to see the run', async (t) => {
  const room = await openCopilotRoom(t);
  const open = await openWire(t, room);
  const { runId } = await askSlowly(room);
  const stream = await open(`/api/run/${runId}/stream`);
  await stream.next();
  await room.rooms.send('DELETE', '/api/room/ops', { as: 'ana' });
  assert.equal(await stream.over, 'ended');
});

test('the stream of a run ends within a second of the token that opened it, even without events', async (t) => {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const model = await startFakeModel(t);
  const { send, rooms } = await openPeople(t, [], { clock });
  const provider = { name: 'fake', kind: 'openai', baseUrl: model.url, model: 'test-1', allowPrivate: true };
  await send('POST', '/api/provider', { body: provider });
  await send('POST', '/api/room', { body: { name: 'Ops', copilot: { provider: 'fake', trigger: 'manual' } } });
  const expiresAt = new Date(clock.now() + 10_000).toISOString();
  const token = await send('POST', '/api/token', { body: { name: 'short', expiresAt } });
  model.play({ stream: [FIRST], ending: 'hang' });
  const run = await send('POST', '/api/room/ops/copilot/run', { body: { prompt: 'go' } });
  assert.equal(run.status, 202, run.text);
  const { app, endStreams } = rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(1_000));
  const headers = { authorization: `Bearer ${token.json.secret}` };
  const stream = await openSse(`${listener.url}/api/run/${run.json.id}/stream`, { headers });
  assert.equal((await stream.next())?.event, 'run');
  clock.advance(11_000);
  assert.equal(await stream.over, 'ended');
});
