import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { eventually } from '../../../testing/eventually.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { needsPostgres, openTestDatabase } from '../../../testing/postgres.ts';
import { created, newMessage, post, write } from '../../testing/store/parts.ts';
import { openNewRoomDatabase, openRoomDatabase, openTestNode } from '../../testing/store/postgres-room-store.ts';

const turn = () => new Promise((done) => setImmediate(done));

test('appends read no whole table, although the first ones found empty tables', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openNewRoomDatabase(t, (await openTestDatabase()).url);
  const store = await openTestNode(t, postgres);
  for (let batch = 0; batch < 20; batch++) await post(store, ...Array.from({ length: 10 }, () => newMessage('a')));
  await postgres.query('SELECT pg_stat_force_next_flush()');
  const [scanned] = await postgres.query(
    "SELECT sum(seq_tup_read) AS rows FROM pg_stat_user_tables WHERE relname IN ('room_message', 'room_event')",
  );
  assert.equal(Number(scanned?.rows), 0);
});

test('an append that has waited for another node lets the next one wait for its turn, and take more', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  const clock = new FakeClock();
  const store = await openTestNode(t, postgres, { clock });
  let turns = 0;
  const waitTurn = async () => {
    void store.turn().then(() => turns++);
    await turn();
    return turns;
  };
  await store.append([write(created(newMessage('a')))]);
  // A busy machine lets even the first one wait.
  clock.advance(20);
  assert.equal(await waitTurn(), 1, 'later it has its turn at once');
  const other = await postgres.connect();
  await other.query('BEGIN', [], 2_000);
  await other.query('SELECT FROM opsdeck.room_log FOR UPDATE', [], 2_000);
  const appended = store.append([write(created(newMessage('a')))]);
  await eventually('the append waits', async () => {
    const waiting = await postgres.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return waiting.length > 0;
  });
  await other.query('SELECT pg_sleep(0.005)', [], 2_000);
  await other.query('COMMIT', [], 2_000);
  await other.end();
  await appended;
  assert.equal(await waitTurn(), 1);
  clock.advance(20);
  await turn();
  assert.equal(turns, 2);
});

test('a node that does not read the long answer of its append loses the lock of the log', async (t) => {
  if (!needsPostgres(t)) return;
  const database = await openTestDatabase();
  const postgres = await openNewRoomDatabase(t, database.url);
  await openTestNode(t, postgres);
  const writer = crypto.randomUUID();
  // More than the buffers of a connection hold.
  await postgres.query(
    `WITH log AS (UPDATE opsdeck.room_log SET commits = 1, pos = 400)
     INSERT INTO opsdeck.room_event (pos, type, seq, data, writer)
     SELECT n, 1, 0, repeat(md5(n::text), 1000), $1 FROM generate_series(1, 400) n`,
    [writer],
  );
  const client = new pg.Client({ connectionString: database.url }).on('error', () => {});
  await client.connect();
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  t.after(() => stream.destroy());
  stream.pause();
  client
    .query(
      `SELECT a.* FROM opsdeck.room_log l, opsdeck.append_to_rooms(
        l.epoch, $1, 1, false, 0, 0, 1000, '{}', '{}', '{}', NULL, '{}'${', NULL'.repeat(14)}) a`,
      [writer],
    )
    .catch(() => {});
  const isFree = async () => (await postgres.query('SELECT FROM opsdeck.room_log FOR UPDATE SKIP LOCKED')).length > 0;
  await eventually('the lock is held', async () => !(await isFree()));
  await eventually('the lock is free', isFree);
});
