import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { childrenOf, configFile, startOpsdeck, temporaryFolder } from '../../testing/processes.ts';
import {
  type ReceivedNotification,
  type RecordingSink,
  type StartRecordingSink,
  startRecordingJira,
  startRecordingMailbox,
  startRecordingSns,
  startRecordingWebhook,
} from '../testing/delivery-sinks.ts';
import { type JiraStep, startJiraSink } from '../testing/jira-sink.ts';

// The built server, killed while a notification is on its way: the next one sends it again.

const SINKS: readonly (readonly [string, StartRecordingSink])[] = [
  ['webhook', startRecordingWebhook],
  ['e-mail', startRecordingMailbox()],
  ['SNS', startRecordingSns],
  ['Jira', startRecordingJira],
];

const HOUR_MS = 3_600_000;

function describeCall({ payload: { alerts } }: ReceivedNotification): string {
  return alerts.map(({ status, labels }) => (status === 'firing' ? '+' : '-') + labels.instance).join(' ');
}

/** A server on one data directory, which can be started again. Its intervals are too long to cause a notification after a restart. */
function createServers(t: TestContext, { yaml }: Pick<RecordingSink, 'yaml'>, interval = '1h') {
  const config = `
route: {receiver: sink, group_by: [alertname], group_wait: 0s, group_interval: ${interval}, repeat_interval: 24h}
receivers: [{name: sink, ${yaml}}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.path', join(temporaryFolder(t), 'data')];
  return async () => {
    const server = await startOpsdeck(t, args);
    const client = new PlainClient(t, server.url);
    const startsAt = new Date().toISOString();
    const post = async (instance: string, alertname: string, endsAt: number) => {
      const alert = { labels: { alertname, instance }, startsAt, endsAt: new Date(endsAt).toISOString() };
      assert.equal((await client.post('/api/v2/alerts', [alert])).status, 200);
    };
    return {
      /** With everything that it has started, as the end of a container does. */
      kill: () => {
        const all = [...childrenOf(server.pid), server.pid];
        // No server may see the end of another.
        for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of all) process.kill(pid, signal);
        return server.stop('SIGKILL');
      },
      fire: (instance: string, group = 'Disk') => post(instance, group, Date.now() + HOUR_MS),
      end: (instance: string, group = 'Disk') => post(instance, group, Date.now()),
      countNotifications: async () =>
        (JSON.parse((await client.get('/api/v2/notifications')).body) as readonly unknown[]).length,
    };
  };
}

/** Five milliseconds after the request has come, before it is answered. */
async function assertSentAgain(t: TestContext, startSink: StartRecordingSink): Promise<void> {
  let isAnswering = false;
  const sink = await startSink(t, { answer: () => (isAnswering ? {} : 'hang') });
  const start = createServers(t, sink);
  const first = await start();
  await first.fire('a');
  await eventually('the notification', () => sink.calls[0]);
  await new Promise((done) => setTimeout(done, 5));
  await first.kill();
  isAnswering = true;
  const second = await start();
  await eventually('the notification again', () => sink.calls[1]);
  await eventually('the record of it', async () => (await second.countNotifications()) === 1);
  assert.deepEqual(sink.calls.map(describeCall), ['+a', '+a']);
  assert.equal(sink.calls[1]?.idempotencyKey, sink.calls[0]?.idempotencyKey);
}

test('a server that is killed 5 ms after a request has left', { concurrency: 4 }, async (t) => {
  await Promise.all(
    SINKS.map(([name, startSink]) =>
      t.test(`sends it again by ${name} when it is started again`, (t) => assertSentAgain(t, startSink)),
    ),
  );
});

test('a server killed with all its child processes, with twenty requests under way, loses none', async (t) => {
  const groups = Array.from({ length: 20 }, (_, n) => `Group${n}`);
  let isAnswering = false;
  const sink = await startRecordingWebhook(t, { answer: () => (isAnswering ? {} : 'hang') });
  const start = createServers(t, sink);
  const first = await start();
  for (const group of groups) await first.fire('a', group);
  await eventually('the notifications', () => sink.calls.length === groups.length);
  await first.kill();
  isAnswering = true;
  const second = await start();
  await eventually('all of them again', () => sink.calls.length === 2 * groups.length);
  const keys = sink.calls.map(({ idempotencyKey }) => idempotencyKey);
  assert.deepEqual(new Set(keys.slice(groups.length)), new Set(keys.slice(0, groups.length)));
  assert.equal(new Set(keys).size, groups.length);
  await eventually('their records', async () => (await second.countNotifications()) === groups.length);
});

test('after a kill a receiver notified of a firing alert is sent its end, which came meanwhile', async (t) => {
  let isAnswering = false;
  const sink = await startRecordingWebhook(t, { answer: () => (isAnswering ? {} : 'hang') });
  const start = createServers(t, sink, '1s');
  const first = await start();
  await first.fire('a');
  await eventually('the notification', () => sink.calls[0]);
  await first.kill();
  isAnswering = true;
  const second = await start();
  await second.end('a');
  await eventually('the end', () => sink.calls.some((call) => describeCall(call) === '-a'));
});

/** A Jira that holds its answer to a step back on demand. */
async function startHeldJira(t: TestContext) {
  let heldStep: JiraStep | undefined;
  const jira = await startJiraSink(t, (step) => (step === heldStep ? 'hang' : undefined));
  const transitions = 'resolve_transition: Close, reopen_transition: Reopen, reopen_duration: 1h';
  const issue = `project: OPS, issue_type: Incident, summary: alerts, description: "{{ .Status }}", ${transitions}`;
  return {
    ...jira,
    yaml: `jira_configs: [{api_url: "${jira.url}", ${issue}}]`,
    hold: (step?: JiraStep) => {
      heldStep = step;
    },
  };
}

test('a server killed during its requests to Jira', { concurrency: 4 }, async (t) => {
  const steps: readonly JiraStep[] = ['search', 'update', 'transitions', 'transition'];
  const ends = steps.map((killedAt) =>
    t.test(`for the ${killedAt} of an issue leaves it so that the next one ends it`, async (t) => {
      const jira = await startHeldJira(t);
      const start = createServers(t, jira, '1s');
      const first = await start();
      await first.fire('a');
      await eventually('the record of it', async () => (await first.countNotifications()) === 1);
      jira.hold(killedAt);
      await first.end('a');
      await eventually('the step', () => jira.steps.slice(2).includes(killedAt));
      await first.kill();
      jira.hold();
      const second = await start();
      await eventually('the record of the end', async () => (await second.countNotifications()) === 2);
      const issues = jira.issues.map(({ key, isDone, description }) => ({ key, isDone, description }));
      assert.deepEqual(issues, [{ key: 'OPS-1', isDone: true, description: 'resolved' }]);
    }),
  );
  const creation = t.test('to create an issue does not create it again', async (t) => {
    const jira = await startHeldJira(t);
    const start = createServers(t, jira);
    const first = await start();
    jira.hold('create');
    await first.fire('a');
    await eventually('the issue', () => jira.issues.length === 1);
    await first.kill();
    jira.hold();
    const second = await start();
    await eventually('the record of it', async () => (await second.countNotifications()) === 1);
    assert.deepEqual(jira.steps, ['search', 'create', 'search', 'update']);
    assert.equal(jira.issues.length, 1);
  });
  await Promise.all([...ends, creation]);
});
