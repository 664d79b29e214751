import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { FakeClock } from '../testing/fake/clock.ts';
import type { EnvironmentOptions } from './config/relay-options.ts';
import type { DataSink, DataSource } from './data-source.ts';
import { type FlagData, readFlagData } from './flag-store.ts';
import { recordingFile, recordSource } from './recording.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { settle } from './testing/launchdarkly/http.ts';
import { emptySink, plainEnvironment, RecordingLog, SAMPLE_SDK_KEY } from './testing/launchdarkly/parts.ts';

class IdleSource implements DataSource {
  starts = 0;
  closes = 0;

  start(): void {
    this.starts += 1;
  }

  use(): void {}

  async close(): Promise<void> {
    this.closes += 1;
  }
}

function dataOf(...flags: readonly (readonly [key: string, version: number])[]): FlagData {
  const read = readFlagData({
    flags: Object.fromEntries(flags.map(([key, version]) => [key, plainFlag(key, true, version)])),
  });
  assert.ok(read.ok);
  return read.value;
}

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Recorded extends DataSink {
  readonly source: DataSource;
  readonly inner: IdleSource;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly file: string;
}

function startRecording(t: TestContext, folder: string, options: Partial<EnvironmentOptions> = {}): Recorded {
  const clock = new FakeClock();
  const log = new RecordingLog();
  const sink = emptySink(clock);
  const inner = new IdleSource();
  const deps = { folder, environment: plainEnvironment(options), clock, log };
  const source = recordSource(inner, sink, deps);
  t.after(() => source.close());
  source.start();
  return { ...sink, source, inner, clock, log, file: recordingFile(deps).path };
}

async function flagsOnDisk(file: string): Promise<unknown> {
  const { flags } = JSON.parse(await readFile(file, 'utf8')) as { flags: Record<string, { version: number }> };
  return Object.fromEntries(Object.entries(flags).map(([key, { version }]) => [key, version]));
}

/** Fills the folder as an earlier process would have done. */
async function recordBefore(t: TestContext, folder: string, data: FlagData): Promise<string> {
  const before = startRecording(t, folder);
  before.store.replace(data);
  await before.source.close();
  return before.file;
}

test('delivered data is on disk two seconds later, and later changes with it', async (t) => {
  const folder = join(await emptyFolder(t), 'made', 'on demand');
  const { store, clock, file } = startRecording(t, folder);
  store.replace(dataOf(['a', 1]));
  store.upsert('flags', 'b', dataOf(['b', 2]).flags.b as never);
  clock.advance(1999);
  await settle();
  await assert.rejects(readdir(folder), /ENOENT/);
  clock.advance(1);
  await eventually('the file', () => flagsOnDisk(file), { everyMs: 5 });
  assert.deepEqual(await flagsOnDisk(file), { a: 1, b: 2 });
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await readdir(folder)).length, 1);
});

test('changes go on being written', async (t) => {
  const { store, clock, file } = startRecording(t, await emptyFolder(t));
  store.replace(dataOf(['a', 1], ['b', 1]));
  clock.advance(2000);
  await eventually('the file', () => flagsOnDisk(file), { everyMs: 5 });
  store.remove('flags', 'a', 2);
  await eventually('the change', async () => {
    clock.advance(2000);
    return JSON.stringify(await flagsOnDisk(file)) === '{"b":1}';
  });
});

test('neither the name nor the content of the file has the key', async (t) => {
  const folder = await emptyFolder(t);
  const file = await recordBefore(t, folder, dataOf(['a', 1]));
  assert.match(file, /\/[0-9a-f]{32}\.json$/);
  assert.ok(!(await readFile(file, 'utf8')).includes(SAMPLE_SDK_KEY));
});

test('after a rotation the data is recorded for the new key', async (t) => {
  const folder = await emptyFolder(t);
  const { source, store, file } = startRecording(t, folder);
  store.replace(dataOf(['a', 1]));
  source.use(plainEnvironment({ sdkKey: 'sdk-new' }));
  await source.close();
  const names = (await readdir(folder)).map((name) => join(folder, name));
  const [name = ''] = names.filter((name) => name !== file);
  assert.deepEqual(await flagsOnDisk(name), { a: 1 });
});

test('each environment and each payload filter has a file of its own', () => {
  const names = [
    {},
    { filter: 'f' },
    { filter: 'g' },
    { sdkKey: 'sdk-other' },
    { sdkKey: 'sdk-other', filter: 'f' },
  ].map(
    (options) =>
      recordingFile({
        folder: '/r',
        environment: plainEnvironment(options),
        clock: new FakeClock(),
        log: new RecordingLog(),
      }).path,
  );
  assert.equal(new Set(names).size, names.length);
});

test('a close writes data not yet on disk', async (t) => {
  const folder = await emptyFolder(t);
  assert.deepEqual(await flagsOnDisk(await recordBefore(t, folder, dataOf(['a', 3]))), { a: 3 });
});

test('after a start recorded data is served, and the connection is still initialising', async (t) => {
  const folder = await emptyFolder(t);
  await recordBefore(t, folder, dataOf(['a', 7]));
  const { store, connection, log, inner, clock } = startRecording(t, folder);
  clock.advance(2999);
  await settle();
  assert.equal(store.isInitialised, false);
  clock.advance(1);
  await eventually('the data', () => store.isInitialised, { everyMs: 1 });
  assert.deepEqual([store.version('flags', 'a'), connection.state, inner.starts], [7, 'INITIALIZING', 1]);
  assert.equal(log.lines[0]?.message, 'serving recorded data until upstream delivers');
});

test('recorded data is served at the first failure of upstream', async (t) => {
  const folder = await emptyFolder(t);
  await recordBefore(t, folder, dataOf(['a', 7]));
  const { store, connection } = startRecording(t, folder);
  connection.failed({ kind: 'NETWORK_ERROR', time: 0 });
  await eventually('the data', () => store.isInitialised, { everyMs: 1 });
});

test('recorded data is not served if upstream refuses the key: it was revoked', async (t) => {
  const folder = await emptyFolder(t);
  await recordBefore(t, folder, dataOf(['a', 7]));
  const { store, connection, clock, source } = startRecording(t, folder);
  connection.refused({ kind: 'ERROR_RESPONSE', time: 0, statusCode: 401 });
  clock.advance(3000);
  connection.failed({ kind: 'NETWORK_ERROR', time: 1 });
  // Waits for a read in progress.
  await source.close();
  assert.equal(store.isInitialised, false);
});

test('recorded data is served if upstream answers 404, which a gateway does during an outage', async (t) => {
  const folder = await emptyFolder(t);
  await recordBefore(t, folder, dataOf(['a', 7]));
  const { store, connection } = startRecording(t, folder);
  connection.refused({ kind: 'ERROR_RESPONSE', time: 0, statusCode: 404 });
  await eventually('the data', () => store.isInitialised, { everyMs: 1 });
});

test('data of upstream replaces recorded data, even by older versions', async (t) => {
  const folder = await emptyFolder(t);
  await recordBefore(t, folder, dataOf(['a', 7], ['gone', 1]));
  const { store, source, file, clock } = startRecording(t, folder);
  clock.advance(3000);
  await eventually('the data', () => store.isInitialised, { everyMs: 1 });
  store.replace(dataOf(['a', 2]));
  await source.close();
  assert.deepEqual(await flagsOnDisk(file), { a: 2 });
});

test('recorded data never replaces data that upstream has delivered already', async (t) => {
  const folder = await emptyFolder(t);
  await recordBefore(t, folder, dataOf(['a', 7]));
  const { store, clock, source } = startRecording(t, folder);
  clock.advance(3000);
  store.replace(dataOf(['a', 8]));
  // Waits for the read in progress.
  await source.close();
  assert.equal(store.version('flags', 'a'), 8);
});

test('recorded data is not written again as if it had just been delivered', async (t) => {
  const folder = await emptyFolder(t);
  const file = await recordBefore(t, folder, dataOf(['a', 7]));
  await utimes(file, 1000, 1000);
  const { store, clock, source } = startRecording(t, folder);
  clock.advance(3000);
  await eventually('the data', () => store.isInitialised, { everyMs: 1 });
  clock.advance(60_000);
  await source.close();
  assert.equal((await stat(file)).mtimeMs, 1_000_000);
});

test('a patch without a put before it is not recorded', async (t) => {
  const folder = await emptyFolder(t);
  const { store, source } = startRecording(t, folder);
  store.upsert('flags', 'a', dataOf(['a', 1]).flags.a as never);
  await source.close();
  assert.deepEqual(await readdir(folder), []);
});

for (const [name, text] of Object.entries({
  'is not JSON': '{"flags":',
  'is of another form': '[]',
  'has a flag of the wrong form': '{"flags":{"a":{"key":"a","version":"one"}}}',
})) {
  test(`a recording that ${name} is reported and not served`, async (t) => {
    const folder = await emptyFolder(t);
    const file = await recordBefore(t, folder, dataOf(['a', 1]));
    await writeFile(file, text);
    const { store, log, clock } = startRecording(t, folder);
    clock.advance(3000);
    await eventually('the warning', () => log.lines.length > 0, { everyMs: 1 });
    assert.deepEqual([store.isInitialised, log.lines[0]?.level, log.lines[0]?.fields.file], [false, 'warn', file]);
  });
}

test('a folder that cannot be written is reported once, and retried after a minute', async (t) => {
  const folder = await emptyFolder(t);
  const blocked = join(folder, 'file');
  await writeFile(blocked, '');
  const { store, clock, log, file } = startRecording(t, join(blocked, 'x'));
  clock.advance(3000);
  await eventually('the end of reading', () => log.lines.length === 1, { everyMs: 1 });
  log.lines.length = 0;
  store.replace(dataOf(['a', 1]));
  clock.advance(2000);
  await eventually('the error', () => log.lines.length === 1, { everyMs: 1 });
  assert.deepEqual([log.lines[0]?.level, log.lines[0]?.fields.error], ['error', 'ENOTDIR']);
  await settle();
  clock.advance(59_999);
  await settle();
  assert.equal(log.lines.length, 1);
  clock.advance(1);
  await eventually('the second try', () => log.lines.length === 2, { everyMs: 1 });
  assert.equal(log.lines[1]?.level, 'debug');
  await rm(blocked);
  await settle();
  clock.advance(60_000);
  assert.deepEqual(await eventually('the file', () => flagsOnDisk(file), { everyMs: 5 }), { a: 1 });
});

test('old unfinished files of a killed process are removed', async (t) => {
  const folder = await emptyFolder(t);
  const file = await recordBefore(t, folder, dataOf(['a', 1]));
  const [old, fresh, other] = [`${file}.1.tmp`, `${file}.2.tmp`, join(folder, 'other.tmp')];
  for (const path of [old, fresh, other]) await writeFile(path, '');
  for (const path of [old, other]) await utimes(path, 1000, 1000);
  // The clock of the test is in the past: a new file is not older than it.
  await recordBefore(t, folder, dataOf(['a', 2]));
  const left = (await readdir(folder)).map((name) => join(folder, name)).sort();
  assert.deepEqual(left, [file, fresh, other].sort());
});

test('starting and closing reach the source, once', async (t) => {
  const { source, inner } = startRecording(t, await emptyFolder(t));
  source.start();
  await source.close();
  await source.close();
  assert.deepEqual([inner.starts, inner.closes], [1, 1]);
  source.start();
  assert.equal(inner.starts, 1);
});
