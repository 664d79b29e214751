import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { executablePath, listeningAddress, runProcess, startServer, temporaryFolder } from '../testing/processes.ts';

const startUp = (t: TestContext, folder: string) =>
  startServer(t, {
    command: process.execPath,
    args: [
      executablePath(),
      'up',
      '--hub-address',
      '127.0.0.1:0',
      '--alerts-address',
      '127.0.0.1:0',
      '--relay-address',
      '127.0.0.1:0',
      '--dashboard-address',
      '127.0.0.1:0',
      '--rooms-address',
      '127.0.0.1:0',
    ],
    cwd: folder,
    addressIn: (stderr) => /Hub is listening" address=(\S+)\n/.exec(stderr)?.[1],
  });

interface Entry {
  readonly name: string;
  readonly url: string;
}

const serversOf = async (url: string) => (await (await fetch(`${url}/servers.json`)).json()) as Entry[];

test('up starts every server in one process, with a page that links to them', async (t) => {
  const up = await startUp(t, temporaryFolder(t));
  assert.match(await (await fetch(up.url)).text(), /<!doctype html>/i);
  const servers = await serversOf(up.url);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['alerts', 'relay', 'dashboard', 'rooms'],
  );
  assert.equal(servers[0]?.url, `http://${listeningAddress(up.stderr())}/`);
  const status = await fetch(`${servers[0]?.url}api/v2/status`);
  assert.equal(status.status, 200);
  const relay = (await (await fetch(servers[1]?.url ?? '')).json()) as { status: string };
  assert.equal(relay.status, 'healthy');
  assert.equal((await fetch(servers[2]?.url ?? '')).status, 200);
  const rooms = (await (await fetch(`${servers[3]?.url}health`)).json()) as { status: string };
  assert.equal(rooms.status, 'healthy');
  assert.deepEqual(await up.stop('SIGTERM'), { code: 0, signal: null });
});

test('up ends with 1 when the storage of the rooms has failed, as the rooms alone do', async (t) => {
  const folder = temporaryFolder(t);
  const up = await startUp(t, folder);
  const rooms = (await serversOf(up.url)).find(({ name }) => name === 'rooms')?.url ?? '';
  const post = (path: string, body: object) =>
    fetch(rooms + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { id } = (await (await post('api/room', { name: 'ci' })).json()) as { id: string };
  rmSync(join(folder, 'data', 'rooms'), { recursive: true });
  // More than a file of the journal holds: the next one cannot be made.
  const message = { roomId: id, body: 'x'.repeat(60_000) };
  let status = 201;
  for (let count = 0; status === 201 && count < 400; count++) status = (await post('api/message', message)).status;
  assert.equal(status, 503);
  assert.deepEqual(await up.stop(), { code: 1, signal: null });
  assert.match(up.stderr(), /^opsdeck: the storage of the rooms failed; the log says why$/m);
});

test('up refuses rooms without sign-in that others reach through a proxy', async (t) => {
  const env = { OPSDECK_ROOMS_AUTH: 'none', OPSDECK_ROOMS_BASE_URL: 'https://chat.example.com' };
  const addresses = ['hub', 'alerts', 'relay', 'dashboard', 'rooms'].flatMap((name) => [
    `--${name}-address`,
    '127.0.0.1:0',
  ]);
  const args = [executablePath(), 'up', ...addresses];
  const { code, stderr } = await runProcess(process.execPath, args, { env, cwd: temporaryFolder(t) });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /--auth none lets .* --base-url https:\/\/chat\.example\.com .* --auth token/);
});
