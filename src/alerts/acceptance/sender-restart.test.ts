import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { HttpClient } from '../../testing/http-client.ts';
import {
  childrenOf,
  configFile,
  executablePath,
  listeningAddress,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';
import { startToldWebhook } from '../../testing/told-sinks.ts';

/** The built server, whose first notification was sent; `kill` ends the process that sends. */
async function startSending(t: TestContext, prepare: (data: string) => void = () => {}) {
  const sink = await startToldWebhook(t, { answer: () => ({}) });
  const config = `
route: {receiver: sink, group_by: [alertname], group_wait: 0s, group_interval: 30s, repeat_interval: 24h}
receivers: [{name: sink, ${sink.yaml}}]
`;
  const [folder, data] = [temporaryFolder(t), join(temporaryFolder(t), 'data')];
  prepare(data);
  const executable = join(temporaryFolder(t), 'opsdeck.js');
  copyFileSync(executablePath(), executable);
  const listening = ['--web.listen-address', '127.0.0.1:0', '--storage.path', data];
  const server = await startServer(t, {
    command: process.execPath,
    args: [executable, 'alerts', 'serve', '--config.file', configFile(t, config), ...listening],
    cwd: folder,
    addressIn: listeningAddress,
  });
  const client = new HttpClient(t, server.url);
  const post = (alertname: string) => client.post('/api/v2/alerts', [{ labels: { alertname } }]);
  await post('Disk');
  await eventually('the first notification', () => sink.calls[0]);
  const kill = () => {
    for (const pid of childrenOf(server.pid)) process.kill(pid, 'SIGKILL');
  };
  return { server, post, kill, executable, folder, calls: sink.calls };
}

test('a sender that has died is replaced, also when the folder is gone in which the server was started', async (t) => {
  const { post, kill, folder, calls } = await startSending(t);
  rmSync(folder, { recursive: true });
  kill();
  await post('Net');
  await eventually('the second notification', () => calls[1]);
});

test('a sender cannot be replaced while the executable is gone, which is told', async (t) => {
  const { server, post, kill, executable, calls } = await startSending(t);
  rmSync(executable);
  kill();
  await post('Net');
  await eventually('the log', () => server.stderr().includes(`err="${executable} is gone: put it back`));
  copyFileSync(executablePath(), executable);
  await eventually('the second notification', () => calls[1]);
});

test('a sender that cannot leave its number sends all the same', async (t) => {
  // As on a full disk: the folder is there, and no file can be made in it.
  const { server } = await startSending(t, (data) => mkdirSync(join(data, 'sender', 'pid'), { recursive: true }));
  assert.match(
    server.stderr(),
    /level=WARN msg="the number of the process that sends notifications could not be left"/,
  );
});
