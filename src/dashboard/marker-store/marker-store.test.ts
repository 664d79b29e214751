import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { type MarkerDocument, readMarkerDocument } from '../contract/markers.ts';
import { MARKER_FILE, MarkerStore } from './marker-store.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');

function documentOf(...ids: string[]): MarkerDocument {
  const markers = ids.map((id) => ({ id, user: 'info', start: '2026-05-04T09:00:00Z' }));
  const read = readMarkerDocument({ version: 1, markers }, NOW);
  assert.ok(read.ok);
  return read.value;
}

function setUp(t: TestContext, content?: string) {
  const path = join(temporaryFolder(t), MARKER_FILE);
  if (content !== undefined) {
    mkdirSync(dirname(path));
    writeFileSync(path, content);
  }
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const log = createLog({ level: 'info', format: 'logfmt', clock: systemClock, write });
  const open = () => MarkerStore.open({ path, clock: systemClock, log });
  return { path, open, files: () => readdirSync(dirname(path)).sort(), logged: () => logged };
}

const idsOf = async (store: MarkerStore) => (await store.read()).document.markers.map(({ id }) => id);

test('a backup that is the file itself, as after a kill between the two renames, leaves no draft', async (t) => {
  const { path, open, files } = setUp(t, JSON.stringify(documentOf('a')));
  linkSync(path, `${path}.bak`);
  await (await open()).replace(documentOf('b'));
  assert.deepEqual(files(), ['project-markers.json', 'project-markers.json.bak']);
  assert.deepEqual(JSON.parse(readFileSync(`${path}.bak`, 'utf8')), documentOf('a'));
});

test('without a file there are no markers, and none is made by reading', async (t) => {
  const { path, open } = setUp(t);
  assert.deepEqual((await (await open()).read()).document, { version: 1, markers: [] });
  assert.ok(!existsSync(path));
});

test('a write is in the file, readable by its owner only, with the version before beside it', async (t) => {
  const { path, open, files } = setUp(t);
  const store = await open();
  await store.replace(documentOf('a'));
  await store.replace(documentOf('a', 'b'));
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), documentOf('a', 'b'));
  assert.deepEqual(JSON.parse(readFileSync(`${path}.bak`, 'utf8')), documentOf('a'));
  assert.deepEqual(files(), ['project-markers.json', 'project-markers.json.bak']);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(await idsOf(await open()), ['a', 'b']);
});

test('the tag is that of the content, also after a restart', async (t) => {
  const { open } = setUp(t);
  const store = await open();
  const first = await store.replace(documentOf('a'));
  assert.equal((await (await open()).read()).etag, first.snapshot.etag);
  assert.notEqual((await store.replace(documentOf('b'))).snapshot.etag, first.snapshot.etag);
});

test('with tags only the version of the tag is replaced', async (t) => {
  const { open } = setUp(t);
  const store = await open();
  const seen = (await store.read()).etag;
  assert.ok((await store.replace(documentOf('a'), [seen])).ok);
  const late = await store.replace(documentOf('b'), [seen]);
  assert.ok(!late.ok);
  assert.deepEqual(late.snapshot.document, documentOf('a'));
  assert.deepEqual(await idsOf(store), ['a']);
  assert.ok((await store.replace(documentOf('c'), ['*'])).ok);
});

test('of many writers with the same tag one is first, and the others are refused', async (t) => {
  const { open } = setUp(t);
  const stores = await Promise.all([open(), open(), open(), open()]);
  const { etag } = await (stores[0] as MarkerStore).read();
  const outcomes = await Promise.all(stores.map((store, i) => store.replace(documentOf(`m${i}`), [etag])));
  assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
});

test('changes of several writers at once are all kept', async (t) => {
  const { open, files } = setUp(t);
  const stores = await Promise.all([open(), open(), open()]);
  const add = (store: MarkerStore, id: string) =>
    store.update((document) => ({ ...document, markers: [...document.markers, ...documentOf(id).markers] }));
  await Promise.all(stores.flatMap((store, s) => [0, 1, 2, 3].map((i) => add(store, `${s}-${i}`))));
  assert.equal(new Set(await idsOf(await open())).size, 12);
  assert.deepEqual(files(), ['project-markers.json', 'project-markers.json.bak']);
});

test('a change of the file by another program is read', async (t) => {
  const { path, open } = setUp(t, JSON.stringify(documentOf('a')));
  const store = await open();
  assert.deepEqual(await idsOf(store), ['a']);
  writeFileSync(path, `\ufeff${JSON.stringify(documentOf('a', 'edited'))}`);
  assert.deepEqual(await idsOf(store), ['a', 'edited']);
  rmSync(path);
  assert.deepEqual(await idsOf(store), []);
});

for (const [name, content] of Object.entries({
  'half a file': '{"version":1,"markers":[{"id":"a"',
  'an empty file': '',
  'another version': '{"version":2,"markers":[]}',
  'a list': '[]',
})) {
  test(`${name} is moved aside at the start, with a line in the log`, async (t) => {
    const { open, files, logged, path } = setUp(t, content);
    const store = await open();
    assert.deepEqual(await idsOf(store), []);
    const [aside, ...others] = files();
    assert.match(aside ?? '', /^project-markers\.json\.corrupt-\d+$/);
    assert.deepEqual(others, []);
    assert.equal(readFileSync(join(dirname(path), aside ?? ''), 'utf8'), content);
    assert.match(logged(), /level=ERROR msg="the markers could not be read; the file was moved aside"/);
  });
}

test('a file that is spoiled while the server runs loses no marker', async (t) => {
  const { path, open, files } = setUp(t, JSON.stringify(documentOf('a')));
  const store = await open();
  writeFileSync(path, '{"version":1,');
  assert.deepEqual(await idsOf(store), ['a']);
  await store.update((document) => ({ ...document, markers: [...document.markers, ...documentOf('b').markers] }));
  assert.deepEqual(await idsOf(await open()), ['a', 'b']);
  assert.ok(files().some((name) => name.includes('.corrupt-')));
});

test('a link to the file stays a link', async (t) => {
  const { path, open } = setUp(t);
  const target = join(temporaryFolder(t), 'elsewhere.json');
  writeFileSync(target, JSON.stringify(documentOf('a')));
  mkdirSync(dirname(path));
  symlinkSync(target, path);
  await (await open()).replace(documentOf('b'));
  assert.ok(lstatSync(path).isSymbolicLink());
  assert.deepEqual(JSON.parse(readFileSync(target, 'utf8')), documentOf('b'));
});

test('a lock of a dead holder and old drafts are removed', async (t) => {
  const { path, open, files } = setUp(t, JSON.stringify(documentOf('a')));
  const draft = join(dirname(path), '.project-markers.json.0123456789ab.tmp');
  writeFileSync(draft, '{');
  utimesSync(draft, 1_700_000_000, 1_700_000_000);
  // No process has this number: it is beyond the largest that Linux gives out.
  writeFileSync(join(dirname(path), '.project-markers.json.lock'), '4194999 0123456789ab\n');
  await (await open()).replace(documentOf('b'));
  assert.deepEqual(files(), ['project-markers.json', 'project-markers.json.bak']);
});

test('if the file cannot be written the change is refused, and the file is as before', async (t) => {
  const { path, open, files } = setUp(t, JSON.stringify(documentOf('a')));
  const store = await open();
  // In the way of the backup.
  mkdirSync(`${path}.bak`);
  writeFileSync(join(`${path}.bak`, 'x'), '');
  await assert.rejects(store.replace(documentOf('b')));
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), documentOf('a'));
  assert.deepEqual(await idsOf(store), ['a']);
  assert.deepEqual(files(), ['project-markers.json', 'project-markers.json.bak']);
});

test('an impossible folder is reported when the server starts', async (t) => {
  const { path, open } = setUp(t);
  writeFileSync(dirname(path), 'a file where the folder should be');
  await assert.rejects(open(), { name: 'CommandError', message: /cannot read .*project-markers\.json: ENOTDIR/ });
});

test('a project whose marker file is a link to a file of the operator leaves that file alone', async (t) => {
  const { path, open } = setUp(t);
  const home = temporaryFolder(t);
  const target = join(home, 'authorized_keys');
  writeFileSync(target, 'ssh-ed25519 AAAA');
  mkdirSync(dirname(path));
  symlinkSync(target, path);
  await assert.rejects(open(), { name: 'CommandError', message: /link to .*authorized_keys.*holds no markers/ });
  assert.deepEqual([readFileSync(target, 'utf8'), readdirSync(home)], ['ssh-ed25519 AAAA', ['authorized_keys']]);
  // A file that was one of markers, and became another while the server runs.
  writeFileSync(target, JSON.stringify(documentOf('a')));
  const store = await open();
  writeFileSync(target, 'ssh-ed25519 AAAA');
  assert.deepEqual(await idsOf(store), ['a']);
  await assert.rejects(store.replace(documentOf('b')));
  assert.deepEqual([readFileSync(target, 'utf8'), readdirSync(home)], ['ssh-ed25519 AAAA', ['authorized_keys']]);
});

test('a marker file that is a pipe is moved aside at once', async (t) => {
  const { path, open } = setUp(t);
  mkdirSync(dirname(path));
  execFileSync('mkfifo', [path]);
  await (await open()).read();
});
