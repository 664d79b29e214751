import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleScript, startChild } from '../../testing/child-script.ts';
import { eventually } from '../../testing/eventually.ts';
import { startFaultyLink } from '../../testing/faulty-link.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { needsPostgres, openTestDatabase, startPostgres, type TestDatabase } from '../../testing/postgres.ts';
import { SERVER } from '../testdata/tls-certificates.ts';
import type { Postgres } from './postgres.ts';
import { StorageAwayError } from './storage-error.ts';

/** The promise of every statement: an answer or a refusal. Awake time, so that a busy machine does not count. */
const MAX_ANSWER_MS = 3_000;

async function refusalOf(postgres: Postgres, sql = 'SELECT 1'): Promise<StorageAwayError> {
  const startedAt = postgres.awake.now();
  const error = await postgres.query(sql).then(
    () => assert.fail('it was answered'),
    (reason) => reason,
  );
  assert.ok(error instanceof StorageAwayError, String(error));
  const tookMs = postgres.awake.now() - startedAt;
  assert.ok(tookMs < MAX_ANSWER_MS, `${tookMs} ms`);
  return error;
}

const untilUp = (postgres: Postgres, isUp: boolean) =>
  eventually(isUp ? 'it is back' : 'it is away', () => postgres.isUp === isUp);

function portThrough(server: TestDatabase, port: number): string {
  return server.url.replace(`:${server.port}/`, `:${port}/`);
}

describe('a database', { concurrency: true }, () => {
  test('answers with numbers, epoch milliseconds, bytes and arrays, and takes them as values', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const { postgres } = await openForTest(t, server.url);
    const values = [
      [1, 2],
      ['a', 'b"\\,'],
      [Buffer.from('x'), Buffer.from([0, 255])],
    ];
    const rows = await postgres.query(
      `SELECT i, s, b, timestamptz '2026-01-02 03:04:05.678+02' AS t, 9007199254740991::int8 AS big, ARRAY['x', NULL] AS list,
         '-infinity'::timestamptz AS never, ARRAY[1, 2]::int8[] AS numbers, true AS yes, NULL AS nothing
       FROM unnest($1::int8[], $2::text[], $3::bytea[]) AS v (i, s, b) ORDER BY i DESC`,
      values,
    );
    const t0 = Date.parse('2026-01-02T01:04:05.678Z');
    const common = {
      t: t0,
      big: 2 ** 53 - 1,
      list: ['x', null],
      never: -Infinity,
      numbers: [1, 2],
      yes: true,
      nothing: null,
    };
    assert.deepEqual(rows, [
      { i: 2, s: 'b"\\,', b: Buffer.from([0, 255]), ...common },
      { i: 1, s: 'a', b: Buffer.from('x'), ...common },
    ]);
    assert.ok(Math.abs(postgres.clock.now() - Date.now()) < 1_000);
  });

  test('refuses a wrong statement with its code, and is up', async (t) => {
    if (!needsPostgres(t)) return;
    const { postgres, lines } = await openForTest(t, (await openTestDatabase()).url);
    await assert.rejects(postgres.query('SELECT * FROM absent'), { code: '42P01' });
    await assert.rejects(postgres.query('SELECT $1::int', []), { code: /08P01|42P02/ });
    await assert.rejects(postgres.query('SELECT 1', ['too many']), { code: '08P01' });
    assert.deepEqual([postgres.isUp, lines], [true, []]);
  });

  test('gets at most four statements at once, and all of a hundred are answered', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const { postgres } = await openForTest(t, server.url, { name: 'node-a' });
    const counts = await Promise.all(
      Array.from({ length: 100 }, () =>
        postgres.query<{ count: number }>(
          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'opsdeck/node-a' AND state = 'active' AND query LIKE '%a hundred%'",
        ),
      ),
    );
    assert.equal(counts.length, 100);
    assert.ok(counts.every(([row]) => Number(row?.count) <= 4));
    const [open] = await server.psql(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'opsdeck/node-a'",
    );
    assert.equal(open?.count, '5');
  });

  test('decides a deadlock unseen: the statement is repeated', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const { postgres } = await openForTest(t, server.url);
    await server.psql(`
      CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
      INSERT INTO counter VALUES (1, 0), (2, 0);
      CREATE SEQUENCE attempts;
      CREATE FUNCTION bump(first int, second int) RETURNS void LANGUAGE plpgsql SET deadlock_timeout = '100ms' AS $$ BEGIN
        PERFORM nextval('attempts');
        UPDATE counter SET n = n + 1 WHERE id = first;
        PERFORM pg_sleep(0.2);
        UPDATE counter SET n = n + 1 WHERE id = second;
      END $$`);
    await Promise.all([postgres.query('SELECT bump(1, 2)'), postgres.query('SELECT bump(2, 1)')]);
    const [row] = await postgres.query(
      'SELECT array_agg(n) AS counts, (SELECT last_value FROM attempts) AS tries FROM counter',
    );
    assert.deepEqual(row, { counts: [2, 2], tries: 3 });
  });

  test('that ends all connections is connected again, without an outage', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const { postgres, lines } = await openForTest(t, server.url);
    await Promise.all(Array.from({ length: 4 }, () => postgres.query('SELECT pg_sleep(0.05)')));
    await server.psql(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    // A statement may be sent before the end of its connection is known.
    await eventually('it answers', () => postgres.query('SELECT 1'));
    assert.deepEqual([postgres.isUp, lines], [true, []]);
  });
});

describe('an outage', { concurrency: true }, () => {
  test('by a kill: refused within 3 s, then at once, and up again after the restart; the log has two lines', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    const { postgres, lines } = await openForTest(t, server.url);
    const changes: boolean[] = [];
    postgres.subscribe((isUp) => changes.push(isUp));
    await server.kill();
    await refusalOf(postgres);
    await untilUp(postgres, false);
    assert.ok((postgres.awaySince ?? 0) <= Date.now());
    const asked = postgres.awake.now();
    for (let count = 0; count < 100; count++)
      assert.match((await refusalOf(postgres)).message, /^PostgreSQL is away: /);
    assert.ok(postgres.awake.now() - asked < 1_000);
    await server.start();
    await untilUp(postgres, true);
    assert.deepEqual(await postgres.query('SELECT 1 AS one'), [{ one: 1 }]);
    assert.deepEqual([changes, postgres.awaySince], [[false, true], undefined]);
    assert.equal(lines.length, 2, lines.join(''));
    assert.match(lines[0] ?? '', /level=WARN msg="PostgreSQL is away" database=127\.0\.0\.1:\d+\/postgres reason=/);
    assert.match(lines[1] ?? '', /level=INFO msg="PostgreSQL is back" database=127\.0\.0\.1:\d+\/postgres away=/);
    assert.ok(!lines.join('').includes(server.password));
  });

  test('a restart is no outage: the new server answers a statement sent meanwhile', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    const { postgres, lines } = await openForTest(t, server.url);
    await server.stop();
    const answered = postgres.query('SELECT 1 AS one', [], { deadlineMs: 60_000 });
    await server.start();
    assert.deepEqual(await answered, [{ one: 1 }]);
    assert.deepEqual(
      lines.filter((line) => !/away|back/.test(line)),
      [],
    );
  });

  test('by a paused server: all statements are refused within 3 s, then at once, and answered when it goes on', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    const { postgres } = await openForTest(t, server.url);
    await Promise.all(Array.from({ length: 4 }, () => postgres.query('SELECT pg_sleep(0.05)')));
    server.pause();
    const errors = await Promise.all(Array.from({ length: 12 }, () => refusalOf(postgres)));
    assert.ok(errors.some(({ isUncertain }) => isUncertain));
    assert.ok(errors.some(({ isUncertain }) => !isUncertain));
    await untilUp(postgres, false);
    server.resume();
    await untilUp(postgres, true);
    await Promise.all(Array.from({ length: 12 }, () => postgres.query('SELECT 1')));
  });

  test('between commit and answer: the statement is uncertain, and may have been executed', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const link = await startFaultyLink(server.port, t);
    const { postgres } = await openForTest(t, portThrough(server, link.port));
    await postgres.query('CREATE TABLE kept (id int)');
    link.dropAnswers();
    assert.equal((await refusalOf(postgres, 'INSERT INTO kept VALUES (1)')).isUncertain, true);
    assert.deepEqual(await server.psql('SELECT id FROM kept'), [{ id: 1 }]);
    await untilUp(postgres, false);
    await link.heal();
    await untilUp(postgres, true);
  });

  test('by a link that hangs, refuses, or was cut, with TLS, ends when the link works', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    await server.useTls(SERVER);
    const link = await startFaultyLink(server.port, t);
    const { postgres } = await openForTest(t, portThrough(server, link.port));
    link.cut();
    await eventually('it answers', () => postgres.query('SELECT 1'));
    link.hang();
    assert.match((await refusalOf(postgres)).message, /no answer within/);
    await untilUp(postgres, false);
    await link.refuse();
    assert.equal((await refusalOf(postgres)).isUncertain, false);
    await link.heal();
    await untilUp(postgres, true);
    await postgres.query('SELECT 1');
  });

  test('of commits alone is one: the synchronous standby is missing, though reads are answered', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    const { postgres } = await openForTest(t, server.url);
    await server.psql("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
    await server.psql('SELECT pg_reload_conf()');
    await eventually('it is away', async () => {
      if (postgres.isUp) await postgres.query('SELECT 1').catch(() => {});
      return !postgres.isUp;
    });
    await server.psql('ALTER SYSTEM RESET synchronous_standby_names');
    await server.psql('SELECT pg_reload_conf()');
    await untilUp(postgres, true);
  });

  test('by a server that became read-only is one, until it takes writes', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    const { postgres, lines } = await openForTest(t, server.url);
    const setReadOnly = async (value: string) => {
      await server.psql(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
      await server.psql('SELECT pg_reload_conf()');
    };
    await setReadOnly('on');
    await untilUp(postgres, false);
    assert.match(lines.join(''), /reason="?it is read-only/);
    await server.psql('ALTER SYSTEM RESET default_transaction_read_only');
    await server.psql('SELECT pg_reload_conf()');
    await untilUp(postgres, true);
  });

  test('is not what a process sees that was itself stopped for 5 s', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const script = await bundleScript(`
      import { systemClock } from './clock.ts';
      import { readConnectionUrl } from './postgres/connection-url.ts';
      import { openPostgres } from './postgres/postgres.ts';
      const lines: string[] = [];
      const note = (message: string) => void lines.push(message);
      const log = { debug: note, info: note, warn: note, error: note, debugging: false };
      const target = readConnectionUrl(process.argv.at(-1) ?? '');
      if (!target.ok) throw new Error(target.reason);
      const postgres = await openPostgres({ target: target.value, applicationName: 'x', clock: systemClock, log, waitMs: 0 });
      postgres.subscribe((isUp) => note('isUp ' + isUp));
      let answered = 0;
      let refused = 0;
      let isDone = false;
      const ask = async () => {
        while (!isDone) await postgres.query('SELECT pg_sleep(0.02)').then(() => answered++, () => refused++);
      };
      const asking = [ask(), ask(), ask()];
      process.stdin.once('data', async () => {
        const before = answered;
        while (answered < before + 50) await new Promise((done) => setTimeout(done, 10));
        isDone = true;
        await Promise.all(asking);
        process.stdout.write(JSON.stringify({ refused, lines }) + '\\n', () => process.exit());
      });
      process.stdout.write('ready\\n');
    `);
    const child = startChild(t, script, { args: [server.url] });
    assert.equal(await child.readLine(), 'ready');
    child.kill('SIGSTOP');
    await new Promise((done) => setTimeout(done, 5_000));
    child.kill('SIGCONT');
    child.send('report');
    assert.deepEqual(JSON.parse((await child.readLine()) ?? (await child.end).stderr), { refused: 0, lines: [] });
  });
});
