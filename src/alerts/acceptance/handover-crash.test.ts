import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { HttpClient } from '../../testing/http-client.ts';
import type { SinkAnswer } from '../../testing/http-sink.ts';
import { type JiraStep, startJiraSink } from '../../testing/jira-sink.ts';
import {
  childrenOf,
  configFile,
  isRunning,
  type RunningServer,
  startOpsdeck,
  temporaryFolder,
} from '../../testing/processes.ts';
import {
  type StartToldSink,
  startToldJira,
  startToldMailbox,
  startToldSns,
  startToldWebhook,
  type Told,
  type ToldSink,
} from '../../testing/told-sinks.ts';

// The built server, killed while a notification is on its way.

const SINKS: readonly (readonly [string, StartToldSink])[] = [
  ['by webhook', startToldWebhook],
  ['by e-mail', startToldMailbox()],
  ['by e-mail after STARTTLS', startToldMailbox({ offers: ['STARTTLS'] })],
  ['by e-mail through TLS', startToldMailbox({ implicitTls: true })],
  ['by SNS', startToldSns],
  ['by Jira', startToldJira],
];

const INTERVAL_MS = 200;
const HOUR_MS = 3_600_000;

/** Until each group would have been flushed. */
const someFlushes = () => new Promise((done) => setTimeout(done, 3 * INTERVAL_MS));

function describeCall({ payload: { alerts } }: Told): string {
  return alerts.map(({ status, labels }) => (status === 'firing' ? '+' : '-') + labels.instance).join(' ');
}

/** A server on one data directory, which can be started again. */
function createServers(t: TestContext, { yaml }: Pick<ToldSink, 'yaml'>) {
  const config = `
route: {receiver: sink, group_by: [alertname], group_wait: 0s, group_interval: ${INTERVAL_MS}ms, repeat_interval: 24h}
receivers: [{name: sink, ${yaml}}]
`;
  const data = join(temporaryFolder(t), 'data');
  const args = ['--config.file', configFile(t, config), '--storage.path', data];
  const start = async () => {
    const server = await startOpsdeck(t, args);
    const client = new HttpClient(t, server.url);
    const startsAt = new Date().toISOString();
    const post = async (names: string, alertname: string, endsAt: number) => {
      const alerts = names.split(' ').map((instance) => {
        const labels = { alertname, instance };
        return { labels, startsAt, endsAt: new Date(endsAt).toISOString() };
      });
      assert.equal((await client.post('/api/v2/alerts', alerts)).status, 200);
    };
    /** Its sender and itself, as the end of a container does. */
    const killBoth = () => {
      const both = [...childrenOf(server.pid), server.pid];
      assert.equal(both.length, 2);
      // Neither may see the other's end.
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of both) process.kill(pid, signal);
      return server.stop('SIGKILL');
    };
    return {
      pid: server.pid,
      kill: () => server.stop('SIGKILL'),
      killBoth,
      fire: (names: string, group = 'Disk') => post(names, group, Date.now() + HOUR_MS),
      end: (names: string, group = 'Disk') => post(names, group, Date.now()),
      remarks: () => remarksOf(t, server),
    };
  };
  return { start, handedOver: () => countLines(join(data, 'notifications.sent'), /^sent /) };
}

/** The sender stands still when its server is killed: nobody can know what it would have heard. */
async function assertNotWaitedFor(t: TestContext): Promise<void> {
  let isAnswering = true;
  const sink = await startToldWebhook(t, { answer: () => (isAnswering ? {} : 'hang') });
  const { start } = createServers(t, sink);
  const first = await start();
  await first.fire('a');
  await eventually('the first answer', async () => (await first.remarks()).length === 1);
  isAnswering = false;
  await first.fire('b', 'Net');
  await eventually('the second notification', () => sink.calls[1]);
  const [sender] = childrenOf(first.pid);
  process.kill(sender as number, 'SIGSTOP');
  await first.kill();
  isAnswering = true;
  const second = await start();
  await second.fire('c', 'Cpu');
  await eventually('what is new', () => sink.calls.some((call) => describeCall(call) === '+c'));
  assert.equal(isRunning(sender as number), false);
}

/** What the history says of each notification, the oldest first: the number of its alerts, and the remark. */
async function remarksOf(t: TestContext, { url }: RunningServer) {
  const { body } = await new HttpClient(t, url).get('/api/v2/notifications');
  const records = JSON.parse(body) as readonly { readonly alerts: readonly unknown[]; readonly remark?: string }[];
  return records.map(({ alerts, remark }) => [alerts.length, remark] as const).reverse();
}

function countLines(path: string, pattern: RegExp): number {
  return readFileSync(path, 'latin1')
    .split('\n')
    .filter((line) => pattern.test(line)).length;
}

async function assertToldOnce(t: TestContext, startSink: StartToldSink): Promise<void> {
  let isAnswering = true;
  const sink = await startSink(t, { answer: () => (isAnswering ? {} : 'hang') });
  const { start, handedOver } = createServers(t, sink);
  const first = await start();
  await first.fire('a');
  await eventually('the first answer', async () => (await first.remarks()).length === 1);
  isAnswering = false;
  await first.fire('b');
  await eventually('the second notification', () => sink.calls[1]);
  await eventually('the note of it', () => handedOver() === 1);
  await first.killBoth();
  isAnswering = true;
  const second = await start();
  await eventually('what the history says', async () => (await second.remarks()).length === 2);
  assert.deepEqual(await second.remarks(), [
    [1, undefined],
    [2, 'counts as sent: the server was killed before the answer was read'],
  ]);
  await someFlushes();
  await second.end('a b');
  await eventually('the end', () => sink.calls[2]);
  assert.deepEqual(sink.calls.map(describeCall), ['+a', '+a +b', '-a -b']);
}

/** The answer comes when the server is dead, and it was the first that anybody has ever asked for. */
async function assertAnswerRead(t: TestContext, startSink: StartToldSink): Promise<void> {
  let answer = (_: SinkAnswer) => {};
  const answering = new Promise<SinkAnswer>((resolve) => {
    answer = resolve;
  });
  const sink = await startSink(t, { answer: () => answering });
  const { start } = createServers(t, sink);
  const first = await start();
  await first.fire('a b');
  await eventually('the notification', () => sink.calls[0]);
  await first.kill();
  const second = await start();
  await someFlushes();
  assert.deepEqual(await second.remarks(), [], 'the next one waits');
  answer({});
  await eventually('what the history says', async () => (await second.remarks()).length === 1);
  assert.deepEqual(await second.remarks(), [[2, 'sent: the server was killed before it had noted the answer']]);
  await someFlushes();
  await second.end('a b');
  await eventually('the end', () => sink.calls[1]);
  assert.deepEqual(sink.calls.map(describeCall), ['+a +b', '-a -b']);
}

async function assertToldAgain(t: TestContext, firstAnswer: SinkAnswer): Promise<void> {
  let answer = (_: SinkAnswer) => {};
  const answering = new Promise<SinkAnswer>((resolve) => {
    answer = resolve;
  });
  let count = 0;
  const sink = await startToldWebhook(t, { answer: () => (count++ === 0 ? answering : {}) });
  const { start } = createServers(t, sink);
  const first = await start();
  await first.fire('a');
  await eventually('the notification', () => sink.calls[0]);
  await first.kill();
  answer(firstAnswer);
  const second = await start();
  await eventually('the notification again', () => sink.calls[1]);
  assert.equal(sink.calls[1]?.idempotencyKey, sink.calls[0]?.idempotencyKey);
  await eventually('what the history says', async () => (await second.remarks()).length === 1);
  assert.deepEqual(await second.remarks(), [[1, undefined]]);
  assert.deepEqual(sink.calls.map(describeCall), ['+a', '+a']);
}

async function assertToldAtAll(t: TestContext, startSink: StartToldSink): Promise<void> {
  let isReady = true;
  let refused = () => {};
  const refusal = new Promise<void>((resolve) => {
    refused = resolve;
  });
  const sink = await startSink(t, { isReady: () => isReady, onRefusal: () => refused() });
  const { start, handedOver } = createServers(t, sink);
  const first = await start();
  await first.fire('a');
  await eventually('the first answer', async () => (await first.remarks()).length === 1);
  isReady = false;
  await first.fire('b');
  await refusal;
  await first.killBoth();
  assert.equal(handedOver(), 0);
  isReady = true;
  const second = await start();
  await eventually('the second notification', () => sink.calls[1]);
  await second.end('a b');
  await eventually('the end', () => sink.calls[2]);
  assert.deepEqual(sink.calls.map(describeCall), ['+a', '+a +b', '-a -b']);
}

test('what is under way when a server is killed', { concurrency: 4 }, async (t) => {
  const readings = SINKS.map(([way, startSink]) =>
    t.test(`is told once ${way}, and its answer is read`, (t) => assertAnswerRead(t, startSink)),
  );
  const refusals = [{ status: 500 }, 'hang', 'reset'] as const;
  const retellings = refusals.map((answer) =>
    t.test(`is told again where it is answered by ${JSON.stringify(answer)}`, (t) => assertToldAgain(t, answer)),
  );
  const still = t.test('does not hold up the next one where the sender stands still', assertNotWaitedFor);
  await Promise.all([...readings, ...retellings, still]);
});

test('a server that is killed with its sender, on its way', { concurrency: 4 }, async (t) => {
  const tellings = SINKS.map(([way, startSink]) =>
    t.test(`tells nobody again ${way} what was handed over, though nobody has read the answer`, (t) =>
      assertToldOnce(t, startSink),
    ),
  );
  const retellings = SINKS.filter(([way]) => /(e-mail|SNS|Jira)$/.test(way)).map(([way, startSink]) =>
    t.test(`tells ${way} what was not handed over`, (t) => assertToldAtAll(t, startSink)),
  );
  await Promise.all([...tellings, ...retellings]);
});

const WHOLE_END: readonly JiraStep[] = ['search', 'update', 'transitions', 'transition'];

/** Where a kill comes while an issue is ended, and what follows in the next process. */
const JIRA_KILLS: readonly (readonly [killedAt: JiraStep, after: readonly JiraStep[]])[] = [
  ['search', WHOLE_END],
  ['update', WHOLE_END],
  ['transitions', WHOLE_END],
  ['transition', []],
];

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

test('a server that is killed while it asks Jira', { concurrency: 4 }, async (t) => {
  const ends = JIRA_KILLS.map(([killedAt, after]) =>
    t.test(`for the ${killedAt} of an issue leaves it so that the next one ends it once`, async (t) => {
      const jira = await startHeldJira(t);
      const { start, handedOver } = createServers(t, jira);
      const first = await start();
      await first.fire('a');
      await eventually('the first answer', async () => (await first.remarks()).length === 1);
      jira.hold(killedAt);
      await first.end('a');
      const before: readonly JiraStep[] = ['search', 'create', ...WHOLE_END.slice(0, WHOLE_END.indexOf(killedAt) + 1)];
      await eventually('the step', () => jira.steps.length === before.length);
      await eventually('the note', () => handedOver() === (after.length === 0 ? 1 : 0));
      await first.killBoth();
      jira.hold();
      await start();
      await eventually('all steps', () => jira.steps.length === before.length + after.length);
      await someFlushes();
      assert.deepEqual(jira.steps, [...before, ...after]);
      const issues = jira.issues.map(({ key, isDone, description }) => ({ key, isDone, description }));
      assert.deepEqual(issues, [{ key: 'OPS-1', isDone: true, description: 'resolved' }]);
    }),
  );
  const creation = t.test('to create an issue does not create it again', async (t) => {
    const jira = await startHeldJira(t);
    const { start, handedOver } = createServers(t, jira);
    const first = await start();
    await first.fire('a');
    await eventually('the first answer', async () => (await first.remarks()).length === 1);
    jira.hold('create');
    await first.fire('b', 'Net');
    await eventually('the note', () => handedOver() === 1);
    await eventually('the issue', () => jira.issues.length === 2);
    await first.killBoth();
    jira.hold();
    const second = await start();
    await someFlushes();
    await second.end('b', 'Net');
    await eventually('the end', () => jira.issues[1]?.isDone);
    assert.deepEqual(jira.steps, ['search', 'create', 'search', 'create', ...WHOLE_END]);
    assert.equal(jira.issues.length, 2);
  });
  await Promise.all([...ends, creation]);
});
