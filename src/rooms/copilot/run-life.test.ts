import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { copilotUserId } from '../domain/copilot/user.ts';
import type { RoomEvent } from '../domain/event.ts';
import type { Run } from '../domain/run/run.ts';
import { type ModelScript, openAiStream } from '../testing/copilot/fake-model.ts';
import { type CopilotRoom, follow, openCopilotRoom } from '../testing/copilot/room.ts';

const content = (words: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: words } }] })}\n\n`;
const OPEN: ModelScript = { stream: [content('some words')], ending: 'hang' };

/** The run started by a message, as soon as it has published a piece. */
async function streaming(room: CopilotRoom, triggerId: string): Promise<Run> {
  const started = await room.run('run.started', (run) => run.triggerId === triggerId);
  await eventually('a delta', () =>
    room.published.some(({ type, data }) => type === 'message.delta' && data.includes(started.id)),
  );
  return started;
}

test('a run is queued, started with an empty message, published in pieces and ended with the whole text, in three commits', async (t) => {
  const room = await openCopilotRoom(t, { kind: 'echo', copilot: { model: 'echo?delayMs=20' } });
  const trigger = await room.post('@copilot   how are\nthings');
  const run = await room.ended(trigger);
  const types = room.events.map(({ type }) => type);
  assert.deepEqual(types, [
    'message.created',
    'run.queued',
    'message.created',
    'message.updated',
    'run.started',
    'message.updated',
    'run.finished',
  ]);
  const placed = room.events[2];
  assert.ok(placed?.type === 'message.created');
  const { author, status, body, threadId, run: ref } = placed.message;
  assert.deepEqual(author, { id: `copilot:${trigger.roomId}`, name: 'copilot', kind: 'copilot' });
  assert.deepEqual([status, body, threadId], ['streaming', '', trigger.id]);
  assert.deepEqual([ref?.id, ref?.trigger, ref?.model], [run.id, trigger.id, 'echo?delayMs=20']);
  const answer = await room.answer(run);
  assert.equal(answer.body, 'echo: @copilot how are things');
  assert.equal(answer.status, 'complete');
  assert.equal(answer.edited, null);
  assert.equal(answer.run?.finishReason, 'stop');
  let text = '';
  for (const { type, data, roomId } of room.published) {
    if (type !== 'message.delta') continue;
    const delta = JSON.parse(data);
    assert.deepEqual([roomId, delta.messageId, delta.runId], [trigger.roomId, answer.id, run.id]);
    assert.equal(delta.offset, text.length);
    text += delta.text;
  }
  assert.equal(text, answer.body);
  // The answer made a thread of it.
  assert.deepEqual(run.saw, [{ messageId: trigger.id, version: 2 }]);
});

test('deltas are merged: a thousand words are fewer than a thousand deltas', async (t) => {
  const room = await openCopilotRoom(t, { kind: 'echo', copilot: { model: 'echo?tokens=1000' } });
  const run = await room.ended(await room.post('@copilot go on'));
  const deltas = room.published.filter(({ type }) => type === 'message.delta');
  const { body } = await room.answer(run);
  assert.ok(deltas.length <= Math.ceil(body.length / 512) + 2, `${deltas.length} deltas`);
});

test('a run that is cancelled cuts its connection and keeps its text', async (t) => {
  const room = await openCopilotRoom(t);
  room.model.play(OPEN);
  const run = await streaming(room, (await room.post('@copilot go')).id);
  const cancelled = await room.rooms.send('DELETE', `/api/run/${run.id}`, { as: 'ana' });
  await room.model.requests[0]?.abandoned;
  assert.equal(cancelled.status, 200);
  assert.equal(cancelled.json.state, 'cancelled');
  const answer = await room.answer(run);
  assert.deepEqual([answer.status, answer.body], ['cancelled', 'some words']);
  const again = await room.rooms.send('DELETE', `/api/run/${run.id}`, { as: 'ana' });
  assert.deepEqual([again.status, again.headers.get('x-error-code')], [409, 'run_finished']);
});

test('a run is retried once, in a new message', async (t) => {
  const room = await openCopilotRoom(t);
  room.model.play({ status: 401 }, { stream: openAiStream(['well']) });
  const run = await room.ended(await room.post('@copilot go'));
  assert.equal(run.state, 'failed');
  const retry = () => room.rooms.send('POST', `/api/run/${run.id}/retry`, { as: 'ana' });
  const [one, two] = await Promise.all([retry(), retry()]);
  assert.deepEqual([one.status, two.status, one.json.id], [202, 202, two.json.id]);
  assert.equal(one.json.retryOf, run.id);
  const id = one.json.id;
  const answer = await room.answer(await room.run('run.finished', (ended) => ended.id === id));
  assert.deepEqual([answer.body, answer.threadId], ['well', run.threadId]);
  assert.notEqual(answer.id, run.messageId);
  assert.equal((await retry()).json.id, id);
  assert.equal(room.model.requests.length, 2);
});

const GROUND: readonly (readonly [string, (room: CopilotRoom, run: Run) => Promise<unknown>, string])[] = [
  [
    'its answer is deleted',
    ({ rooms }, run) => rooms.send('DELETE', `/api/message/${run.messageId}`, { as: 'ana' }),
    'deleted',
  ],
  [
    'its question is deleted',
    ({ rooms }, run) => rooms.send('DELETE', `/api/message/${run.triggerId}`, { as: 'ana' }),
    'cancelled',
  ],
  [
    'the copilot is disabled',
    ({ rooms }) =>
      rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: { provider: 'fake', enabled: false } }),
    'cancelled',
  ],
  ['the copilot is removed', ({ rooms }) => rooms.send('DELETE', '/api/room/ops/copilot', { as: 'ana' }), 'cancelled'],
  [
    'the room is archived',
    ({ rooms }) => rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', archived: true } }),
    'cancelled',
  ],
];
for (const [what, act, after] of GROUND) {
  test(`a run is cancelled when ${what}`, async (t) => {
    const room = await openCopilotRoom(t);
    room.model.play(OPEN);
    const trigger = await room.post('@copilot go');
    const run = await streaming(room, trigger.id);
    await act(room, run);
    await room.model.requests[0]?.abandoned;
    assert.equal((await room.ended(trigger)).state, 'cancelled');
    const answer = await room.answer(run);
    if (after === 'deleted') assert.deepEqual([answer.deleted, answer.body], [true, '']);
    else assert.deepEqual([answer.status, answer.body], ['cancelled', 'some words']);
    const found = await room.rooms.send('GET', `/api/run/${run.id}`, { as: 'ana' });
    assert.equal(found.json.text, after === 'deleted' ? null : 'some words');
    assert.equal(
      JSON.stringify(room.events.filter(({ type }) => type.startsWith('run.'))).includes('some words'),
      false,
    );
  });
}

test('a server that stops marks runs in progress as interrupted, and starts queued runs later', async (t) => {
  const room = await openCopilotRoom(t);
  room.model.play(OPEN);
  const first = await room.post('@copilot one');
  const run = await streaming(room, first.id);
  const second = await room.post('@copilot two');
  await room.run('run.queued', ({ triggerId }) => triggerId === second.id);
  room.model.play({ stream: openAiStream(['well']) });
  const again = follow(await room.rooms.restart(), room.model);
  const answer = await again.answer(run);
  assert.deepEqual([answer.status, answer.body, answer.run?.error?.code], ['failed', 'some words', 'interrupted']);
  const other = await eventually('the second answer', async () => {
    const page = await again.rooms.send('GET', `/api/room/ops/message?thread=${second.id}`, { as: 'ana' });
    return page.json.messages.find((message: { body: string }) => message.body === 'well');
  });
  assert.equal(other.run.trigger, second.id);
});

test('a crash loses the text of the last second and no more', async (t) => {
  const room = await openCopilotRoom(t);
  const { core } = room.rooms;
  const trigger = await room.post('plain');
  const lost: Run = {
    ...({
      id: 'run-that-was-lost',
      roomId: trigger.roomId,
      triggerId: trigger.id,
      startedBy: 'ana',
      prompt: null,
    } as const),
    ...({ threadId: trigger.id, audience: null, retryOf: null, messageId: 'answer-run-that-was-lost' } as const),
    ...({ state: 'running', provider: 'fake', model: 'test-1', text: 'so far', saw: [], finishReason: null } as const),
    ...({ usage: null, error: null, queuedAt: 1, startedAt: 2, finishedAt: null } as const),
  };
  await room.rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: { provider: 'fake', trigger: 'manual' } });
  await room.post('', { id: 'unused-1', attachments: [], body: 'x' });
  const posted = await core.writer.submit({
    decide: (view) => {
      const [message] = room.events.flatMap((event) => (event.type === 'message.created' ? [event.message] : []));
      assert.ok(message && view);
      const { seq: _, ...rest } = message;
      const answer = {
        ...rest,
        id: 'answer-run-that-was-lost',
        author: { id: copilotUserId(trigger.roomId), name: 'Copilot', kind: 'copilot' },
        status: 'streaming',
        body: '',
        threadId: null,
      } as const;
      return {
        ok: true,
        write: {
          events: [{ type: 'message.created', roomId: trigger.roomId, message: answer, contentHash: '0'.repeat(64) }],
          runs: [lost],
        },
        answer: () => null,
      };
    },
  });
  assert.ok(posted.ok);
  const again = follow(await room.rooms.restart(), room.model);
  const answer = await again.answer(lost);
  assert.deepEqual([answer.status, answer.body], ['failed', 'so far']);
  const run = await again.rooms.send('GET', `/api/run/${lost.id}`, { as: 'ana' });
  assert.equal(run.json.state, 'interrupted');
});

test('one question has one answer, however often it is sent', async (t) => {
  const room = await openCopilotRoom(t, { kind: 'echo' });
  const post = () =>
    room.rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { id: 'the-question', body: '@copilot go' } });
  const answers = await Promise.all(Array.from({ length: 20 }, post));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  await room.ended({ id: 'the-question' });
  assert.equal(room.events.filter(({ type }) => type === 'run.queued').length, 1);
  assert.equal(room.events.filter(({ type }) => type === 'message.created').length, 2);
});

test('questions wait for their turn; one too many is refused, to its author alone', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { limits: { concurrent: 1, queue: 1 } } });
  room.model.play(OPEN);
  const first = await room.post('@copilot one');
  await streaming(room, first.id);
  const second = await room.post('@copilot two');
  await room.run('run.queued', ({ triggerId }) => triggerId === second.id);
  const third = await room.post('@copilot three');
  const reacted = (event: RoomEvent) => event.type === 'reaction.added' && event.message.id === third.id;
  await room.event(reacted);
  const note = room.published.find(({ type }) => type === 'note');
  assert.equal(note?.audience, 'ana');
  assert.equal(JSON.parse(note?.data ?? '{}').messageId, third.id);
  const refused = await room.rooms.send('POST', '/api/room/ops/copilot/run', { as: 'ana', body: { prompt: 'now' } });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [429, 'rate_limited']);
  const health = await room.rooms.send('GET', '/health');
  assert.deepEqual(health.json.copilot, { running: 1, queued: 1 });
  room.model.play({ stream: openAiStream(['well']) });
  room.model.write(null);
  assert.equal((await room.ended(second)).state, 'complete');
});

test('limits count runs and tokens before the model is called, and are settled by its report', async (t) => {
  const room = await openCopilotRoom(t, {
    copilot: { maxOutputTokens: 100, limits: { tokensPerDay: 130, concurrent: 0 } },
  });
  room.model.play({ stream: openAiStream(['well'], { usage: { prompt_tokens: 20, completion_tokens: 10 } }) });
  assert.equal((await room.ended(await room.post('@copilot one'))).state, 'complete');
  // 30 are spent: 100 more can be reserved, and then none.
  assert.equal((await room.ended(await room.post('@copilot two'))).state, 'complete');
  const refused = await room.rooms.send('POST', '/api/room/ops/copilot/run', { as: 'ana', body: { prompt: 'three' } });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [429, 'copilot_quota']);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal(room.model.requests.length, 2);
});

test('a provider that fails five times is not called any more, and the room is notified once', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { limits: { concurrent: 0 } } });
  room.model.play({ status: 401 });
  for (const n of [1, 2, 3, 4, 5]) await room.ended(await room.post(`@copilot ${n}`));
  await room.post('@copilot six');
  const noticed = (event: RoomEvent) => event.type === 'message.created' && event.message.type === 'system';
  await room.event(noticed);
  const refused = await room.rooms.send('POST', '/api/room/ops/copilot/run', { as: 'ana', body: { prompt: 'seven' } });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [502, 'upstream_failed']);
  await room.post('@copilot eight');
  await room.rooms.send('POST', '/api/room/ops/copilot/run', { as: 'ana', body: { prompt: 'nine' } });
  assert.equal(room.events.filter(noticed).length, 1);
  assert.equal(room.model.requests.length, 5);
  const copilot = await room.rooms.send('GET', '/api/room/ops/copilot', { as: 'ana' });
  assert.equal(copilot.json.health.state, 'error');
});
