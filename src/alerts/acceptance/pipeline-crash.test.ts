import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { configFile, startOpsdeck, temporaryFolder } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { createSqliteFolder } from '../../testing/sqlite.ts';
import { RouteTree } from '../domain/route.ts';
import { restoreState } from '../state/alert-state.ts';
import { MIGRATIONS } from '../state/local-storage.ts';
import { startRecordingJira, startRecordingMailbox, startRecordingSns } from '../testing/delivery-sinks.ts';
import { HOUR, MINUTE, routeSettings, SECOND, START } from '../testing/parts.ts';
import { type CrashReport, runCrashes } from '../testing/pipeline/crash.ts';
import { createTestPipeline } from '../testing/pipeline/parts.ts';
import { startWebhookSink } from '../testing/webhook-sink.ts';

// The built server, ended under load at random moments and started again on the same data. A webhook counts.

/**
 * Nothing is lost, and at most the notifications under way at a kill are sent twice: the last one of a group before it,
 * sent again after it, with the same key where there are keys.
 */
function assertSound({ repetitions, missing, lostSilences, goneAt }: CrashReport, { hasKeys = true } = {}): void {
  const unexplained = repetitions.filter(({ what, isRecognisable, firstAt, secondAt }) => {
    const isAcrossKill = goneAt.some((at) => firstAt <= at && at <= secondAt);
    return what !== 'sent twice' || !isAcrossKill || (hasKeys && !isRecognisable);
  });
  assert.deepEqual(unexplained, []);
  assert.deepEqual(lostSilences, []);
  assert.deepEqual(missing, { resolved: [], firing: [] });
}

/** Such as `3 of 280 notifications were under way at one of 12 kills, and sent again`. */
function describeReport({ repetitions, calls, goneAt }: CrashReport): string {
  return `${repetitions.length} of ${calls.length} notifications were under way at one of ${goneAt.length} kills, and sent again`;
}

/** More of them than a run of all tests has time for: OPSDECK_KILLS=100. */
const KILLS = Number(process.env.OPSDECK_KILLS ?? (isLongRound ? 3 : 2));

test('a kill -9 loses no silence and no resolved notice, and repeats at most the notifications under way', {
  only: isLongRound,
}, async (t) => {
  const report = await runCrashes(t, { rounds: KILLS, signal: 'SIGKILL', random: new Random(5) });
  t.diagnostic(describeReport(report));
  assertSound(report);
  assert.deepEqual(report.ambiguousKeys, []);
});

for (const [way, startSink, seed] of [
  ['by e-mail', startRecordingMailbox(), 11],
  ['by SNS', startRecordingSns, 12],
  ['by Jira', startRecordingJira, 13],
] as const) {
  test(`a kill -9 loses no notification ${way}, and repeats at most those under way`, {
    only: isLongRound,
  }, async (t) => {
    const rounds = Math.ceil(KILLS / 4);
    // Late enough that most kills come between a request and its answer.
    const delays = new Random(seed);
    const latencyMs = () => delays.int(0, 100);
    const random = new Random(seed + 100);
    const report = await runCrashes(t, { rounds, signal: 'SIGKILL', random, startSink, latencyMs });
    t.diagnostic(describeReport(report));
    assertSound(report, { hasKeys: false });
  });
}

test('a kill -9 loses nothing where requests at random are answered 500 or never, and repeats at most the notifications under way', {
  only: isLongRound,
}, async (t) => {
  const [random, rounds] = [new Random(9), Math.ceil(KILLS / 2)];
  let hangs = true;
  const answer = () => {
    if (random.chance(1 / 3)) return { status: 500 };
    return hangs && random.chance(1 / 5) ? 'hang' : {};
  };
  const settling = () => {
    hangs = false;
  };
  const report = await runCrashes(t, { rounds, signal: 'SIGKILL', random: new Random(10), answer, settling });
  t.diagnostic(describeReport(report));
  assertSound(report);
  assert.deepEqual(report.ambiguousKeys, []);
});

test('a server that is stopped under load loses nothing and sends nothing twice', { only: isLongRound }, async (t) => {
  const report = await runCrashes(t, { rounds: isLongRound ? 3 : 2, signal: 'SIGTERM', random: new Random(6) });
  assertSound(report);
  assert.deepEqual(report.repetitions, []);
});

test('a group that was due a second after a kill is flushed at that moment, not after another wait', async (t) => {
  const sink = await startWebhookSink(t);
  const config = `
route: {receiver: hook, group_by: [alertname], group_wait: 4s, group_interval: 1h}
receivers: [{name: hook, webhook_configs: [{url: "${sink.url}/hook"}]}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.path', join(temporaryFolder(t), 'data')];
  const first = await startOpsdeck(t, args);
  const postedAt = Date.now();
  await new PlainClient(t, first.url).post('/api/v2/alerts', [{ labels: { alertname: 'Due' } }]);
  await new Promise((done) => setTimeout(done, 3_000));
  await first.stop('SIGKILL');
  const restartedAt = Date.now();
  await startOpsdeck(t, args);
  const { at } = await eventually('the notification', () => sink.calls[0]);
  assert.ok(at - postedAt > 3_900 && at - restartedAt < 4_000, `${at - postedAt} ms, ${at - restartedAt} ms`);
});

const ROUTE = { groupWaitMs: 10 * SECOND, groupIntervalMs: MINUTE, repeatIntervalMs: HOUR };

/** A pipeline on a disk that outlives it, and a clock that stands still while nothing runs. */
function createPipelines(t: TestContext) {
  const folder = createSqliteFolder(t, ...MIGRATIONS);
  const clock = new FakeClock(START);
  return async () => {
    const parts = createTestPipeline({ route: ROUTE, clock, database: await folder.open() });
    await restoreState(parts.state, clock.now());
    parts.state.dispatcher.start(parts.pipeline);
    return parts;
  };
}

test('an alert is on disk together with its notification: after an immediate kill it is not sent again', async (t) => {
  const start = createPipelines(t);
  const before = await start();
  before.post('a');
  await before.advance(69_900, 100);
  before.post('a', { startsAt: START, endsAt: before.clock.now() });
  await before.advance(200, 100);
  assert.deepEqual(before.sent, [
    '10s default/webhook first notification: +a',
    '70s default/webhook all alerts resolved: -a',
  ]);
  // Without a flush, writes due half a second later are lost.
  const after = await start();
  await after.advance(10 * MINUTE);
  assert.deepEqual(after.sent, []);
});

test('the end of an alert goes to the receiver notified under an older configuration, and to no other', async () => {
  const treeOf = (receiver: string) => new RouteTree(routeSettings({ ...ROUTE, receiver }));
  const { state, pipeline, receivers, sent, post, advance, clock } = createTestPipeline({
    route: { ...ROUTE, receiver: 'first' },
    receivers: { first: [{}], other: [{}] },
  });
  const useRoutesTo = (receiver: string) => {
    state.groups.reroute(treeOf(receiver), state.alerts.sorted());
    state.groups.takeUpOwed(
      state.alerts.sorted(),
      (group, fingerprint) => receivers.get(group.receiver)?.dedup.believesFiring(group, fingerprint) ?? false,
    );
  };
  state.dispatcher.start(pipeline);
  post('a');
  await advance(MINUTE);
  useRoutesTo('other');
  post('a', { startsAt: START, endsAt: clock.now() });
  await advance(MINUTE);
  assert.deepEqual(sent, ['10s first/webhook first notification: +a']);
  for (let reload = 0; reload < 2; reload++) {
    useRoutesTo('first');
    await advance(2 * MINUTE);
    assert.deepEqual(sent.slice(1), ['120s first/webhook all alerts resolved: -a']);
  }
});
