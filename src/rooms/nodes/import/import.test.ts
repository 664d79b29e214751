import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { needsPostgres, openTestDatabase } from '../../../testing/postgres.ts';
import { PostgresFileContents } from '../../files/contents/postgres.ts';
import type { RoomStore } from '../../store/store.ts';
import { commandTerminal, runRooms } from '../../testing/command.ts';
import { changed, newMessage, newRun, post, runStarted, START, tombstoneOf, write } from '../../testing/store/parts.ts';
import { openRoomDatabase, openTestNode } from '../../testing/store/postgres-room-store.ts';
import { openTestStore } from '../../testing/store/sqlite-room-store.ts';
import { agreeOnSecretKey } from '../secret-key.ts';
import { importDirectory } from './import.ts';

const BYTES = 'the bytes of a file';
const FILE = {
  id: 'file',
  name: 'a.txt',
  size: BYTES.length,
  contentType: 'text/plain',
  sha256: createHash('sha256').update(BYTES).digest('hex'),
  uploadedBy: 'ana',
  createdAt: START,
};
const REACTION = { emoji: '👍', userId: 'ben' };
const ODD = 'odd \0 \\ key';

/** The rooms of a single server with something in each table, closed. */
async function storedRooms(t: TestContext) {
  const { store, path } = await openTestStore(t);
  const naming = { mentions: { users: ['ana', ODD], room: true, copilot: false } };
  const ben = { id: 'ben', name: 'Ben', kind: 'human' } as const;
  const posted = await post(
    store,
    newMessage('a', { body: 'Grüße an alle', attachments: [FILE] }),
    newMessage('b', { ...naming, author: ben, body: 'deleted \u2028' }),
    newMessage('a', { ...naming, author: ben, threadId: 'thread', createdAt: START + 1 }),
    newMessage('a', { type: 'alert' }),
    newMessage('gone'),
  );
  const [first, second, third, fourth] = posted;
  assert.ok(first && second && third && fourth);
  const edited = { ...first, body: 'edited words', version: 2 };
  await store.append([
    {
      events: [
        changed({ type: 'message.updated', roomId: 'a', message: edited }),
        changed({ type: 'reaction.added', roomId: 'a', ...REACTION, message: { ...edited, version: 3 } }),
        changed({ type: 'message.deleted', roomId: 'b', message: tombstoneOf(second) }),
        runStarted('a', ODD),
      ],
      edits: [{ messageId: first.id, version: 1, body: 'was', format: 'plain', editedAt: 1, editedBy: 'ana' }],
      runs: [newRun({ roomId: 'a' }), newRun({ id: 'ended', roomId: 'a', state: 'complete' })],
      files: [FILE, { ...FILE, id: 'lost', sha256: 'f'.repeat(64) }],
      records: [{ kind: 'setting', key: ODD, value: { value: '\0' } }],
      audit: [1, 2].map((at) => ({ at, by: 'ana', action: 'room.update', roomId: 'a', subject: 's' })),
    },
  ]);
  await store.append(Array.from({ length: 1200 }, () => write(runStarted('b'))));
  await store.removeMessages('a', [fourth.id], Number.MAX_SAFE_INTEGER);
  await store.removeRoom('gone');
  await store.indexed();
  const asked = await answersOf(
    store,
    posted.map(({ id }) => id),
  );
  await store.close();
  mkdirSync(join(path, 'files', FILE.sha256.slice(0, 2)), { recursive: true });
  writeFileSync(join(path, 'files', FILE.sha256.slice(0, 2), FILE.sha256), BYTES);
  writeFileSync(join(path, 'secret.key'), 'the key of secrets', { mode: 0o600 });
  return { path, asked, ids: posted.map(({ id }) => id) };
}

/** What a store answers to questions about everything. */
async function answersOf(store: RoomStore, ids: readonly string[]) {
  const { heads, records, ...log } = await store.load();
  const rooms = ['a', 'b'].map((roomId) => ({ roomId, afterSeq: 0 }));
  const search = (terms: string[], more = {}) =>
    store.search({
      rooms,
      terms: terms.map((word) => ({ words: [word], prefix: false, not: false })),
      limit: 9,
      ...more,
    });
  const answers = [
    store.readEvents({ after: 0, upTo: 9999, limit: 9999 }),
    store.readEvents({ after: 0, upTo: 9999, limit: 9999, roomIds: ['a'] }),
    store.page({ roomId: 'a', limit: 9 }),
    store.page({ roomId: 'a', limit: 9, threadId: 'thread' }),
    store.page({ roomId: 'b', limit: 9, authorId: 'ben' }),
    store.forgotten(ids),
    store.reacted(ids.map((messageId) => ({ messageId, ...REACTION }))),
    store.edits(ids[0] ?? ''),
    ...['ana', ODD].map((userId) => store.unread({ roomId: 'a', userId, afterSeq: 0, limit: 9 })),
    ...['edited', 'deleted', 'Grüße'].map((word) => search([word])),
    search([], { has: 'file' }),
    search([], { authorId: 'ben' }),
    store.run('ended'),
    store.unfinishedRuns(),
    store.files(['file', 'lost']),
    store.roomsOfFile('file'),
    store.orphanedFiles(START + 1),
    store.audit({ limit: 9 }),
    store.expired({ roomId: 'a', before: START + 1, maxMessages: null, keep: [], limit: 9 }),
  ];
  const all = await Promise.all(answers as readonly Promise<unknown>[]);
  const known = [...heads].filter(([, { lastSeq }]) => lastSeq > 0).toSorted();
  return JSON.parse(JSON.stringify([log, known, records, ...all], (_, value) => value ?? null)) as unknown[];
}

async function importInto(postgres: Postgres, path: string) {
  const counts: string[] = [];
  const log = createLog({
    level: 'error',
    format: 'logfmt',
    clock: systemClock,
    write: (line) => void counts.push(line),
  });
  const contents = new PostgresFileContents(postgres);
  const progress = ({ what, count }: { what: string; count: number }) => void counts.push(`${count} ${what}`);
  const report = await importDirectory({ path, postgres, contents, clock: systemClock, log, progress });
  return { ...report, contents, progress: counts };
}

test('the rooms of a single server answer the same over PostgreSQL, and go on', async (t) => {
  if (!needsPostgres(t)) return;
  const { path, asked, ids } = await storedRooms(t);
  const postgres = await openRoomDatabase(t);
  const { counts, missing, contents, progress } = await importInto(postgres, path);
  const lines = counts.map(({ what, count }) => `${count} ${what}`);
  assert.ok(lines.includes('3 messages') && lines.includes('1207 events'), lines.join('\n'));
  assert.ok(progress.includes('1000 events'), progress.join('\n'));
  assert.deepEqual(missing, ['f'.repeat(64)]);
  const bytes = await contents.read(FILE.sha256);
  assert.equal(bytes && (await text(bytes)), BYTES);
  const store = await openTestNode(t, postgres);
  const answers = await answersOf(store, ids);
  for (const [index, answer] of answers.entries()) assert.deepEqual(answer, asked[index], `answer ${index}`);
  const silent = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  assert.equal(await agreeOnSecretKey(postgres, undefined, silent), 'the key of secrets');
  const before = await store.load();
  const [next] = (await store.append([write(runStarted('a'))])).flat();
  assert.equal(next?.pos, before.pos + 1);
  assert.equal((await post(store, newMessage('a')))[0]?.seq, 4);
  await store.append([{ events: [], audit: [{ at: 3, by: 'ana', action: 'x', roomId: null, subject: 's' }] }]);
  assert.deepEqual(
    (await store.audit({ limit: 2 })).map(({ at }) => at),
    [3, 2],
  );
  await assert.rejects(importInto(postgres, path), /the database has rooms already/);
});

test('an import that fails leaves nothing, and may be repeated', async (t) => {
  if (!needsPostgres(t)) return;
  const { path } = await storedRooms(t);
  const postgres = await openRoomDatabase(t);
  await postgres.query('ALTER TABLE opsdeck.room_forgotten ADD CONSTRAINT never CHECK (until < 0)');
  await assert.rejects(importInto(postgres, path), /violates check constraint/);
  const counts = `SELECT (SELECT count(*) FROM opsdeck.room_event) AS events, (SELECT count(*) FROM opsdeck.room_log) AS logs`;
  assert.deepEqual(await postgres.query(counts), [{ events: 0, logs: 0 }]);
  await postgres.query('ALTER TABLE opsdeck.room_forgotten DROP CONSTRAINT never');
  await importInto(postgres, path);
  assert.deepEqual(await postgres.query(counts), [{ events: 1207, logs: 1 }]);
});

test('a folder without rooms is refused', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  await assert.rejects(
    importInto(postgres, '/nowhere'),
    /no rooms in \/nowhere, it has no rooms.sqlite: name the --data-dir/,
  );
});

test('the command names what came in and what is missing, and never shows the password', async (t) => {
  if (!needsPostgres(t)) return;
  const { path } = await storedRooms(t);
  const { url, password } = await openTestDatabase();
  const title = process.title;
  t.after(() => {
    process.title = title;
  });
  const run = async (env: Readonly<Record<string, string>>) => {
    const terminal = commandTerminal('', { env });
    const code = await runRooms(['import-storage', path], terminal);
    assert.ok(!`${terminal.stdout}${terminal.stderr}`.includes(password));
    return { code, out: terminal.stdout, err: terminal.stderr };
  };
  const imported = await run({ OPSDECK_STORAGE_URL: url });
  assert.equal(imported.code, 0, imported.err);
  assert.match(imported.out, /^imported .* into 127\.0\.0\.1:\d+\/test_\S+\n {2}1 records\n {2}1207 events\n/);
  assert.match(imported.err, /the bytes of files with the hash f{64} are missing/);
  assert.deepEqual(await run({ OPSDECK_STORAGE_URL: url }), {
    code: 1,
    out: '',
    err: 'opsdeck: the database has rooms already: name an empty one, or remove its schema opsdeck\n',
  });
  assert.match((await run({})).err, /name the database with --storage-url or OPSDECK_STORAGE_URL/);
});
