import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundleScript, type Child, startChild } from '../testing/child-script.ts';
import { isLongRound } from '../testing/long-round.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { Random } from '../testing/random.ts';
import { plainRows } from '../testing/sqlite.ts';
import { openDatabase } from './storage/database.ts';

const MIGRATION = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL)';

/** Writes rows for ever, several writes a turn, of many sizes, and names each that was acknowledged. */
const writer = bundleScript(`
  import { openDatabase } from './storage/database.ts';

  const [path, first] = process.argv.slice(1);
  const directory = { path, release() {} };
  const database = await openDatabase({ directory, name: 'notes.db', migrations: [${JSON.stringify(MIGRATION)}] });
  let id = Number(first);
  const row = () => {
    id++;
    return { sql: 'INSERT INTO notes VALUES (?, ?)', values: [id, ('note ' + id + ' ').repeat(1 + (id * 7919) % 97)] };
  };
  const write = async (count) => {
    const rows = Array.from({ length: count }, row);
    await database.write(rows, id % 2 === 0 ? 'disk' : 'system');
    process.stdout.write(rows.map(({ values }) => values[0] + '\\n').join(''));
  };
  for (let turn = 0; ; turn++) await Promise.all(Array.from({ length: 1 + (turn % 5) }, (_, index) => write(1 + index * 3)));
`);

/** Runs a writer until it has acknowledged the number of rows, kills it, and returns all acknowledged rows. */
async function writeUntilKilled(child: Child, count: number): Promise<readonly number[]> {
  const acknowledged: number[] = [];
  for (let line = await child.readLine(); line !== undefined; line = await child.readLine()) {
    acknowledged.push(Number(line));
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  assert.deepEqual(await child.end, { code: null, signal: 'SIGKILL', stderr: '' });
  return acknowledged;
}

async function readNotes(t: TestContext, path: string): Promise<ReadonlyMap<number, string>> {
  const directory = { path, release() {} };
  const database = await openDatabase({ directory, name: 'notes.db', migrations: [MIGRATION] });
  t.after(() => database.close());
  assert.deepEqual(plainRows(await database.query('PRAGMA integrity_check')), [{ integrity_check: 'ok' }]);
  const rows = await database.query('SELECT id, note FROM notes');
  await database.close();
  return new Map(rows.map(({ id, note }) => [Number(id), String(note)]));
}

test('acknowledged rows are there, whole, after kills at any moment', { only: isLongRound }, async (t) => {
  const path = temporaryFolder(t);
  const random = new Random(11);
  const acknowledged: number[] = [];
  let notes: ReadonlyMap<number, string> = new Map();
  for (let round = 0; round < (isLongRound ? 8 : 4); round++) {
    const child = startChild(t, await writer, { args: [path, String(Math.max(0, ...notes.keys()))] });
    acknowledged.push(...(await writeUntilKilled(child, random.int(1, 400))));
    assert.ok(existsSync(join(path, 'notes.db-wal')), 'the kill left a log of changes');
    // Every other time the next writer finds the files as the kill left them, without a reader's cleanup.
    if (round % 2 === 0) notes = await readNotes(t, path);
    else notes = new Map([[Math.max(...acknowledged) + 1000, '']]);
  }
  notes = await readNotes(t, path);
  for (const id of acknowledged) {
    const note = `note ${id} `.repeat(1 + ((id * 7919) % 97));
    assert.ok(notes.get(id) === note, `row ${id} of ${acknowledged.length}: ${notes.get(id)?.slice(0, 50)}`);
  }
});
