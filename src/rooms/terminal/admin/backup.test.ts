import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { ownDataDirectory } from '../../../kernel/storage/data-directory.ts';
import { openDatabase } from '../../../kernel/storage/database.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startHttpSink } from '../../../testing/http/sink.ts';
import { runProcess, temporaryFolder } from '../../../testing/processes.ts';
import { unpackDirectory } from '../../../testing/stored-directory.ts';
import { tarEnd, tarHeader } from '../../contract/backup.ts';
import { signWebhook } from '../../domain/hook/webhook-signature.ts';
import { MIGRATIONS } from '../../store/sqlite/schema.ts';
import { openTestRooms, type TestRoomsOptions } from '../../testing/app.ts';
import { commandTerminal, type ListeningRooms, listeningRooms, runRooms } from '../../testing/command.ts';

/** Rooms with a message with a file, and an edited one. */
async function livelyRooms(t: TestContext, options?: TestRoomsOptions): Promise<ListeningRooms> {
  const rooms = await listeningRooms(t, options);
  await rooms.done(['new', 'Ops']);
  const path = join(temporaryFolder(t), 'report.txt');
  writeFileSync(path, 'all is well');
  await rooms.done(['say', 'ops', 'with a file', '--file', path]);
  await rooms.done(['say', 'ops', 'first', '--id', 'message-1']);
  await rooms.done(['edit', 'message-1', 'second']);
  await rooms.done(['react', 'message-1', '👀']);
  return rooms;
}

const local = async (args: readonly string[]) => {
  const terminal = commandTerminal('http://127.0.0.1:9');
  const code = await runRooms(args, terminal);
  return { code, out: terminal.stdout, err: terminal.stderr };
};

test('a backup of a running server is restored with its whole content, as a separate log', async (t) => {
  const rooms = await livelyRooms(t);
  const copy = join(temporaryFolder(t), 'copy');
  const before = rooms.core.feed.epoch;
  assert.match(await rooms.done(['backup', copy]), /: position \d+, 1 files, /);
  await rooms.done(['say', 'ops', 'too late for the copy']);
  assert.deepEqual(readdirSync(copy).sort(), ['backup.json', 'files', 'rooms.sqlite']);
  const target = join(temporaryFolder(t), 'data');
  assert.equal((await local(['restore', copy, '--data-dir', target])).code, 0);
  assert.equal((await local(['doctor', '--data-dir', target])).code, 0);
  const restored = await openTestRooms(t, { folder: target });
  assert.notEqual(restored.core.feed.epoch, before);
  const { json } = await restored.send('GET', '/api/room/ops/message');
  assert.deepEqual(
    json.messages.map(({ body }: { body: string }) => body),
    ['with a file', 'second'],
  );
  const file = await restored.send('GET', `/api/file/${json.messages[0].attachments[0].id}`);
  assert.equal(file.text, 'all is well');
  const audit = await rooms.send('GET', '/api/audit', { as: 'ana' });
  assert.equal(audit.json.entries[0].action, 'server.backup');
});

test('the archive is readable by tar, and holds no key', async (t) => {
  const rooms = await livelyRooms(t);
  await rooms.done(['copilot', 'set', 'ops', 'provider=openai', 'model=m', '--key-stdin'], {
    stdin: 'sk-only-tests-0123456789',
  });
  const answer = await fetch(`${rooms.url}/api/backup`, { method: 'POST' });
  assert.equal(answer.headers.get('content-type'), 'application/x-tar');
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(bytes.includes('sk-only-tests'), false);
  assert.equal(bytes.includes('secret.key'), false);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'rooms.tar'), bytes);
  const listed = await runProcess('tar', ['-tf', 'rooms.tar'], { cwd: folder });
  assert.match(listed.stdout, /^rooms\.sqlite\nfiles\/[0-9a-f]{2}\/[0-9a-f]{64}\nbackup\.json\n$/);
  assert.deepEqual(readdirSync(join(rooms.folder, 'backup')), [], 'nothing is left of the copy');
});

/** Rooms with an outgoing hook, and a copilot with a key; the hook's address, and its deliveries. */
async function secretiveRooms(t: TestContext) {
  const rooms = await livelyRooms(t);
  const sink = await startHttpSink(t, () => ({}));
  const body = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: sink.url, allowPrivate: true };
  const hook = (await rooms.send('POST', '/api/hook', { as: 'ana', body })).json;
  await rooms.done(['copilot', 'set', 'ops', 'provider=openai', 'model=m', '--key-stdin'], {
    stdin: 'sk-only-tests-0123456789',
  });
  const copy = join(temporaryFolder(t), 'copy');
  return { rooms, sink, hook, copy, target: join(temporaryFolder(t), 'data') };
}

test('a restore without the key lists what must be entered again, as do the doctor, the log and /health', async (t) => {
  const { rooms, hook, copy, target } = await secretiveRooms(t);
  await rooms.done(['backup', copy]);
  const restored = await local(['restore', copy, '--data-dir', target]);
  assert.equal(restored.code, 0);
  assert.match(
    restored.err,
    /^restore: 2 secrets cannot be decrypted, [^\n]*\n {2}copilot of room ops: opsdeck rooms copilot/,
  );
  assert.ok(restored.err.includes(`  hook Robot (room ops): opsdeck rooms hook rotate ${hook.id}\n`), restored.err);
  const found = await local(['doctor', '--data-dir', target]);
  assert.equal(found.code, 1);
  assert.match(found.out, /WRONG +secrets[\s\S]*secrets: +copilot of room ops[\s\S]*secrets: +hook Robot \(room ops\)/);
  assert.match(found.err, /some secrets cannot be decrypted: set the OPSDECK_SECRET_KEY/);

  const closed = [
    { of: 'copilot', id: hook.roomId, name: 'Ops', room: 'ops' },
    { of: 'hook', id: hook.id, name: 'Robot', room: 'ops' },
  ];
  const again = await openTestRooms(t, { folder: target, options: { secretKey: undefined, auth: 'token' } });
  assert.match(
    again.log(),
    /cannot be decrypted[^\n]* count=2 secrets="copilot of room ops, hook Robot \(room ops\)"\n/,
  );
  const health = async (headers = {}) => (await again.send('GET', '/health', { headers })).json;
  assert.deepEqual((await health()).secrets, { closed: 2 }, 'names are not for everybody');
  const admin = { authorization: `Bearer ${again.rooms.firstToken}` };
  const { status, secrets } = await health(admin);
  assert.deepEqual([status, secrets], ['degraded', { closed: 2, reenter: closed }]);
  const rotated = { headers: admin, body: { name: 'Robot', allowPrivate: true, rotateSecret: true } };
  assert.equal((await again.send('PUT', `/api/hook/${hook.id}`, rotated)).status, 200);
  assert.deepEqual((await health(admin)).secrets.reenter, closed.slice(0, 1));
});

test('a backup with the key restores hooks and copilots as they were', async (t) => {
  const { rooms, sink, hook, copy, target } = await secretiveRooms(t);
  await rooms.done(['backup', copy, '--with-key']);
  assert.equal(statSync(join(copy, 'secret.key')).mode & 0o777, 0o600);
  assert.equal((await rooms.send('GET', '/api/audit', { as: 'ana' })).json.entries[0].subject, 'with key');
  const restored = await local(['restore', copy, '--data-dir', target]);
  assert.deepEqual([restored.code, restored.err], [0, '']);
  assert.equal(statSync(join(target, 'secret.key')).mode & 0o777, 0o600);
  assert.equal((await local(['doctor', '--data-dir', target])).code, 0);
  const again = await openTestRooms(t, { folder: target, options: { secretKey: undefined } });
  await again.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'after the restore' } });
  const delivery = await eventually('the hook is delivered', () =>
    sink.requests.find(({ body }) => body.includes('after the restore')),
  );
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = delivery.headers;
  assert.equal(signature, signWebhook(hook.secret, String(id), Number(at), delivery.body));
  assert.deepEqual((await again.send('GET', '/health')).json.secrets, { closed: 0 });
});

test('a restore replaces no other key', async (t) => {
  const { rooms, copy, target } = await secretiveRooms(t);
  await rooms.done(['backup', copy, '--with-key']);
  mkdirSync(target, { mode: 0o700 });
  writeFileSync(join(target, 'secret.key'), 'another\n', { mode: 0o600 });
  const refused = await local(['restore', copy, '--data-dir', target]);
  assert.equal(refused.code, 5);
  assert.match(refused.err, /secret\.key is another key than that of the backup; move it away first/);
  assert.equal(existsSync(join(target, 'rooms.sqlite')), false);
});

test('only an admin of the server makes a backup', async (t) => {
  const rooms = await listeningRooms(t, { options: { auth: 'token' } });
  const env = { OPSDECK_ROOMS_TOKEN: rooms.rooms.firstToken ?? '' };
  assert.equal((await rooms.run(['backup', join(temporaryFolder(t), 'a')], { env })).code, 0);
  const secret = await rooms.done(['token', 'new', 'weak', '--scope', 'read', '--scope', 'manage'], { env });
  const denied = await rooms.run(['backup', join(temporaryFolder(t), 'b')], { env: { OPSDECK_ROOMS_TOKEN: secret } });
  assert.equal(denied.code, 4);
});

test('a backup is written into no directory with content', async (t) => {
  const rooms = await livelyRooms(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'mine'), 'x');
  const refused = await rooms.run(['backup', folder]);
  assert.equal(refused.code, 2);
  assert.deepEqual(readdirSync(folder), ['mine']);
});

test('the doctor reports the journal of a server of 0.1.0, and no restore replaces it', async (t) => {
  const rooms = await livelyRooms(t);
  const { path: killed } = unpackDirectory(t, 'rooms/testdata/0.1.0-killed.json.br');
  const copy = join(temporaryFolder(t), 'copy');
  await rooms.done(['backup', copy]);
  const only = join(temporaryFolder(t), 'only the journal');
  mkdirSync(only);
  cpSync(join(killed, 'rooms.journal.000001'), join(only, 'rooms.journal.000001'));
  const refused = await local(['restore', copy, '--data-dir', only]);
  assert.match(refused.err, /holds rooms already; move rooms\.sqlite, rooms\.journal\.\* and files away/);
  assert.equal(refused.code, 5);
  const { out, code } = await local(['doctor', '--data-dir', killed]);
  assert.equal(code, 0, out);
  assert.match(out, /messages +11 against the log/);
  assert.equal(existsSync(join(killed, 'rooms.journal.000001')), false);
});

/** A server that answers with these bytes, and disconnects before their end on request. */
async function answering(t: TestContext, bytes: Uint8Array, isCut = false): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/x-tar' });
    response.write(bytes, () => (isCut ? response.destroy() : response.end()));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test('a backup that is cut off, or invalid, leaves nothing behind', async (t) => {
  const rooms = await livelyRooms(t);
  const whole = Buffer.from(await (await fetch(`${rooms.url}/api/backup`, { method: 'POST' })).arrayBuffer());
  const damaged = Buffer.from(whole);
  damaged[5000] = (damaged[5000] ?? 0) ^ 1;
  const evil = Buffer.concat([tarHeader('../../outside', 0, 0), tarEnd()]);
  const answers: readonly (readonly [string, Uint8Array, boolean])[] = [
    ['cut', whole.subarray(0, 6000), true],
    ['without its end', whole.subarray(0, whole.length - 3000), false],
    ['damaged', damaged, false],
    ['evil', evil, false],
    ['no archive', Buffer.alloc(2000, 'x'), false],
    ['empty', Buffer.alloc(0), false],
  ];
  for (const [name, bytes, isCut] of answers) {
    const folder = join(temporaryFolder(t), 'copy');
    const terminal = commandTerminal(await answering(t, bytes, isCut));
    assert.notEqual(await runRooms(['backup', folder], terminal), 0, name);
    assert.equal(existsSync(join(folder, 'rooms.sqlite')), false, name);
    assert.equal(existsSync(join(folder, '../../outside')), false, name);
    assert.equal((await local(['restore', folder, '--data-dir', join(folder, 'data')])).code, 2, name);
  }
});

test('rooms in PostgreSQL are restored and checked by its own programs', async () => {
  for (const [args, program] of [
    [['restore', 'backup'], /pg_restore; .* name --data-dir/],
    [['doctor'], /pg_amcheck; .* name --data-dir/],
  ] as const) {
    const terminal = commandTerminal('http://127.0.0.1', { env: { OPSDECK_STORAGE_URL: 'postgres://u:secret@h/d' } });
    assert.equal(await runRooms(args, terminal), 2);
    assert.match(terminal.stderr, program);
    assert.ok(!terminal.stderr.includes('secret'));
  }
});

test('nothing is restored over existing rooms, or under a running server', async (t) => {
  const rooms = await livelyRooms(t, { folder: temporaryFolder(t) });
  const copy = join(temporaryFolder(t), 'copy');
  await rooms.done(['backup', copy]);
  assert.equal((await local(['restore', copy, '--data-dir', rooms.folder])).code, 3, 'it runs');
  assert.equal((await local(['doctor', '--data-dir', rooms.folder])).code, 3, 'it runs');
  const target = join(temporaryFolder(t), 'data');
  assert.equal((await local(['restore', copy, '--data-dir', target])).code, 0);
  const again = await local(['restore', copy, '--data-dir', target]);
  assert.equal(again.code, 5);
  assert.match(again.err, /holds rooms already/);
  appendFileSync(join(copy, 'rooms.sqlite'), 'x');
  const damaged = await local(['restore', copy, '--data-dir', join(temporaryFolder(t), 'data')]);
  assert.match(damaged.err, /is damaged: its checksum/);
});

const HARM: readonly { readonly name: string; readonly sql: string; readonly says: RegExp }[] = [
  {
    name: 'an event that is gone',
    sql: 'DELETE FROM event WHERE pos = 2',
    says: /WRONG +positions[\s\S]*1 positions between/,
  },
  {
    name: 'a message that is gone',
    sql: "DELETE FROM message WHERE id <> 'message-1'",
    says: /WRONG +sequences[\s\S]*numbers are missing/,
  },
  {
    name: 'a message that forgot an edit',
    sql: 'UPDATE message SET last = first',
    says: /has changed it, and it shows the one before/,
  },
  {
    name: 'a message with another id',
    sql: "UPDATE message SET id = 'message-2' WHERE id = 'message-1'",
    says: /the log knows it by another id/,
  },
  { name: 'a message of another event', sql: 'UPDATE message SET first = 1', says: /is not its creation/ },
  {
    name: 'a room that is older than its log',
    sql: "UPDATE record SET data = replace(data, '\"version\":1', '\"version\":0') WHERE kind = 'room'",
    says: /the log has version 1, and the record 0/,
  },
];

for (const { name, sql, says } of HARM) {
  test(`the doctor finds ${name}`, async (t) => {
    const rooms = await livelyRooms(t);
    const copy = join(temporaryFolder(t), 'copy');
    await rooms.done(['backup', copy]);
    const directory = await ownDataDirectory(copy, systemClock);
    const database = await openDatabase({ directory, name: 'rooms.sqlite', migrations: MIGRATIONS });
    await database.write([{ sql, values: [] }]);
    await database.close();
    directory.release();
    const found = await local(['doctor', '--data-dir', copy]);
    assert.match(found.out, says);
    assert.equal(found.code, 1);
    const report = JSON.parse((await local(['doctor', '--data-dir', copy, '--json'])).out);
    assert.equal(report.whole, false);
  });
}

test('the doctor finds files that are gone or changed', async (t) => {
  const rooms = await livelyRooms(t);
  const copy = join(temporaryFolder(t), 'copy');
  await rooms.done(['backup', copy]);
  assert.equal((await local(['doctor', '--data-dir', copy])).code, 0);
  const [shelf = ''] = readdirSync(join(copy, 'files'));
  const [name = ''] = readdirSync(join(copy, 'files', shelf));
  const file = join(copy, 'files', shelf, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace('well', 'lost'));
  assert.match((await local(['doctor', '--data-dir', copy])).out, /its bytes are not what they were/);
  rmSync(file);
  assert.match((await local(['doctor', '--data-dir', copy])).out, /its bytes are not there/);
  mkdirSync(join(copy, 'files', shelf), { recursive: true });
});
