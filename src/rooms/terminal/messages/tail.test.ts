import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually, HANG_MS } from '../../../testing/eventually.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { FakeTerminal } from '../../../testing/fake/terminal.ts';
import { openCuttingProxy } from '../../../testing/http/proxy.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import { commandTerminal, type ListeningRooms, listeningRooms } from '../../testing/command.ts';
import { openTcpProxy } from '../../testing/tcp-proxy.ts';
import { type TailOptions, tail } from './tail.ts';

interface Line {
  readonly cursor: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

const linesOf = (text: string): readonly Line[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
const bodiesOf = (text: string): readonly string[] => linesOf(text).map(({ data }) => data.message?.body);

async function withOps(t: TestContext): Promise<ListeningRooms> {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'Ops']);
  return rooms;
}

/** A tail that follows until it is stopped. */
function follow(t: TestContext, url: string, names: readonly string[], options: Partial<TailOptions> = {}) {
  const terminal: FakeTerminal = commandTerminal(url);
  let stop = () => {};
  const stopped = new Promise<void>((done) => {
    stop = done;
  });
  const over = tail(names, { lines: 20, timeout: HANG_MS, follow: true, ...options }, terminal, stopped);
  over.catch(() => {});
  t.after(async () => {
    stop();
    await over.catch(() => {});
  });
  return {
    terminal,
    over,
    async end() {
      stop();
      await over;
      return terminal.stdout;
    },
    saying: (text: string) => eventually(text, () => terminal.stdout.includes(text)),
  };
}

test('tail prints the last messages, replies below what they answer, and ends', async (t) => {
  const rooms = await withOps(t);
  for (const word of ['one', 'two', 'three']) await rooms.done(['say', 'ops', word, '--id', `message-${word}`]);
  await rooms.done(['say', 'ops', 'a reply\nof two lines', '-t', 'message-one'], { as: 'ben' });
  const printed = (await rooms.done(['tail', 'ops', '-n', '2']))
    .split('\n')
    .map((line) => line.replace(/\d\d-\d\d \d\d:\d\d/, 'T'));
  assert.deepEqual(printed, ['T ana: three', '  ↳ T ben: a reply', '            of two lines']);
});

test('messages cannot command the terminal', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['say', 'ops', '\u001b]0;title\u0007\u001b[2J\u202egnp.exe\u009b31m']);
  const printed = `${await rooms.done(['tail', 'ops'])}${await rooms.done(['tail', 'ops', '--json'])}`;
  assert.match(printed, /\\u\{1b\}\]0;title\\u\{7\}/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  assert.doesNotMatch(printed, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('with --json each line is an event with the cursor after it', async (t) => {
  const rooms = await withOps(t);
  for (const word of ['one', 'two', 'three']) await rooms.done(['say', 'ops', word]);
  const lines = linesOf(await rooms.done(['tail', 'ops', '--since', '0', '--json']));
  const [, two] = lines.filter(({ event }) => event === 'message.created');
  const rest = linesOf(await rooms.done(['tail', 'ops', '--since', two?.cursor ?? '', '--json']));
  assert.deepEqual(
    rest.map(({ data }) => data.message.body),
    ['three'],
  );
});

test('each of several rooms keeps its order, also after the clock of the server went back', async (t) => {
  const clock = new FakeClock();
  const rooms = await listeningRooms(t, { clock });
  await rooms.done(['new', 'Ops']);
  await rooms.done(['new', 'CI']);
  const said: readonly (readonly [string, string, number])[] = [
    ['ops', 'one', 60_000],
    ['ci', 'two', 60_000],
    ['ops', 'three', -3_600_000],
    ['ops', 'four', 0],
  ];
  for (const [room, words, ms] of said) {
    await rooms.done(['say', room, words]);
    clock.advance(ms);
  }
  assert.deepEqual(bodiesOf(await rooms.done(['tail', 'ops', 'ci', '--json'])), ['one', 'two', 'three', 'four']);
});

test('a room named twice is printed once', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['say', 'ops', 'one']);
  assert.deepEqual(bodiesOf(await rooms.done(['tail', 'ops', 'ops', '--json'])), ['one']);
});

test('--grep and --alerts print only matches', async (t) => {
  const rooms = await withOps(t);
  const address = await rooms.done(['hook', 'new', 'incoming', '--room', 'ops', '--kind', 'alertmanager']);
  const alert = {
    status: 'firing',
    labels: { alertname: 'DiskFull' },
    annotations: {},
    startsAt: '2030-01-01T00:00:00Z',
    fingerprint: 'f1',
  };
  const notice = {
    version: '4',
    groupKey: 'g',
    receiver: 'ops',
    status: 'firing',
    groupLabels: {},
    commonLabels: { alertname: 'DiskFull' },
  };
  const whole = {
    ...notice,
    commonAnnotations: {},
    externalURL: 'http://x.example.com',
    alerts: [alert],
    truncatedAlerts: 0,
  };
  const posted = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(whole),
  });
  assert.equal(posted.status, 201, await posted.text());
  await rooms.done(['say', 'ops', 'deploy 12 rolled back']);
  await rooms.done(['say', 'ops', 'nothing']);
  assert.deepEqual(bodiesOf(await rooms.done(['tail', 'ops', '--json', '--grep', 'roll(ed)? back'])), [
    'deploy 12 rolled back',
  ]);
  assert.match(await rooms.done(['tail', 'ops', '--alerts']), /^\S+ \S+ incoming: .*FIRING.* DiskFull/);
  assert.equal((await rooms.done(['tail', 'ops', '--alerts'])).includes('nothing'), false);
});

test('--follow prints new messages, once, over dropped connections', async (t) => {
  const rooms = await withOps(t);
  const proxy = await openTcpProxy(t);
  proxy.forwardTo(rooms.url);
  await rooms.done(['say', 'ops', 'before']);
  const tailing = follow(t, proxy.url, ['ops'], { json: true, bell: true });
  await tailing.saying('before');
  for (let index = 0; index < 5; index++) {
    await rooms.done(['say', 'ops', `live ${index}`]);
    if (index % 2 === 0) await tailing.saying(`live ${index}`);
    proxy.cut();
  }
  await tailing.saying('live 4');
  assert.deepEqual(bodiesOf(await tailing.end()), ['before', 'live 0', 'live 1', 'live 2', 'live 3', 'live 4']);
  assert.match(
    tailing.terminal.stderr,
    /tail: the connection is lost .*; trying again\n[\s\S]*tail: connected again; nothing was missed/,
  );
  assert.equal(tailing.terminal.stderr.split('\u0007').length - 1, 5, 'a bell for each new message');
});

test('--follow waits for a server that goes away during the first read; without it the command ends', async (t) => {
  const rooms = await withOps(t);
  let cuts = 0;
  const url = await openCuttingProxy(t, rooms.url, (path) => path.startsWith('/api/event/log') && cuts++ % 3 < 2);
  const once = await rooms.run(['tail', 'ops', '--url', url]);
  assert.deepEqual([once.code, cuts], [3, 1]);
  const cursorFile = join(temporaryFolder(t), 'ops.cursor');
  writeFileSync(cursorFile, '0\n');
  await rooms.done(['say', 'ops', 'before']);
  const tailing = follow(t, url, ['ops'], { json: true, cursorFile });
  await tailing.saying('before');
  await rooms.done(['say', 'ops', 'after']);
  await tailing.saying('after');
  assert.ok(cuts > 2);
  assert.deepEqual(
    bodiesOf(await tailing.end()).filter((body) => body !== undefined),
    ['before', 'after'],
  );
});

test('a copilot’s words are printed as they arrive, and once', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['copilot', 'set', 'ops', 'provider=echo', 'replyIn=room']);
  const tailing = follow(t, rooms.url, ['ops']);
  await rooms.done(['say', 'ops', '@copilot one two three']);
  await tailing.saying('echo: @copilot one two three\n');
  await rooms.done(['say', 'ops', 'afterwards']);
  await tailing.saying('afterwards');
  const printed = await tailing.end();
  assert.equal(printed.split('echo: ').length, 2, printed);
});

test('edits, deletions and reactions are printed, and a reply does not print its root again', async (t) => {
  const rooms = await withOps(t);
  const tailing = follow(t, rooms.url, ['ops']);
  await rooms.done(['say', 'ops', 'first', '--id', 'message-1']);
  await tailing.saying('first');
  await rooms.done(['edit', 'message-1', 'second']);
  await rooms.done(['say', 'ops', 'a reply', '-t', 'message-1']);
  await rooms.done(['react', 'message-1', '👀']);
  await rooms.done(['rm', 'message-1']);
  await tailing.saying('was deleted');
  const lines = (await tailing.end()).split('\n').map((line) => line.replace(/\d\d-\d\d \d\d:\d\d/, 'T'));
  assert.deepEqual(lines, [
    'T ana: first',
    'T ana: second (edited)',
    '  ↳ T ana: a reply',
    '* ana 👀 #1 of ana: second',
    '* #1 of ana was deleted',
    '',
  ]);
});

test('a cursor file resumes exactly at the end of the last run', async (t) => {
  const rooms = await withOps(t);
  const cursorFile = join(temporaryFolder(t), 'ops.cursor');
  const args = ['tail', 'ops', '--json', '--cursor-file', cursorFile];
  await rooms.done(['say', 'ops', 'one']);
  const seen = [...bodiesOf(await rooms.done(args))];
  assert.deepEqual(seen, ['one']);
  assert.equal(await rooms.done(args), '', 'nothing is new');
  await rooms.done(['say', 'ops', 'two']);
  const tailing = follow(t, rooms.url, ['ops'], { json: true, cursorFile });
  await tailing.saying('two');
  await rooms.done(['say', 'ops', 'three']);
  await tailing.saying('three');
  seen.push(...bodiesOf(await tailing.end()));
  await rooms.done(['say', 'ops', 'four']);
  seen.push(...bodiesOf(await rooms.done(args)));
  assert.deepEqual(seen, ['one', 'two', 'three', 'four']);
});

test('a cursor file is not written before its line is out', async (t) => {
  const rooms = await withOps(t);
  const cursorFile = join(temporaryFolder(t), 'ops.cursor');
  await rooms.done(['say', 'ops', 'one']);
  const terminal = commandTerminal(rooms.url);
  const written: (string | undefined)[] = [];
  Object.assign(terminal, {
    out: (text: string) => {
      written.push(existsSync(cursorFile) ? readFileSync(cursorFile, 'utf8') : undefined);
      if (text.includes('one')) throw new Error('the pipe is closed');
    },
  });
  const options = { lines: 20, timeout: HANG_MS, json: true, cursorFile };
  await assert.rejects(tail(['ops'], options, terminal, new Promise<void>(() => {})), /the pipe is closed/);
  assert.deepEqual(written, [undefined]);
  assert.equal(existsSync(cursorFile), false);
});

test('a replaced log is reported, and nothing is printed twice', async (t) => {
  const rooms = await withOps(t);
  const cursorFile = join(temporaryFolder(t), 'ops.cursor');
  const args = ['tail', 'ops', '--json', '--cursor-file', cursorFile];
  await rooms.done(['say', 'ops', 'one']);
  await rooms.done(args);
  await rooms.done(['say', 'ops', 'two']);
  const [, ...seqs] = readFileSync(cursorFile, 'utf8').split('\n');
  writeFileSync(cursorFile, ['elsewhere-7', ...seqs].join('\n'));
  const { code, out, err } = await rooms.run(args);
  assert.equal(code, 0, err);
  assert.deepEqual(bodiesOf(out), ['two']);
  assert.match(err, /tail: the log cannot be read on from here \(epoch\)/);
});

test('a hole in the numbers of a room is reported', async (t) => {
  const rooms = await withOps(t);
  const cursorFile = join(temporaryFolder(t), 'ops.cursor');
  const args = ['tail', 'ops', '--json', '--cursor-file', cursorFile];
  for (const word of ['one', 'two', 'three']) await rooms.done(['say', 'ops', word]);
  await rooms.done(args);
  await rooms.done(['say', 'ops', 'four']);
  writeFileSync(cursorFile, readFileSync(cursorFile, 'utf8').replace(/ 3\n/, ' 1\n'));
  assert.match((await rooms.run(args)).err, /tail: ops: after #1 came #4: 2 messages are missing/);
  writeFileSync(cursorFile, 'what is this');
  assert.equal((await rooms.run(args)).code, 2);
});
