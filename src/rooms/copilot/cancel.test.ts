import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import type { SseStream } from '../../testing/http/sse-client.ts';
import type { ModelScript } from '../testing/copilot/fake-model.ts';
import { type CopilotRoom, openCopilotRoom, openWire } from '../testing/copilot/room.ts';

// The clock is stopped from the request to cancel on: any wait for a time would never end.

interface Moment {
  /** Resolves when the run has reached the point of cancellation. */
  readonly reached: (stream: SseStream) => Promise<unknown>;
  /** Resolves when nothing more of it is under way at the provider. */
  readonly dropped?: () => Promise<unknown> | undefined;
}

/** From the request to cancel until a stream says so and the provider's connection is cut. */
async function assertCancelledAtOnce(t: TestContext, room: CopilotRoom, { reached, dropped }: Moment): Promise<void> {
  const open = await openWire(t, room);
  const stream = await open('/api/event?rooms=ops');
  const trigger = await room.post('@copilot go');
  const { id } = await room.run('run.queued', ({ triggerId }) => triggerId === trigger.id);
  await reached(stream);
  const answered = room.rooms.send('DELETE', `/api/run/${id}`, { as: 'ana' });
  const finished = untilEvent(stream, (event, data) => event === 'run.finished' && data.includes(id));
  await Promise.all([finished, dropped?.()]);
  assert.equal((await answered).json.state, 'cancelled');
  stream.close();
}

async function untilEvent(stream: SseStream, test: (event: string, data: string) => boolean): Promise<void> {
  for (;;) {
    const next = await stream.next();
    assert.ok(next, 'the stream ended');
    if (test(next.event, next.data)) return;
  }
}

const words = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`;

test('a run with an endless answer is cancelled at once', async (t) => {
  const clock = new FakeClock();
  const room = await openCopilotRoom(t, { clock });
  room.model.play({ stream: [words], ending: 'repeat' });
  await assertCancelledAtOnce(t, room, {
    reached: async (stream) => {
      const delta = untilEvent(stream, (event) => event === 'message.delta');
      await eventually('words', () => {
        clock.advance(10);
        return room.published.some(({ type }) => type === 'message.delta');
      });
      await delta;
    },
    dropped: () => room.model.requests[0]?.abandoned,
  });
});

const SILENT: readonly (readonly [string, ModelScript])[] = [
  ['whose provider does not answer', 'hang'],
  ['whose answer does not begin', { stream: [': wait\n\n'], ending: 'hang' }],
];
for (const [what, script] of SILENT) {
  test(`a run ${what} is cancelled at once`, async (t) => {
    const room = await openCopilotRoom(t, { clock: new FakeClock() });
    room.model.play(script);
    await assertCancelledAtOnce(t, room, {
      reached: () => room.model.received(1),
      dropped: () => room.model.requests[0]?.abandoned,
    });
  });
}

test('a run that waits for a retry is cancelled at once', async (t) => {
  const delays: number[] = [];
  const clock = new (class extends FakeClock {
    override after(ms: number, action: () => void) {
      delays.push(ms);
      return super.after(ms, action);
    }
  })();
  const room = await openCopilotRoom(t, { clock });
  room.model.play({ status: 429, headers: { 'retry-after': '15' } });
  await assertCancelledAtOnce(t, room, {
    reached: () => eventually('the wait', () => delays.includes(15_000)),
  });
});

test('a run that waits for the alert server is cancelled at once', async (t) => {
  const alerts = await startHttpSink(t, () => 'hang');
  const room = await openCopilotRoom(t, { clock: new FakeClock(), options: { alertsUrl: alerts.url } });
  const put = { name: 'Ops', labels: { team: 'payments' } };
  assert.equal((await room.rooms.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  await assertCancelledAtOnce(t, room, { reached: () => alerts.received(1) });
  assert.equal(room.model.requests.length, 0);
});

test('a run that waits for its turn is cancelled at once', async (t) => {
  const room = await openCopilotRoom(t, { clock: new FakeClock() });
  room.model.play('hang');
  await room.post('@copilot first');
  await room.model.received(1);
  await assertCancelledAtOnce(t, room, { reached: async () => {} });
  assert.equal(room.model.requests.length, 1);
});
