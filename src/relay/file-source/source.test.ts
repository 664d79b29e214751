import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FlagStore } from '../flag-store.ts';
import { ConnectionStatus } from '../status/connection-status.ts';
import { SAMPLE_FLAGS } from './sample.ts';
import { createFileSource } from './source.ts';

const POLL_MS = 400;
const SETTLED_MS = 60;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'flags-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(t: TestContext, path: string, clock = new FakeClock() as FakeClock | typeof systemClock) {
  const store = new FlagStore();
  const connection = new ConnectionStatus(clock.now());
  const reported: string[] = [];
  store.subscribe({
    replaced: () => reported.push('replaced'),
    changed: (kind, key, json) => reported.push(`${kind} ${key} v${JSON.parse(json).version}`),
    removed: (kind, key, version) => reported.push(`${kind} ${key} removed v${version}`),
  });
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const source = createFileSource({ store, connection }, { path, clock, log });
  t.after(() => source.close());
  source.start();
  return { store, connection, reported: () => reported.splice(0), lines, source };
}

/** Saves a file and advances the clock, so that polling finds it. */
function save(path: string, content: unknown, clock: FakeClock): void {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  clock.advance(POLL_MS + SETTLED_MS);
}

test('file source: the data are there as soon as it is started', (t) => {
  const path = join(folderOf(t), 'flags.json');
  writeFileSync(path, JSON.stringify({ flagValues: { a: 1 }, segments: { s: { included: ['ada'] } } }));
  const { store, connection, reported } = open(t, path);
  assert.deepEqual(reported(), ['replaced']);
  assert.equal(store.isInitialised, true);
  assert.equal(connection.state, 'VALID');
  assert.equal(store.flag('a')?.flag.version, 1);
  assert.equal(store.segment('s')?.segment.included.length, 1);
});

test('file source: a saved file changes only the items that differ, each with the next version', (t) => {
  const path = join(folderOf(t), 'flags.json');
  const clock = new FakeClock();
  writeFileSync(path, JSON.stringify({ flagValues: { a: 1, b: 2, c: 3 }, segments: { s: {}, r: {} } }));
  const { store, reported } = open(t, path, clock);
  reported();
  save(path, { flagValues: { a: 1, b: 20, d: 4 }, segments: { s: { included: ['ada'] } } }, clock);
  assert.deepEqual(reported(), [
    'segments s v2',
    'flags b v2',
    'flags d v1',
    'flags c removed v2',
    'segments r removed v2',
  ]);
  assert.equal(store.flag('c'), undefined);
  save(path, { flagValues: { a: 1, b: 2, c: 3, d: 4 } }, clock);
  assert.deepEqual(reported(), ['flags b v3', 'flags c v3', 'segments s removed v3']);
});

test('file source: saving the same data again, or formatted differently, changes nothing', (t) => {
  const path = join(folderOf(t), 'flags.json');
  const clock = new FakeClock();
  writeFileSync(path, '{"flagValues": {"a": 1}}');
  const { reported } = open(t, path, clock);
  reported();
  save(path, '{"flagValues": {"a": 1}}', clock);
  save(path, '\n{ "flagValues":\n  {"a": 1 } }\n', clock);
  assert.deepEqual(reported(), []);
});

test('file source: a version of the file counts if it is above the last one', (t) => {
  const path = join(folderOf(t), 'flags.json');
  const clock = new FakeClock();
  const flag = (version: number, on: boolean) => ({ flags: { a: { version, on } } });
  writeFileSync(path, JSON.stringify(flag(7, true)));
  const { store, reported } = open(t, path, clock);
  assert.equal(store.version('flags', 'a'), 7);
  reported();
  save(path, flag(7, false), clock);
  save(path, flag(20, true), clock);
  save(path, flag(3, false), clock);
  assert.deepEqual(reported(), ['flags a v8', 'flags a v20', 'flags a v21']);
});

test('file source: a broken file changes nothing and is logged once; a valid one then counts', (t) => {
  const path = join(folderOf(t), 'flags.yml');
  const clock = new FakeClock();
  writeFileSync(path, 'flagValues: {a: 1}\n');
  const { store, connection, reported, lines } = open(t, path, clock);
  reported();
  save(path, 'flags:\n  a:\n    on: maybe\nflagValues: {b: 2}\n', clock);
  clock.advance(10_000);
  assert.deepEqual(reported(), []);
  assert.equal(store.flag('a')?.flag.version, 1);
  assert.equal(connection.state, 'INTERRUPTED');
  assert.equal(connection.lastError?.kind, 'INVALID_DATA');
  const errors = lines.filter((line) => line.includes('level=ERROR'));
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /flags\.yml:3: flag \\"a\\": on: expected boolean, got string/);
  save(path, 'flagValues: {a: 2}\n', clock);
  assert.deepEqual(reported(), ['flags a v2']);
  assert.equal(connection.state, 'VALID');
  assert.match(lines.join(''), /The flags can be read again/);
});

test('file source: a file that is missing or broken at the start is served when it is there', (t) => {
  const path = join(folderOf(t), 'flags.json');
  const clock = new FakeClock();
  const { store, connection, reported, lines } = open(t, path, clock);
  assert.equal(store.isInitialised, false);
  assert.equal(connection.state, 'INITIALIZING');
  assert.match(lines.join(''), /no such file or folder/);
  save(path, '{', clock);
  assert.equal(store.isInitialised, false);
  save(path, { flagValues: { a: 1 } }, clock);
  assert.deepEqual(reported(), ['replaced']);
  assert.equal(connection.state, 'VALID');
});

test('file source: a file that is deleted changes nothing until it comes back', (t) => {
  const path = join(folderOf(t), 'flags.json');
  const clock = new FakeClock();
  writeFileSync(path, '{"flagValues": {"a": 1}}');
  const { store, connection, reported } = open(t, path, clock);
  rmSync(path);
  clock.advance(1_000);
  assert.equal(connection.state, 'INTERRUPTED');
  assert.notEqual(store.flag('a'), undefined);
  reported();
  save(path, { flagValues: { a: 1 } }, clock);
  assert.deepEqual(reported(), []);
  assert.equal(connection.state, 'VALID');
});

test('file source: a file being written is read once it is stable', (t) => {
  const path = join(folderOf(t), 'flags.yml');
  const clock = new FakeClock();
  writeFileSync(path, 'flagValues:\n  a: 1\n  b: 1\n');
  const { reported } = open(t, path, clock);
  reported();
  // The poll sees half of it; half of it is valid YAML, and b is still there.
  writeFileSync(path, 'flagValues:\n  a: 2\n');
  clock.advance(POLL_MS);
  assert.deepEqual(reported(), []);
  writeFileSync(path, 'flagValues:\n  a: 2\n  b: 1\n');
  clock.advance(2 * SETTLED_MS);
  assert.deepEqual(reported(), ['flags a v2']);
});

test('file source: a folder means its JSON and YAML files, without hidden and other ones', (t) => {
  const folder = folderOf(t);
  const clock = new FakeClock();
  writeFileSync(join(folder, 'a.json'), '{"flagValues": {"a": 1}}');
  writeFileSync(join(folder, 'b.yaml'), 'flagValues: {b: 1}');
  writeFileSync(join(folder, '.c.json'), 'broken');
  writeFileSync(join(folder, 'README.md'), 'broken');
  mkdirSync(join(folder, 'sub'));
  const { store, reported, lines } = open(t, folder, clock);
  assert.deepEqual(
    store.flags().map(({ flag }) => flag.key),
    ['a', 'b'],
  );
  reported();
  save(join(folder, 'c.yml'), 'flagValues: {c: 1}', clock);
  assert.deepEqual(reported(), ['flags c v1']);
  save(join(folder, 'd.yml'), 'flagValues: {a: 1}', clock);
  assert.deepEqual(reported(), []);
  assert.match(lines.join(''), /d\.yml:1: flag \\"a\\" is also defined in .*a\.json:1/);
  rmSync(join(folder, 'd.yml'));
  rmSync(join(folder, 'b.yaml'));
  clock.advance(1_000);
  assert.deepEqual(reported(), ['flags b removed v2']);
});

test('file source: the sample needs no file', (t) => {
  const { store, connection } = open(t, SAMPLE_FLAGS);
  assert.equal(connection.state, 'VALID');
  assert.notEqual(store.flag('new-checkout'), undefined);
});

test('file source: reports nothing after its close', async (t) => {
  const path = join(folderOf(t), 'flags.json');
  const clock = new FakeClock();
  writeFileSync(path, '{"flagValues": {"a": 1}}');
  const { reported, source } = open(t, path, clock);
  reported();
  await source.close();
  await source.close();
  save(path, { flagValues: { a: 2 } }, clock);
  assert.deepEqual(reported(), []);
});

const editors: [name: string, save: (path: string, text: string) => void][] = [
  ['writes it in place', (path, text) => writeFileSync(path, text)],
  [
    'writes another file and gives it the name',
    (path, text) => {
      writeFileSync(`${path}~`, text);
      renameSync(`${path}~`, path);
    },
  ],
  [
    'keeps the old file under another name',
    (path, text) => {
      renameSync(path, `${path}.bak`);
      writeFileSync(path, text);
    },
  ],
];
for (const [name, saveAs] of editors) {
  test(`file source: on the real clock, an editor that ${name} is followed again and again`, async (t) => {
    const path = join(folderOf(t), 'flags.json');
    writeFileSync(path, '{"flagValues": {"a": 0}}');
    const { store } = open(t, path, systemClock);
    for (const version of [2, 3, 4]) {
      saveAs(path, JSON.stringify({ flagValues: { a: version } }));
      await eventually('the change', () => store.version('flags', 'a') === version, { everyMs: 5 });
    }
  });
}

test('file source: links that are turned to another folder at once, as Kubernetes has it, are followed', async (t) => {
  const folder = folderOf(t);
  for (const version of [1, 2]) {
    mkdirSync(join(folder, `..${version}`));
    writeFileSync(join(folder, `..${version}`, 'flags.json'), JSON.stringify({ flagValues: { a: version } }));
  }
  symlinkSync('..1', join(folder, '..data'));
  symlinkSync('..data/flags.json', join(folder, 'flags.json'));
  const { store } = open(t, folder, systemClock);
  assert.equal(store.version('flags', 'a'), 1);
  symlinkSync('..2', join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
  await eventually('the change', () => store.version('flags', 'a') === 2, { everyMs: 5 });
});
