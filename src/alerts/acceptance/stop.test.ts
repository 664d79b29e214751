import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import type { SinkAnswer } from '../../testing/http/sink.ts';
import { childrenOf, configFile, startOpsdeck, temporaryFolder } from '../../testing/processes.ts';
import { startRecordingWebhook } from '../testing/delivery-sinks.ts';

// The built server, stopped while a notification is under way.

/** A server on one data directory, which can be started again; its receiver responds with `answer`. */
async function createServers(t: TestContext, answer: () => SinkAnswer | Promise<SinkAnswer>) {
  const sink = await startRecordingWebhook(t, { answer });
  const config = `
route: {receiver: sink, group_by: [alertname], group_wait: 1s, group_interval: 10s, repeat_interval: 24h}
receivers: [{name: sink, ${sink.yaml}}]
`;
  const args = ['--config.file', configFile(t, config), '--storage.path', join(temporaryFolder(t), 'data')];
  const start = async () => {
    const server = await startOpsdeck(t, args);
    const client = new PlainClient(t, server.url);
    const list = async (path: string) => JSON.parse((await client.get(path)).body) as readonly unknown[];
    return {
      ...server,
      post: (alertname: string) => client.post('/api/v2/alerts', [{ labels: { alertname } }]),
      countNotifications: async () => (await list('/api/v2/notifications')).length,
    };
  };
  return { start, calls: sink.calls };
}

const isRefused = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  );

test('a server that is stopped waits for the answer to a notification under way, and records it', async (t) => {
  let answer = (_: SinkAnswer) => {};
  const answering = new Promise<SinkAnswer>((resolve) => {
    answer = resolve;
  });
  const { start, calls } = await createServers(t, () => answering);
  const first = await start();
  await first.post('Disk');
  await eventually('the notification', () => calls[0]);
  assert.deepEqual(childrenOf(first.pid), [], 'one process does all of it');
  const stopped = first.stop();
  await eventually('no new connections', () => isRefused(first.url));
  answer({});
  assert.deepEqual(await stopped, { code: 0, signal: null });
  const second = await start();
  assert.equal(await second.countNotifications(), 1);
  assert.equal(calls.length, 1);
});
