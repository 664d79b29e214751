import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { type Database, openDatabase, type Statement } from '../../kernel/storage/database.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { type Alert, acceptAlert } from '../domain/alert.ts';
import { alertOf, MINUTE, postedAlert, START } from '../testing/parts.ts';
import { AlertStore } from './store.ts';
import { ALERT_MIGRATION, AlertWriter, SETTLED_MIGRATION } from './writer.ts';

const FULL = new Error('database or disk is full');

function createStore<T extends Database>(database: T, now = START) {
  const clock = new FakeClock(now);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => lines.push(line) });
  return { clock, database, lines, store: new AlertStore(new AlertWriter(database, clock, log)) };
}

const numbered = (number: number, rest: Partial<Alert> = {}) => alertOf({ n: String(number) }, rest);

/** Removes resolved alerts, as when every group has notified them. */
function forget(store: AlertStore, now: number): void {
  for (const slot of store.sorted()) if (slot.alert.endsAt <= now) slot.isSettled = true;
  store.collectGarbage(now);
}

/** Lets promises that can settle do so. */
const turn = () => new Promise((done) => setImmediate(done));

/** What the transactions did: `+1` for a written alert content, `-` for a removed alert. */
const printed = (committed: readonly (readonly Statement[])[]) =>
  committed.map((statements) =>
    statements
      .flatMap(({ sql, values }) => {
        if (sql.includes('DELETE FROM alerts ')) return '-';
        if (!sql.includes('INTO alerts ')) return [];
        return `+${JSON.parse(Buffer.from(values[1] as Uint8Array).toString()).labels.n}`;
      })
      .join(' '),
  );

/** The ids whose times a transaction wrote. */
const timed = (statements: readonly Statement[] = []) =>
  statements.filter(({ sql }) => sql.includes('INTO alert_times')).map(({ values }) => values[0]);

test('alerts are on disk half a second after their answer, alerts posted together in one transaction', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  store.put([numbered(1)]);
  clock.advance(300);
  store.put([numbered(2), numbered(1)]);
  clock.advance(199);
  assert.equal(database.writes, 0);
  clock.advance(1);
  assert.deepEqual(printed(database.committed), ['+1 +2']);
  await turn();
  clock.advance(10 * MINUTE);
  assert.equal(database.writes, 1);
});

test('a post that repeats an alert writes its times alone, one that changes its annotations all of it', async () => {
  const { database, store } = createStore(new FakeDatabase());
  store.put([numbered(1), numbered(2)]);
  await store.flush();
  store.put([numbered(2, { updatedAt: START + 1 })]);
  await store.flush();
  assert.deepEqual([printed(database.committed)[1], timed(database.committed[1])], ['', [2]]);
  assert.match(String(database.committed[1]?.[0]?.values[1]), new RegExp(` ${START + 1} `));
  store.put([numbered(1, { annotationsJson: '{"new":"text"}' })]);
  await store.flush();
  assert.deepEqual([printed(database.committed)[2], timed(database.committed[2])], ['+1', [1]]);
});

test('a change of an alert during its write is written after it', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  store.put([numbered(1)]);
  database.hold();
  clock.advance(500);
  store.put([numbered(1, { annotationsJson: '{"new":"text"}' })]);
  await database.release();
  await store.flush();
  assert.deepEqual(printed(database.committed), ['+1', '+1']);
  assert.match(Buffer.from(database.committed[1]?.[0]?.values[1] as Uint8Array).toString(), /"new":"text"/);
});

test('nothing new is nothing to write', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  store.put([]);
  store.collectGarbage(START);
  clock.advance(MINUTE);
  await turn();
  assert.equal(database.writes, 0);
});

test('a removed alert leaves the disk, too', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  store.put([numbered(1, { endsAt: START + 1 })]);
  clock.advance(500);
  await turn();
  forget(store, clock.now());
  clock.advance(500);
  await turn();
  assert.deepEqual(printed(database.committed), ['+1', '-']);
  assert.deepEqual(
    database.committed[1]?.map(({ values }) => values),
    [[1], [1]],
  );
});

test('an alert that comes while others are being written is written after them', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  store.put([numbered(1)]);
  database.hold();
  clock.advance(500);
  store.put([numbered(2)]);
  clock.advance(5_000);
  assert.equal(database.writes, 1);
  await database.release();
  clock.advance(500);
  await turn();
  assert.deepEqual(printed(database.committed), ['+1', '+2']);
});

test('a large intake is written in several transactions', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  store.put(Array.from({ length: 4_500 }, (_, number) => numbered(number)));
  clock.advance(500);
  await turn();
  assert.deepEqual(
    database.committed.map(({ length }) => length),
    Array.from({ length: 9 }, () => 1_000),
  );
});

test('a disk that fails is tried again each half second, reported once, and nothing is lost', async () => {
  const { clock, database, lines, store } = createStore(new FakeDatabase());
  database.failure = FULL;
  store.put([numbered(1), numbered(2)]);
  clock.advance(500);
  await turn();
  store.put([numbered(3)]);
  clock.advance(499);
  assert.equal(database.writes, 1);
  clock.advance(1);
  await turn();
  assert.equal(database.writes, 2);
  assert.equal(lines.length, 1);
  assert.match(lines.join(), /level=ERROR .*alerts could not be written.* err="database or disk is full"/);
  database.failure = undefined;
  clock.advance(500);
  await turn();
  assert.match(lines.slice(1).join(), /^\S+ level=INFO msg="alerts are written to disk again"\n$/);
  assert.deepEqual(
    printed(database.committed)
      .flatMap((line) => line.split(' '))
      .sort(),
    ['+1', '+2', '+3'],
  );
});

test('after a failure the newest version is written, or none if the alert is gone', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  database.failure = FULL;
  store.put([numbered(1, { endsAt: START + 1 }), numbered(2)]);
  clock.advance(500);
  await turn();
  forget(store, clock.now());
  store.put([numbered(2, { annotationsJson: '{"new":"text"}' })]);
  database.failure = undefined;
  clock.advance(5_000);
  await turn();
  const statements = database.committed.flat();
  assert.deepEqual(printed(database.committed)[0]?.split(' ').sort(), ['+2', '-']);
  const written = statements.find(({ sql }) => sql.includes('INTO alerts '))?.values[1] as Uint8Array;
  assert.deepEqual(JSON.parse(Buffer.from(written).toString()).annotations, { new: 'text' });
});

test('a flush writes at once, waits for a write under way, and fails when the disk does', async () => {
  const { clock, database, store } = createStore(new FakeDatabase());
  await store.flush();
  assert.equal(database.writes, 0);
  store.put([numbered(1)]);
  await store.flush();
  assert.deepEqual(printed(database.committed), ['+1']);
  clock.advance(MINUTE);
  assert.equal(database.writes, 1);

  store.put([numbered(2)]);
  database.hold();
  clock.advance(500);
  store.put([numbered(3)]);
  const flushed = store.flush();
  await turn();
  assert.equal(database.writes, 2);
  await database.release();
  await flushed;
  assert.deepEqual(printed(database.committed), ['+1', '+2', '+3']);

  database.failure = FULL;
  store.put([numbered(4)]);
  await assert.rejects(store.flush(), FULL);
  database.failure = undefined;
  await store.flush();
  assert.deepEqual(printed(database.committed).at(-1), '+4');
});

async function open(t: TestContext, path: string): Promise<Database> {
  const directory = { path, release: () => {} };
  const database = await openDatabase({
    directory,
    name: 'alerts.db',
    migrations: [ALERT_MIGRATION, SETTLED_MIGRATION],
  });
  t.after(() => database.close());
  return database;
}

function accept(json: string): Alert {
  const { labels, annotations, ...rest } = JSON.parse(json);
  const posted = postedAlert(labels, { annotations: annotations ?? {}, ...rest });
  const outcome = acceptAlert(posted, START, { resolveTimeoutMs: 5 * MINUTE, classicNames: false });
  assert.ok(outcome.ok);
  return outcome.value;
}

test('written alerts are there after the database was reopened', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'alert-store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const { database, store } = createStore(await open(t, path));
  store.put([
    accept('{"labels":{"a":"b"}}'),
    accept(
      '{"labels":{"__proto__":"x","constructor":"y","😀":"z","10":"","9":"w"},"generatorURL":"http://p/?a=\\"b\\""}',
    ),
    accept(
      '{"labels":{"a":"two\\nlines \\u0000"},"annotations":{"10":"a","9":"b","__proto__":"c","😀":"","\uffee":"d"}}',
    ),
    accept('{"labels":{"a":"ended"},"startsAt":-5000,"endsAt":0}'),
    accept('{"labels":{"a":"gone"},"endsAt":1}'),
  ]);
  await store.flush();
  store.put([{ ...accept('{"labels":{"a":"b"}}'), startsAt: START + 1, updatedAt: START + 2, timeout: false }]);
  forget(store, 1);
  await store.flush();
  await database.close();

  const { store: reopened, clock, database: again } = createStore(await open(t, path));
  const reported: boolean[] = [];
  reopened.subscribe({ put: (_, isNew) => reported.push(isNew), removed: () => {} });
  assert.equal(await reopened.load(), 3);
  assert.deepEqual(reported, [true, true, true]);
  assert.deepEqual(reopened.sorted(), store.sorted());
  clock.advance(MINUTE);
  assert.deepEqual((await again.query('SELECT count(*) AS n FROM alerts'))[0]?.n, 3);
});

test('an alert notified by every group is settled after the database was reopened', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'alert-store-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const { database, store } = createStore(await open(t, path));
  store.put([numbered(1), numbered(2)]);
  await store.flush();
  const [slot] = store.sorted();
  assert.ok(slot);
  slot.isSettled = true;
  store.noteSettled(slot);
  await store.flush();
  await database.close();
  const { store: reopened } = createStore(await open(t, path));
  await reopened.load();
  assert.deepEqual(
    reopened.sorted().map(({ isSettled }) => isSettled),
    [true, false],
  );
});
