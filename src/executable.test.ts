import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hashSync } from 'bcryptjs';
import { run as runCommand } from './cli.ts';
import { eventually } from './testing/eventually.ts';
import { FakeTerminal } from './testing/fake/terminal.ts';
import { RawConnection } from './testing/http/raw-connection.ts';
import {
  BINARY,
  executablePath,
  listeningAddress,
  type RunningServer,
  runProcess,
  startServer,
  temporaryFolder,
} from './testing/processes.ts';

// The built file, copied alone into an empty folder, with no node_modules in reach; with OPSDECK_BINARY the executable that has
// Node inside, with no Node in reach either.

const needsNode = { skip: BINARY !== undefined && 'it has its own Node' };
const ENVIRONMENT: NodeJS.ProcessEnv = BINARY === undefined ? {} : { PATH: '/nonexistent' };

function lonelyExecutable(t: TestContext): { readonly folder: string; readonly file: string } {
  const folder = temporaryFolder(t);
  const file = join(folder, BINARY === undefined ? 'opsdeck.js' : 'opsdeck');
  copyFileSync(BINARY ?? executablePath(), file);
  return { folder, file };
}

/** Runs a server that is given `command` until it listens. */
function start(t: TestContext, folder: string, command: string, args: readonly string[]): Promise<RunningServer> {
  return startServer(t, { command, args, cwd: folder, env: ENVIRONMENT, addressIn: listeningAddress });
}

/** Runs the file itself, by its first line, as a shell would. */
function run(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { folder, file } = lonelyExecutable(t);
  return runProcess(file, args, { cwd: folder, env: { HOME: folder, ...ENVIRONMENT, ...env } });
}

function serve(t: TestContext, folder: string, file: string, args: readonly string[]): Promise<RunningServer> {
  return start(t, folder, file, ['alerts', 'serve', ...args]);
}

test('the file alone prints its version and its help', async (t) => {
  const version = await run(t, ['--version']);
  assert.match(version.stdout, /^opsdeck \d+\.\d+\.\d+\n$/);
  const help = await run(t, ['--help']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /alerts .*\n[\s\S]*up /);
});

/** Prints of each part whether V8 takes its compiled code; `undefined` for a part without. */
const REPORT_CODE = `
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    process.stderr.write('code refused: ' + this.cachedDataRejected + '\\n');
  }
};`;

test(
  'parts that a start needs are not compiled again by the Node that built them; another Node is offered no code',
  needsNode,
  async (t) => {
    const { folder, file } = lonelyExecutable(t);
    const preload = join(folder, 'report.cjs');
    writeFileSync(preload, REPORT_CODE);
    // Ends after the server's parts are loaded.
    const args = ['-r', preload, file, 'alerts', 'serve', '--config.file=none.yml'];
    const { stderr } = await runProcess(process.execPath, args, { cwd: folder });
    const { versions, platform, arch } = process;
    const isBuilder = readFileSync(file, 'latin1').includes(`"${versions.v8}${platform}${arch}"`);
    assert.deepEqual(
      [...new Set(stderr.match(/code refused: .*/g))],
      [`code refused: ${isBuilder ? false : undefined}`],
    );
  },
);

test('an outdated Node is reported in one line, with code 1', needsNode, async (t) => {
  const { folder, file } = lonelyExecutable(t);
  for (const version of ['22.18.0', '20.20.2', '4.9.1']) {
    const preload = join(folder, 'older.cjs');
    writeFileSync(preload, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    const { code, stdout, stderr } = await runProcess(process.execPath, ['-r', preload, file, '--version'], {
      cwd: folder,
    });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.equal(stderr, `opsdeck needs Node.js 22.19 or newer; this is ${version} (${process.execPath})\n`);
  }
});

test('help shows examples at every level', async () => {
  const levels = [
    [],
    ['up'],
    ['alerts'],
    ['alerts', 'serve'],
    ['alerts', 'add'],
    ['alerts', 'query'],
    ['alerts', 'groups'],
    ['alerts', 'status'],
    ['alerts', 'silence'],
    ...['add', 'query', 'expire', 'update', 'import'].map((name) => ['alerts', 'silence', name]),
  ];
  for (const level of levels) {
    const terminal = new FakeTerminal();
    assert.equal(await runCommand([...level, '--help'], terminal), 0, level.join(' '));
    assert.match(terminal.stdout, /Examples?:\n {2}opsdeck /, level.join(' '));
  }
});

test('the file alone serves the API, its page and its state in its own folder', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  const server = await serve(t, folder, file, ['--web.listen-address', '127.0.0.1:0']);
  const post = await fetch(`${server.url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '[{"labels":{"alertname":"DiskFull"}}]',
  });
  assert.equal(post.status, 200);
  const listed = (await (await fetch(`${server.url}/api/v2/alerts`)).json()) as { labels: unknown }[];
  assert.deepEqual(
    listed.map(({ labels }) => labels),
    [{ alertname: 'DiskFull' }],
  );
  const page = await fetch(`${server.url}/`);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const script = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(await page.text())?.[1];
  assert.ok(script, 'the page names its script');
  assert.equal((await fetch(`${server.url}/${script}`)).status, 200);
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
  assert.doesNotMatch(server.stderr(), /Warning/);
  assert.deepEqual(readdirSync(join(folder, 'data')), ['alerts']);
});

test('the file alone keeps rooms, with tables in their own thread, over a kill', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  const args = ['rooms', 'serve', '--port', '0', '--data-dir', 'kept'];
  const startRooms = () => start(t, folder, file, args);
  const first = await startRooms();
  const send = (path: string, body: object) =>
    fetch(`${first.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.equal((await send('/api/room', { name: 'Ops' })).status, 201);
  assert.equal((await send('/api/message', { roomId: 'ops', body: 'still there' })).status, 201);
  assert.deepEqual(await first.stop('SIGKILL'), { code: null, signal: 'SIGKILL' });
  const second = await startRooms();
  const { messages } = (await (await fetch(`${second.url}/api/room/ops/message`)).json()) as {
    messages: { body: string }[];
  };
  assert.deepEqual(
    messages.map(({ body }) => body),
    ['still there'],
  );
  assert.deepEqual(await second.stop('SIGTERM'), { code: 0, signal: null });
  assert.doesNotMatch(second.stderr(), /Warning/);
  assert.deepEqual(readdirSync(join(folder, 'kept')).sort(), ['rooms.sqlite', 'secret.key']);
});

test('rooms at the limit of open files still write, and accept connections again later', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  const { url, stop } = await start(t, folder, '/bin/sh', [
    ...['-c', `ulimit -n 60; exec "${file}" rooms serve --port 0 --data-dir kept`],
  ]);
  const { host } = new URL(url);
  const head = `POST /api/room HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
  const first = await RawConnection.open(url);
  const others = await Promise.all(Array.from({ length: 80 }, () => RawConnection.open(url)));
  await eventually('some find no room', () => others.some(({ closed }) => closed));
  const create = () => first.exchange('POST', `${head}content-length: 14\r\n\r\n{"name":"Ops"}`);
  assert.equal((await create()).status, 201);
  for (const other of others) other.close();
  await eventually('another is heard', () =>
    fetch(`${url}/version`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  assert.deepEqual(await stop(), { code: 0, signal: null });
});

test('a server continues after the reader of its log is gone', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  const server = spawn(file, ['relay', 'serve', '--port', '0', '--log.level', 'debug'], {
    cwd: folder,
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const address = await eventually('it listens', () => listeningAddress(log));
  server.stderr.destroy();
  for (let request = 0; request < 3; request++) assert.equal((await fetch(`http://${address}/status`)).status, 200);
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

const MISTAKES: readonly { readonly args: readonly string[]; readonly code: number; readonly says: RegExp }[] = [
  { args: ['alrets'], code: 2, says: /unknown command 'alrets'\n\(Did you mean alerts\?\)/ },
  {
    args: ['alerts', 'serve', '--cluster.listen-address', 'nowhere'],
    code: 2,
    says: /--cluster\.listen-address: "nowhere" is invalid; write an address/,
  },
  { args: ['alerts', 'serv'], code: 2, says: /unknown command 'serv'\n\(Did you mean serve\?\)/ },
  {
    args: ['alerts', 'serve', '--config.fil', 'x'],
    code: 2,
    says: /unknown option '--config.fil'\n\(Did you mean --config.file\?\)/,
  },
  {
    args: ['alerts', 'serve', '--config.file', 'none.yml'],
    code: 1,
    says: /^opsdeck: cannot read the configuration file none.yml: there is no such file\n$/,
  },
  {
    args: ['alerts', 'serve', '--data.retention', 'soon'],
    code: 2,
    says: /--data\.retention: "soon" is invalid; write a duration such as/,
  },
  {
    args: ['alerts', 'serve', '--storage.path', '/dev/null/x'],
    code: 1,
    says: /cannot use the data directory \/dev\/null\/x: it, or a part of its path, is a file/,
  },
  {
    // Where making a folder fails although its parent is there: it must not be tried for ever.
    args: ['alerts', 'serve', '--storage.path', '/proc/opsdeck'],
    code: 1,
    says: /cannot use the data directory \/proc\/opsdeck: /,
  },
  {
    args: ['alerts', 'query', '--alertmanager.url', 'http://127.0.0.1:9'],
    code: 3,
    says: /^opsdeck: cannot reach http:\/\/127.0.0.1:9/,
  },
];

for (const { args, code, says } of MISTAKES) {
  test(`opsdeck ${args.join(' ')} is answered in a line, with code ${code}`, async (t) => {
    const result = await run(t, args);
    assert.match(result.stderr.replace(/^time=.*\n/gm, ''), says);
    assert.equal(result.code, code);
    assert.ok(result.stderr.length < 1_000, 'no page of minified code');
  });
}

test('a taken port is named, with code 1', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise((done) => other.once('listening', done));
  const { port } = other.address() as { port: number };
  const result = await run(t, ['alerts', 'serve', '--web.listen-address', `127.0.0.1:${port}`]);
  assert.match(result.stderr, new RegExp(`opsdeck: cannot listen on 127.0.0.1:${port}: the port is taken`));
  assert.equal(result.code, 1);
});

test('a second process on the same data directory is refused with code 3; the first goes on, over SIGHUP, to SIGINT', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  const args = ['--web.listen-address', '127.0.0.1:0', '--data-dir', 'shared'];
  const first = await serve(t, folder, file, args);
  const second = await runProcess(file, ['alerts', 'serve', ...args], { cwd: folder, env: ENVIRONMENT });
  assert.match(second.stderr, /opsdeck: the data directory .*shared\/alerts is in use by another opsdeck process/);
  assert.equal(second.code, 3);
  process.kill(first.pid, 'SIGHUP');
  assert.equal((await fetch(`${first.url}/-/healthy`)).status, 200);
  assert.deepEqual(await first.stop('SIGINT'), { code: 0, signal: null });
});

test('a bad line of a configuration file is named, and nothing starts', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  writeFileSync(join(folder, 'alertmanager.yml'), 'route:\n  receiver: a\nreceivers:\n  - nme: a\n');
  const result = await runProcess(file, ['alerts', 'serve', '--config.file', 'alertmanager.yml'], {
    cwd: folder,
    env: ENVIRONMENT,
  });
  assert.match(result.stderr, /^opsdeck: alertmanager\.yml: line 4: field nme /m);
  // As Alertmanager: launchers may rely on it.
  assert.equal(result.code, 1);
});

test('npx runs the packed tarball in an empty folder', needsNode, async (t) => {
  const folder = temporaryFolder(t);
  // The executable is already built in dist/: packing must not rebuild it while other tests use it.
  const packed = await runProcess('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: resolve('.'),
  });
  assert.equal(packed.code, 0, packed.stderr);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const args = ['--yes', '--offline', `--cache=${join(folder, 'cache')}`, `../${tarball}`];
  const version = await runProcess('npx', [...args, '--version'], { cwd: empty });
  assert.match(version.stdout, /^opsdeck \d/, version.stderr);
  const server = await startServer(t, {
    command: 'npx',
    args: [...args, 'alerts', 'serve', '--web.listen-address', '127.0.0.1:0'],
    cwd: empty,
    addressIn: listeningAddress,
  });
  assert.equal((await fetch(`${server.url}/api/v2/status`)).status, 200);
  assert.ok(statSync(join(empty, 'data/alerts')).isDirectory());
});

test('the file alone compares passwords, in a thread that does not outlive it, also without the file', async (t) => {
  const { folder, file } = lonelyExecutable(t);
  const hash = hashSync('secret', 4);
  writeFileSync(join(folder, 'web.yml'), `basic_auth_users: {ann: '${hash}'}\n`);
  const server = await serve(t, folder, file, [
    ...['--web.listen-address=127.0.0.1:0', '--web.config.file=web.yml', '--storage.path=state'],
  ]);
  rmSync(file);
  const statusFor = async (password: string) =>
    (await fetch(server.url, { headers: { authorization: `Basic ${btoa(`ann:${password}`)}` } })).status;
  assert.equal(await statusFor('wrong'), 401);
  assert.equal(await statusFor('secret'), 200);
  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
});
