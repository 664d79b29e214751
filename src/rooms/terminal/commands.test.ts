import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { commandTerminal, type ListeningRooms, listeningRooms, runRooms } from '../testing/command.ts';

async function withOps(t: TestContext): Promise<ListeningRooms> {
  const rooms = await listeningRooms(t);
  assert.equal(await rooms.done(['new', 'Operations', '--slug', 'ops']), 'ops');
  return rooms;
}

const json = (text: string) => JSON.parse(text);

test('a room is made as requested, listed, and shown with its last messages', async (t) => {
  const rooms = await listeningRooms(t);
  const flags = [
    '--private',
    '--topic',
    'who is on call',
    '--label',
    'team=platform',
    '--label',
    'a=b=c',
    '--member',
    'ben',
  ];
  const made = json(await rooms.done(['new', 'On Call', ...flags, '--json']));
  assert.equal(made.slug, 'on-call');
  assert.equal(made.visibility, 'private');
  assert.deepEqual(made.labels, { team: 'platform', a: 'b=c' });
  assert.equal(made.memberCount, 2);
  await rooms.done(['new', 'Quiet']);
  await rooms.done(['say', 'on-call', 'all', 'is', 'well']);
  const table = await rooms.done(['ls'], { as: 'ben' });
  assert.match(table, /^ROOM +UNREAD +LAST +AGE\non-call +1 +ana: all is well +now\nquiet/);
  const unread = json(await rooms.done(['ls', '--unread', '--json'], { as: 'ben' }));
  assert.deepEqual(
    unread.map(({ slug }: { slug: string }) => slug),
    ['on-call'],
  );
});

test('set changes only the named fields', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['set', 'ops', 'topic=first', 'label.team=a', 'label.tier=1', 'retention.days=30']);
  const set = json(await rooms.done(['set', 'ops', 'label.tier=', 'readOnly=on', 'slowModeSeconds=5', '--json']));
  assert.equal(set.topic, 'first');
  assert.deepEqual(set.labels, { team: 'a' });
  assert.equal(set.retention.days, 30);
  assert.equal(set.readOnly, true);
  assert.equal(set.slowModeSeconds, 5);
});

test('set keeps the copilot of a room', async (t) => {
  const rooms = await withOps(t);
  const put = await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { copilot: { provider: 'echo' } } });
  assert.equal(put.status, 200, put.text);
  const set = json(await rooms.done(['set', 'ops', 'topic=new', '--json']));
  assert.equal(set.copilot.provider, 'echo');
});

test('an archived room takes nothing, until it is opened again', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['archive', 'ops']);
  const refused = await rooms.run(['say', 'ops', 'too late']);
  assert.equal(refused.code, 5);
  assert.match(refused.err, /^opsdeck: .*archived/);
  await rooms.done(['archive', 'ops', '--undo']);
  await rooms.done(['say', 'ops', 'again']);
});

test('people join, leave, and use an invite', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['join', 'ops'], { as: 'ben' });
  await rooms.done(['leave', 'ops'], { as: 'ben' });
  assert.equal(json(await rooms.done(['ls', '--json'])).at(0).memberCount, 1);
  const code = await rooms.done(['invite', 'ops', '--uses', '1', '--ttl', '1d']);
  assert.match(code, /^[0-9A-Za-z]{22}$/);
  assert.equal(await rooms.done(['join', '--invite', `https://chat.example.com/i/${code}`], { as: 'kim' }), 'ops');
  const lastOwner = await rooms.run(['leave', 'ops']);
  assert.equal(lastOwner.code, 5);
});

test('a message is shown, edited, reacted to, pinned and deleted by its id', async (t) => {
  const rooms = await withOps(t);
  const id = await rooms.done(['say', 'ops', 'first words', '--id', 'message-1']);
  assert.equal(id, 'message-1');
  assert.equal(await rooms.done(['edit', id, 'other', 'words']), id);
  assert.equal(await rooms.done(['react', id, '👀'], { as: 'ben' }), id);
  assert.equal(await rooms.done(['pin', id]), id);
  const shown = await rooms.done(['show', id, '--history']);
  assert.match(shown, /ana: other words\n/);
  assert.match(shown, /reactions: 👀 ben\n/);
  assert.match(shown, /pinned: yes/);
  assert.match(shown, /version 1, until ana changed it at .*\nfirst words$/);
  await rooms.done(['react', id, '👀', '--remove'], { as: 'ben' });
  await rooms.done(['pin', id, '--remove']);
  const after = json(await rooms.done(['show', id, '--json']));
  assert.deepEqual([after.reactions, after.pinned], [[], false]);
  await rooms.done(['rm', id, '--reason', 'wrong room']);
  assert.equal(json(await rooms.done(['show', id, '--json'])).deleteReason, 'wrong room');
});

test('an edit opens the editor with the text, and takes the saved text', async (t) => {
  const rooms = await withOps(t);
  const folder = temporaryFolder(t);
  await rooms.done(['say', 'ops', 'a word', '--id', 'message-1']);
  const editor = join(folder, 'editor.sh');
  writeFileSync(editor, 'sed "s/a word/two words/" "$1" > "$1.new" && mv "$1.new" "$1"\n');
  await rooms.done(['edit', 'message-1'], { env: { EDITOR: `sh '${editor}'` } });
  assert.equal(json(await rooms.done(['show', 'message-1', '--json'])).body, 'two words');
  const failing = await rooms.run(['edit', 'message-1'], { env: { EDITOR: 'false' } });
  assert.deepEqual([failing.code, failing.err], [1, 'opsdeck: the editor ended with 1; nothing was changed\n']);
});

test('an edit after another one is a conflict', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['say', 'ops', 'mine', '--id', 'message-1']);
  // The editor itself is the other one.
  const body = JSON.stringify({ body: 'theirs' });
  const script = `node -e '
    fetch("${rooms.url}/api/message/message-1", { method: "PUT", headers: { "content-type": "application/json",
      "x-opsdeck-user": "ana" }, body: ${JSON.stringify(body)} }).then((answer) => process.exit(answer.ok ? 0 : 1));
    require("node:fs").writeFileSync(process.argv[1], "ours");'`;
  const edited = await rooms.run(['edit', 'message-1'], { env: { EDITOR: script } });
  assert.equal(edited.code, 5, edited.err);
  assert.equal(json(await rooms.done(['show', 'message-1', '--json'])).body, 'theirs');
});

test('a search finds words and prints no terminal sequences', async (t) => {
  const rooms = await withOps(t);
  await rooms.done(['say', 'ops', 'the \u001b[31m disk is full']);
  await rooms.done(['say', 'ops', 'nothing']);
  await rooms.core.store.indexed();
  const found = await rooms.done(['search', 'disk', 'full']);
  assert.match(found, /^ops ana, now ago |^ops ana, \d+s ago /);
  assert.match(found, /the \\u\{1b\}\[31m disk is full/);
  assert.equal(json(await rooms.done(['search', 'disk', '--room', 'ops', '--json'])).length, 1);
  assert.deepEqual(await rooms.run(['search', 'unheard']), { code: 0, out: '', err: 'search: nothing was found\n' });
});

test('the copilot is set, tested, called and turned off', async (t) => {
  const rooms = await withOps(t);
  assert.notEqual((await rooms.run(['copilot', 'get', 'ops'])).code, 0);
  await rooms.done(['copilot', 'set', 'ops', 'provider=echo', 'context.messages=7', 'triggerKeywords=help, pager']);
  const settings = json(await rooms.done(['copilot', 'get', 'ops', '--json']));
  assert.deepEqual([settings.provider, settings.context.messages], ['echo', 7]);
  assert.deepEqual(settings.triggerKeywords, ['help', 'pager']);
  await rooms.done(['copilot', 'set', 'ops', 'name=robo']);
  assert.equal(json(await rooms.done(['copilot', 'get', 'ops', '--json'])).context.messages, 7);
  assert.match(await rooms.done(['copilot', 'test', 'ops']), /^ok, /);
  assert.equal(await rooms.done(['ask', 'ops', 'what is up']), 'echo: what is up');
  await rooms.done(['copilot', 'mine', 'ops', 'on']);
  assert.equal(await rooms.done(['ask', 'ops', 'a secret', '--private']), 'echo: a secret');
  await rooms.done(['copilot', 'off', 'ops']);
  assert.equal(json(await rooms.done(['copilot', 'get', 'ops', '--json'])).enabled, false);
  await rooms.done(['copilot', 'off', 'ops', '--remove']);
});

test('a key of a provider is read from standard input or the environment, never from the command line', async (t) => {
  const rooms = await withOps(t);
  const set = ['copilot', 'set', 'ops', 'provider=openai', 'model=m'];
  const refused = await rooms.run([...set, 'apiKey=sk-a-key-that-only-tests-0123456789']);
  assert.equal(refused.code, 2);
  assert.ok(!refused.err.includes('sk-a-key-that-only-tests-0123456789'), refused.err);
  const piped = await rooms.done([...set, '--key-stdin', '--json'], { stdin: 'sk-a-key-that-only-tests-0123456789\n' });
  assert.deepEqual([json(piped).apiKeyInfo.set, json(piped).apiKeyInfo.last4], [true, '6789']);
  const named = await rooms.done([...set, '--json'], {
    env: { OPSDECK_COPILOT_KEY: 'sk-a-key-that-only-tests-9876543210' },
  });
  assert.equal(json(named).apiKeyInfo.last4, '3210');
  assert.equal(json(await rooms.done([...set, '--remove-key', '--json'])).apiKeyInfo.set, false);
});

test('an export is taken in again, once', async (t) => {
  const rooms = await withOps(t);
  const folder = temporaryFolder(t);
  const file = join(folder, 'ops.jsonl');
  writeFileSync(file, 'a log');
  await rooms.done(['say', 'ops', 'to be kept', '--file', file]);
  await rooms.done(['export', 'ops', '--files', '-o', file]);
  // The time of the export is in its first line, and so in the checksum in its last.
  const middle = (text: string) => text.trim().split('\n').slice(1, -1);
  assert.deepEqual(middle(await rooms.done(['export', 'ops', '--files'])), middle(readFileSync(file, 'utf8')));
  assert.match(await rooms.done(['export', 'ops', '--format', 'markdown']), /to be kept/);
  const other = await listeningRooms(t);
  assert.equal(
    await other.done(['import', file]),
    '1 rooms, 1 messages and 1 files came in, 0 messages were there already',
  );
  const again = json(await other.done(['import', '-', '--json'], { stdin: readFileSync(file, 'utf8') }));
  assert.deepEqual([again.rooms, again.messages], [0, 0]);
  assert.equal(json(await other.done(['tail', 'ops', '--json', '-n', '1'])).data.message.body, 'to be kept');
  assert.deepEqual(readdirSync(folder), ['ops.jsonl']);
});

test('a token shows its secret once, and is revoked by its name', async (t) => {
  const rooms = await listeningRooms(t);
  const secret = await rooms.done(['token', 'new', 'ci', '--scope', 'write', '--scope', 'read', '--expires', '90d']);
  assert.match(secret, /^odr_[0-9A-Za-z]{46}$/);
  const listed = await rooms.done(['token', 'ls']);
  assert.match(listed, /ci +ana +write,read|ci +ana +read,write/);
  assert.ok(!listed.includes(secret));
  await rooms.done(['token', 'revoke', 'ci']);
  assert.equal((await rooms.run(['token', 'revoke', 'ci'])).code, 1);
});

test('a token is revoked with all tokens made by it', async (t) => {
  const rooms = await listeningRooms(t, { options: { auth: 'token' } });
  const by = (token: string) => ({ env: { OPSDECK_ROOMS_TOKEN: token } });
  const SCOPES = ['--scope', 'read', '--scope', 'manage'];
  const make = async (token: string, name: string) =>
    (await rooms.run(['token', 'new', name, ...SCOPES], by(token))).out.trim();
  const admin = rooms.rooms.firstToken ?? '';
  const leaked = await make(admin, 'leaked');
  const child = await make(leaked, 'child');
  const kept = await make(await make(admin, 'plain'), 'kept');
  assert.equal((await rooms.run(['token', 'revoke', 'leaked', '--with-children'], by(admin))).code, 0);
  assert.equal((await rooms.run(['token', 'revoke', 'plain'], by(admin))).code, 0);
  assert.equal((await rooms.run(['ls'], by(child))).code, 4);
  assert.equal((await rooms.run(['ls'], by(kept))).code, 0);
});

test('hooks are made with an address or a secret, listed, rotated and removed', async (t) => {
  const rooms = await withOps(t);
  const address = await rooms.done(['hook', 'new', 'incoming', '--room', 'ops', '--kind', 'text', '--name', 'cron']);
  assert.ok(address.startsWith(`${rooms.url}/api/hook/`), address);
  assert.equal((await fetch(address, { method: 'POST', body: 'from cron' })).status, 201);
  assert.match(await rooms.done(['tail', 'ops']), /cron: from cron/);
  const [, id = ''] = /\/api\/hook\/([^/]+)\//.exec(address) ?? [];
  assert.match(await rooms.done(['hook', 'ls']), new RegExp(`${id} +incoming +cron`));
  const rotated = await rooms.done(['hook', 'rotate', id]);
  assert.notEqual(rotated, address);
  assert.equal((await fetch(address, { method: 'POST', body: 'x' })).status, 404);
  assert.equal(await rooms.done(['hook', 'rm', id]), id);
  const outgoing = ['hook', 'new', 'outgoing', '--room', 'ops', '--to', 'http://127.0.0.1:9/', '--allow-private'];
  const hook = json(await rooms.done([...outgoing, '--event', 'message.*', '--json']));
  assert.match(hook.secret, /^whsec_/);
  assert.equal(await rooms.done(['hook', 'redeliver', hook.id, '--from', '1']), hook.id);
});

const MISTAKES: readonly { readonly args: readonly string[]; readonly code: number; readonly says: RegExp }[] = [
  { args: ['say', 'nowhere', 'x'], code: 1, says: /^opsdeck: there is no room nowhere\n$/ },
  { args: ['say', 'ops'], code: 2, says: /standard input was empty: there is nothing to say/ },
  { args: ['say', 'ops', 'x', '--id', 'no'], code: 2, says: /--id: write 8 to 64 letters/ },
  { args: ['say', 'ops', 'x', '--file', '/nowhere/f'], code: 2, says: /cannot read \/nowhere\/f: ENOENT/ },
  { args: ['show', 'no-such-message'], code: 1, says: /^opsdeck: .*no-such-message/ },
  { args: ['set', 'ops', 'colour=red'], code: 2, says: /a room has no setting colour; there are name, slug/ },
  { args: ['set', 'ops', 'topic'], code: 2, says: /"topic": write key=value/ },
  { args: ['tail', 'ops', '--grep', '('], code: 2, says: /--grep: / },
  { args: ['tail', 'ops', '--since', 'now'], code: 2, says: /--since: write a cursor/ },
  { args: ['hook', 'new', 'sideways'], code: 2, says: /the direction of a hook is incoming or outgoing/ },
  { args: ['copilot', 'set', 'ops', 'wit=9'], code: 2, says: /a copilot has no setting wit/ },
  { args: ['ls', '--url', 'ftp://x'], code: 2, says: /--url: write an http or https URL/ },
  { args: ['ls', '--url', 'http://u:secret@x'], code: 2, says: /--url: write an http or https URL/ },
  { args: ['ls', '--user', 'Not A User'], code: 2, says: /--user: write small letters/ },
  { args: ['ls', '--timeout', 'soon'], code: 2, says: /--timeout/ },
  { args: ['restore', '/nowhere/b'], code: 2, says: /is not a complete backup of rooms: it has no backup.json/ },
  { args: ['doctor', '--data-dir', '/nowhere/d'], code: 2, says: /there are no rooms in \/nowhere\/d/ },
  { args: ['join'], code: 2, says: /name the room, or the --invite/ },
];

test('a mistake is answered in a line, with its exit code', async (t) => {
  const rooms = await withOps(t);
  for (const { args, code, says } of MISTAKES) {
    const result = await rooms.run(args);
    assert.match(result.err, says, args.join(' '));
    assert.equal(result.code, code, args.join(' '));
    assert.ok(!result.err.includes('u:secret'), result.err);
  }
});

test('an absent server is code 3, and a server that needs a token is code 4', async (t) => {
  const terminal = new FakeTerminal();
  terminal.env = { HOME: '/nowhere', OPSDECK_ROOMS_URL: 'http://127.0.0.1:9' };
  assert.equal(await runRooms(['ls'], terminal), 3);
  assert.match(terminal.stderr, /^opsdeck: cannot reach http:\/\/127\.0\.0\.1:9: /);
  const rooms = await listeningRooms(t, { options: { auth: 'token' } });
  const denied = await rooms.run(['ls']);
  assert.equal(denied.code, 4);
  assert.match(denied.err, /OPSDECK_ROOMS_TOKEN or --token shows a token/);
  const token = rooms.rooms.firstToken ?? '';
  assert.equal((await rooms.run(['new', 'Ops'], { env: { OPSDECK_ROOMS_TOKEN: token } })).code, 0);
  const wrong = await rooms.run(['ls'], { env: { OPSDECK_ROOMS_TOKEN: `${token.slice(0, -1)}_` } });
  assert.equal(wrong.code, 4);
  assert.ok(!wrong.err.includes(token.slice(4, 20)), wrong.err);
});

test('every command has help with an example', async () => {
  const terminal = new FakeTerminal();
  await runRooms(['--help'], terminal);
  const names = [...terminal.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
  assert.ok(names.length > 20, names.join(' '));
  for (const name of names.filter((one) => one !== 'help' && one !== 'opsdeck' && one !== 'make')) {
    const page = new FakeTerminal();
    assert.equal(await runRooms([name, '--help'], page), 0, name);
    assert.match(page.stdout, /Examples:\n {2}.*opsdeck rooms /, name);
  }
});

test('flags override variables, and these the file of the user', async (t) => {
  const rooms = await withOps(t);
  const home = mkdtempSync(join(tmpdir(), 'opsdeck-home-'));
  t.after(() => rmSync(home, { recursive: true }));
  const path = '/home/ana/.config/opsdeck/config.json';
  const ask = async (config: string, env: Readonly<Record<string, string>>, args: readonly string[] = []) => {
    const terminal = new FakeTerminal();
    terminal.env = { HOME: '/home/ana', ...env };
    terminal.files.set(path, config);
    const code = await runRooms(['ls', '--json', ...args], terminal);
    return { code, err: terminal.stderr };
  };
  assert.equal((await ask(`{"rooms": {"url": "${rooms.url}"}}`, {})).code, 0);
  assert.equal((await ask('{"rooms": {"url": "http://127.0.0.1:9"}}', { OPSDECK_ROOMS_URL: rooms.url })).code, 0);
  assert.equal((await ask(`{}`, { OPSDECK_ROOMS_URL: 'http://127.0.0.1:9' }, ['--url', rooms.url])).code, 0);
  const broken = await ask('{"rooms": {"token": "odr_secret', {});
  assert.equal(broken.code, 2);
  assert.ok(!broken.err.includes('odr_secret'), broken.err);
});

test('a token of the file is not sent to a server that the file does not name', async (t) => {
  const rooms = await listeningRooms(t, { options: { auth: 'token' } });
  const ask = async (fileUrl: string) => {
    const terminal = new FakeTerminal();
    terminal.env = { HOME: '/home/ana' };
    const config = { rooms: { url: fileUrl, token: rooms.rooms.firstToken } };
    terminal.files.set('/home/ana/.config/opsdeck/config.json', JSON.stringify(config));
    return runRooms(['ls', '--url', rooms.url], terminal);
  };
  assert.equal(await ask(rooms.url), 0);
  assert.equal(await ask('https://chat.example.com'), 4);
});

test('an answer of any other server is reported with its address', async (t) => {
  const answers = ['404 page not found\n', '<html>\n<h1>Bad Gateway</h1>', '', '{"error":"nope"}'];
  const server = createServer((_, response) => response.writeHead(404).end(answers.shift()));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  for (const said of [': 404 page not found', '', '', ': {"error":"nope"}']) {
    const terminal = commandTerminal(url);
    assert.equal(await runRooms(['ls'], terminal), 1);
    assert.equal(terminal.stderr, `opsdeck: ${url} answered 404${said}\n`);
  }
});

test('text of others reaches no terminal raw in an export, and every file', async (t) => {
  const rooms = await listeningRooms(t);
  await rooms.done(['new', 'Ops', '--slug', 'ops']);
  const body = 'a\u001b]0;b\u0007\u009b2J\tc';
  assert.equal((await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body } })).status, 201);
  for (const format of ['jsonl', 'markdown', 'html']) {
    const terminal = commandTerminal(rooms.url);
    terminal.isSeen = true;
    assert.equal(await runRooms(['export', 'ops', '--format', format], terminal), 0, terminal.stderr);
    assert.match(terminal.stdout, /u\{9b\}2J/);
    assert.doesNotMatch(terminal.stdout.replace(/[\n\t]/g, ''), /\p{Cc}/u);
    assert.ok((await rooms.done(['export', 'ops', '--format', format])).includes('\u009b2J'));
  }
});

test('an export from a server that falls silent in the middle is given up, and nothing of it is kept', async (t) => {
  const server = createServer((_, response) => response.writeHead(200).write('{"kind":"header"'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = temporaryFolder(t);
  const terminal = commandTerminal(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const args = ['export', 'ops', '-o', join(folder, 'ops.jsonl'), '--timeout', '200ms'];
  assert.equal(await runRooms(args, terminal), 3);
  assert.match(terminal.stderr, /no answer in time \(--timeout\)/);
  assert.deepEqual(readdirSync(folder), []);
});

test('help shows a default in its written form, and once', async () => {
  const help = async (...names: string[]) => {
    const terminal = commandTerminal('http://127.0.0.1:9');
    assert.equal(await runRooms([...names, '--help'], terminal), 0);
    return terminal.stdout.replace(/\s+/g, ' ');
  };
  assert.match(await help('say'), /--timeout <duration> how long to wait for an answer \(default: 30s\)/);
  assert.match(await help('say'), /cannot be reached \(default: 30s\)/);
  assert.match(await help('doctor'), /of the server \(default: OPSDECK_DATA_DIR, else data\/rooms\) --json/);
});
