import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CopilotRoom, openCopilotRoom, openWire } from '../../testing/copilot-room.ts';
import type { ModelScript } from '../../testing/fake-model.ts';
import { startHttpSink } from '../../testing/http-sink.ts';
import type { SseStream } from '../../testing/sse-client.ts';

/** The best of some tries is measured: a busy machine is late at times, a design that waits is late at all of them. */
const MOST_MS = 200;
const TRIES = 5;
const WAIT_MS = 30_000;

interface Moment {
  /** Resolves when the run of so many questions is where it is to be cancelled. */
  readonly reached: (questions: number, stream: SseStream) => Promise<unknown>;
  /** Resolves when nothing more of it is under way at the provider. */
  readonly dropped?: (questions: number) => Promise<unknown> | undefined;
}

/** From the request to cancel until a stream says so and the provider's connection is cut. */
async function assertCancelledSoon(t: TestContext, room: CopilotRoom, { reached, dropped }: Moment): Promise<void> {
  const open = await openWire(t, room);
  const stream = await open('/api/event?rooms=ops');
  const took: number[] = [];
  for (let questions = 1; questions <= TRIES; questions++) {
    const trigger = await room.post('@copilot go');
    const { id } = await room.run('run.queued', ({ triggerId }) => triggerId === trigger.id);
    await reached(questions, stream);
    const startedAt = performance.now();
    const answered = room.rooms.send('DELETE', `/api/run/${id}`, { as: 'ana' });
    const told = untilEvent(stream, (event, data) => event === 'run.finished' && data.includes(id));
    await Promise.all([told, dropped?.(questions)]);
    took.push(performance.now() - startedAt);
    assert.equal((await answered).json.state, 'cancelled');
  }
  stream.close();
  assert.ok(Math.min(...took) <= MOST_MS, `${took.map(Math.round).join(', ')} ms`);
}

async function untilEvent(stream: SseStream, test: (event: string, data: string) => boolean): Promise<void> {
  for (;;) {
    const next = await stream.next(WAIT_MS);
    assert.ok(next, 'the stream ended');
    if (test(next.event, next.data)) return;
  }
}

const words = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`;

test('a run whose answer goes on for ever is cancelled within 200 ms', async (t) => {
  const room = await openCopilotRoom(t);
  room.model.play({ stream: [words], ending: 'repeat' });
  await assertCancelledSoon(t, room, {
    reached: (_, stream) => untilEvent(stream, (event) => event === 'message.delta'),
    dropped: (questions) => room.model.requests[questions - 1]?.abandoned,
  });
});

const SILENT: readonly (readonly [string, ModelScript])[] = [
  ['whose provider does not answer', 'hang'],
  ['whose answer does not begin', { stream: [': wait\n\n'], ending: 'hang' }],
];
for (const [what, script] of SILENT) {
  test(`a run ${what} is cancelled within 200 ms`, async (t) => {
    const room = await openCopilotRoom(t);
    room.model.play(script);
    await assertCancelledSoon(t, room, {
      reached: (questions) => room.model.received(questions),
      dropped: (questions) => room.model.requests[questions - 1]?.abandoned,
    });
  });
}

test('a run that is to ask again later is cancelled within 200 ms', async (t) => {
  const room = await openCopilotRoom(t);
  room.model.play({ status: 429, headers: { 'retry-after': '15' } });
  await assertCancelledSoon(t, room, { reached: (questions) => room.model.received(questions) });
});

test('a run that waits for the alert server is cancelled within 200 ms', async (t) => {
  const alerts = await startHttpSink(t, () => 'hang');
  const room = await openCopilotRoom(t, { options: { alertsUrl: alerts.url } });
  const put = { name: 'Ops', labels: { team: 'payments' } };
  assert.equal((await room.rooms.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  await assertCancelledSoon(t, room, { reached: (questions) => alerts.received(questions) });
  assert.equal(room.model.requests.length, 0);
});

test('a run that waits for its turn is cancelled within 200 ms', async (t) => {
  const room = await openCopilotRoom(t);
  room.model.play('hang');
  await room.post('@copilot first');
  await room.model.received(1);
  await assertCancelledSoon(t, room, { reached: async () => {} });
  assert.equal(room.model.requests.length, 1);
});
