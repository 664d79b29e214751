import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { HttpClient } from '../testing/http-client.ts';
import { type CrashReport, runCrashes } from '../testing/pipeline-crash.ts';
import { configFile, startOpsdeck, temporaryFolder } from '../testing/processes.ts';
import { Random } from '../testing/random.ts';
import { startWebhookSink } from '../testing/webhook-sink.ts';

// The built server, ended under load at random moments and started again on the same data. A webhook counts.

/**
 * A notification whose answer has not come back, or is not yet on disk, when the process dies is sent once more: nobody
 * can know that it arrived. From the answer to the commit it takes a turn of the event loop and an fsync: a few
 * milliseconds, on a busy machine with a slow disk some more.
 */
const UNCERTAIN_MS = 75;

/** What was told twice though the first time was over and done with when the process was killed. */
function unexcused({ repetitions, endedAt }: CrashReport, uncertainMs: number): readonly string[] {
  return repetitions
    .filter(
      ({ firstAt, secondAt }) =>
        !endedAt.some((end) => end < secondAt && end > firstAt - uncertainMs && end - firstAt < uncertainMs),
    )
    .map(
      ({ what, groupKey, alert, firstAt, secondAt }) => `${groupKey} ${what} after ${secondAt - firstAt} ms: ${alert}`,
    );
}

function assertNothingLost({ missing, lostSilences, acknowledgedSilences, calls }: CrashReport, rounds: number): void {
  assert.deepEqual(lostSilences, []);
  assert.deepEqual(missing, { resolved: [], firing: [] });
  assert.ok(acknowledgedSilences > 2 * rounds, `only ${acknowledgedSilences} silences were acknowledged`);
  assert.ok(calls.length > 5 * rounds, `only ${calls.length} notifications were sent`);
}

test('a kill -9 loses no silence and no resolved notice, and nothing is told twice', async (t) => {
  const report = await runCrashes(t, { rounds: 12, signal: 'SIGKILL', random: new Random(5) });
  assertNothingLost(report, 12);
  assert.deepEqual(unexcused(report, UNCERTAIN_MS), []);
});

test('a server that is asked to stop under load loses nothing, and nothing at all is told twice', async (t) => {
  const report = await runCrashes(t, { rounds: 5, signal: 'SIGTERM', random: new Random(6) });
  assertNothingLost(report, 5);
  assert.deepEqual(unexcused(report, 0), []);
});

test('a group that was due three seconds after a kill is flushed at that moment, not at another', async (t) => {
  const sink = await startWebhookSink(t);
  const config = `
route: {receiver: hook, group_by: [alertname], group_wait: 4s, group_interval: 1h}
receivers: [{name: hook, webhook_configs: [{url: "${sink.url}/hook"}]}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.path', join(temporaryFolder(t), 'data')];
  const first = await startOpsdeck(t, args);
  const postedAt = Date.now();
  await new HttpClient(t, first.url).post('/api/v2/alerts', [{ labels: { alertname: 'Due' } }]);
  await new Promise((done) => setTimeout(done, 1_000));
  await first.stop('SIGKILL');
  await startOpsdeck(t, args);
  const call = await eventually('the notification', () => sink.calls[0]);
  const waitedMs = call.at - postedAt;
  assert.ok(waitedMs > 3_900 && waitedMs < 4_700, `flushed after ${waitedMs} ms`);
});
