import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../testing/processes.ts';
import { commandTerminal, type ListeningRooms, listeningRooms, runRooms } from '../../testing/command.ts';
import { openTcpProxy } from '../../testing/tcp-proxy.ts';

const json = (text: string) => JSON.parse(text);
const bodyOf = async (rooms: ListeningRooms, id: string): Promise<string> =>
  json(await rooms.done(['show', id, '--json'])).body;

async function messagesIn(rooms: ListeningRooms, room: string): Promise<readonly { id: string; body: string }[]> {
  return (await rooms.send('GET', `/api/room/${room}/message?limit=200`, { as: 'ana' })).json.messages;
}

/** The message said with this input, and the bytes of its file. */
async function sayInput(rooms: ListeningRooms, stdin: string | Uint8Array, ...flags: readonly string[]) {
  const { body, attachments } = json(await rooms.done(['say', 'ci', '--json', ...flags], { stdin }));
  const [file] = attachments;
  const bytes = file && Buffer.from(await (await fetch(`${rooms.url}/api/file/${file.id}`)).arrayBuffer());
  return { body, name: file?.name, bytes };
}

test('piped text is a message byte for byte, as a block of code on request', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  const none = { name: undefined, bytes: undefined };
  for (const text of ['line 1\n\tline 2\n\n', '\ufeff für ', 'no end'])
    assert.deepEqual(await sayInput(rooms, text), { body: text, ...none });
  assert.deepEqual(await sayInput(rooms, 'a\nb\n', '--code'), { body: '```\na\nb\n```', ...none });
  const fenced = await sayInput(rooms, '```\ninside\n```', '--code=sh');
  assert.deepEqual(fenced, { body: '````sh\n```\ninside\n```\n````', ...none });
});

test('piped input that no message holds arrives as a file, byte for byte', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  const colours = '\u001b[31mred\u001b[0m\n';
  const long = `${'x'.repeat(99)}\n`.repeat(2_000);
  const latin1 = Buffer.from('f\xfcr\n', 'latin1');
  for (const [input, name, body] of [
    [colours, 'output.txt', /^red\n$/],
    [long, 'output.txt', /^2000 lines, 195\.3 KiB; the end:\n```\n/],
    ['a\r\nb\r\n', 'output.txt', /^a\nb\n$/],
    [latin1, 'output', /^$/],
    ['a\0b', 'output', /^$/],
    [new Uint8Array([0x89, 0x50, 0x4e, 0x47]), 'output', /^$/],
  ] as const) {
    const said = await sayInput(rooms, input);
    assert.equal(said.name, name);
    assert.match(said.body, body);
    assert.deepEqual(said.bytes, Buffer.from(input));
  }
  const empty = await rooms.run(['say', 'ci'], { stdin: '\n' });
  assert.deepEqual([empty.code, empty.err], [2, 'opsdeck: standard input was empty: there is nothing to say\n']);
});

test('piped output that looks like a command is posted, and not run; a typed command is run', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  assert.equal(await bodyOf(rooms, await rooms.done(['say', 'ci'], { stdin: '/help me\n' })), '/help me\n');
  assert.match(await rooms.done(['say', 'ci', '/help']), /\/silence 2h/);
});

test('flags of the command set the fields of the message', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  await rooms.done(['say', 'ci', 'root', '--id', 'build-12-start']);
  const path = join(temporaryFolder(t), 'a report.txt');
  writeFileSync(path, 'all tests passed');
  const flags = ['-t', 'build-12-start', '--silent', '--file', path, '--json'];
  const said = json(await rooms.done(['say', 'ci', 'ok', ...flags]));
  assert.deepEqual([said.threadId, said.silent, said.attachments[0].name], ['build-12-start', true, 'a report.txt']);
  const only = json(await rooms.done(['say', 'ci', '--file', path, '--json']));
  assert.deepEqual([only.body, only.attachments.length], ['', 1]);
});

test('a text beyond the limit is a file, and the message shows its end', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  const stdin = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
  const id = await rooms.done(['say', 'ci', '--code', '--id', 'build-12-log'], { stdin });
  const { body, attachments } = json(await rooms.done(['show', id, '--json']));
  assert.match(body, /^20000 lines, 2\d\d\.\d KiB; the end:\n```\n[\s\S]*line 19999\n```$/);
  const file = await fetch(`${rooms.url}/api/file/${attachments[0].id}`);
  assert.equal(await file.text(), stdin);
  assert.equal(await rooms.done(['say', 'ci', '--code', '--id', 'build-12-log'], { stdin }), id);
  const other = await rooms.run(['say', 'ci', '--code', '--id', 'build-12-log'], { stdin: `${stdin}!` });
  assert.equal(other.code, 5, 'another text by the same id is a conflict');
  assert.equal((await messagesIn(rooms, 'ci')).length, 1);
});

test('a message with an id is posted once, however often the command runs', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  for (let times = 0; times < 3; times++) await rooms.done(['say', 'ci', 'done', '--id', 'build-12-done']);
  assert.equal((await messagesIn(rooms, 'ci')).length, 1);
  assert.equal((await rooms.run(['say', 'ci', 'not done', '--id', 'build-12-done'])).code, 5);
});

test('a lost answer is requested again, and the message is posted once', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  const proxy = await openTcpProxy(t);
  proxy.forwardTo(rooms.url);
  proxy.cutAnswers(3);
  const terminal = commandTerminal(proxy.url);
  assert.equal(await runRooms(['say', 'ci', 'once'], terminal), 0, terminal.stderr);
  assert.equal(proxy.cuts, 3);
  const messages = await messagesIn(rooms, 'ci');
  assert.deepEqual(
    messages.map(({ id, body }) => [id, body]),
    [[terminal.stdout.trim(), 'once']],
  );
});

test('an absent server is code 3, and not before the time is over', async (t) => {
  const proxy = await openTcpProxy(t);
  const startedAt = performance.now();
  const terminal = commandTerminal(proxy.url);
  assert.equal(await runRooms(['say', 'ci', 'x', '--retry', '1s'], terminal), 3);
  assert.match(terminal.stderr, /cannot reach .*given up after 1s \(--retry\)/);
  assert.ok(performance.now() - startedAt > 300);
  assert.equal(terminal.stdout, '', 'no id, since it may not be said');
});

/** Posts a message to a server with these answers to the first tries; returns the exit code and the number of tries. */
async function sayToBusy(
  t: TestContext,
  headers: Readonly<Record<string, string>>,
  { refusals, retry }: { readonly refusals: number; readonly retry: string },
): Promise<readonly [code: number, tries: number]> {
  let tries = 0;
  const server = createServer((request, response) => {
    request.resume();
    tries++;
    const type = { 'content-type': 'application/json' };
    if (tries > refusals) return response.writeHead(200, type).end('{"notice":"done"}');
    return response.writeHead(tries === 1 ? 503 : 429, { ...type, ...headers }).end('"wait"');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const terminal = commandTerminal(`http://127.0.0.1:${port}`);
  return [await runRooms(['say', 'ci', 'x', '--retry', retry], terminal), tries];
}

test('a server that answers Retry-After is tried again', async (t) => {
  const [code, tries] = await sayToBusy(t, { 'retry-after': '0' }, { refusals: 3, retry: '100s' });
  assert.deepEqual([code, tries], [0, 4]);
});

test('a server with a Retry-After beyond the deadline, a date too, is tried once', async (t) => {
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
  const headers = { date, 'retry-after': 'Thu, 01 Jan 2026 01:00:00 GMT' };
  assert.deepEqual(await sayToBusy(t, headers, { refusals: Number.POSITIVE_INFINITY, retry: '1s' }), [3, 1]);
});

test('--wait-reply prints the answer of another user, and is code 1 without one', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'CI']);
  await rooms.done(['copilot', 'set', 'ci', 'provider=echo']);
  const out = await rooms.done(['say', 'ci', '@copilot', 'hello', '--id', 'question-1', '--wait-reply', '100s']);
  assert.equal(out, 'question-1\necho: @copilot hello');
  const none = await rooms.run(['say', 'ci', 'hello', '--wait-reply', '300ms']);
  assert.equal(none.code, 1);
  assert.match(none.err, /no reply within/);
});
