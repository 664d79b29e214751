import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openForTest } from '../../testing/opened-postgres.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { CommandError, ExitCode } from '../errors.ts';
import { migrate } from './migrations.ts';
import { KERNEL_STEPS } from './schema.ts';

const STEPS = [
  'CREATE TABLE opsdeck.thing (id int); INSERT INTO opsdeck.thing VALUES (1)',
  'ALTER TABLE opsdeck.thing ADD COLUMN name text; INSERT INTO opsdeck.thing VALUES (2, $$b$$)',
];

const open = async (t: TestContext, url: string) => (await openForTest(t, url)).postgres;

describe('a migration', { concurrency: true }, () => {
  test('nodes that start at the same moment run each step once, later ones only what is new', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const nodes = await Promise.all(Array.from({ length: 5 }, () => open(t, server.url)));
    await Promise.all(nodes.map((node) => migrate(node, 'things', STEPS.slice(0, 1))));
    await Promise.all(nodes.map((node) => migrate(node, 'things', STEPS)));
    await Promise.all(nodes.map((node) => migrate(node, 'kernel', KERNEL_STEPS)));
    assert.deepEqual(await server.psql('SELECT * FROM opsdeck.thing ORDER BY id'), [
      { id: 1, name: null },
      { id: 2, name: 'b' },
    ]);
    assert.deepEqual(await server.psql('SELECT * FROM opsdeck.schema_version ORDER BY component'), [
      { component: 'kernel', version: KERNEL_STEPS.length, min_reader: KERNEL_STEPS.length },
      { component: 'things', version: 2, min_reader: 2 },
    ]);
  });

  test('a schema of a newer version is refused, unless that version says that this one can use it', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const node = await open(t, server.url);
    await migrate(node, 'things', STEPS, { minReader: 1 });
    await migrate(node, 'things', STEPS.slice(0, 1));
    assert.deepEqual(await server.psql('SELECT version, min_reader FROM opsdeck.schema_version'), [
      { version: 2, min_reader: 1 },
    ]);
    await server.psql('UPDATE opsdeck.schema_version SET min_reader = 2');
    await assert.rejects(migrate(node, 'things', STEPS.slice(0, 1)), (error) => {
      assert.ok(error instanceof CommandError && error.exitCode === ExitCode.failed);
      assert.match(
        error.message,
        /written by a newer opsdeck \(schema things 2, this one knows 1\): start that version/,
      );
      return true;
    });
  });

  test('a step that fails leaves nothing of the steps before it', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    const node = await open(t, server.url);
    await assert.rejects(migrate(node, 'things', [...STEPS, 'SELECT 1/0']), /division by zero/);
    assert.deepEqual(await server.psql("SELECT FROM pg_namespace WHERE nspname = 'opsdeck'"), []);
    await migrate(node, 'things', STEPS);
  });

  test('without the right to create the schema the error names the GRANT; a schema made by an administrator is used', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await openTestDatabase();
    await server.psql("CREATE ROLE migrating_guest LOGIN PASSWORD 'guest-pw'");
    const node = await open(t, server.url.replace(`opsdeck:${server.password}`, 'migrating_guest:guest-pw'));
    await assert.rejects(migrate(node, 'things', STEPS), (error) => {
      assert.ok(error instanceof CommandError && error.exitCode === ExitCode.failed);
      assert.match(
        error.message,
        /too few rights \(permission denied for database \w+\): GRANT CONNECT, CREATE ON DATABASE/,
      );
      return true;
    });
    await server.psql('CREATE SCHEMA opsdeck AUTHORIZATION migrating_guest');
    await migrate(node, 'things', STEPS);
    await migrate(node, 'kernel', KERNEL_STEPS);
  });
});
