import assert from 'node:assert/strict';
import { chmodSync, lchownSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startWebhookSink } from './alerts/testing/webhook-sink.ts';
import { startRoomsProcess } from './rooms/testing/process.ts';
import { executablePath, listeningAddress, runProcess, startServer, temporaryFolder } from './testing/processes.ts';

// Access of another user of the machine to the state of a server in a folder open to all users.

function openFolder(t: TestContext): string {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  return folder;
}

/** The files that other users can reach in an open folder, each with its mode in octal if other users have any permission. */
function openEntries(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below)).flatMap((name) => {
    const path = join(below, name);
    const stats = lstatSync(join(folder, path));
    const own = (stats.mode & 0o077) === 0 ? [] : [`${path} ${(stats.mode & 0o777).toString(8)}`];
    return stats.isDirectory() && (stats.mode & 0o011) !== 0 ? [...own, ...openEntries(folder, path)] : own;
  });
}

/** As earlier versions left them. */
function openAgain(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  }
}

const startAlerts = async (t: TestContext, folder: string, sink: string) => {
  writeFileSync(
    join(folder, 'alertmanager.yml'),
    `route: {receiver: hook, group_by: [alertname], group_wait: 0s}\nreceivers: [{name: hook, webhook_configs: [{url: '${sink}'}]}]\n`,
  );
  return startServer(t, {
    command: process.execPath,
    args: [
      ...[executablePath(), 'alerts', 'serve', '--config.file=alertmanager.yml', '--storage.path=state'],
      '--web.listen-address=127.0.0.1:0',
    ],
    cwd: folder,
    addressIn: listeningAddress,
  });
};

async function post(url: string, body: unknown): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${url}: ${response.status}`);
  return response;
}

test('other users cannot read files of the alert server, nor those of an earlier version', async (t) => {
  const folder = openFolder(t);
  const state = join(folder, 'state');
  const sink = await startWebhookSink(t);
  for (const round of [1, 2]) {
    const server = await startAlerts(t, folder, sink.url);
    await post(`${server.url}/api/v2/alerts`, [{ labels: { alertname: `Disk${round}` } }]);
    await sink.called(round);
    assert.deepEqual(openEntries(state), []);
    await server.stop('SIGKILL');
    openAgain(state);
  }
});

test('other users cannot read files of the rooms, nor those of an earlier version', async (t) => {
  const folder = openFolder(t);
  const data = join(folder, 'data');
  for (let round = 0; round < 2; round++) {
    const server = await startRoomsProcess(t, { folder });
    const { id } = (await (await post(`${server.url}/api/room`, { name: `r${round}` })).json()) as { id: string };
    await post(`${server.url}/api/message`, { roomId: id, body: 'between us' });
    const file = {
      method: 'POST',
      body: 'between us',
      headers: { 'content-type': 'text/plain', 'x-file-name': 'notes' },
    };
    assert.equal((await fetch(`${server.url}/api/file`, file)).status, 201);
    assert.deepEqual(openEntries(data), []);
    await server.end('SIGKILL');
    openAgain(data);
  }
});

const NEEDS_ROOT = process.geteuid?.() === 0 ? {} : { skip: 'only root can act as another user' };
const NOBODY = 65_534;
const SERVERS = {
  rooms: ['rooms', 'serve', '--port', '0', '--data-dir'],
  alerts: ['alerts', 'serve', '--web.listen-address=127.0.0.1:0', '--storage.path'],
};

for (const [server, name] of [
  ['alerts', 'alerts.db'],
  ['alerts', 'alerts.db-wal'],
  ['rooms', 'rooms.sqlite'],
  ['rooms', 'rooms.sqlite-journal'],
  ['rooms', 'rooms.journal.000001'],
  ['rooms', 'secret.key'],
  ['rooms', 'files'],
] as const)
  test(
    `another user cannot have ${server} write to a file of their choice by a link named ${name}`,
    NEEDS_ROOT,
    async (t) => {
      const folder = openFolder(t);
      chmodSync(folder, 0o1777);
      const precious = join(openFolder(t), 'precious');
      writeFileSync(precious, 'kept');
      symlinkSync(precious, join(folder, name));
      lchownSync(join(folder, name), NOBODY, NOBODY);
      const { code, stderr } = await runProcess(process.execPath, [executablePath(), ...SERVERS[server], folder]);
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(`^opsdeck: refused to use .*/${name}: it is a link of another user \\(uid 65534\\); remove it`, 'm'),
      );
      assert.equal(readFileSync(precious, 'utf8'), 'kept');
    },
  );
