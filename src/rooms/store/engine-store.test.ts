import assert from 'node:assert/strict';
import fs, { cpSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import { type DatabaseFile, openDatabase } from '../../kernel/storage/database.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { changed, newMessage, newRun, post, START, tombstoneOf, write } from '../testing/store/parts.ts';
import { direct, openTestStore } from '../testing/store/sqlite-room-store.ts';
import type { RoomEngine } from './engine.ts';
import { MIGRATIONS } from './sqlite/schema.ts';
import { type RoomStore, StorageFullError } from './store.ts';

const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1000 };

/** An engine with methods that a test can replace. */
function stubbed(stubs: Partial<RoomEngine>) {
  return {
    wrap: (engine: RoomEngine) =>
      direct(
        new Proxy(engine, {
          get(target, name) {
            const own = Reflect.get(stubs, name) as unknown;
            const value = own ?? (Reflect.get(target, name) as unknown);
            return typeof value === 'function' && own === undefined ? value.bind(target) : value;
          },
        }),
      ),
  };
}

/** Turns of the event loop, for the work beside the test. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((done) => setImmediate(done));
}

/** A copy of the disk's content in a new folder, as a kill would leave it. */
function crashed(t: TestContext, path: string): string {
  const copy = temporaryFolder(t);
  cpSync(path, copy, { recursive: true });
  return copy;
}

async function inDatabase<T>(
  path: string,
  look: (database: DatabaseFile) => Promise<T>,
  migrations: readonly string[] = MIGRATIONS,
) {
  const directory = { path, release() {} };
  const database = await openDatabase({ directory, name: 'rooms.sqlite', migrations });
  try {
    return await look(database);
  } finally {
    await database.close();
  }
}

async function positions(store: RoomStore): Promise<readonly number[]> {
  return (await store.readEvents(ALL)).map(({ pos }) => pos);
}

test('acknowledged writes are there after a crash', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('c'));
  const [message] = await post(store, newMessage('a'), newMessage('b'));
  assert.ok(message);
  const pinned = write(
    changed({ type: 'pin.added', roomId: 'a', userId: 'ben', message: { ...message, pinned: true } }),
  );
  await store.append([
    { ...pinned, records: [{ kind: 'setting', key: 'k', value: { value: 'v' } }], runs: [newRun({ roomId: 'c' })] },
  ]);
  const { store: again } = await openTestStore(t, { path: crashed(t, path) });
  assert.deepEqual(await again.readEvents(ALL), await store.readEvents(ALL));
  assert.deepEqual(await again.load(), await store.load());
  assert.equal((await again.messages([message.id]))[0]?.message.pinned, true);
  assert.deepEqual(await positions(again), [1, 2, 3, 4]);
  assert.equal((await post(again, newMessage('b')))[0]?.seq, 2);
});

test('data that a loss of power may still take are not readable', async (t) => {
  const { store } = await openTestStore(t);
  await post(store, newMessage('a', { id: 'one' }));
  const { fdatasync } = fs;
  let finish = () => {};
  const syncing = t.mock.method(fs, 'fdatasync', ((descriptor, done) => {
    finish = () => fdatasync(descriptor, done);
  }) as typeof fs.fdatasync);
  syncBuiltinESMExports();
  t.after(() => {
    syncing.mock.restore();
    syncBuiltinESMExports();
  });
  const ended: string[] = [];
  const note = (what: string) => () => ended.push(what);
  const posted = post(store, newMessage('a', { id: 'two' })).then(note('posted'));
  await turns();
  const reads = [
    store.page({ roomId: 'a', limit: 9 }).then(({ messages }) => ended.push(`read ${messages.length}`)),
    positions(store).then((found) => ended.push(`log ${found.length}`)),
  ];
  await turns();
  assert.deepEqual([syncing.mock.callCount(), ended], [1, []]);
  finish();
  await Promise.all([posted, ...reads]);
  assert.deepEqual(ended.sort(), ['log 2', 'posted', 'read 2']);
});

test('a room made again after its deletion begins anew', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('a'), newMessage('a'), newMessage('b'));
  const removal = store.removeRoom('a');
  await removal;
  const [anew] = await post(store, newMessage('a'));
  const { store: again } = await openTestStore(t, { path: crashed(t, path) });
  assert.deepEqual([anew?.seq, await positions(again)], [1, [3, 4]]);
});

test('a clean end leaves one file', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('a'), newMessage('a'));
  await store.close();
  assert.deepEqual(readdirSync(path), ['rooms.sqlite']);
});

test('a directory from before the journal opens, and the program of that time refuses it then', async (t) => {
  const path = temporaryFolder(t);
  const place = 2 ** 32 + 1;
  const text = '"roomId":"a","seq":1,"message":{}}';
  await inDatabase(
    path,
    (database) =>
      database.write([
        { sql: "INSERT INTO meta VALUES ('epoch', 'oldlife1'), ('nextRoom', 2)", values: [] },
        { sql: "INSERT INTO room VALUES (1, 'a', 0, NULL)", values: [] },
        { sql: 'INSERT INTO event VALUES (1, 1, 1, 1, NULL, ?)', values: [text] },
        {
          sql: "INSERT INTO message VALUES (?, 'old', 1, 1, 'ana', 'text', NULL, 0, 'h', ?)",
          values: [place, START],
        },
      ]),
    MIGRATIONS.slice(0, 1),
  );
  const { store } = await openTestStore(t, { path });
  const { epoch, pos } = await store.load();
  assert.deepEqual([epoch, pos], ['oldlife1', 1]);
  assert.equal((await post(store, newMessage('a')))[0]?.seq, 2);
  assert.deepEqual(await positions(store), [1, 2]);
  await store.close();
  await assert.rejects(
    inDatabase(path, async () => {}, MIGRATIONS.slice(0, 1)),
    /written by a newer opsdeck/,
  );
});

test('a failed sync is final: earlier commits may be missing below later ones', async (t) => {
  const { store } = await openTestStore(t);
  await post(store, newMessage('a'));
  const failing = t.mock.method(fs, 'fdatasync', ((_, done) => done(new Error('EIO'))) as typeof fs.fdatasync);
  syncBuiltinESMExports();
  await assert.rejects(post(store, newMessage('a')), /EIO/);
  failing.mock.restore();
  syncBuiltinESMExports();
  assert.match(String(await store.failed), /EIO/);
  await assert.rejects(post(store, newMessage('a')), /EIO/);
});

test('a full disk accepts no writes and answers reads, and resumes with free space', async (t) => {
  let isFull = false;
  const { store } = await openTestStore(t, {
    wrap: (engine) => {
      const commit: RoomEngine['commit'] = async (payload) => {
        if (isFull) throw new StorageFullError('database or disk is full');
        return engine.commit(payload);
      };
      return stubbed({ commit }).wrap(engine);
    },
  });
  await post(store, newMessage('a', { id: 'one' }));
  isFull = true;
  await assert.rejects(post(store, newMessage('a', { id: 'two' })), StorageFullError);
  assert.equal((await store.messages(['one', 'two'])).length, 1);
  assert.equal((await store.page({ roomId: 'a', limit: 9 })).messages.length, 1);
  isFull = false;
  assert.equal((await post(store, newMessage('a', { id: 'two' })))[0]?.seq, 2);
  assert.deepEqual(await positions(store), [1, 2]);
});

test('an engine that fails is reported once, and nothing is acknowledged any more', async (t) => {
  let isBroken = false;
  const { store, path } = await openTestStore(t, {
    wrap: (engine) => {
      const commit: RoomEngine['commit'] = async (payload) => {
        if (isBroken) throw new Error('out of order');
        return engine.commit(payload);
      };
      return stubbed({ commit }).wrap(engine);
    },
  });
  await post(store, newMessage('a'));
  isBroken = true;
  await assert.rejects(post(store, newMessage('a')), /out of order/);
  isBroken = false;
  assert.match(String(await store.failed), /out of order/);
  await assert.rejects(post(store, newMessage('a')), /out of order/);
  await store.close();
  const { store: again } = await openTestStore(t, { path });
  assert.deepEqual(await positions(again), [1]);
});

test('a check of a new id does not read the tables, and a known id is never taken for new', async (t) => {
  let asked = 0;
  const { store, clock, reopen } = await openTestStore(t, {
    wrap: (engine) =>
      stubbed({
        messages: (ids) => {
          asked++;
          return engine.messages(ids);
        },
      }).wrap(engine),
  });
  const [known] = await post(store, newMessage('a', { id: 'known' }), newMessage('a', { id: 'gone' }));
  assert.ok(known);
  await store.removeMessages('a', ['gone'], clock.now() + 1000);
  const again = await reopen();
  await post(again, newMessage('a'));
  // The filter is built in the background.
  await turns();
  asked = 0;
  for (let count = 0; count < 50; count++) {
    const draft = newMessage('a');
    assert.deepEqual(await again.messages([draft.id]), []);
    assert.deepEqual(await again.forgotten([draft.id]), []);
    await post(again, draft);
    assert.equal((await again.messages([draft.id])).length, 1);
  }
  assert.ok(asked <= 55, `asked ${asked} times`);
  assert.equal((await again.messages(['known'])).length, 1);
  assert.deepEqual(await again.forgotten(['gone']), ['gone']);
});

test('two messages with one id are never committed', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('a', { id: 'known' }));
  await assert.rejects(post(store, newMessage('b'), newMessage('b', { id: 'known' })), /UNIQUE constraint failed/);
  const { store: again } = await openTestStore(t, { path: crashed(t, path) });
  assert.deepEqual(await positions(again), [1]);
});

test('a tombstone in the same commit leaves no earlier words behind', async (t) => {
  const { store, path } = await openTestStore(t);
  const [message] = await post(store, newMessage('a', { body: 'secret' }));
  assert.ok(message);
  const edited = { ...message, body: 'other', version: 2 };
  const edit = {
    messageId: message.id,
    version: 1,
    body: 'secret',
    format: 'plain',
    editedAt: 1,
    editedBy: 'ana',
  } as const;
  await store.append([
    { ...write(changed({ type: 'message.updated', roomId: 'a', message: edited })), edits: [edit] },
    write(changed({ type: 'message.deleted', roomId: 'a', message: tombstoneOf(edited) })),
  ]);
  assert.deepEqual(await store.edits(message.id), []);
  await store.close();
  assert.equal(await inDatabase(path, async (database) => (await database.query('SELECT * FROM edit')).length), 0);
});
