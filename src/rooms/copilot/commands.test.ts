// Slash commands to copilots.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type CopilotRoom, openCopilotRoom } from '../testing/copilot/room.ts';

type Turn = { readonly role: string; readonly content: string };

const say = ({ rooms }: CopilotRoom, as: string, body: string, more: object = {}) =>
  rooms.send('POST', '/api/room/ops/message', { as, body: { body, ...more } });
const shownTo = ({ model }: CopilotRoom, index: number) =>
  ((model.requests[index]?.body.messages ?? []) as readonly Turn[]).slice(1).map(({ content }) => content);

test('/ask calls the copilot, for all to see, even without any other trigger', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { trigger: 'manual', replyIn: 'room' } });
  const asked = await say(room, 'ben', '/ask  what is\nbroken?', { id: 'question-1' });
  assert.equal(asked.status, 201, asked.text);
  assert.deepEqual([asked.json.type, asked.json.body], ['command', 'what is\nbroken?']);
  const run = await room.ended(asked.json);
  assert.deepEqual([run.startedBy, run.state, run.audience], ['ben', 'complete', null]);
  assert.equal((await room.answer(run)).body, 'hello');
  assert.deepEqual(shownTo(room, 0), ['ben: what is\nbroken?']);
  const again = await say(room, 'ben', '/ask  what is\nbroken?', { id: 'question-1' });
  assert.deepEqual([again.status, again.headers.get('idempotent-replay')], [200, 'true']);
  assert.equal(room.model.requests.length, 1);
});

test('in a thread begun by /ask the copilot goes on answering', async (t) => {
  const room = await openCopilotRoom(t);
  const asked = await say(room, 'ana', '/ask what is broken?');
  await room.ended(asked.json);
  const more = await room.post('and since when?', { threadId: asked.json.id });
  assert.equal((await room.ended(more)).threadId, asked.json.id);
});

test('/ask gives the reason without an answer, and posts nothing', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { triggerRoles: ['owner'] } });
  const roleless = await say(room, 'ben', '/ask me');
  assert.deepEqual([roleless.status, roleless.json], [403, 'the copilot of this room does not listen to your role']);
  const empty = await say(room, 'ana', '/ask  ');
  assert.match(empty.json, /the question is missing\. \/ask <question>/);
  await room.rooms.send('DELETE', '/api/room/ops/copilot', { as: 'ana' });
  const refused = await say(room, 'ana', '/ask me');
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [404, 'not_found']);
  assert.equal(
    room.events.some(({ type }) => type === 'message.created'),
    false,
  );
});

test('/catchup sums up unread messages, from all threads, for its caller alone', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { context: { messages: 1 } } });
  const { rooms } = room;
  await rooms.send('POST', '/api/room/ops/join', { as: 'ben' });
  await room.post('known already');
  await rooms.send('PUT', '/api/room/ops/read', { as: 'ben', body: { seq: 1 } });
  const root = await room.post('the disk is full');
  await room.post('in the thread', { threadId: root.id });
  await room.post('we have ordered another');
  const off = await say(room, 'ben', '/catchup');
  assert.match(off.json, /your private copilot is off/);
  await rooms.send('PUT', '/api/room/ops', { as: 'ben', body: { copilot: true } });
  const asked = await say(room, 'ben', '/catchup');
  assert.deepEqual([asked.status, asked.json.notice], [200, 'it is being summed up; only you will see it']);
  const run = await room.run('run.finished');
  assert.deepEqual([run.audience, run.messageId, run.state], ['ben', null, 'complete']);
  const [shown = ''] = shownTo(room, 0);
  assert.match(
    shown,
    /^ana: the disk is full\n\nana: in the thread\n\nana: we have ordered another\n\nben: I was away\./,
  );
  const found = await rooms.send('GET', `/api/run/${run.id}`, { as: 'ben' });
  assert.equal(found.json.text, 'hello');
  assert.equal((await rooms.send('GET', `/api/run/${run.id}`, { as: 'ana' })).status, 404);
  assert.equal(room.events.filter(({ type }) => type === 'message.created').length, 4);
});

test('/catchup 2h covers two hours; without new messages it says so', async (t) => {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const room = await openCopilotRoom(t, { clock });
  const { rooms } = room;
  await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { copilot: true } });
  await room.post('in the night');
  clock.advance(3 * 3_600_000);
  const none = await say(room, 'ana', '/catchup 1h');
  assert.equal(none.json.notice, 'nothing was said in that time');
  await room.post('in the morning');
  await rooms.send('PUT', '/api/room/ops/read', { as: 'ana', body: { seq: 2 } });
  const read = await say(room, 'ana', '/catchup');
  assert.match(read.json.notice, /you have read everything here; \/catchup 2h/);
  assert.equal((await say(room, 'ana', '/catchup 2h')).status, 200);
  await room.run('run.finished');
  const [shown = ''] = shownTo(room, 0);
  assert.match(shown, /^ana: in the morning\n\nana: I was away/);
  const wrong = await say(room, 'ana', '/catchup tomorrow');
  assert.match(wrong.json, /say how far back: 30m, 2h, 1d\. \/catchup \[2h\]/);
});

test('/summary sums up the last hours, for all to see, in answer to its message', async (t) => {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const room = await openCopilotRoom(t, { clock, copilot: { trigger: 'manual', replyIn: 'room' } });
  await room.post('in the night');
  clock.advance(3 * 3_600_000);
  assert.equal((await say(room, 'ben', '/summary 1h')).json.notice, 'nothing was said in that time');
  await room.post('in the morning');
  const asked = await say(room, 'ben', '/summary', { id: 'summary-4711' });
  assert.deepEqual([asked.status, asked.json.body], [201, 'asks the copilot for a summary of the last 2 h']);
  const run = await room.ended(asked.json);
  assert.deepEqual([run.startedBy, run.state, run.audience], ['ben', 'complete', null]);
  assert.equal((await room.answer(run)).body, 'hello');
  const [shown = ''] = shownTo(room, 0);
  assert.match(shown, /^ana: in the morning\n\n.*ben: Sum up for everybody/s);
  assert.equal((await say(room, 'ben', '/summary', { id: 'summary-4711' })).status, 200);
  assert.equal(room.model.requests.length, 1);
});

test('/summary without a copilot gives the reason, and posts nothing', async (t) => {
  const room = await openCopilotRoom(t);
  await room.rooms.send('DELETE', '/api/room/ops/copilot', { as: 'ana' });
  const refused = await say(room, 'ana', '/summary');
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [404, 'not_found']);
});
