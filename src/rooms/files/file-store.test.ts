import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import type { Caller } from '../domain/caller.ts';
import { SCOPES } from '../domain/token/token.ts';
import { makeUser } from '../domain/user/new-user.ts';
import type { RoomStore } from '../store/store.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import { FolderContents } from './contents/folder.ts';
import { FileStore, type FileStoreParts } from './file-store.ts';

const ana: Caller = {
  user: makeUser('ana', 0),
  kind: 'user',
  isAdmin: false,
  scopes: new Set(SCOPES),
  roomIds: null,
  tokenId: null,
  expiresAt: null,
};

async function open(t: Cleanup, change: Partial<FileStoreParts> = {}): Promise<{ rooms: TestRooms; files: FileStore }> {
  const rooms = await openTestRooms(t);
  const { state, store, writer, newId } = rooms.core;
  const contents = new FolderContents(join(rooms.folder, 'other'));
  const files = new FileStore({ contents, state, store, writer, newId, maxBytes: 1_000, ...change });
  t.after(() => files.close());
  return { rooms, files };
}

async function* chunksOf(...chunks: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
}

async function take(files: FileStore, ...chunks: (string | Error)[]) {
  return files.receive(ana, { name: 'a.txt', chunks: chunksOf(...chunks) });
}

test('a file about to be attached to a message is no orphan', async (t) => {
  const { files } = await open(t);
  const taken = await take(files, 'x');
  assert.ok(taken.ok);
  const { id } = taken.value;
  const held = await files.hold(ana, [id]);
  assert.ok(held.files.has(id));
  assert.equal(await files.removeOrphans(Number.MAX_SAFE_INTEGER), 0);
  held.release();
  assert.equal(await files.removeOrphans(Number.MAX_SAFE_INTEGER), 1);
  assert.equal((await files.hold(ana, [id])).files.size, 0);
});

/** A store that holds back the answers to one question until they are released. */
function pausing(store: RoomStore, method: 'orphanedFiles' | 'forgetFiles', when: 'before' | 'after') {
  let letGo = () => {};
  const released = new Promise<void>((done) => {
    letGo = done;
  });
  let reached = () => {};
  const asked = new Promise<void>((done) => {
    reached = done;
  });
  const paused = async (argument: never) => {
    const answer = when === 'after' ? await store[method](argument) : undefined;
    reached();
    await released;
    return answer ?? store[method](argument);
  };
  const held = new Proxy(store, {
    get(target, name) {
      if (name === method) return paused;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store: held, asked, letGo };
}

async function openPausing(t: Cleanup, method: 'orphanedFiles' | 'forgetFiles', when: 'before' | 'after') {
  const rooms = await openTestRooms(t);
  const { state, store, writer, newId } = rooms.core;
  const pause = pausing(store, method, when);
  const contents = new FolderContents(join(rooms.folder, 'other'));
  const files = new FileStore({ contents, state, store: pause.store, writer, newId, maxBytes: 1_000 });
  t.after(() => files.close());
  const first = await take(files, 'x');
  assert.ok(first.ok);
  return { files, id: first.value.id, ...pause };
}

test('a file attached to a message during the search for orphans is not an orphan', async (t) => {
  const { files, id, asked, letGo } = await openPausing(t, 'orphanedFiles', 'after');
  const removing = files.removeOrphans(Number.MAX_SAFE_INTEGER);
  await asked;
  (await files.hold(ana, [id])).release();
  letGo();
  assert.equal(await removing, 0);
  assert.ok((await files.find(ana, id)).ok);
});

test('a file about to be removed is attached to no message', async (t) => {
  const { files, id, asked, letGo } = await openPausing(t, 'forgetFiles', 'before');
  const removing = files.removeOrphans(Number.MAX_SAFE_INTEGER);
  await asked;
  assert.equal((await files.hold(ana, [id])).files.size, 0);
  letGo();
  assert.equal(await removing, 1);
});

test('a content uploaded again while its last file is removed is there afterwards', async (t) => {
  const { files, asked, letGo } = await openPausing(t, 'forgetFiles', 'after');
  const removing = files.removeOrphans(Number.MAX_SAFE_INTEGER);
  await asked;
  const taking = take(files, 'x');
  // Time enough without a delay by others.
  assert.ok((await take((await open(t)).files, 'x')).ok);
  letGo();
  await removing;
  const again = await taking;
  assert.ok(again.ok);
  const bytes = await files.read(again.value);
  assert.ok(bytes);
  bytes.destroy();
});

test('an upload that is cut off or too large leaves nothing', async (t) => {
  const { rooms, files } = await open(t);
  const broken = await take(files, 'x', new Error('aborted'));
  assert.ok(!broken.ok && broken.code === 'invalid_body');
  const large = await take(files, 'x'.repeat(999), 'xx');
  assert.ok(!large.ok && large.code === 'too_large');
  assert.deepEqual(readdirSync(join(rooms.folder, 'other')), ['incoming']);
  assert.deepEqual(readdirSync(join(rooms.folder, 'other', 'incoming')), []);
});

test('bytes without a written row are removed, unless other files need them', async (t) => {
  const full = { ok: false, code: 'storage_full', reason: 'full' } as const;
  const { rooms } = await open(t);
  const { state, store, writer, newId } = rooms.core;
  let answer: 'keep' | 'refuse' = 'refuse';
  const folder = join(rooms.folder, 'third');
  const submit = (change: Parameters<typeof writer.submit>[0]) => (answer === 'keep' ? writer.submit(change) : full);
  const failing = { submit, trouble: undefined } as unknown as typeof writer;
  const third = new FileStore({
    contents: new FolderContents(folder),
    state,
    store,
    writer: failing,
    newId,
    maxBytes: 1_000,
  });
  t.after(() => third.close());
  const refused = await take(third, 'x');
  assert.deepEqual(refused, full);
  const shelf = () => readdirSync(folder, { recursive: true }).filter((name) => String(name).length > 60);
  assert.deepEqual(shelf(), []);
  answer = 'keep';
  assert.ok((await take(third, 'x')).ok);
  answer = 'refuse';
  assert.deepEqual(await take(third, 'x'), full);
  assert.equal(shelf().length, 1);
});

test('every hour the bytes are removed that a killed server has left without a row', async (t) => {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const rooms = await openTestRooms(t, { clock });
  const headers = { 'content-type': 'application/octet-stream', 'x-file-name': 'a.txt' };
  const sent = await rooms.send('POST', '/api/file', { as: 'ana', headers, body: 'kept' });
  assert.equal(sent.status, 201, sent.text);
  const folder = join(rooms.folder, 'files');
  const shelf = join(folder, 'ab');
  mkdirSync(shelf);
  const orphan = join(shelf, 'ab'.repeat(32));
  writeFileSync(orphan, 'x');
  utimesSync(orphan, 0, 0);
  clock.advance(3_600_000);
  await eventually('the sweep', () => readdirSync(shelf).length === 0);
  const read = await rooms.send('GET', `/api/file/${sent.json.id}`, { as: 'ana' });
  assert.equal(read.text, 'kept');
});
