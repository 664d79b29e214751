import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { HttpClient } from '../../testing/http-client.ts';
import type { SinkAnswer } from '../../testing/http-sink.ts';
import { childrenOf, configFile, startOpsdeck, temporaryFolder } from '../../testing/processes.ts';
import { startToldWebhook } from '../../testing/told-sinks.ts';

// The built server, asked to stop while the process that sends for it has something to do, or does nothing any more.

/** A server on one data directory, which can be started again; whoever is told answers with `answer`. */
async function createServers(t: TestContext, answer: () => SinkAnswer | Promise<SinkAnswer>) {
  const sink = await startToldWebhook(t, { answer });
  const config = `
route: {receiver: sink, group_by: [alertname], group_wait: 1s, group_interval: 10s, repeat_interval: 24h}
receivers: [{name: sink, ${sink.yaml}}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.path', join(temporaryFolder(t), 'data')];
  const start = async () => {
    const server = await startOpsdeck(t, args);
    const client = new HttpClient(t, server.url);
    const list = async (path: string) => JSON.parse((await client.get(path)).body) as readonly { remark?: string }[];
    return {
      ...server,
      post: (alertname: string) => client.post('/api/v2/alerts', [{ labels: { alertname } }]),
      countAlerts: async () => (await list('/api/v2/alerts')).length,
      remarks: async () => (await list('/api/v2/notifications')).map(({ remark }) => remark),
    };
  };
  return { start, calls: sink.calls };
}

const isRefused = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  );

/** A stopped process is killed in the end, should the test fail. */
function stopProcess(t: TestContext, pid: number): void {
  process.kill(pid, 'SIGSTOP');
  t.after(() => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  });
}

test('a server that is asked to stop waits for the answer to what is under way, and notes it', async (t) => {
  let answer = (_: SinkAnswer) => {};
  const answering = new Promise<SinkAnswer>((resolve) => {
    answer = resolve;
  });
  const { start, calls } = await createServers(t, () => answering);
  const first = await start();
  await first.post('Disk');
  await eventually('the notification', () => calls[0]);
  const stopped = first.stop();
  await eventually('no new connections', () => isRefused(first.url));
  answer({});
  assert.deepEqual(await stopped, { code: 0, signal: null });
  const second = await start();
  assert.deepEqual(await second.remarks(), [undefined]);
});

test('a sender that answers nothing holds up no stop, loses nothing, and is left behind by none', async (t) => {
  const { start, calls } = await createServers(t, () => ({}));
  const first = await start();
  await first.post('Disk');
  await eventually('the answer', async () => (await first.remarks()).length === 1);
  const [sender = 0] = childrenOf(first.pid);
  stopProcess(t, sender);
  await first.post('Net');
  assert.deepEqual(await first.stop(), { code: 0, signal: null });
  assert.equal(existsSync(`/proc/${sender}`), false);
  const second = await start();
  assert.equal(await second.countAlerts(), 2);
  await eventually('the second notification', () => calls[1]);
});
