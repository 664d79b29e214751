import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { needsPostgres, openTestDatabase, startPostgres, type TestDatabase } from '../../testing/postgres.ts';
import { systemClock } from '../clock.ts';
import { Members } from './members.ts';
import { migrate } from './migrations.ts';
import { KERNEL_STEPS } from './schema.ts';

async function join(t: TestContext, server: TestDatabase, name: string, component = 'alerts'): Promise<Members> {
  const { postgres } = await openForTest(t, server.url, { name });
  await migrate(postgres, 'kernel', KERNEL_STEPS);
  const address = `${name}.example:9093`;
  const members = new Members({
    postgres,
    clock: systemClock,
    component,
    name,
    address,
    version: '1.2.3',
    configHash: 'h',
  });
  t.after(() => members.leave());
  await members.start();
  return members;
}

const namesOf = (members: Members) =>
  members.list().map(({ name, isAlive }) => `${name} ${isAlive ? 'alive' : 'dead'}`);

const untilKnown = (members: Members, ...names: string[]) =>
  eventually(`${names} instead of ${namesOf(members)}`, () => namesOf(members).join() === names.join());

describe('the nodes', { concurrency: true }, () => {
  test('nodes of one component know each other, their places and configurations, until they leave', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const b = await join(t, server, 'b');
    const a = await join(t, server, 'a');
    await join(t, server, 'other', 'rooms');
    for (const node of [a, b]) await untilKnown(node, 'a alive', 'b alive');
    assert.deepEqual([a.position, b.position], [0, 1]);
    assert.deepEqual([a.own.name, a.own.address, a.own.version], ['a', 'a.example:9093', '1.2.3']);
    assert.equal(b.list()[0]?.startedAt, a.own.startedAt);
    a.setConfigHash('h2');
    await eventually('the other configuration', () => b.list()[0]?.configHash === 'h2');
    await a.leave();
    await untilKnown(b, 'b alive');
    assert.equal(b.position, 0);
  });

  test('a node that was not seen for 5 s is dead, and its place is taken; after 15 minutes it is forgotten', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const node = await join(t, server, 'm');
    const add = (name: string, seconds: number) =>
      server.psql(`INSERT INTO opsdeck.node VALUES
      (gen_random_uuid(), 'alerts', '${name}', 'x', 'h', '1', clock_timestamp(), clock_timestamp() - interval '${seconds} seconds')`);
    await add('a', 6);
    await add('b', -60);
    await add('c', 16 * 60);
    await untilKnown(node, 'a dead', 'b alive', 'm alive');
    assert.equal(node.position, 1);
    await eventually(
      'it is forgotten',
      async () => (await server.psql("SELECT FROM opsdeck.node WHERE name = 'c'")).length === 0,
    );
  });

  test('a node that was killed and starts again replaces its former self', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const other = await join(t, server, 'other');
    await server.psql(`INSERT INTO opsdeck.node VALUES (gen_random_uuid(), 'alerts', 'a', 'a.example:9093', 'h', '1')`);
    await untilKnown(other, 'a alive', 'other alive');
    const again = await join(t, server, 'a');
    await untilKnown(other, 'a alive', 'other alive');
    await untilKnown(again, 'a alive', 'other alive');
  });

  test('while the database is away the last known nodes stay; a crash, which empties their table, is overcome', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    const a = await join(t, server, 'a');
    const b = await join(t, server, 'b');
    await untilKnown(a, 'a alive', 'b alive');
    await server.kill();
    assert.deepEqual([namesOf(a), b.position], [['a alive', 'b alive'], 1]);
    await server.start();
    await eventually('both are there', async () => (await server.psql('SELECT FROM opsdeck.node')).length === 2);
    await untilKnown(a, 'a alive', 'b alive');
  });
});
