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

interface Receiver extends Pick<RecordingSink, 'yaml'> {
  /** The group interval of its route; an hour by default. */
  readonly interval?: string;
}

function describeCall({ payload: { alerts } }: ReceivedNotification): string {
  return alerts.map(({ status, labels }) => (status === 'firing' ? '+' : '-') + labels.instance).join(' ');
}

/**
 * A server on one data directory, which can be started again. Each receiver has the alerts of its name. Its intervals are too long
 * to cause a notification after a restart.
 */
function createServers(t: TestContext, receivers: Readonly<Record<string, Receiver>>) {
  const routes = Object.entries(receivers).map(
    ([name, { interval = '1h' }]) =>
      `{receiver: "${name}", matchers: ['receiver="${name}"'], group_interval: ${interval}}`,
  );
  const config = `
route: {receiver: none, group_by: [receiver, alertname], group_wait: 0s, repeat_interval: 24h, routes: [${routes.join(', ')}]}
receivers: [{name: none}, ${Object.entries(receivers).map(([name, { yaml }]) => `{name: "${name}", ${yaml}}`)}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.path', join(temporaryFolder(t), 'data')];
  return async () => {
    const server = await startOpsdeck(t, args);
    const client = new PlainClient(t, server.url);
    const startsAt = new Date().toISOString();
    const post = async (receiver: string, alertname: string, endsAt: number) => {
      const alert = {
        labels: { alertname, receiver, instance: 'a' },
        startsAt,
        endsAt: new Date(endsAt).toISOString(),
      };
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
      fire: (receiver: string, group = 'Disk') => post(receiver, group, Date.now() + HOUR_MS),
      end: (receiver: string) => post(receiver, 'Disk', Date.now()),
      countNotifications: async () =>
        (JSON.parse((await client.get('/api/v2/notifications')).body) as readonly unknown[]).length,
    };
  };
}

test('a server that is killed 5 ms after a request has left sends it again when it is started again, by each way', async (t) => {
  let isAnswering = false;
  const answer = () => (isAnswering ? {} : 'hang');
  const sinks = await Promise.all(
    SINKS.map(async ([name, startSink]) => [name, await startSink(t, { answer })] as const),
  );
  const start = createServers(t, Object.fromEntries(sinks));
  const first = await start();
  for (const [name] of sinks) await first.fire(name);
  for (const [name, sink] of sinks) await eventually(`the notification by ${name}`, () => sink.calls[0]);
  await new Promise((done) => setTimeout(done, 5));
  await first.kill();
  isAnswering = true;
  const second = await start();
  for (const [name, sink] of sinks) await eventually(`the notification by ${name} again`, () => sink.calls[1]);
  await eventually('the records of them', async () => (await second.countNotifications()) === sinks.length);
  for (const [name, { calls }] of sinks) {
    assert.deepEqual(calls.map(describeCall), ['+a', '+a'], name);
    assert.equal(calls[1]?.idempotencyKey, calls[0]?.idempotencyKey, name);
  }
});

test('a server killed with all its child processes, with twenty requests under way, loses none', async (t) => {
  const groups = Array.from({ length: 20 }, (_, n) => `Group${n}`);
  let isAnswering = false;
  const sink = await startRecordingWebhook(t, { answer: () => (isAnswering ? {} : 'hang') });
  const start = createServers(t, { sink });
  const first = await start();
  for (const group of groups) await first.fire('sink', group);
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
  const start = createServers(t, { sink: { ...sink, interval: '1s' } });
  const first = await start();
  await first.fire('sink');
  await eventually('the notification', () => sink.calls[0]);
  await first.kill();
  isAnswering = true;
  const second = await start();
  await second.end('sink');
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

/** The steps of an issue's end. */
const ENDS: readonly JiraStep[] = ['search', 'update', 'transitions', 'transition'];

test('a server killed during any request to Jira leaves the issue so that the next one ends it, and creates it once', async (t) => {
  const ended = await Promise.all(ENDS.map(async (step) => ({ step, jira: await startHeldJira(t) })));
  const created = await startHeldJira(t);
  const ends = ended.map(({ step, jira: { yaml } }) => [step, { yaml, interval: '1s' }] as const);
  const start = createServers(t, { ...Object.fromEntries(ends), create: created });
  const first = await start();
  for (const { step } of ended) await first.fire(step);
  await eventually('the records of them', async () => (await first.countNotifications()) === ENDS.length);
  created.hold('create');
  await first.fire('create');
  await eventually('the issue', () => created.issues.length === 1);
  for (const { step, jira } of ended) {
    jira.hold(step);
    await first.end(step);
  }
  for (const { step, jira } of ended) await eventually(`the ${step}`, () => jira.steps.slice(2).includes(step));
  await first.kill();
  for (const { jira } of [...ended, { jira: created }]) jira.hold();
  const second = await start();
  await eventually('the records', async () => (await second.countNotifications()) === 2 * ENDS.length + 1);
  for (const { step, jira } of ended) {
    const issues = jira.issues.map(({ key, isDone, description }) => ({ key, isDone, description }));
    assert.deepEqual(issues, [{ key: 'OPS-1', isDone: true, description: 'resolved' }], `killed at the ${step}`);
  }
  assert.deepEqual(created.steps, ['search', 'create', 'search', 'update']);
  assert.equal(created.issues.length, 1);
});
