import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR, MINUTE, SECOND, START } from '../../testing/alert-parts.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { FakeLines } from '../../testing/fake-lines.ts';
import { createTestPipeline, type FakeIntegration, failure } from '../../testing/pipeline-parts.ts';
import { createSqliteFolder } from '../../testing/sqlite.ts';
import type { Delivery } from '../notify/notifier.ts';
import { MIGRATIONS } from '../server.ts';
import { restoreState } from './alert-state.ts';
import { countHandedOver } from './handover-recovery.ts';

const ROUTE = { groupBy: ['alertname'], groupWaitMs: 0, groupIntervalMs: MINUTE, repeatIntervalMs: HOUR };

type Answer = NonNullable<FakeIntegration['answer']>;

/** Takes the first notification; the next is handed over, and its answer never comes. */
const secondUnanswered: Answer = (_, __, count, handover) => {
  handover?.done();
  return count === 0 ? { ok: true } : new Promise<Delivery>(() => {});
};

/** A server that ends as by a kill as soon as the next one starts, on the same clock and disk. */
function createServers(t: TestContext) {
  const folder = createSqliteFolder(t, ...MIGRATIONS);
  const clock = new FakeClock(START);
  let lines = new FakeLines();
  return async (integration: FakeIntegration = {}) => {
    // What the one before does after its end reaches nobody.
    lines = Object.assign(new FakeLines(), { all: lines.all });
    const database = await folder.open();
    const receivers = { default: [integration] };
    const parts = createTestPipeline({ route: ROUTE, receivers, clock, database, lines });
    await restoreState(parts.state, clock.now());
    const { state, handovers, log } = parts;
    const counted = await countHandedOver({ state, handovers, database, log });
    state.dispatcher.start(parts.pipeline);
    return { ...parts, lines, counted };
  };
}

test('what was handed over before a kill is not told again, and its repeat counts from then', async (t) => {
  const start = createServers(t);
  const before = await start({ answer: secondUnanswered });
  before.post('a', { endsAt: START + 24 * HOUR });
  await before.advance(MINUTE / 2);
  before.post('b', { endsAt: START + 24 * HOUR });
  await before.advance(MINUTE / 2);
  assert.deepEqual(before.sent.slice(1), ['60s default/webhook new alerts added: +a +b']);
  const after = await start();
  assert.equal(after.counted, 1);
  await after.advance(HOUR, 10 * SECOND);
  assert.deepEqual(after.sent, []);
  await after.advance(2 * MINUTE, 10 * SECOND);
  assert.deepEqual(after.sent, ['3720s default/webhook repeat interval elapsed: +a +b']);
  const later = await start();
  assert.equal(later.counted, 0);
});

test('the history says of it that nobody has read the answer', async (t) => {
  const start = createServers(t);
  const before = await start({ answer: secondUnanswered });
  before.post('a');
  await before.advance(SECOND);
  before.post('a', { startsAt: START, endsAt: START + SECOND });
  before.post('b');
  await before.advance(59 * SECOND);
  const [record] = await (await start()).state.history.list({ limit: 1 });
  assert.ok(record);
  const { id: _, ...rest } = record;
  assert.deepEqual(rest, {
    at: START + MINUTE,
    receiver: 'default',
    integration: 'webhook',
    index: 0,
    groupKey: '{}:{alertname="Test"}',
    groupLabels: { alertname: 'Test' },
    reason: 'new alerts added',
    attempts: 1,
    durationMs: 0,
    firing: 1,
    resolved: 1,
    alerts: [
      { fingerprint: rest.alerts[0]?.fingerprint, status: 'firing', labels: { alertname: 'Test', n: 'b' } },
      { fingerprint: rest.alerts[1]?.fingerprint, status: 'resolved', labels: { alertname: 'Test', n: 'a' } },
    ],
    remark: 'counts as sent: the server was killed before the answer was read',
  });
});

test('an alert whose end was handed over is settled, and fires anew as news', async (t) => {
  const start = createServers(t);
  const before = await start({ answer: secondUnanswered });
  before.post('a');
  await before.advance(SECOND);
  before.post('a', { startsAt: START, endsAt: START + SECOND });
  await before.advance(59 * SECOND);
  assert.deepEqual(before.sent.slice(1), ['60s default/webhook all alerts resolved: -a']);
  const after = await start();
  await after.advance(2 * MINUTE);
  assert.deepEqual(after.sent, []);
  assert.equal(after.state.groups.size, 0);
  after.post('a');
  await after.advance(SECOND);
  assert.equal(after.sent.length, 1);
  assert.match(after.sent[0] ?? '', /first notification: \+a$/);
});

/** What a server that follows a kill tells within two minutes of the second notification of the one before it. */
async function toldAfter(t: TestContext, answer: Answer, killedAfterMs = 0): Promise<readonly string[]> {
  const start = createServers(t);
  const before = await start({ answer });
  before.post('a');
  await before.advance(SECOND);
  before.post('b');
  await before.advance(59 * SECOND);
  await before.advance(killedAfterMs, 100);
  const id = before.notifications[1]?.id;
  const after = await start();
  await after.advance(2 * MINUTE);
  assert.deepEqual(
    after.notifications.map((one) => one.id),
    after.notifications.map(() => id),
    'under the key of before',
  );
  return after.sent.map((line) => line.replace(/^\d+s /, ''));
}

const AGAIN = ['default/webhook new alerts added: +a +b'];
const never = () => new Promise<Delivery>(() => {});

test('what was begun and not handed over is told again', async (t) => {
  assert.deepEqual(await toldAfter(t, (_, __, count) => (count === 0 ? { ok: true } : never())), AGAIN);
});

test('what was handed over to a receiver that has never answered is told again', async (t) => {
  const start = createServers(t);
  const before = await start({
    answer: (_, __, ___, handover) => {
      handover?.done();
      return never();
    },
  });
  before.post('a');
  await before.advance(0);
  const after = await start();
  await after.advance(MINUTE);
  assert.equal(after.sent.length, 1);
});

test('what has failed and waits for its next attempt is told again', async (t) => {
  const answer: Answer = (_, __, count, handover) => {
    handover?.done();
    return count === 0 ? { ok: true } : failure({ retry: true, reason: 'serverError' });
  };
  assert.deepEqual(await toldAfter(t, answer), AGAIN);
});

test('what is handed over in another attempt is told again', async (t) => {
  const answer: Answer = (_, __, count, handover) => {
    handover?.done();
    if (count === 1) return failure({ retry: true, reason: 'serverError' });
    return count === 0 ? { ok: true } : never();
  };
  assert.deepEqual(await toldAfter(t, answer, 2 * SECOND), AGAIN);
});

test('what was handed over to a receiver that hangs is told again, once that has been seen', async (t) => {
  assert.deepEqual(await toldAfter(t, secondUnanswered, 1_900), []);
  assert.deepEqual(await toldAfter(t, secondUnanswered, 2_000), AGAIN);
});

test('what the service itself has taken back is told again', async (t) => {
  const answer: Answer = (_, __, count, handover) => {
    handover?.done();
    if (count === 0) return { ok: true };
    handover?.undone();
    return never();
  };
  assert.deepEqual(await toldAfter(t, answer), AGAIN);
});

test('what the end of the server has cut short is told again, and nobody is distrusted for it', async (t) => {
  const start = createServers(t);
  const answer: Answer = (_, signal, count, handover) => {
    handover?.done();
    if (count === 0) return { ok: true };
    const canceled = failure({ retry: true, reason: 'contextCanceled' });
    return new Promise<Delivery>((resolve) => signal.addEventListener('abort', () => resolve(canceled)));
  };
  const before = await start({ answer });
  before.post('a');
  await before.advance(SECOND);
  before.post('b');
  await before.advance(59 * SECOND);
  before.receivers.get('default')?.abort(new Error('the server stops'));
  await before.advance(0);
  const after = await start({ answer: secondUnanswered });
  assert.equal(after.counted, 0);
  await after.advance(MINUTE);
  assert.equal(after.sent.length, 1);
  assert.ok(after.lines.all.some((line) => line.startsWith('trusted')));
  assert.ok(!after.lines.all.some((line) => line.startsWith('doubted')));
});
