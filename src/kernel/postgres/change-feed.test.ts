import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type FaultyLink, startFaultyLink } from '../../testing/faulty-link.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { needsPostgres, openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { type Change, ChangeFeed } from './change-feed.ts';
import { migrate } from './migrations.ts';
import type { Postgres } from './postgres.ts';
import { KERNEL_STEPS } from './schema.ts';

/** Of each of twelve writers. */
const COMMITS = isLongRound ? 20 : 8;

const STEPS = ['CREATE TABLE opsdeck.item (key text PRIMARY KEY, body text NOT NULL)'];

/** The keys of the items, as their changes and loads gave them. */
interface Node {
  readonly postgres: Postgres;
  readonly feed: ChangeFeed;
  readonly applied: Change[];
  readonly loads: (readonly string[])[];
  readonly lines: readonly string[];
  /** Fails the next `apply`. */
  failOnce(): void;
}

async function startNode(t: TestContext, url: string, clock: Clock = systemClock): Promise<Node> {
  const { postgres } = await openForTest(t, url);
  await migrate(postgres, 'kernel', KERNEL_STEPS);
  await migrate(postgres, 'items', STEPS);
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    format: 'logfmt',
    clock: systemClock,
    write: (line) => void lines.push(line),
  });
  const applied: Change[] = [];
  const loads: (readonly string[])[] = [];
  let isFailing = false;
  const feed = new ChangeFeed({
    postgres,
    clock,
    log,
    apply: (changes) => {
      if (isFailing) {
        isFailing = false;
        throw new Error('cannot be applied');
      }
      applied.push(...changes);
    },
    reload: async () => {
      const rows = await postgres.query<{ key: string }>('SELECT key FROM opsdeck.item ORDER BY key');
      loads.push(rows.map(({ key }) => key));
    },
  });
  t.after(() => feed.close());
  await feed.start();
  return {
    postgres,
    feed,
    applied,
    loads,
    lines,
    failOnce: () => {
      isFailing = true;
    },
  };
}

/** Writes items and their changes as one statement; the waits stand before and after the lock is taken. */
function write(postgres: Postgres, keys: readonly string[], [before, after] = [0, 0]): Promise<unknown> {
  return postgres.query(
    `WITH written AS (INSERT INTO opsdeck.item SELECT key, 'body of ' || key FROM unnest($1::text[]) AS key RETURNING *)
     SELECT pg_sleep($2), opsdeck.log_changes(array_agg('item'::text), array_agg(key), array_agg(body)), pg_sleep($3) FROM written`,
    [keys, before, after],
  );
}

async function startLinked(t: TestContext, server: TestDatabase): Promise<{ node: Node; link: FaultyLink }> {
  const link = await startFaultyLink(server.port, t);
  return { link, node: await startNode(t, server.url.replace(`:${server.port}/`, `:${link.port}/`)) };
}

const keysOf = (node: Node) => node.applied.map(({ key }) => key);

describe('the change feed', { only: isLongRound, concurrency: true }, () => {
  test('gives every commit of many concurrent writers once, in the order of commits, and nothing that was undone', {
    only: isLongRound,
  }, async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const reader = await startNode(t, server.url);
    const writers = await Promise.all(
      Array.from({ length: 3 }, async () => (await openForTest(t, server.url)).postgres),
    );
    const written: string[] = [];
    const writeAll = async (postgres: Postgres, name: string) => {
      for (let count = 0; count < COMMITS; count++) {
        const keys = [`${name}-${count}-a`, `${name}-${count}-b`];
        await write(postgres, keys, [Math.random() * 0.01, Math.random() * 0.003]);
        written.push(...keys);
        await assert.rejects(write(postgres, [`${name}-${count}-undone`, `${name}-${count}-undone`]), {
          code: '23505',
        });
      }
    };
    const reading = (async () => {
      while (written.length < COMMITS * 24) await reader.feed.catchUp();
    })();
    await Promise.all(
      writers.flatMap((postgres, node) => [0, 1, 2, 3].map((turn) => writeAll(postgres, `${node}-${turn}`))),
    );
    await reading;
    await reader.feed.catchUp();
    assert.deepEqual(keysOf(reader).toSorted(), written.toSorted());
    const seqs = reader.applied.map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    );
    assert.deepEqual(reader.loads, [[]]);
    const { kind, key, body, at } = reader.applied[0] as Change;
    assert.deepEqual([kind, body], ['item', `body of ${key}`]);
    assert.ok(Math.abs(at - reader.postgres.clock.now()) < 60_000);
  });

  test('has applied what was committed before catchUp was called, also by another node; callers share a read', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const [a, b] = [await startNode(t, server.url), await startNode(t, server.url)];
    for (let count = 0; count < 50; count++) {
      await write(a.postgres, [`k${count}`]);
      await b.feed.catchUp();
      assert.equal(keysOf(b).at(-1), `k${count}`);
    }
    let reads = 0;
    const query = b.postgres.query.bind(b.postgres);
    b.postgres.query = (...args) => {
      reads++;
      return query(...args);
    };
    await b.feed.close();
    reads = 0;
    await Promise.all(Array.from({ length: 100 }, () => b.feed.catchUp()));
    assert.equal(reads, 1);
  });

  test('loads at the start, and reads any number of changes in their order', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const a = await startNode(t, server.url);
    await write(a.postgres, ['early']);
    const b = await startNode(t, server.url);
    assert.deepEqual([b.loads, b.applied], [[['early']], []]);
    const keys = Array.from({ length: 12_000 }, (_, index) => String(index).padStart(5, '0'));
    await write(a.postgres, keys);
    await b.feed.catchUp();
    assert.deepEqual(keysOf(b), keys);
  });

  test('is woken by a commit: it need not poll', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const reader = await startNode(t, server.url, new FakeClock());
    const { postgres: writer } = await openForTest(t, server.url);
    await eventually('it listens', async () => (await listeners(server)).length === 1);
    await write(writer, ['a']);
    await eventually('it is woken', () => keysOf(reader).includes('a'));
  });

  test('listens again after its connection was ended, and finds by itself what came meanwhile', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const reader = await startNode(t, server.url);
    const [first] = await eventually('it listens', async () => {
      const found = await listeners(server);
      return found.length === 1 && found;
    });
    await server.psql(`SELECT pg_terminate_backend(${first})`);
    const { postgres: writer } = await openForTest(t, server.url);
    await write(writer, ['meanwhile']);
    await eventually('the change is applied', () => keysOf(reader).includes('meanwhile'));
    await eventually('it listens again', async () => (await listeners(server)).some((pid) => pid !== first));
    assert.equal(reader.loads.length, 1);
  });

  test('loads again when its position was pruned, but not when only what it knows was', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const clock = new FakeClock();
    const pruner = await startNode(t, server.url, clock);
    const { node, link } = await startLinked(t, server);
    const age = () => server.psql("UPDATE opsdeck.change SET at = at - interval '1 hour'");
    const prune = async () => {
      clock.advance(60_000);
      await eventually('it is pruned', async () => (await server.psql('SELECT FROM opsdeck.change')).length === 1);
    };
    const untilBack = () => eventually('it is back', () => node.feed.catchUp().then(() => true));
    await write(pruner.postgres, ['a', 'b']);
    await node.feed.catchUp();
    await link.refuse();
    await age();
    await write(pruner.postgres, ['c']);
    await prune();
    await link.heal();
    await untilBack();
    assert.deepEqual([keysOf(node), node.loads.length], [['a', 'b', 'c'], 1]);
    await link.refuse();
    await write(pruner.postgres, ['d', 'e']);
    await age();
    await prune();
    await link.heal();
    await untilBack();
    assert.deepEqual(
      [keysOf(node), node.loads.at(-1)],
      [
        ['a', 'b', 'c'],
        ['a', 'b', 'c', 'd', 'e'],
      ],
    );
    assert.match(node.lines.join(''), /changes were missed: everything is loaded again/);
  });

  test('loads again when history was rewritten, as by a standby that took over without the last commits', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const node = await startNode(t, server.url);
    await write(node.postgres, ['kept']);
    await write(node.postgres, ['lost']);
    await node.feed.catchUp();
    await server.psql(`
      DELETE FROM opsdeck.item WHERE key = 'lost';
      DELETE FROM opsdeck.change WHERE key = 'lost';
      SELECT setval('opsdeck.change_seq_seq', (SELECT max(seq) FROM opsdeck.change));
      INSERT INTO opsdeck.item VALUES ('other', '');
      SELECT opsdeck.log_changes(ARRAY['item'], ARRAY['other'], ARRAY['']);`);
    await node.feed.catchUp();
    assert.deepEqual(node.loads.at(-1), ['kept', 'other']);
    await write(node.postgres, ['later']);
    await node.feed.catchUp();
    assert.equal(keysOf(node).at(-1), 'later');
  });

  test('loads everything when changes cannot be applied, and goes on', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const node = await startNode(t, server.url);
    node.failOnce();
    await write(node.postgres, ['a']);
    await node.feed.catchUp();
    assert.deepEqual(node.loads, [[], ['a']]);
    assert.match(node.lines.join(''), /level=ERROR msg="changes could not be applied.* reason="cannot be applied"/);
    await write(node.postgres, ['b']);
    await node.feed.catchUp();
    assert.equal(keysOf(node).at(-1), 'b');
  });
});

/** The backends that listen. */
async function listeners(server: TestDatabase): Promise<readonly unknown[]> {
  const rows = await server.psql(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN opsdeck'",
  );
  return rows.map(({ pid }) => pid);
}
