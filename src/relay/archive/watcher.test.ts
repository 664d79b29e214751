import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type ArchivedSample, archiveEntries, packArchive, packTar } from '../testing/launchdarkly/archive.ts';
import { plainFlag } from '../testing/launchdarkly/faults.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { emptySink, RecordingLog } from '../testing/launchdarkly/parts.ts';
import { type ArchivedEnvironment, applyArchivedData } from './environment.ts';
import { type ArchiveOptions, watchArchive } from './watcher.ts';

async function archivePath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'flags.tar.gz');
}

async function open(t: TestContext, content: Buffer, options: Partial<ArchiveOptions> = {}) {
  const path = await archivePath(t);
  await writeFile(path, content);
  const clock = new FakeClock();
  const log = new RecordingLog();
  const changes: (readonly ArchivedEnvironment[])[] = [];
  const onChange = (environments: readonly ArchivedEnvironment[]) => void changes.push(environments);
  const opened = await watchArchive({ path, intervalMs: 1000, clock, log, onChange, ...options });
  assert.ok(opened.ok, opened.ok ? '' : opened.reason);
  const archive = opened.value;
  t.after(() => archive.close());
  /** Replaces the file and lets the archive check it until the condition holds. */
  const replace = async (next: Buffer, until: () => boolean) => {
    await writeFile(`${path}.new`, next);
    await rename(`${path}.new`, path);
    await eventually(
      'the change',
      () => {
        clock.advance(1000);
        return until();
      },
      { everyMs: 5 },
    );
  };
  return { archive, path, clock, log, changes, replace };
}

const flagData = (version: number) => ({ flags: { a: plainFlag('a', version, version) }, segments: {} });
const ONE: ArchivedSample = { id: 'env1', data: flagData(1) };
const TWO: ArchivedSample = { id: 'env2', data: flagData(1) };

const names = (environments: readonly ArchivedEnvironment[]) => environments.map(({ options }) => options.name);

test('each environment of an archive has its options, its labels and its data', async (t) => {
  const expiring = { value: 'sdk-old', timestamp: Date.parse('2026-02-01T00:00:00Z') };
  const { archive } = await open(
    t,
    packArchive([
      TWO,
      {
        ...ONE,
        env: { sdkKey: { value: 'sdk-1', expiring }, defaultTtl: 2, secureMode: true, version: 4 },
        dataId: 'd',
      },
    ]),
    { defaults: { allowedOrigins: ['https://shop.test'] } },
  );
  assert.deepEqual(names(archive.environments), ['env1', 'env2']);
  const [environment] = archive.environments;
  const { readData, ...rest } = environment as ArchivedEnvironment;
  assert.deepEqual(rest, {
    options: {
      name: 'env1',
      sdkKey: 'sdk-1',
      mobileKey: 'mob-env1',
      envId: 'env1',
      secureMode: true,
      allowedOrigins: ['https://shop.test'],
      allowedHeaders: [],
      ttlMs: 120_000,
      logLevel: undefined,
      projKey: 'shop',
      filter: undefined,
      dataFile: undefined,
      storePrefix: undefined,
      storeTable: undefined,
      additionalKeys: [{ sdkKind: 'server', key: 'sdk-old', expiresAt: expiring.timestamp }],
      labels: { envKey: 'production', envName: 'Production', projKey: 'shop', projName: 'Shop' },
    },
    version: 4,
    dataId: 'd',
  });
  assert.deepEqual(readData(), { ok: true, value: flagData(1) });
});

test('newer archives list all keys', async (t) => {
  const expiry = Date.parse('2026-02-01T00:00:00Z');
  const env = {
    sdkKey: { value: 'sdk-1', expiring: { value: 'sdk-ignored', timestamp: expiry } },
    sdkKeys: [
      { key: 'default', value: 'sdk-1' },
      { key: 'b', value: 'sdk-2' },
    ],
    mobKey: 'mob-1',
    mobileKeys: [
      { key: 'default', value: 'mob-1' },
      { key: 'b', value: 'mob-2', expiry },
    ],
  };
  const { archive } = await open(t, packArchive([{ ...ONE, env }]));
  assert.deepEqual(archive.environments[0]?.options.additionalKeys, [
    { sdkKind: 'server', key: 'sdk-2', expiresAt: undefined },
    { sdkKind: 'mobile', key: 'mob-2', expiresAt: expiry },
  ]);
});

describe('an archive may', () => {
  const entries = archiveEntries([ONE, { id: 'env10', data: flagData(2) }]);
  const forms: Record<string, Buffer> = {
    'be uncompressed': packTar(entries),
    'be compressed': gzipSync(packTar(entries)),
    'have its files in any order': packTar([...entries].reverse()),
    'begin its names with ./': packTar([
      { name: './', content: '', type: '5' },
      ...entries.map((entry) => ({ ...entry, name: `./${entry.name}` })),
    ]),
    'have other files, folders and links': packTar([
      { name: 'README', content: 'not hashed' },
      { name: 'sub/env9.json', content: '{}' },
      { name: '../link', content: '', type: '2' },
      ...entries,
      { name: 'env9-data.json', content: 'of no environment' },
    ]),
  };
  for (const [name, content] of Object.entries(forms)) {
    test(name, async (t) => assert.deepEqual(names((await open(t, content)).archive.environments), ['env1', 'env10']));
  }
});

test('an archive that cannot be read at the start is refused, by name', async (t) => {
  const path = await archivePath(t);
  const options = {
    path,
    intervalMs: 1000,
    clock: new FakeClock(),
    log: new RecordingLog(),
    onChange: () => assert.fail(),
  };
  assert.deepEqual(await watchArchive(options), { ok: false, reason: `the archive ${path} cannot be used: ENOENT` });
});

test('one broken environment leaves the others', async (t) => {
  const { archive, log, replace, changes } = await open(t, packArchive([ONE, TWO]));
  const noKey = packArchive([
    { ...ONE, env: { sdkKey: {}, version: 2 } },
    { ...TWO, env: { version: 2 } },
  ]);
  await replace(noKey, () => changes.length === 1);
  assert.deepEqual(
    archive.environments.map(({ version }) => version),
    [1, 2],
  );
  assert.match(log.text, /env1\.json cannot be used: it has no SDK key/);
});

describe('a replaced archive', () => {
  test('reports added, removed and changed environments', async (t) => {
    const before = [{ id: 'same' }, { id: 'gone' }, { id: 'renamed' }, { id: 'flags', data: flagData(1) }];
    const { archive, changes, replace } = await open(t, packArchive(before));
    const first = archive.environments;
    await replace(
      packArchive([
        { id: 'same' },
        { id: 'renamed', env: { version: 2, envName: 'New' } },
        { id: 'flags', data: flagData(2), dataId: 'data-2' },
        { id: 'new' },
      ]),
      () => changes.length > 0,
    );
    assert.equal(changes.length, 1);
    assert.equal(changes[0], archive.environments);
    const same = archive.environments.filter((environment) => first.includes(environment));
    assert.deepEqual(names(archive.environments), ['flags', 'new', 'renamed', 'same']);
    assert.deepEqual(names(same), ['same']);
  });

  test('reports a removed environment and nothing else', async (t) => {
    const { archive, changes, replace } = await open(t, packArchive([ONE, TWO]));
    await replace(packArchive([ONE]), () => changes.length > 0);
    assert.deepEqual(names(archive.environments), ['env1']);
  });

  test('reports nothing when only the file differs', async (t) => {
    const { changes, log, replace } = await open(t, packArchive([ONE]));
    await replace(packTar(archiveEntries([ONE])), () =>
      log.lines.some(({ message }) => message.includes('read again')),
    );
    assert.deepEqual(changes, []);
  });

  test('that is broken changes nothing, is logged once, and is read again until it is valid', async (t) => {
    const { archive, changes, log, replace } = await open(t, packArchive([ONE]));
    const next = packArchive([{ ...ONE, env: { version: 2 } }]);
    const tries = (level: string) =>
      log.lines.filter((line) => line.level === level && line.message.includes('cannot be read'));
    await replace(next.subarray(0, 100), () => tries('debug').length > 1);
    assert.deepEqual([tries('warn').length, changes.length, archive.environments[0]?.version], [1, 0, 1]);
    await replace(next, () => changes.length === 1);
    assert.equal(archive.environments[0]?.version, 2);
  });

  test('that is missing changes nothing', async (t) => {
    const { archive, path, clock, log } = await open(t, packArchive([ONE]));
    await rm(path);
    await eventually('the warning', () => {
      clock.advance(1000);
      return log.text.includes('ENOENT');
    });
    assert.deepEqual(names(archive.environments), ['env1']);
  });

  test('is not read as long as its time and size are the same', async (t) => {
    const { path, clock, log } = await open(t, packArchive([ONE]));
    const { atimeMs, mtimeMs } = await stat(path);
    for (let looks = 0; looks < 5; looks++) {
      clock.advance(1000);
      await settle();
    }
    assert.equal(log.lines.length, 0);
    await utimes(path, atimeMs / 1000, mtimeMs / 1000 + 5);
    await eventually('another look', () => {
      clock.advance(1000);
      return log.lines.length > 0;
    });
  });

  test('reports nothing after the close', async (t) => {
    const { archive, path, clock, changes } = await open(t, packArchive([ONE]));
    await writeFile(path, packArchive([TWO]));
    clock.advance(1000);
    await archive.close();
    clock.advance(60_000);
    await settle();
    assert.deepEqual(changes, []);
  });
});

test('an archive without environments is logged', async (t) => {
  const { archive, log } = await open(t, packArchive([]));
  assert.deepEqual([archive.environments, log.lines[0]?.level], [[], 'warn']);
});

test('data is applied to the store, and broken data changes nothing', async (t) => {
  const { archive, clock } = await open(
    t,
    packArchive([ONE, { id: 'bad', data: { flags: [] } }, { id: 'worse', data: 1 }]),
  );
  const sink = emptySink(clock);
  const [bad, good, worse] = archive.environments as [ArchivedEnvironment, ArchivedEnvironment, ArchivedEnvironment];
  assert.ok(!applyArchivedData(bad, sink, clock.now()).ok);
  assert.deepEqual([sink.store.isInitialised, sink.connection.state], [false, 'INITIALIZING']);
  assert.ok(applyArchivedData(good, sink, clock.now()).ok);
  assert.ok(!applyArchivedData(worse, sink, clock.now()).ok);
  assert.deepEqual([sink.store.version('flags', 'a'), sink.connection.state], [1, 'VALID']);
});
