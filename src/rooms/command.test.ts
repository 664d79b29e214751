import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { openSse } from '../testing/http/sse-client.ts';
import { executablePath, runProcess, temporaryFolder } from '../testing/processes.ts';

const READY = /^rooms: listening on (http:\/\/127\.0\.0\.1:\d+) store=sqlite pos=(\d+)$/m;

interface Served {
  readonly url: string;
  readonly pos: number;
  readonly folder: string;
  readonly out: () => string;
  readonly err: () => string;
  /** The code that it ends with after a signal. */
  stop(): Promise<number | null>;
}

async function serve(
  t: TestContext,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  folder = temporaryFolder(t),
): Promise<Served> {
  const all = [executablePath(), 'rooms', 'serve', '--port', '0', '--data-dir', join(folder, 'data'), ...args];
  const child = spawn(process.execPath, all, { cwd: folder, env: { ...process.env, ...env } });
  t.after(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const ready = await eventually('a line that it is ready', () => READY.exec(out) ?? child.exitCode !== null);
  if (ready === true) throw new Error(`it ended with ${child.exitCode}: ${err}`);
  const [, url = '', pos] = ready;
  return {
    url,
    pos: Number(pos),
    folder,
    out: () => out,
    err: () => err,
    async stop() {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}

const failing = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = '.') =>
  runProcess(process.execPath, [executablePath(), 'rooms', 'serve', ...args], { env, cwd });

async function post(url: string, path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

describe('rooms serve', () => {
  test('prints its address in one line, and resumes at a restart', async (t) => {
    const first = await serve(t);
    assert.equal(first.out(), `rooms: listening on ${first.url} store=sqlite pos=0\n`);
    assert.equal(statSync(join(first.folder, 'data')).mode & 0o777, 0o700);
    await post(first.url, '/api/room', { name: 'Ops' });
    const { status } = await post(first.url, '/api/message', { roomId: 'ops', body: 'hello' });
    assert.equal(status, 201);
    assert.equal(await first.stop(), 0);
    const second = await serve(t, [], {}, first.folder);
    assert.ok(second.pos > 0);
    const { messages } = (await (await fetch(`${second.url}/api/room/ops/message`)).json()) as { messages: object[] };
    assert.equal(messages.length, 1);
    assert.equal(await second.stop(), 0);
  });

  test('ends its streams and itself when it is stopped', async (t) => {
    const rooms = await serve(t);
    await post(rooms.url, '/api/room', { name: 'Ops' });
    const stream = await openSse(`${rooms.url}/api/event`);
    assert.equal((await stream.next())?.event, 'hello');
    assert.equal(await rooms.stop(), 0);
    assert.equal(await stream.over, 'ended');
    assert.match(stream.text(), /event: shutdown/);
  });

  test('leaves a data directory in use to its process: 3', async (t) => {
    const { folder } = await serve(t);
    const { code, stderr } = await failing(['--port', '0', '--data-dir', join(folder, 'data')]);
    assert.equal(code, 3);
    assert.match(stderr, /is in use by another opsdeck process; stop that one \(pid \d+\), or choose another/);
  });

  test('prints a token for the admin at the first start with tokens, once', async (t) => {
    const first = await serve(t, ['--auth', 'token']);
    const [secret = ''] = /odr_\w{46}/.exec(first.err()) ?? [];
    const me = await fetch(`${first.url}/api/me`, { headers: { authorization: `Bearer ${secret}` } });
    assert.equal(((await me.json()) as { admin: boolean }).admin, true);
    assert.ok(!first.out().includes('odr_'));
    assert.equal(await first.stop(), 0);
    const second = await serve(t, ['--auth', 'token'], {}, first.folder);
    assert.ok(!second.err().includes('odr_'));
    assert.equal(await second.stop(), 0);
  });

  test('behind a proxy all clients need a token, and the first start gives the reason', async (t) => {
    const rooms = await serve(t, ['--base-url', 'https://chat.example.com']);
    assert.equal((await fetch(`${rooms.url}/api/me`)).status, 401);
    assert.match(rooms.err(), /tokens, since --base-url https:\/\/chat\.example\.com lets others reach the server/);
    const [secret = ''] = /odr_\w{46}/.exec(rooms.err()) ?? [];
    const me = await fetch(`${rooms.url}/api/me`, { headers: { authorization: `Bearer ${secret}` } });
    assert.equal(((await me.json()) as { admin: boolean }).admin, true);
    assert.equal(await rooms.stop(), 0);
  });

  test('takes the token of the admin from the environment, and prints none', async (t) => {
    const secret = 'chosen-by-the-operator';
    const rooms = await serve(t, ['--auth', 'token', '--log-level', 'debug'], { OPSDECK_ROOMS_ADMIN_TOKEN: secret });
    const authorization = `Bearer ${secret}`;
    const made = await post(rooms.url, '/api/room', { name: 'Ops' }, { authorization });
    assert.equal(made.status, 201);
    assert.equal((await fetch(`${rooms.url}/api/me`)).status, 401);
    assert.equal(await rooms.stop(), 0);
    assert.ok(!`${rooms.out()}${rooms.err()}`.includes(secret));
  });

  test('reads its settings from a file, in YAML or JSON', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'rooms.yml'), 'node-id: from-yaml\nrequire-if-match: true\n');
    writeFileSync(join(folder, 'rooms.json'), '{"node-id": "from-json"}');
    for (const [file, node] of [
      ['rooms.yml', 'from-yaml'],
      ['rooms.json', 'from-json'],
    ] as const) {
      const rooms = await serve(t, ['--config', join(folder, file)], {}, folder);
      const health = (await (await fetch(`${rooms.url}/health`)).json()) as { node: string };
      assert.equal(health.node, node);
      assert.equal(await rooms.stop(), 0);
    }
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['no remote client is accepted without a token', ['--host', '0.0.0.0', '--auth', 'none'], /--auth none lets/],
    [
      'no client is accepted through a proxy without a token',
      ['--base-url', 'https://chat.example.com', '--auth', 'none'],
      /--auth none lets .* --base-url https:\/\/chat\.example\.com .* --auth token/,
    ],
    ['a port is a number', ['--port', 'http'], /--port: "http" is invalid/],
    ['a database has its own flag', ['--database', 'postgres://x'], /--database: .* write --storage-url/],
    [
      'a file that is not there',
      ['--config', 'absent.yml'],
      /--config: cannot read absent\.yml: there is no such file/,
    ],
    ['an unknown flag', ['--prot', '1'], /unknown option/],
  ];
  for (const [name, args, expected] of refused) {
    test(`${name}: 2`, async (t) => {
      const { code, stderr, stdout } = await failing(args, {}, temporaryFolder(t));
      assert.equal(code, 2, stderr);
      assert.match(stderr, expected);
      assert.equal(stdout, '');
    });
  }

  test('a broken file is named with its line', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'rooms.yml'), 'port: 8065\nauth: [\n');
    const { code, stderr } = await failing(['--config', 'rooms.yml'], {}, folder);
    assert.equal(code, 2);
    assert.match(stderr, /rooms\.yml:\d+:\d+: /);
  });

  test('a damaged database is refused by its name, and left unchanged', async (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'data'));
    const file = join(folder, 'data', 'rooms.sqlite');
    writeFileSync(file, 'this is no database, but what somebody may still need'.repeat(100));
    const { size } = statSync(file);
    const { code, stderr } = await failing(['--port', '0', '--data-dir', 'data'], {}, folder);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /rooms\.sqlite/);
    assert.equal(statSync(file).size, size);
  });
});
