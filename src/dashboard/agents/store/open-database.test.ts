import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../../kernel/storage/database.ts';
import { ProjectFiles } from '../../project-files/project-files.ts';
import { FakeLogs, LogFolder, line } from '../../testing/agent-store.ts';
import { AGENTS_FILE, openUsageDatabase } from './open-database.ts';
import type { BatchEvent, FileState, UsageDatabase } from './usage-database.ts';

test('what was read lies in one file for this user alone, which the dashboard does not serve', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1'));
  const store = await folder.open();
  await store.ready();
  const names = readdirSync(folder.dataDir);
  assert.ok(names.includes(AGENTS_FILE));
  for (const name of names) assert.equal(statSync(join(folder.dataDir, name)).mode & 0o077, 0, name);
  const project = join(folder.dataDir, '..');
  const files = new ProjectFiles({ folder: project, secrets: [], withheld: [], log: folder.log });
  for (const name of names) assert.equal(await files.open(`data/${name}`), undefined);
});

test('a file that is no database, a damaged one and one of another program are moved aside, and the logs read again', async (t) => {
  const spoilt: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'no database': async (path) =>
      writeFileSync(path, 'this is not a database, but a text of some length\n'.repeat(200)),
    damaged: async (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xff, 100, 4096));
    },
    foreign: async (path) => {
      writeFileSync(path, '');
      const directory = { path: join(path, '..'), release() {} };
      const migrations = ['CREATE TABLE event (id INTEGER PRIMARY KEY, text TEXT)'];
      await (await openDatabase({ directory, name: AGENTS_FILE, migrations })).close();
    },
  };
  for (const [name, spoil] of Object.entries(spoilt)) {
    const folder = new LogFolder(t);
    folder.write('1.log', line('k1'));
    const before = await folder.open();
    const { version } = await before.ready();
    await before.store.close();
    await spoil(join(folder.dataDir, AGENTS_FILE));
    const logs = new FakeLogs();
    folder.clock.advance(60_000);
    const store = await folder.open(logs);
    assert.equal((await store.ready()).agents[0]?.events, 1, name);
    assert.deepEqual(logs.opened, ['1.log 0'], name);
    assert.match(folder.logged, /level=ERROR msg="the usage of coding assistants could not be opened; .* moved aside/);
    assert.ok(
      readdirSync(folder.dataDir).some((file) => /^\.agents\.sqlite\.corrupt-\d+$/.test(file)),
      name,
    );
    assert.notEqual((await store.ready()).version, version, 'a page of before learns that all has changed');
  }
});

test('a database of a newer opsdeck stays as it is', async (t) => {
  const folder = new LogFolder(t);
  mkdirSync(folder.dataDir);
  const directory = { path: folder.dataDir, release() {} };
  await (await openDatabase({ directory, name: AGENTS_FILE, migrations: ['', '', ''] })).close();
  const before = readFileSync(join(folder.dataDir, AGENTS_FILE));
  folder.write('1.log', line('k1'));
  const store = await folder.open();
  assert.equal((await store.ready()).agents[0]?.events, 1);
  assert.deepEqual(readFileSync(join(folder.dataDir, AGENTS_FILE)), before);
  assert.match(
    folder.logged,
    /level=WARN msg="the usage of coding assistants cannot be stored; it is read again at each start.*newer/,
  );
});

test('without a place to write nothing is kept beyond the end, with one line in the log', async (t) => {
  const folder = new LogFolder(t);
  writeFileSync(folder.dataDir, 'a file where the folder should be');
  folder.write('1.log', line('k1'));
  const store = await folder.open();
  await store.ready();
  folder.append('1.log', line('k2'));
  await store.changed('1.log');
  assert.equal((await store.events()).length, 2);
  assert.equal(folder.logged.match(/level=/g)?.length, 1);
  assert.match(folder.logged, /level=WARN msg="the usage of coding assistants cannot be stored/);
});

test('two servers of one project share what was read, and each sees what the other has read', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1'));
  const one = await folder.open();
  await one.ready();
  const logs = new FakeLogs();
  const other = await folder.open(logs);
  await other.ready();
  assert.deepEqual(logs.opened, []);
  folder.append('1.log', line('k2'));
  const { version } = await one.changed('1.log');
  folder.clock.advance(1000);
  await other.until((status) => status.version === version);
  assert.equal((await other.events()).length, 2);
  folder.append('1.log', line('k3'));
  one.reported('1.log');
  other.reported('1.log');
  for (const store of [one, other]) await store.until(({ agents }) => agents[0]?.events === 3);
});

/** Commits fail while there is a failure. */
function failing(database: UsageDatabase): UsageDatabase & { failure: Error | undefined } {
  const state: { failure: Error | undefined } = { failure: undefined };
  const commit = async (files: readonly FileState[], events: readonly BatchEvent[]) => {
    if (state.failure) throw state.failure;
    await database.commit(files, events);
  };
  return new Proxy(database, {
    get: (_, name) => {
      if (name === 'failure') return state.failure;
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(database, name);
      return typeof value === 'function' ? value.bind(database) : value;
    },
    set: (_, name, value) => Reflect.set(state, name, value),
  }) as UsageDatabase & { failure: Error | undefined };
}

test('on a full disk nothing is lost or counted twice, and the status says it until there is room', async (t) => {
  const folder = new LogFolder(t);
  const database = failing(await openUsageDatabase(folder.dataDir, folder.clock, folder.log));
  folder.write('1.log', line('k1'));
  const store = await folder.open(new FakeLogs(), { database });
  await store.ready();
  database.failure = new Error('database or disk is full');
  folder.append('1.log', line('k2'), line('k3'));
  store.reported('1.log');
  assert.equal((await store.until(({ problem }) => problem !== undefined)).problem, 'database or disk is full');
  assert.equal((await store.events()).length, 1);
  database.failure = undefined;
  folder.clock.advance(2000);
  const status = await store.until(({ problem }) => problem === undefined);
  assert.equal(status.agents[0]?.events, 3);
  assert.equal(folder.logged.match(/level=ERROR/g)?.length, 1);
  assert.match(folder.logged, /stored again/);
});

test('damage within the file is found once the thread has died of it', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', ...Array.from({ length: 3_000 }, (_, n) => line(`k${n}`)));
  const store = await folder.open();
  await store.ready();
  await store.store.close();
  const path = join(folder.dataDir, AGENTS_FILE);
  const bytes = readFileSync(path);
  const page = 4096 * Math.floor(bytes.length / 4096 / 2);
  writeFileSync(path, bytes.fill(0xff, page, page + 4096));
  await (await openUsageDatabase(folder.dataDir, folder.clock, folder.log)).close();
  assert.equal(folder.logged, '', 'not at every start');
  const database = await openUsageDatabase(folder.dataDir, folder.clock, folder.log, true);
  t.after(() => database.close());
  assert.equal(await database.count('claude', {}), 0);
  assert.match(folder.logged, /moved aside/);
});
