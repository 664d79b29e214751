import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executablePath, listeningAddress, startServer, temporaryFolder } from '../testing/processes.ts';

test('up starts every server in one process, with a page that links to them', async (t) => {
  const folder = temporaryFolder(t);
  const up = await startServer(t, {
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
  assert.match(await (await fetch(up.url)).text(), /<!doctype html>/i);
  const servers = (await (await fetch(`${up.url}/servers.json`)).json()) as { name: string; url: string }[];
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
