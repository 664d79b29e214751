import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { type DatabaseFile, openDatabase } from '../../kernel/database.ts';
import { CommandError } from '../../kernel/errors.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { changed, newMessage, newRun, post, START, tombstoneOf, write } from '../../testing/room-store-parts.ts';
import { direct, openTestStore } from '../../testing/sqlite-room-store.ts';
import { hasJournal } from './open-room-store.ts';
import type { RoomEngine } from './room-engine.ts';
import { type RoomStore, StorageFullError } from './room-store.ts';
import { MIGRATIONS } from './sqlite-schema.ts';

const ALL = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 1000 };

/** An engine whose methods a test can stand in for. */
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

/** So many turns of the event loop, in which what goes on beside the test gets done. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((done) => setImmediate(done));
}

class Gate {
  #passed: Promise<void> = Promise.resolve();
  open = () => {};

  shut(): void {
    this.#passed = new Promise((done) => {
      this.open = done;
    });
  }

  pass(): Promise<void> {
    return this.#passed;
  }
}

/** An engine that puts nothing in while a gate is shut. */
function gated(engine: RoomEngine, gate: Gate) {
  const apply: RoomEngine['apply'] = async (records) => {
    await gate.pass();
    return engine.apply(records);
  };
  return stubbed({ apply }).wrap(engine);
}

/** What lies on the disk now, as a kill would leave it, in a folder of its own. */
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

const countEvents = (path: string): Promise<unknown> =>
  inDatabase(path, async (database) => (await database.query('SELECT count(*) AS n FROM event'))[0]?.n);

async function positions(store: RoomStore): Promise<readonly number[]> {
  return (await store.readEvents(ALL)).map(({ pos }) => pos);
}

test('what was acknowledged and is in no table yet is there after a crash', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('c'));
  await positions(store);
  const [message] = await post(store, newMessage('a'), newMessage('b'));
  assert.ok(message);
  const pinned = write(
    changed({ type: 'pin.added', roomId: 'a', userId: 'ben', message: { ...message, pinned: true } }),
  );
  await store.append([
    { ...pinned, records: [{ kind: 'setting', key: 'k', value: { value: 'v' } }], runs: [newRun({ roomId: 'c' })] },
  ]);
  const copy = crashed(t, path);
  assert.equal(await countEvents(crashed(t, path)), 1, 'nobody has read since, and time stands still');
  const { store: again } = await openTestStore(t, { path: copy });
  assert.deepEqual(await again.readEvents(ALL), await store.readEvents(ALL));
  assert.deepEqual(await again.load(), await store.load());
  assert.equal((await again.messages([message.id]))[0]?.message.pinned, true);
  assert.deepEqual(await positions(again), [1, 2, 3, 4]);
  assert.equal((await post(again, newMessage('b')))[0]?.seq, 2);
});

test('records wait for others for a moment, and then go into the tables by themselves', async (t) => {
  const { store, path, clock } = await openTestStore(t);
  await post(store, newMessage('a'));
  await positions(store);
  await post(store, newMessage('a'));
  clock.advance(99);
  await turns();
  assert.equal(await countEvents(crashed(t, path)), 1);
  clock.advance(1);
  await turns();
  assert.equal(await countEvents(crashed(t, path)), 2);
});

test('a removal that a crash has cut off is done again where it had its place', async (t) => {
  const gate = new Gate();
  const { store, path } = await openTestStore(t, { wrap: (engine) => gated(engine, gate) });
  await post(store, newMessage('a', { id: 'one' }), newMessage('b'), newMessage('a'));
  await positions(store);
  gate.shut();
  const removal = store.removeMessages('a', ['one'], Number.MAX_SAFE_INTEGER);
  await post(store, newMessage('a'));
  const copy = crashed(t, path);
  assert.equal(await countEvents(crashed(t, path)), 3);
  const { store: again } = await openTestStore(t, { path: copy });
  assert.deepEqual(await positions(again), [2, 3, 4]);
  assert.deepEqual(await again.forgotten(['one']), ['one']);
  gate.open();
  assert.equal((await removal).firstPos, 2);
  assert.deepEqual(await positions(store), [2, 3, 4]);
});

test('a room that comes again while the old one goes begins anew', async (t) => {
  const gate = new Gate();
  const { store, path } = await openTestStore(t, { wrap: (engine) => gated(engine, gate) });
  await post(store, newMessage('a'), newMessage('a'), newMessage('b'));
  await store.removeRoom('a');
  gate.shut();
  const [anew] = await post(store, newMessage('a'));
  const { store: again } = await openTestStore(t, { path: crashed(t, path) });
  assert.deepEqual([anew?.seq, await positions(again)], [1, [3, 4]]);
  gate.open();
});

test('a clean end leaves all in the tables, and no journal', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('a'), newMessage('a'));
  assert.ok(hasJournal(path));
  await store.close();
  assert.deepEqual(readdirSync(path), ['rooms.sqlite']);
  assert.equal(await countEvents(path), 2);
});

test('a directory from before there was a journal goes on, and the program of then refuses it', async (t) => {
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

test('a journal beside a database that it does not belong to is refused by name', async (t) => {
  const { store, path } = await openTestStore(t);
  await post(store, newMessage('a'));
  const other = await openTestStore(t);
  await post(other.store, newMessage('a'));
  const mixed = crashed(t, other.path);
  cpSync(`${crashed(t, path)}/rooms.journal.000001`, `${mixed}/rooms.journal.000001`);
  await assert.rejects(openTestStore(t, { path: mixed }), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /rooms\.journal\.000001: it belongs to other data.*move all files of the journal away/);
    return true;
  });
});

test('while the tables take no more what is in them is read, nothing is acknowledged, and then it goes on', async (t) => {
  let isFull = false;
  const { store } = await openTestStore(t, {
    wrap: (engine) => {
      const apply: RoomEngine['apply'] = async (records) => {
        if (isFull) throw new StorageFullError('database or disk is full');
        return engine.apply(records);
      };
      return stubbed({ apply }).wrap(engine);
    },
  });
  await post(store, newMessage('a', { id: 'one' }));
  await positions(store);
  isFull = true;
  await post(store, newMessage('a', { id: 'two' }));
  await assert.rejects(store.readEvents(ALL), StorageFullError);
  assert.equal((await store.messages(['one'])).length, 1);
  assert.equal((await store.page({ roomId: 'a', limit: 9 })).messages.length, 1);
  await assert.rejects(post(store, newMessage('a')), StorageFullError);
  await assert.rejects(store.removeRoom('a'), StorageFullError);
  isFull = false;
  assert.equal((await post(store, newMessage('a')))[0]?.seq, 3);
  assert.deepEqual(await positions(store), [1, 2, 3]);
});

test('who comes while the tables are still finding out that they have no room is judged by a try of his own', async (t) => {
  let isFull = true;
  const gate = new Gate();
  const { store } = await openTestStore(t, {
    wrap: (engine) => {
      const apply: RoomEngine['apply'] = async (records) => {
        const error = isFull && new StorageFullError('database or disk is full');
        await gate.pass();
        if (error) throw error;
        return engine.apply(records);
      };
      return stubbed({ apply }).wrap(engine);
    },
  });
  await post(store, newMessage('a'));
  await assert.rejects(store.readEvents(ALL), StorageFullError);
  gate.shut();
  const before = assert.rejects(store.readEvents(ALL), StorageFullError);
  await turns();
  isFull = false;
  const after = post(store, newMessage('a'));
  await turns();
  gate.open();
  await before;
  assert.equal((await after)[0]?.seq, 2);
});

test('what the tables could not take before the end stays in the journal', async (t) => {
  const full = async () => {
    throw new StorageFullError('database or disk is full');
  };
  const { store, path } = await openTestStore(t, stubbed({ apply: full }));
  await post(store, newMessage('a'));
  await store.close();
  assert.ok(hasJournal(path));
  const { store: again } = await openTestStore(t, { path });
  assert.deepEqual(await positions(again), [1]);
});

test('an engine that fails is told once, and nothing is acknowledged any more', async (t) => {
  const apply = async () => {
    throw new Error('out of order');
  };
  const { store, path } = await openTestStore(t, stubbed({ apply }));
  await post(store, newMessage('a'));
  await assert.rejects(store.readEvents(ALL), /out of order/);
  assert.match(String(await store.failed), /out of order/);
  await assert.rejects(post(store, newMessage('a')), /out of order/);
  await store.close();
  const { store: again } = await openTestStore(t, { path });
  assert.deepEqual(await positions(again), [1]);
});

test('whoever appends waits when too much waits for the tables', async (t) => {
  const gate = new Gate();
  const { store } = await openTestStore(t, { wrap: (engine) => gated(engine, gate) });
  await post(store, newMessage('a'));
  await turns();
  gate.shut();
  const large = () => newMessage('a', { body: 'x'.repeat(4 * 2 ** 20) });
  for (let count = 0; count < 4; count++) await post(store, large());
  let isDone = false;
  const waiting = post(store, newMessage('a')).then(() => {
    isDone = true;
  });
  await turns();
  assert.equal(isDone, false);
  gate.open();
  await waiting;
  assert.deepEqual(await positions(store), [1, 2, 3, 4, 5, 6]);
});

test('whether a new id is known is not asked the tables, and an id that is known is never taken for new', async (t) => {
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
  // The filter is made beside what goes on.
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
  await assert.rejects(post(again, newMessage('a', { id: 'known' })), /is there already/);
  await assert.rejects(post(again, newMessage('a', { id: 'x' }), newMessage('b', { id: 'x' })), /the same id/);
  const twice = [post(again, newMessage('a', { id: 'y' })), post(again, newMessage('b', { id: 'y' }))];
  const outcomes = await Promise.allSettled(twice);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
});

test('a tombstone that follows in the same commit leaves no earlier words behind', async (t) => {
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
