import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { createSqliteFolder } from '../../testing/sqlite.ts';
import { restoreState } from '../state/alert-state.ts';
import { MIGRATIONS } from '../state/local-storage.ts';
import { startMaintenance } from '../state/maintenance.ts';
import { HOUR, MINUTE, matcherOf, postedSilence, SECOND, START } from '../testing/parts.ts';
import { createTestPipeline, failure, type TestPipelineOptions } from '../testing/pipeline/parts.ts';

const ROUTE = { groupWaitMs: 10 * SECOND, groupIntervalMs: MINUTE, repeatIntervalMs: HOUR };

/** A server that can be ended, as by a kill, and started again on the same clock and disk. */
function createServer(t: TestContext, options: TestPipelineOptions = {}) {
  const folder = createSqliteFolder(t, ...MIGRATIONS);
  const clock = new FakeClock(START);
  return async () => {
    const parts = createTestPipeline({ route: ROUTE, ...options, clock, database: await folder.open() });
    await restoreState(parts.state, clock.now());
    parts.state.dispatcher.start(parts.pipeline);
    /** All that is to be on disk is there. */
    const end = async () => {
      await parts.state.dispatcher.stop();
      await Promise.all([parts.state.alerts.flush(), parts.state.storage.timers.flush()]);
    };
    return { ...parts, end };
  };
}

test('after a restart nothing is sent twice; a group that was flushed before is evaluated at once', async (t) => {
  const startServer = createServer(t, { route: { ...ROUTE, groupBy: ['n'] } });
  const before = await startServer();
  before.post('a');
  await before.advance(30 * SECOND);
  await before.end();
  const after = await startServer();
  await after.advance(SECOND);
  assert.deepEqual(
    after.state.groups.sorted().map(({ nextFlushAt }) => nextFlushAt),
    [START + 90 * SECOND],
  );
  await after.advance(2 * MINUTE);
  assert.deepEqual(after.sent, []);
  await after.end();
});

test('alerts posted after the last flush before a restart are sent at once after it', async (t) => {
  const startServer = createServer(t);
  const before = await startServer();
  before.post('a');
  await before.advance(30 * SECOND);
  before.post('b');
  await before.end();
  const after = await startServer();
  await after.advance(2 * MINUTE);
  assert.deepEqual(after.sent, ['30s default/webhook new alerts added: +a +b']);
  await after.end();
});

test('a group that waits for alerts at a restart waits to the end', async (t) => {
  const startServer = createServer(t);
  const before = await startServer();
  before.post('a');
  await before.advance(4 * SECOND);
  await before.end();
  const after = await startServer();
  await after.advance(MINUTE);
  assert.deepEqual(after.sent, ['10s default/webhook first notification: +a']);
  await after.end();
});

test('the repeat interval continues over a restart', async (t) => {
  const startServer = createServer(t);
  const before = await startServer();
  before.post('a', { endsAt: START + 3 * HOUR });
  await before.advance(30 * SECOND);
  await before.end();
  const after = await startServer();
  await after.advance(HOUR - MINUTE, 10 * SECOND);
  assert.deepEqual(after.sent, []);
  await after.advance(2 * MINUTE, 10 * SECOND);
  assert.deepEqual(after.sent, ['3630s default/webhook repeat interval elapsed: +a']);
  assert.notEqual(after.notifications[0]?.id, before.notifications[0]?.id);
  await after.end();
});

test('a receiver that fails before a restart and works after it is notified at once, under the same key', async (t) => {
  let fails = true;
  const answer = () => (fails ? failure({ retry: true, reason: 'serverError' }) : ({ ok: true } as const));
  const startServer = createServer(t, { receivers: { default: [{ answer }] } });
  const before = await startServer();
  before.post('a');
  await before.advance(15 * SECOND);
  const stopped = before.end();
  before.receivers.get('default')?.endRetries();
  await stopped;
  fails = false;
  const after = await startServer();
  await after.advance(SECOND);
  assert.deepEqual(after.sent, ['15s default/webhook first notification: +a']);
  assert.equal(after.notifications[0]?.id, before.notifications[0]?.id);
  await after.end();
});

test('an end before a restart, or while nothing ran, is sent after it', async (t) => {
  const startServer = createServer(t, { route: { ...ROUTE, groupBy: ['n'] } });
  const before = await startServer();
  before.post('a b');
  await before.advance(15 * SECOND);
  before.post('a', { startsAt: START, endsAt: START + 15 * SECOND });
  before.post('b', { startsAt: START, endsAt: START + 40 * SECOND });
  await before.end();
  before.clock.advance(3 * MINUTE);
  const after = await startServer();
  await after.advance(SECOND);
  assert.deepEqual(after.sent.sort(), [
    '195s default/webhook all alerts resolved: -a',
    '195s default/webhook all alerts resolved: -b',
  ]);
  await after.end();
  const later = await startServer();
  assert.equal(later.state.alerts.size, 2);
  assert.equal(later.state.groups.size, 0, 'notified alerts are settled');
  await later.advance(5 * MINUTE);
  assert.deepEqual(later.sent, []);
  await later.end();
});

/** The notification hangs, and the process ends before the answer. */
const hanging = { answer: () => new Promise<never>(() => {}) };

test('a notification that a kill leaves unanswered is sent again under the same identity', async (t) => {
  const startServer = createServer(t, { receivers: { default: [hanging] } });
  const before = await startServer();
  before.post('a b');
  await before.advance(11 * SECOND);
  const ids = before.notifications.map(({ id }) => id);
  assert.equal(ids.length, 1);
  for (let restart = 0; restart < 2; restart++) {
    const after = await startServer();
    await after.advance(SECOND);
    assert.deepEqual(
      after.notifications.map(({ id }) => id),
      ids,
    );
  }
});

test('a notification with other content after a kill has another identity', async (t) => {
  const startServer = createServer(t, { receivers: { default: [hanging] } });
  const before = await startServer();
  before.post('a');
  await before.advance(11 * SECOND);
  const after = await startServer();
  after.post('b');
  await after.advance(2 * MINUTE);
  assert.deepEqual(after.sent, ['11s default/webhook first notification: +a +b']);
  assert.notEqual(after.notifications[0]?.id, before.notifications[0]?.id);
});

test('a receiver possibly notified before a kill is sent the end of the alert, though no answer was read', async (t) => {
  const startServer = createServer(t, { receivers: { default: [hanging] } });
  const before = await startServer();
  before.post('a', { endsAt: START + 30 * SECOND });
  await before.advance(11 * SECOND);
  before.clock.advance(MINUTE);
  const after = await startServer();
  await after.advance(SECOND);
  assert.deepEqual(after.sent, ['71s default/webhook all alerts resolved: -a']);
});

test('a receiver not notified before a restart is not sent an end after it', async (t) => {
  const startServer = createServer(t);
  const before = await startServer();
  before.post('a', { endsAt: START + 5 * SECOND });
  await before.advance(4 * SECOND);
  await before.end();
  before.clock.advance(MINUTE);
  const after = await startServer();
  await after.advance(MINUTE);
  assert.deepEqual([after.sent, after.state.groups.size], [[], 0]);
  await after.end();
});

test('the first flush after a restart applies inhibition and silences', async (t) => {
  const rules = [
    {
      name: '',
      sourceMatchers: [matcherOf('n', '=', 'source')],
      targetMatchers: [matcherOf('n', '=', 'target')],
      equal: [],
    },
  ];
  const startServer = createServer(t, { rules, route: { ...ROUTE, groupBy: ['n'] } });
  const before = await startServer();
  before.post('target source');
  await before.end();
  before.clock.advance(MINUTE);
  const after = await startServer();
  await after.advance(SECOND);
  assert.deepEqual(after.sent, ['60s default/webhook first notification: +source']);
  await after.end();
});

test('an acknowledgement goes on after a restart, and the end of its alert while nothing ran is sent', async (t) => {
  const startServer = createServer(t);
  const maintain = ({ state, clock, log }: Awaited<ReturnType<typeof startServer>>) =>
    startMaintenance({ options: { maintenanceIntervalMs: HOUR, gcIntervalMs: HOUR }, state, clock, log });
  const before = await startServer();
  before.post('a', { endsAt: START + 20 * MINUTE });
  await before.advance(30 * SECOND);
  const matchers = [{ name: 'n', value: 'a', isRegex: false, isEqual: true }];
  const annotations = { acknowledged_until: new Date(START + HOUR).toISOString() };
  const acknowledgement = postedSilence({ matchers, annotations, endsAt: START + 15 * MINUTE });
  await before.state.silences.set(acknowledgement, before.clock.now());
  await before.end();

  before.clock.advance(8 * MINUTE);
  const second = await startServer();
  const stop = maintain(second);
  await second.advance(6 * SECOND);
  const ends = (parts: typeof before) => [...parts.state.silences.all()].map(({ endsAt }) => (endsAt - START) / SECOND);
  assert.deepEqual([second.sent, ends(second)], [[], [8 * 60 + 30 + 5 + 15 * 60]]);
  stop();
  await second.end();

  before.clock.advance(12 * MINUTE);
  const third = await startServer();
  t.after(maintain(third));
  await third.advance(6 * SECOND);
  assert.deepEqual(third.sent, ['1236s default/webhook all alerts resolved: -a']);
  assert.deepEqual(ends(third), [20 * 60 + 36 + 5]);
  await third.end();
});
