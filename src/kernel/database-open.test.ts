import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { bundleScript, startChild } from '../testing/child-script.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { plainRows } from '../testing/sqlite.ts';
import { CommandError } from './errors.ts';
import { type DatabaseFile, openDatabase } from './storage/database.ts';

const MIGRATIONS = [
  'CREATE TABLE notes (id INTEGER PRIMARY KEY); INSERT INTO notes VALUES (1)',
  "ALTER TABLE notes ADD COLUMN note TEXT NOT NULL DEFAULT 'old'; INSERT INTO notes VALUES (2, 'new')",
  'DELETE FROM notes WHERE id = 1',
];

async function open(t: TestContext, path: string, migrations: readonly string[]): Promise<DatabaseFile> {
  const directory = { path, release() {} };
  const database = await openDatabase({ directory, name: 'notes.db', migrations });
  t.after(() => database.close());
  return database;
}

/** Opens, does nothing, closes. */
async function visit(t: TestContext, path: string, migrations: readonly string[]): Promise<void> {
  await (await open(t, path, migrations)).close();
}

async function assertRefused(t: TestContext, path: string, migrations: readonly string[], reason: string) {
  await assert.rejects(open(t, path, migrations), refusal('open', path, reason));
}

/** Whether an error is the one clear line for users. */
const refusal = (what: string, path: string, reason: string) => (error: unknown) => {
  assert.ok(error instanceof CommandError && error.exitCode === 1, String(error));
  const advice = 'put a backup in its place, or move it away to start empty';
  assert.equal(error.message, `cannot ${what} the database ${join(path, 'notes.db')}: ${reason}; ${advice}`);
  return true;
};

describe('a schema', () => {
  test('is migrated from any earlier version, each step once', async (t) => {
    const all = [{ id: 2, note: 'new' }];
    for (let known = 0; known <= MIGRATIONS.length; known++) {
      const path = temporaryFolder(t);
      await visit(t, path, MIGRATIONS.slice(0, known));
      for (let round = 0; round < 2; round++) {
        const database = await open(t, path, MIGRATIONS);
        assert.deepEqual(plainRows(await database.query('SELECT * FROM notes')), all, `from version ${known}`);
        assert.deepEqual(plainRows(await database.query('PRAGMA user_version')), [{ user_version: 3 }]);
        await database.close();
      }
    }
  });

  test('that is newer than this program is refused, and left as it is', async (t) => {
    const path = temporaryFolder(t);
    await visit(t, path, MIGRATIONS);
    const reason = 'it was written by a newer opsdeck (schema 3, this one knows 2)';
    await assertRefused(t, path, MIGRATIONS.slice(0, 2), reason);
    assert.deepEqual(readdirSync(path), ['notes.db']);
    const database = await open(t, path, MIGRATIONS);
    assert.deepEqual(plainRows(await database.query('SELECT id FROM notes')), [{ id: 2 }]);
  });

  test('with a failing step is left as it was, and can be opened again', async (t) => {
    const path = temporaryFolder(t);
    const broken = [MIGRATIONS[0] as string, 'CREATE TABLE half (id); INSERT INTO nowhere VALUES (1)'];
    await assertRefused(t, path, broken, 'no such table: nowhere');
    assert.deepEqual(readdirSync(path), ['notes.db']);
    const database = await open(t, path, MIGRATIONS.slice(0, 1));
    assert.deepEqual(plainRows(await database.query('PRAGMA user_version')), [{ user_version: 1 }]);
    const tables = await database.query("SELECT name FROM sqlite_schema WHERE type = 'table'");
    assert.deepEqual(plainRows(tables), [{ name: 'notes' }]);
  });
});

describe('a file', () => {
  test('and its log of changes have their names on disk before the first write', async (t) => {
    const path = temporaryFolder(t);
    for (const state of ['new', 'known']) {
      const { fsyncSync } = fs;
      const named: string[][] = [];
      const syncing = t.mock.method(fs, 'fsyncSync', (descriptor: number) => {
        if (fs.fstatSync(descriptor).isDirectory()) named.push(readdirSync(path).sort());
        fsyncSync(descriptor);
      });
      syncBuiltinESMExports();
      const database = await open(t, path, MIGRATIONS);
      syncing.mock.restore();
      syncBuiltinESMExports();
      assert.deepEqual(named, [['notes.db', 'notes.db-wal']], state);
      await database.close();
    }
  });

  test('other than a database is refused, and left as it is', async (t) => {
    const path = temporaryFolder(t);
    const file = join(path, 'notes.db');
    for (const text of ['not a database at all', `${'SQLite format 2\0'.padEnd(4096)}`]) {
      writeFileSync(file, text);
      await assertRefused(t, path, MIGRATIONS, 'file is not a database');
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.deepEqual(readdirSync(path), ['notes.db']);
    }
  });

  test('of which a part is missing is refused', async (t) => {
    const path = temporaryFolder(t);
    await visit(t, path, MIGRATIONS);
    truncateSync(join(path, 'notes.db'), 4096);
    await assertRefused(t, path, [...MIGRATIONS, 'DELETE FROM notes'], 'database disk image is malformed');
  });

  test('with damage found later is reported to the reader', async (t) => {
    const path = temporaryFolder(t);
    await visit(t, path, MIGRATIONS);
    const file = join(path, 'notes.db');
    writeFileSync(file, readFileSync(file).fill(0xff, 4096, 8192));
    const database = await open(t, path, MIGRATIONS);
    const reading = database.query('SELECT * FROM notes');
    await assert.rejects(reading, refusal('read', path, 'database disk image is malformed'));
    await database.close();
  });

  test('replaced by a directory is refused', async (t) => {
    const path = temporaryFolder(t);
    mkdirSync(join(path, 'notes.db'));
    await assertRefused(t, path, MIGRATIONS, 'it is a directory, not a file');
  });

  test('that is empty is a new database', async (t) => {
    const path = temporaryFolder(t);
    writeFileSync(join(path, 'notes.db'), '');
    const database = await open(t, path, MIGRATIONS);
    assert.deepEqual(plainRows(await database.query('SELECT id FROM notes')), [{ id: 2 }]);
  });

  test('with a lock left by opsdeck 0.1.0 is opened, and the lock is removed', async (t) => {
    const path = temporaryFolder(t);
    await visit(t, path, MIGRATIONS);
    mkdirSync(join(path, 'notes.db.lock'));
    const database = await open(t, path, MIGRATIONS);
    assert.deepEqual(plainRows(await database.query('SELECT id FROM notes')), [{ id: 2 }]);
    assert.deepEqual(readdirSync(path).sort(), ['notes.db', 'notes.db-wal']);
  });
});

describe('another process', () => {
  /** Opens the same file. */
  const rival = bundleScript(`
    import { openDatabase } from './storage/database.ts';

    const directory = { path: process.argv[1], release() {} };
    const migrations = ${JSON.stringify(MIGRATIONS)};
    try {
      const database = await openDatabase({ directory, name: 'notes.db', migrations });
      process.stdout.write('open\\n');
      process.stdin.on('end', () => database.close()).resume();
    } catch (error) {
      process.stdout.write(error.exitCode + ' ' + error.message + '\\n');
    }
  `);

  test('opens no file that is open, not even after a copy was made of it', async (t) => {
    const path = temporaryFolder(t);
    const database = await open(t, path, MIGRATIONS);
    const inUse = `3 cannot open the database ${join(path, 'notes.db')}: another process has it open; stop that one first`;
    assert.equal(await startChild(t, await rival, { args: [path] }).readLine(), inUse);
    await database.copy(join(path, 'copy.db'));
    await database.write([{ sql: "INSERT INTO notes VALUES (3, 'later')", values: [] }]);
    assert.equal(await startChild(t, await rival, { args: [path] }).readLine(), inUse);
    await database.close();
    assert.equal(await startChild(t, await rival, { args: [path] }).readLine(), 'open');
  });

  test('that was killed blocks no other', async (t) => {
    const path = temporaryFolder(t);
    const child = startChild(t, await rival, { args: [path] });
    assert.equal(await child.readLine(), 'open');
    await assert.rejects(open(t, path, MIGRATIONS), { exitCode: 3 });
    child.kill('SIGKILL');
    await child.end;
    const database = await open(t, path, MIGRATIONS);
    assert.deepEqual(plainRows(await database.query('SELECT id FROM notes')), [{ id: 2 }]);
  });
});
