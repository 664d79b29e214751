import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import type { Database } from '../../kernel/storage/database.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { createSqliteFolder } from '../../testing/sqlite.ts';
import { START } from '../testing/parts.ts';
import { GROUP_FLUSHED_MIGRATION, GROUP_TIMERS_MIGRATION, GroupTimers } from './group-timers.ts';

const turn = () => new Promise((done) => setImmediate(done));

/** A timer of a group that has never been flushed. */
const waiting = (at: number) => ({ at, isFlushed: false });

function createTimers(database: Database) {
  const clock = new FakeClock(START);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => lines.push(line) });
  return { clock, lines, timers: new GroupTimers(database, clock, log) };
}

test('the last flush time of each group survives a restart, except those of removed groups', async (t) => {
  const folder = createSqliteFolder(t, GROUP_TIMERS_MIGRATION, GROUP_FLUSHED_MIGRATION);
  const { timers } = createTimers(await folder.open());
  timers.set('{}:{a="\u0000é"}', waiting(START + 1));
  timers.set('gone', waiting(START + 2));
  timers.set('moved', waiting(START + 3));
  await timers.flush();
  timers.set('gone', undefined);
  timers.set('moved', { at: START + 4, isFlushed: true });
  timers.set('came and went', waiting(START + 5));
  timers.set('came and went', undefined);
  await timers.flush();
  const { timers: again } = createTimers(await folder.open());
  assert.deepEqual(
    await again.load(),
    new Map([
      ['moved', { at: START + 4, isFlushed: true }],
      ['{}:{a="\u0000é"}', waiting(START + 1)],
    ]),
  );
});

test('moments are written half a second behind, ten thousand of them in several transactions', async () => {
  const database = new FakeDatabase();
  const { clock, timers } = createTimers(database);
  for (let n = 0; n < 10_000; n++) timers.set(String(n), waiting(START));
  clock.advance(499);
  assert.equal(database.writes, 0);
  clock.advance(1);
  await turn();
  assert.deepEqual(
    database.committed.map(({ length }) => length),
    Array.from({ length: 20 }, () => 500),
  );
});

test('after a failed write the newest moments are written, later', async () => {
  const database = new FakeDatabase();
  const { clock, lines, timers } = createTimers(database);
  timers.set('a', waiting(1));
  timers.set('b', waiting(1));
  database.hold();
  clock.advance(500);
  timers.set('a', waiting(2));
  database.failure = new Error('disk full');
  await database.release();
  assert.match(lines.join(), /level=ERROR .*group timers .* err="disk full"/);
  database.failure = undefined;
  clock.advance(500);
  await turn();
  const written = database.committed.flat().map(({ values }) => [String(values[0]), values[1]]);
  assert.deepEqual(written.sort(), [
    ['a', 2],
    ['b', 1],
  ]);
});

test('a group of 0.1.0 counts as flushed', async (t) => {
  const folder = createSqliteFolder(t, GROUP_TIMERS_MIGRATION);
  const old = await folder.open();
  const values = [Buffer.from('old'), START];
  await old.write([{ sql: 'INSERT INTO group_timers (id, next_flush_at) VALUES (?, ?)', values }]);
  await old.write([{ sql: GROUP_FLUSHED_MIGRATION, values: [] }]);
  assert.deepEqual(await createTimers(old).timers.load(), new Map([['old', { at: START, isFlushed: true }]]));
});
