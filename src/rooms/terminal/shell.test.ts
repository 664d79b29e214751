// The built executable, as a shell and a script use it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { executablePath, runProcess, temporaryFolder } from '../../testing/processes.ts';
import { startRoomsProcess } from '../testing/process.ts';
import { openTcpProxy } from '../testing/tcp-proxy.ts';

function environment(t: TestContext, url: string): Record<string, string> {
  return { HOME: temporaryFolder(t), OPSDECK_ROOMS_URL: url, OPSDECK_ROOMS_USER: 'ana', NO_COLOR: '1' };
}

function rooms(args: readonly string[], env: Record<string, string>, input = '') {
  return runProcess(process.execPath, [executablePath(), 'rooms', ...args], { env, input });
}

test('make test 2>&1 | opsdeck rooms say ci --code', async (t) => {
  const server = await startRoomsProcess(t);
  const env = environment(t, server.url);
  assert.equal((await rooms(['new', 'CI'], env)).code, 0);
  const opsdeck = `"${process.execPath}" "${executablePath()}"`;
  const line = `(echo building; echo oops >&2) 2>&1 | ${opsdeck} rooms say ci --code --id build-12-log`;
  for (let times = 0; times < 2; times++) {
    const said = await runProcess('/bin/sh', ['-c', line], { env });
    assert.deepEqual([said.code, said.stdout, said.stderr], [0, 'build-12-log\n', '']);
  }
  const tailed = await rooms(['tail', 'ci'], env);
  assert.match(tailed.stdout, /^\d\d-\d\d \d\d:\d\d ana: ```\n {8}building\n {8}oops\n {8}```\n$/);
});

test('a message to a server that is killed before its answer, and restarts, is posted once', async (t) => {
  const folder = temporaryFolder(t);
  const proxy = await openTcpProxy(t);
  const first = await startRoomsProcess(t, { folder });
  const env = environment(t, proxy.url);
  proxy.forwardTo(first.url);
  assert.equal((await rooms(['new', 'CI'], env)).code, 0);
  proxy.cutAnswers(1);
  const saying = rooms(['say', 'ci', 'once', '--retry', '100s'], env);
  await eventually('an answer that was cut', () => proxy.cuts === 1);
  proxy.forwardTo(undefined);
  await first.end('SIGKILL');
  const second = await startRoomsProcess(t, { folder });
  proxy.forwardTo(second.url);
  const said = await saying;
  assert.equal(said.code, 0, said.stderr);
  const tailed = await rooms(['tail', 'ci', '--json'], env);
  const ids = tailed.stdout
    .split('\n')
    .flatMap((line) => (line === '' ? [] : (JSON.parse(line).data.message?.id ?? [])));
  assert.deepEqual(ids, [said.stdout.trim()]);
});

/** `rooms tail --follow`, killed with the test. */
function startTail(t: TestContext, args: readonly string[], env: Record<string, string>) {
  const all = [executablePath(), 'rooms', 'tail', ...args, '--follow'];
  const child = spawn(process.execPath, all, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close') as Promise<[number | null]>;
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const bodies = () =>
    out.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line).data.message?.body ?? [])));
  return {
    bodies,
    async printed(count: number) {
      await eventually(`${count} messages`, () => bodies().length === count).catch((error) => {
        throw new Error(`${error.message}: ${bodies().join(', ')}\n${said}`);
      });
    },
    async end(signal: NodeJS.Signals) {
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

const keptSeq = (cursorFile: string): number => Number(readFileSync(cursorFile, 'utf8').trim().split(' ').at(-1));

test('tail --cursor-file prints each message once, across kills of the server and its own ends', async (t) => {
  const folder = temporaryFolder(t);
  const cursorFile = join(temporaryFolder(t), 'ci.cursor');
  const proxy = await openTcpProxy(t);
  const env = environment(t, proxy.url);
  const args = ['ci', '--json', '--cursor-file', cursorFile];
  const seen: string[] = [];
  const said: string[] = [];
  const say = async (word: string) => {
    said.push(word);
    assert.equal((await rooms(['say', 'ci', word, '--retry', '100s'], env)).code, 0);
  };
  let server = await startRoomsProcess(t, { folder });
  proxy.forwardTo(server.url);
  assert.equal((await rooms(['new', 'CI'], env)).code, 0);
  for (let round = 0; round < 2; round++) {
    const tailing = startTail(t, args, env);
    await eventually('a cursor file', () => existsSync(cursorFile));
    await say(`before ${round}`);
    const until = seen.length;
    await tailing.printed(said.length - until);
    await server.end('SIGKILL');
    server = await startRoomsProcess(t, { folder });
    proxy.forwardTo(server.url);
    await say(`after ${round}`);
    await tailing.printed(said.length - until);
    await eventually('its place to be kept', () => keptSeq(cursorFile) === said.length);
    // An interrupt ends it well, and after a kill printed messages are not printed again.
    assert.equal(await tailing.end(round === 0 ? 'SIGINT' : 'SIGKILL'), round === 0 ? 0 : null);
    seen.push(...tailing.bodies());
    await say(`between ${round}`);
  }
  const last = await rooms(['tail', ...args], env);
  seen.push(
    ...last.stdout.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line).data.message?.body ?? []))),
  );
  assert.deepEqual(seen, said);
});

test('a mistake ends the process at once, with its code', async (t) => {
  const env = environment(t, 'http://127.0.0.1:9');
  const codes: readonly (readonly [readonly string[], number])[] = [
    [['ls', '--url', 'ftp://x'], 2],
    [['ls'], 3],
    [['say', 'ci', 'x', '--retry', '1ms'], 3],
    [['restore', '/nowhere'], 2],
  ];
  for (const [args, code] of codes) {
    const result = await rooms(args, env);
    assert.deepEqual([args.join(' '), result.code], [args.join(' '), code]);
    assert.match(result.stderr, /^opsdeck: .*\n$/);
  }
});
