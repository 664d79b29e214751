import assert from 'node:assert/strict';
import fs, { copyFileSync, readdirSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { plainRows } from '../../testing/sqlite.ts';
import type { DataDirectory } from './data-directory.ts';
import { type Database, openDatabase, openTemporaryDatabase, type SqlValue, type Statement } from './database.ts';

const NOTES = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL)';

/** A directory unknown to other test processes. */
function directoryOf(path: string): DataDirectory {
  return { path, release() {} };
}

async function open(t: TestContext, path = temporaryFolder(t), migrations: readonly string[] = [NOTES]) {
  const database = await openDatabase({ directory: directoryOf(path), name: 'notes.db', migrations });
  t.after(() => database.close());
  return { database, path };
}

function insert(id: number, note: SqlValue = `note ${id}`): Statement {
  return { sql: 'INSERT INTO notes (id, note) VALUES (?, ?)', values: [id, note] };
}

const idsIn = async (database: Database) =>
  (await database.query('SELECT id FROM notes ORDER BY id')).map(({ id }) => id);

/** How each write ended: `done`, or the reason of its rejection. */
const outcomes = async (writes: readonly Promise<void>[]) =>
  (await Promise.allSettled(writes)).map((write) => (write.status === 'fulfilled' ? 'done' : write.reason.message));

const DUPLICATE = 'UNIQUE constraint failed: notes.id';

describe('a database', () => {
  test('returns written values of every kind', async (t) => {
    const { database } = await open(t, undefined, ['CREATE TABLE kept (id INTEGER PRIMARY KEY, value)']);
    const values: readonly SqlValue[] = [
      ...['', 'grün 😀', "it's", 'x'.repeat(100_000), '\u0001'],
      ...[0, -1, 1.5, 2 ** 31, -(2 ** 53) + 1, 1e300],
      ...[new Uint8Array(), new Uint8Array([0, 1, 255]), null],
    ];
    await database.write(values.map((value, id) => ({ sql: 'INSERT INTO kept VALUES (?, ?)', values: [id, value] })));
    const rows = await database.query('SELECT value FROM kept ORDER BY id');
    assert.deepEqual(
      rows.map(({ value }) => value),
      values,
    );
    assert.deepEqual(plainRows(await database.query('SELECT id FROM kept WHERE value = ?', ["it's"])), [{ id: 2 }]);
  });

  test('rejects a query for a number beyond the range of JavaScript, instead of rounding it', async (t) => {
    const { database } = await open(t);
    await assert.rejects(database.query('SELECT 9007199254740993 AS number'), { code: 'ERR_OUT_OF_RANGE' });
  });

  test('keeps integers as such in a column without a type', async (t) => {
    const { database } = await open(t, undefined, ['CREATE TABLE kept (value)']);
    for (const value of [0, -1, 2 ** 40, 2 ** 53, 1.5])
      await database.write([{ sql: 'INSERT INTO kept VALUES (?)', values: [value] }]);
    const kinds = await database.query('SELECT typeof(value) AS kind FROM kept');
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['integer', 'integer', 'integer', 'real', 'real'],
    );
  });

  test('accepts bytes shared by threads', async (t) => {
    const { database } = await open(t);
    const shared = Buffer.from(new SharedArrayBuffer(6)).fill('grün!', 0, 6);
    await database.write([{ sql: 'INSERT INTO notes VALUES (1, CAST(? AS TEXT))', values: [shared] }]);
    assert.deepEqual(plainRows(await database.query('SELECT note FROM notes')), [{ note: 'grün!' }]);
  });

  test('refuses a text that it would cut off, in a write and in a query', async (t) => {
    const { database } = await open(t);
    const reason = { message: 'a text with U+0000 cannot be stored' };
    await assert.rejects(database.write([insert(1), insert(2, 'half\u0000lost')]), reason);
    await assert.rejects(database.query('SELECT * FROM notes WHERE note = ?', ['half\u0000']), reason);
    assert.deepEqual(await idsIn(database), []);
  });

  test('accepts statements with rows, and an empty list', async (t) => {
    const { database } = await open(t);
    const returning = { sql: 'INSERT INTO notes VALUES (?, ?), (?, ?) RETURNING id', values: [1, 'a', 2, 'b'] };
    await database.write([returning, { sql: 'SELECT * FROM notes', values: [] }, insert(3)]);
    await database.write([]);
    assert.deepEqual(await idsIn(database), [1, 2, 3]);
  });

  test('rejects a wrong query, and continues', async (t) => {
    const { database } = await open(t);
    await assert.rejects(database.query('SELECT absent FROM notes'), { message: 'no such column: absent' });
    await assert.rejects(database.query('SELECT id FROM notes WHERE id = ?', [1, 2]), /out of range/);
    const parse = 'SELECT json(?) AS json';
    await assert.rejects(database.query(parse, ['{']), { message: 'malformed JSON' });
    assert.deepEqual(plainRows(await database.query(parse, ['[ 1 ]'])), [{ json: '[1]' }]);
  });
});

describe('durability of a write', () => {
  /** Whether the log of changes was synced since the previous call. */
  function watchSyncs(t: TestContext, path: string): () => boolean {
    const log = statSync(join(path, 'notes.db-wal')).ino;
    const synced = new Set<number>();
    const { fsyncSync, fdatasync } = fs;
    const note = (descriptor: number) => synced.add(fs.fstatSync(descriptor).ino);
    const mocks = [
      t.mock.method(fs, 'fsyncSync', (descriptor: number) => {
        fsyncSync(descriptor);
        note(descriptor);
      }),
      t.mock.method(fs, 'fdatasync', ((descriptor, done) =>
        fdatasync(descriptor, (error) => {
          note(descriptor);
          done(error);
        })) as typeof fdatasync),
    ];
    syncBuiltinESMExports();
    t.after(() => {
      for (const { mock } of mocks) mock.restore();
      syncBuiltinESMExports();
    });
    return () => {
      const isSynced = synced.has(log);
      synced.clear();
      return isSynced;
    };
  }

  test('against the loss of power: it is acknowledged only after its sync to disk', async (t) => {
    const { database, path } = await open(t);
    const isSynced = watchSyncs(t, path);
    for (let id = 1; id <= 3; id++) {
      const write = database.write([insert(id)]).then(isSynced);
      assert.equal(isSynced(), false);
      assert.equal(await write, true);
    }
  });

  test('against the end of the process alone: it is acknowledged before its sync to disk', async (t) => {
    const { database, path } = await open(t);
    const isSynced = watchSyncs(t, path);
    await database.write([insert(1)], 'system');
    await database.write([insert(2)], 'system');
    assert.equal(isSynced(), false);
    await database.write([insert(3)]);
    assert.equal(isSynced(), true);
    await Promise.all([
      database.write([insert(4)], 'system'),
      database.write([insert(5)]),
      database.write([insert(6)], 'system'),
    ]);
    assert.equal(isSynced(), true, 'one of the turn is for the disk');
    await database.write([insert(7)], 'system');
    assert.equal(isSynced(), false);
    assert.deepEqual(await idsIn(database), [1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('a write at once', () => {
  /** What another process would find now: a copy of the files as the operating system has them. */
  async function idsAfterKill(t: TestContext, path: string): Promise<unknown[]> {
    const copy = temporaryFolder(t);
    for (const name of ['notes.db', 'notes.db-wal']) copyFileSync(join(path, name), join(copy, name));
    const { database } = await open(t, copy);
    return idsIn(database);
  }

  test('is with the operating system when the call returns, and all earlier writes with it', async (t) => {
    const { database, path } = await open(t);
    const before = database.write([insert(1)]);
    const now = database.writeNow([insert(2)]);
    const found = idsAfterKill(t, path);
    const after = database.write([insert(3)]);
    assert.deepEqual(await found, [1, 2]);
    await Promise.all([before, now, after]);
    assert.deepEqual(await idsIn(database), [1, 2, 3]);
  });

  test('that fails is rejected, and affects no other write', async (t) => {
    const { database } = await open(t);
    const writes = [
      database.write([insert(1)]),
      database.writeNow([insert(1)]),
      database.writeNow([insert(2)], 'system'),
    ];
    assert.deepEqual(await outcomes(writes), ['done', DUPLICATE, 'done']);
    await database.close();
    assert.deepEqual(await outcomes([database.writeNow([insert(3)])]), ['the database is closed']);
  });
});

describe('a removed file', () => {
  const GONE = /notes\.db was removed or moved while it was in use: what is written now is lost; .* or start again$/;

  for (const name of ['notes.db', 'notes.db-wal']) {
    test(`keeps nothing any more, and reports it: ${name}`, async (t) => {
      const { database, path } = await open(t);
      await database.write([insert(1)]);
      rmSync(join(path, name));
      await assert.rejects(database.write([insert(2)]), GONE);
      await database.write([insert(3)], 'system');
    });
  }

  test('is also a replaced file; back in its place it keeps later writes', async (t) => {
    const folder = temporaryFolder(t);
    const [path, away] = [join(folder, 'data'), join(folder, 'away')];
    fs.mkdirSync(path);
    const { database } = await open(t, path);
    await database.write([insert(1)]);
    renameSync(path, away);
    await assert.rejects(database.write([insert(2)]), GONE);
    fs.mkdirSync(path);
    await (await open(t, path)).database.close();
    await assert.rejects(database.write([insert(3)]), GONE);
    rmSync(path, { recursive: true });
    renameSync(away, path);
    await database.write([insert(4)]);
  });
});

describe('a disk that fails', () => {
  test('is reported to the callers that wait for the disk, and to no other', async (t) => {
    const { database } = await open(t);
    const failing = t.mock.method(fs, 'fdatasync', ((_, done) => done(new Error('EIO'))) as typeof fs.fdatasync);
    syncBuiltinESMExports();
    const writes = [database.write([insert(1)]), database.write([insert(2)], 'system')];
    assert.deepEqual(await outcomes(writes), ['EIO', 'done']);
    failing.mock.restore();
    syncBuiltinESMExports();
    assert.deepEqual(await outcomes([database.write([insert(3)])]), ['done']);
  });
});

describe('writes of one turn', () => {
  /** How much the log of changes grows by an action: whole pages for every commit. */
  async function growth(path: string, action: () => Promise<unknown>): Promise<number> {
    const size = () => statSync(join(path, 'notes.db-wal')).size;
    const before = size();
    await action();
    return size() - before;
  }

  test('share one commit', async (t) => {
    const { database, path } = await open(t);
    const one = await growth(path, () => database.write([insert(0)]));
    const apart = await growth(path, async () => {
      for (let id = 1; id <= 10; id++) await database.write([insert(id)]);
    });
    const together = await growth(path, () =>
      Promise.all(Array.from({ length: 10 }, (_, index) => database.write([insert(100 + index)]))),
    );
    assert.equal(together, one);
    assert.ok(apart > 5 * one, `${apart} bytes apart, ${one} for one`);
  });

  test('are done in the order of their calls, and all are done before a later one', async (t) => {
    const { database } = await open(t);
    const order: string[] = [];
    const note = (text: string) => ({ sql: 'UPDATE notes SET note = note || ?', values: [text] });
    await database.write([insert(1, '')]);
    const write = (text: string) => database.write([note(text)]).then(() => order.push(text));
    await Promise.all([write('a'), write('b'), Promise.resolve().then(() => write('c'))]);
    assert.deepEqual(order, ['a', 'b', 'c']);
    assert.deepEqual(plainRows(await database.query('SELECT note FROM notes')), [{ note: 'abc' }]);
  });

  test('are each whole or not at all: a failed one affects no other', async (t) => {
    const { database } = await open(t);
    const writes = [
      [insert(1)],
      [insert(2), insert(1)],
      [insert(3)],
      [insert(4), { sql: 'nonsense', values: [] }],
      [insert(5)],
    ];
    assert.deepEqual(await outcomes(writes.map((statements) => database.write(statements))), [
      'done',
      DUPLICATE,
      'done',
      'near "nonsense": syntax error',
      'done',
    ]);
    assert.deepEqual(await idsIn(database), [1, 3, 5]);
  });
});

describe('a write that fails', () => {
  const failures: readonly (readonly [name: string, statement: Statement, reason: string])[] = [
    ['for a duplicate', insert(1), DUPLICATE],
    ['for a missing value', insert(2, null), 'NOT NULL constraint failed: notes.note'],
    [
      'for a value that no column holds',
      { ...insert(2), values: [2, undefined as never] },
      'Provided value cannot be bound to SQLite parameter 2.',
    ],
    ['for a value too many', { ...insert(2), values: [2, 'a', 'b'] }, 'column index out of range'],
  ];
  for (const [name, statement, reason] of failures) {
    test(`${name} is rejected with the reason, each time, and the next one of the same statement succeeds`, async (t) => {
      const { database } = await open(t);
      await database.write([insert(1)]);
      for (let round = 0; round < 2; round++) {
        const id = 10 + round;
        assert.deepEqual(await outcomes([database.write([statement])]), [reason]);
        assert.deepEqual(await outcomes([database.write([insert(id)])]), ['done']);
      }
      assert.deepEqual(await idsIn(database), [1, 10, 11]);
    });
  }

  test('after the whole batch was tried has the reason of its own', async (t) => {
    const { database } = await open(t);
    await database.write([insert(1)]);
    const writes = [insert(1), insert(1, null), insert(2)].map((statement) => database.write([statement]));
    assert.deepEqual(await outcomes(writes), [DUPLICATE, 'NOT NULL constraint failed: notes.note', 'done']);
  });
});

describe('a copy', () => {
  test('has the committed rows, and neither reads nor writes wait for its end', async (t) => {
    const { database, path } = await open(t);
    await database.write(Array.from({ length: 1000 }, (_, id) => insert(id, 'x'.repeat(4000))));
    const target = temporaryFolder(t);
    const file = join(target, 'notes.db');
    let isCopied = false;
    const copying = database.copy(file).then(() => {
      isCopied = true;
    });
    await database.write([insert(1000)], 'system');
    assert.equal((await idsIn(database)).length, 1001);
    assert.equal(isCopied, false);
    await copying;
    await database.write([insert(2000)]);
    assert.deepEqual(readdirSync(target), ['notes.db']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { database: copy } = await open(t, target);
    assert.deepEqual(await idsIn(copy), [...Array(1001).keys()]);
    assert.deepEqual(plainRows(await copy.query('PRAGMA integrity_check')), [{ integrity_check: 'ok' }]);
    await assert.rejects(database.copy(file), { code: 'EEXIST' });
    await assert.rejects(database.copy(join(path, 'no', 'folder')), { code: 'ENOENT' });
  });

  test('under way at the close is finished first', async (t) => {
    const { database, path } = await open(t);
    await database.write([insert(1)]);
    const target = temporaryFolder(t);
    await Promise.all([database.copy(join(target, 'notes.db')), database.close()]);
    const { database: copy } = await open(t, target);
    assert.deepEqual(await idsIn(copy), [1]);
    assert.deepEqual(readdirSync(path), ['notes.db']);
  });
});

describe('a full disk', () => {
  const LIMITED = [`${NOTES}; PRAGMA max_page_count = 20`];
  const big = (id: number) => insert(id, 'x'.repeat(30_000));

  test('rejects writes without room, and accepts others, in the same turn too', async (t) => {
    const { database } = await open(t, undefined, LIMITED);
    const writes = [1, 2, 3, 4].map((id) => database.write([big(id)]));
    const full = 'database or disk is full';
    assert.deepEqual(await outcomes([...writes, database.write([insert(5)])]), ['done', 'done', full, full, 'done']);
    assert.deepEqual(await idsIn(database), [1, 2, 5]);
  });

  test('with room again accepts writes again', async (t) => {
    const { database, path } = await open(t, undefined, LIMITED);
    await database.write([big(1), big(2)]);
    for (let round = 0; round < 3; round++) await assert.rejects(database.write([big(3)]), /full/);
    await database.write([{ sql: 'DELETE FROM notes WHERE id = 1', values: [] }]);
    await database.write([big(3)]);
    await assert.rejects(database.write([big(4)]), /full/);
    await database.close();
    const { database: again } = await open(t, path);
    assert.deepEqual(await idsIn(again), [2, 3]);
    assert.deepEqual(plainRows(await again.query('PRAGMA integrity_check')), [{ integrity_check: 'ok' }]);
  });
});

describe('closing', () => {
  test('completes writes under way', async (t) => {
    const { database, path } = await open(t);
    const writes = [database.write([insert(1)]), database.write([insert(2)])];
    await database.close();
    assert.deepEqual(await outcomes(writes), ['done', 'done']);
    const { database: again } = await open(t, path);
    assert.deepEqual(await idsIn(again), [1, 2]);
  });

  test('leaves one file, whatever failed before', async (t) => {
    const { database, path } = await open(t);
    await database.write([insert(1)]);
    await outcomes([database.write([insert(1)]), database.write([{ sql: 'nonsense', values: [] }])]);
    await assert.rejects(database.query('nonsense'));
    await database.write([insert(2)]);
    assert.deepEqual(await idsIn(database), [1, 2]);
    assert.deepEqual(readdirSync(path).sort(), ['notes.db', 'notes.db-wal']);
    await database.close();
    assert.deepEqual(readdirSync(path), ['notes.db']);
    const { database: again } = await open(t, path);
    assert.deepEqual(await idsIn(again), [1, 2]);
  });

  test('twice is as good as once; later calls are rejected', async (t) => {
    const { database } = await open(t);
    await database.query('SELECT id FROM notes');
    await Promise.all([database.close(), database.close()]);
    await database.close();
    const closed = { message: 'the database is closed' };
    await assert.rejects(database.write([insert(1)]), closed);
    await assert.rejects(database.query('SELECT id FROM notes'), closed);
  });
});

test('a temporary database holds more than its cache, and is no file that anybody sees', {
  skip: process.platform !== 'linux',
}, async () => {
  const database = openTemporaryDatabase(['CREATE TABLE number (n INTEGER, filler BLOB)']);
  const insert = 'INSERT INTO number VALUES (?, zeroblob(1000000))';
  await database.write(Array.from({ length: 5 }, (_, n) => ({ sql: insert, values: [n] })));
  assert.deepEqual(plainRows(await database.query('SELECT sum(n) AS n, sum(length(filler)) AS bytes FROM number')), [
    { n: 10, bytes: 5_000_000 },
  ]);
  const open = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
  assert.ok(open.some((path) => path.includes('etilqs') && path.endsWith('(deleted)')));
  await database.close();
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
