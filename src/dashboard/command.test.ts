import assert from 'node:assert/strict';
import { rmSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { type Cleanup, executablePath, runProcess, startServer, temporaryFolder } from '../testing/processes.ts';
import { writeFiles } from './testing/app.ts';
import { startFakeUsageUpstream } from './testing/fake-usage-upstream.ts';

// The built executable over loopback.

const SECRET = 'user_1%3A%3Aeyprocess';

function serve(t: Cleanup, folder: string) {
  return startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'dashboard', 'serve', '--port', '0'],
    cwd: folder,
    env: { ...process.env, USAGE_WEB_HOST: '', USAGE_WEB_PORT: '' },
    addressIn: (stderr) => /Dashboard is listening" address=(\S+)\n/.exec(stderr)?.[1],
  });
}

test('dashboard serve reads the .env of the folder, serves hub, page and sample, and ends at SIGTERM', async (t) => {
  const folder = temporaryFolder(t);
  writeFiles(folder, { '.env': `USAGE_SESSION_TOKEN_SLOPE=${SECRET}\n` });
  const server = await serve(t, folder);
  const health = (await (await fetch(`${server.url}/health`)).json()) as { users: unknown };
  assert.deepEqual(health.users, { info: false, slope: true });
  for (const path of ['/', '/analytics'])
    assert.match(await (await fetch(server.url + path)).text(), /<!doctype html>/i);
  assert.match(await (await fetch(`${server.url}/sample/usage-events-slope.csv`)).text(), /^Date,Kind,Model/);
  assert.equal((await fetch(`${server.url}/.env`)).status, 404);
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
  assert.doesNotMatch(server.stderr(), /eyprocess/);
});

test('a port in use ends with code 1 and a message', async (t) => {
  const folder = temporaryFolder(t);
  const { url } = await serve(t, folder);
  const args = [executablePath(), 'dashboard', 'serve', '--port', new URL(url).port];
  const second = await runProcess(process.execPath, args, { cwd: folder });
  assert.equal(second.code, 1);
  assert.match(second.stderr, /the port is taken/);
});

test('a command that waits for another writer waits, and does not end silently', async (t) => {
  const folder = temporaryFolder(t);
  writeFiles(folder, { 'data/project-markers.json': '{"markers":[]}' });
  const lock = join(folder, 'data/.project-markers.json.lock');
  // This process lives, and the lock is younger than any that is taken over.
  writeFileSync(lock, `${process.pid} 0123456789ab\n`);
  const inAnHour = Date.now() / 1000 + 3600;
  utimesSync(lock, inAnHour, inAnHour);
  const attempts = new Set<string>();
  const watcher = watch(join(folder, 'data'), (_, name) => {
    if (name?.startsWith('.project-markers.json.lock.')) attempts.add(name);
  });
  t.after(() => watcher.close());
  const args = [executablePath(), 'dashboard', 'mark', 'start', '-p', 'web', '--folder', folder];
  const marked = runProcess(process.execPath, args, { cwd: folder });
  let isOver = false;
  marked.finally(() => {
    isOver = true;
  });
  await eventually('three attempts to take the lock', () => isOver || attempts.size >= 3);
  assert.equal(isOver, false);
  rmSync(lock);
  const { code, stdout } = await marked;
  assert.equal(code, 0);
  assert.match(stdout, /^marked web/);
});

test('serving a foreign folder never sends the session of the environment to an address of its .env', async (t) => {
  const upstream = await startFakeUsageUpstream(t);
  const folder = temporaryFolder(t);
  writeFiles(folder, { '.env': `USAGE_UPSTREAM_URL=${upstream.url}\nUSAGE_WEB_PORT=0\n` });
  const args = [executablePath(), 'dashboard', 'serve'];
  const env = { ...process.env, USAGE_SESSION_TOKEN_INFO: SECRET };
  const { code, stderr } = await runProcess(process.execPath, args, { cwd: folder, env });
  assert.equal(code, 2);
  assert.match(stderr, /USAGE_UPSTREAM_URL/);
  assert.doesNotMatch(stderr, /eyprocess/);
  assert.equal(upstream.requests.length, 0);
});
