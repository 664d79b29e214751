import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeLogs, LogFolder, line, NOW } from '../../testing/agent-store.ts';
import { openUsageDatabase } from './open-database.ts';

const MINUTE = 60_000;

test('the events of all logs are there, newest first, with project and cost', async (t) => {
  const folder = new LogFolder(t);
  folder.write(
    'a/1.log',
    line('k1', { output: 5 }),
    line('k2', { at: NOW - MINUTE, model: 'free', project: 'täg "x"' }),
  );
  folder.write('b/c/2.log', line('k3', { at: NOW - 2 * MINUTE }));
  folder.write('b/notes.txt', 'nothing');
  const store = await folder.open();
  const status = await store.ready();
  const [first, second, third] = await store.events();
  assert.deepEqual(first, {
    timestamp: String(NOW),
    model: 'm1',
    project: 'p1',
    kind: 'ESTIMATED',
    isEstimated: true,
    tokenUsage: { inputTokens: 1, outputTokens: 5, cacheWriteTokens: 3, cacheReadTokens: 4 },
    chargedCents: 5,
  });
  assert.deepEqual([second?.project, second?.model, second?.chargedCents], ['täg "x"', 'free', undefined]);
  assert.equal(third?.timestamp, String(NOW - 2 * MINUTE));
  const [agent] = status.agents;
  assert.deepEqual([agent?.files, agent?.events, agent?.skipped], [2, 3, {}]);
  assert.deepEqual(agent?.folders, [{ path: folder.path, files: 2 }]);
  assert.deepEqual([status.unknownModels, status.prices], [['free'], { asOf: '2026-03-01' }]);
  assert.match(folder.logged, /models without a price: .*models=free\n/);
});

test('a range has its two ends, and the count is that of its events', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', ...[0, 1, 2, 3, 4].map((n) => line(`k${n}`, { at: NOW - n * MINUTE, output: n })));
  const store = await folder.open();
  await store.ready();
  const range = { startAt: NOW - 3 * MINUTE, endAt: NOW - MINUTE };
  assert.deepEqual(
    (await store.events(range)).map(({ tokenUsage }) => tokenUsage.outputTokens),
    [1, 2, 3],
  );
  assert.equal(await store.store.count('claude', range), 3);
  assert.equal(await store.store.count('codex', {}), 0);
});

test('many events of one instant are answered in pages, each once', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', ...Array.from({ length: 5_500 }, (_, n) => line(`k${n}`, { output: n })));
  const store = await folder.open();
  await store.ready();
  assert.equal(new Set(await store.outputs()).size, 5_500);
});

test('a restart reads nothing again, and an appended line alone', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1'), line('k2'));
  folder.write('2.log', line('k3'));
  const before = await folder.open();
  const { version } = await before.ready();
  await before.store.close();
  folder.append('2.log', line('k4'), line('k5'));
  const logs = new FakeLogs();
  const store = await folder.open(logs);
  const status = await store.ready();
  assert.deepEqual([logs.opened, logs.lines], [['2.log 1'], 2]);
  assert.equal(status.agents[0]?.events, 5);
  assert.ok(status.version > version, 'the version goes on');
});

test('a line appended while the server runs is a new event, and the version tells its instant', async (t) => {
  const folder = new LogFolder(t);
  folder.write('a/1.log', line('k1', { at: NOW - MINUTE }));
  const store = await folder.open();
  const { version } = await store.ready();
  folder.append('a/1.log', line('k2', { output: 7 }));
  await store.changed('a/1.log');
  assert.deepEqual(await store.outputs(), [7, 2]);
  assert.equal(await store.store.changedFrom('claude', version), NOW);
  assert.equal(await store.store.changedFrom('claude', 0), NOW - MINUTE);
  assert.equal(await store.store.changedFrom('codex', 0), undefined);
});

test('new folders are followed as well', async (t) => {
  const folder = new LogFolder(t);
  const store = await folder.open();
  await store.ready();
  folder.write('a/b/1.log', line('k1'));
  await store.changed('a');
  folder.append('a/b/1.log', line('k2'));
  await store.changed('a/b/1.log');
  assert.equal((await store.events()).length, 2);
});

test('a folder that was moved is followed under its new name, and one that took its place, too', async (t) => {
  const folder = new LogFolder(t);
  folder.write('a/b/1.log', line('k1'));
  const store = await folder.open();
  await store.ready();
  renameSync(folder.pathOf('a'), folder.pathOf('z'));
  folder.write('a/b/2.log', line('k2'));
  store.reported('z');
  await store.changed('a');
  folder.append('a/b/2.log', line('k3'));
  await store.changed('a/b/2.log');
  folder.append('z/b/1.log', line('k4'));
  await store.changed('z/b/1.log');
  assert.equal((await store.events()).length, 4);
});

test('of events with one key the higher rank counts, among equals the earlier, in whatever order they are read', async (t) => {
  const forms = [
    { rank: 1, at: NOW - 2 * MINUTE, output: 1 },
    { rank: 3, at: NOW, output: 3 },
    { rank: 3, at: NOW - MINUTE, output: 4 },
    { rank: 2, at: NOW, output: 2 },
  ];
  for (let first = 0; first < forms.length; first++) {
    const folder = new LogFolder(t);
    const store = await folder.open();
    const { version } = await store.ready();
    for (let n = 0; n < forms.length; n++) folder.write(`${n}.log`, line('same', forms[(first + n) % forms.length]));
    for (let n = 0; n < forms.length; n++) store.reported(`${n}.log`);
    folder.write('last.log', line('last', { at: NOW - 3 * MINUTE, output: 9 }));
    store.reported('last.log');
    await store.until(({ agents }) => agents[0]?.events === 2);
    assert.deepEqual(await store.outputs(), [4, 9]);
    assert.equal(await store.store.changedFrom('claude', version), NOW - 3 * MINUTE);
  }
});

test('a replaced event is reported from its earlier instant on', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1', { at: NOW - MINUTE, rank: 1 }));
  const store = await folder.open();
  const { version } = await store.ready();
  folder.append('1.log', line('k1', { at: NOW, rank: 2, output: 8 }));
  await store.changed('1.log');
  assert.deepEqual(await store.outputs(), [8]);
  assert.equal(await store.store.changedFrom('claude', version), NOW - MINUTE);
});

test('a half-written line waits for its end; a whole one needs none', async (t) => {
  const folder = new LogFolder(t);
  const half = line('k2', { output: 5 });
  folder.write('1.log', line('k1'), half.slice(0, 20));
  const store = await folder.open();
  assert.deepEqual((await store.ready()).agents[0]?.skipped, {});
  folder.append('1.log', half.slice(20).trimEnd());
  await store.changed('1.log');
  assert.deepEqual((await store.outputs()).toSorted(), [2, 5]);
  folder.append('1.log', `\n${line('k3', { output: 6 })}`);
  const { agents } = await store.changed('1.log');
  assert.deepEqual((await store.outputs()).toSorted(), [2, 5, 6]);
  assert.deepEqual(agents[0]?.skipped, {});
});

test('a truncated, a replaced and a rewritten log are read from their start; what was read stays', async (t) => {
  const folder = new LogFolder(t);
  const logs = new FakeLogs();
  for (const name of ['1.log', '2.log', '3.log']) folder.write(name, line(`${name} a`), line(`${name} b`));
  const store = await folder.open(logs);
  await store.ready();
  truncateSync(folder.pathOf('1.log'));
  folder.append('1.log', line('1.log c'));
  await store.changed('1.log');
  writeFileSync(folder.pathOf('new'), [line('2.log a'), line('2.log b'), line('2.log c')].join(''));
  renameSync(folder.pathOf('new'), folder.pathOf('2.log'));
  await store.changed('2.log');
  // The same file, longer than before, with other content.
  folder.write('3.log', line('3.log c'), line('3.log d'), line('3.log e'));
  const { agents } = await store.changed('3.log');
  assert.equal(agents[0]?.events, 3 + 3 + 5);
  assert.deepEqual(
    logs.opened.slice(3),
    ['1.log', '2.log', '3.log'].map((name) => `${name} 0`),
  );
});

test('the events of a deleted log stay, also after a restart', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1'));
  const before = await folder.open();
  await before.ready();
  rmSync(folder.pathOf('1.log'));
  before.reported('1.log');
  assert.equal((await before.until(({ agents }) => agents[0]?.files === 0)).agents[0]?.events, 1);
  await before.store.close();
  const store = await folder.open();
  assert.equal((await store.ready()).agents[0]?.events, 1);
});

test('foreign lines, links out of the folder and logs that cannot be read are counted and left out', async (t) => {
  const folder = new LogFolder(t);
  const outside = join(folder.path, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.log'), line('secret'));
  folder.write(
    '1.log',
    'no JSON\n',
    '[1, {"key": 7}]\n',
    'null\n',
    '{}\n',
    line('k1'),
    line('k2', { input: -1 }),
    line('k3', { at: 0.5 }),
  );
  symlinkSync(outside, folder.pathOf('folder'));
  symlinkSync(join(outside, 'secret.log'), folder.pathOf('link.log'));
  symlinkSync(folder.pathOf('1.log'), folder.pathOf('within.log'));
  symlinkSync(folder.path, folder.pathOf('loop'));
  symlinkSync('/nowhere', folder.pathOf('dead.log'));
  const store = await folder.open();
  const { agents } = await store.ready();
  assert.deepEqual([agents[0]?.files, agents[0]?.events], [1, 1]);
  assert.deepEqual(agents[0]?.skipped, { lines: 5, links: 2 });
});

test('logs that cannot be read are counted, with one line in the log, and read when they can be', async (t) => {
  const folder = new LogFolder(t);
  const logs = new FakeLogs();
  logs.failure = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  folder.write('1.log', line('k1'));
  folder.write('2.log', line('k2'));
  const store = await folder.open(logs);
  assert.deepEqual((await store.ready()).agents[0]?.skipped, { unreadable: 2 });
  assert.equal(folder.logged.match(/level=WARN/g)?.length, 1);
  logs.failure = undefined;
  store.reported('1.log');
  store.reported('2.log');
  const { agents } = await store.until((status) => status.agents[0]?.events === 2);
  assert.deepEqual(agents[0]?.skipped, {});
});

test('a document is read again as a whole, and replaces its events', async (t) => {
  const folder = new LogFolder(t);
  const document = (...outputs: readonly number[]) =>
    JSON.stringify(outputs.map((output, n) => ({ key: `k${n}`, at: NOW - n * MINUTE, output })));
  folder.write('1.log', document(1, 2));
  const store = await folder.open(new FakeLogs('gemini', 'whole'));
  await store.ready();
  folder.write('1.log', document(1, 5, 3).slice(0, -9));
  store.reported('1.log');
  await store.until(({ agents }) => agents[0]?.skipped.lines === 1);
  assert.deepEqual(await store.outputs(), [1, 2]);
  folder.write('1.log', document(1, 5, 3));
  assert.deepEqual((await store.changed('1.log')).agents[0]?.skipped, {});
  assert.deepEqual(await store.outputs(), [1, 5, 3]);
});

test('a folder that does not exist is nothing, and is found when it is made', async (t) => {
  const folder = new LogFolder(t);
  rmSync(folder.path, { recursive: true });
  const store = await folder.open();
  const { agents } = await store.ready();
  const searched = [{ path: folder.path, files: 0 }];
  assert.deepEqual([agents[0]?.files, agents[0]?.folders, folder.logged], [0, searched, '']);
  folder.write('1.log', line('k1'));
  folder.clock.advance(1000);
  await store.until((status) => status.agents[0]?.events === 1);
});

test('where the system reports nothing, a change is found by searching', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1'));
  const store = await folder.open();
  await store.ready();
  folder.append('1.log', line('k2'));
  utimesSync(folder.pathOf('1.log'), NOW / 1000, NOW / 1000);
  folder.clock.advance(30_000);
  await store.until(({ agents }) => agents[0]?.events === 2);
  // From now on it does not wait for reports.
  folder.append('1.log', line('k3'));
  folder.clock.advance(1000);
  await store.until(({ agents }) => agents[0]?.events === 3);
});

test('the summary is that of the calendar month', async (t) => {
  const folder = new LogFolder(t);
  const last = new Date(2026, 2, 1).getTime() - 1;
  folder.write(
    '1.log',
    line('k1', { output: 100 }),
    line('k2', { output: 20.4 }),
    line('k3', { at: last, output: 7 }),
    line('k4', { output: 20 }),
  );
  const store = await folder.open();
  await store.ready();
  assert.deepEqual(await store.store.summary('claude'), {
    billingCycleStart: new Date(2026, 2, 1).toISOString(),
    billingCycleEnd: new Date(2026, 3, 1).toISOString(),
    isUnlimited: true,
    individualUsage: { overall: { used: 120, limit: null } },
  });
});

test('a store that has stopped reading answers what it has read, under the status of before', async (t) => {
  const folder = new LogFolder(t);
  folder.write('1.log', line('k1', { output: 5 }), 'not understood\n');
  const store = await folder.open();
  const before = await store.ready();
  await store.store.stopReading();
  folder.append('1.log', line('k2'));
  store.reported('1.log');
  folder.clock.advance(60_000);
  assert.deepEqual(await store.outputs(), [5]);
  assert.deepEqual((await store.store.status(0)).status, before);
  assert.deepEqual([before.agents[0]?.files, before.agents[0]?.skipped], [1, { lines: 1 }]);
});

test('a closed store answers who waits', async (t) => {
  const folder = new LogFolder(t);
  const store = await folder.open();
  const { number } = await store.store.status(0);
  const waiting = store.store.status(number + 100);
  await store.store.close();
  await assert.rejects(waiting, /closed/);
});

test('the longer a status takes, the fewer are written while logs are read', async (t) => {
  const folder = new LogFolder(t);
  const { clock } = folder;
  const database = await openUsageDatabase(folder.dataDir, clock, folder.log);
  const count = database.count.bind(database);
  let statuses = 0;
  database.count = (...of) => {
    statuses++;
    clock.advance(50);
    return count(...of);
  };
  /** A file of one line takes a tenth of a second, and so is a batch. */
  class SlowLogs extends FakeLogs {
    override open(path: string, state?: string) {
      const reader = super.open(path, state);
      const read = (bytes: Buffer) => {
        clock.advance(100);
        return reader.read(bytes);
      };
      return { ...reader, read };
    }
  }
  for (let n = 0; n < 100; n++) folder.write(`${n}.log`, line(`k${n}`));
  const store = await folder.open(new SlowLogs(), { database });
  const { agents } = await store.ready();
  assert.equal(agents[0]?.events, 100);
  assert.ok(statuses >= 5 && statuses <= 15, `${statuses} statuses in ten seconds`);
});
