import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { temporaryFolder } from '../../testing/processes.ts';
import { writeFiles } from '../testing/app.ts';
import { answerFile, type FileAnswer, type FileRequest } from './answer.ts';
import { findDefaultCsv } from './csv.ts';
import { ProjectFiles } from './project-files.ts';

const CSV = `Date,Cost\n${'2026-05-04,0.10\n'.repeat(200)}`;

function setUp(t: TestContext, contents: Readonly<Record<string, string>>, secrets: readonly string[] = []) {
  const folder = temporaryFolder(t);
  writeFiles(folder, contents);
  const files = new ProjectFiles({ folder, secrets, withheld: [], log: { warn() {} } });
  return { folder, files, has: async (path: string) => isServed(await files.open(path)) };
}

async function isServed(file: Awaited<ReturnType<ProjectFiles['open']>>): Promise<boolean> {
  if (typeof file !== 'object') return false;
  await file.handle.close();
  return true;
}

const HIDDEN = [
  '.env',
  '.env.local',
  'data/.hidden.csv',
  '.git/config',
  'prod.env',
  'prod.env.bak',
  'server.key',
  'server.PEM',
  'store.p12',
  'id_rsa',
  'data/usage.db',
  'data/usage.sqlite3',
  'data/usage.sqlite-wal',
  'data/usage.db-journal',
  'vault.kdbx',
  'credentials',
  'secrets.json',
];
for (const path of HIDDEN) {
  test(`the file ${path} is never served`, async (t) => {
    assert.equal(await setUp(t, { [path]: 'x' }).has(path), false);
  });
}

for (const path of ['data/usage.csv', 'a/b c/d.txt', 'data/keyboard.csv', 'environment.json', 'data/ünïcode.csv']) {
  test(`the file ${path} is served`, async (t) => {
    assert.equal(await setUp(t, { [path]: 'x' }).has(path), true);
  });
}

for (const path of [
  '',
  'data',
  'data/',
  '/etc/passwd',
  '../x.txt',
  'data/../../x.txt',
  'data/./x.csv',
  'data//x.csv',
  'data\\x.csv',
  'x.txt\0.csv',
  'data/x.csv:stream',
  'none.txt',
]) {
  test(`the path ${JSON.stringify(path)} leads nowhere`, async (t) => {
    assert.equal(await setUp(t, { 'data/x.csv': 'x', 'x.txt': 'x' }).has(path), false);
  });
}

test('a link out of the folder, or to a hidden file, is not followed', async (t) => {
  const { folder, has } = setUp(t, { '.env': 'x', 'server.key': 'x', 'data/x.csv': 'x' });
  const outside = temporaryFolder(t);
  writeFiles(outside, { 'y.csv': 'y' });
  symlinkSync(join(outside, 'y.csv'), join(folder, 'out.csv'));
  symlinkSync(outside, join(folder, 'elsewhere'));
  symlinkSync('../.env', join(folder, 'data/env.csv'));
  symlinkSync('server.key', join(folder, 'key.csv'));
  symlinkSync('data/x.csv', join(folder, 'inside.csv'));
  for (const path of ['out.csv', 'elsewhere/y.csv', 'data/env.csv', 'key.csv']) assert.equal(await has(path), false);
  assert.equal(await has('inside.csv'), true);
});

test('a pipe is not served and does not block', async (t) => {
  const { folder, has } = setUp(t, {});
  execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
  assert.equal(await has('pipe.csv'), false);
});

test('a file with a token at any place is never served', async (t) => {
  const secret = 'user_1%3A%3Aeytoken';
  const filler = 'x'.repeat(1 << 20);
  const at = (before: number) => filler.slice(0, before) + secret + filler;
  const contents = { 'a.txt': at(5), 'b.txt': at((1 << 20) - 8), 'c.txt': filler + filler, 'd.txt': secret.slice(1) };
  const { folder, has } = setUp(t, contents, [secret]);
  const served = await Promise.all(Object.keys(contents).map((name) => has(name)));
  assert.deepEqual(served, [false, false, true, true]);
  rmSync(join(folder, 'c.txt'));
  writeFileSync(join(folder, 'c.txt'), secret);
  assert.equal(await has('c.txt'), false);
});

test('the CSV files of data/ belong to the user in their name, or to the first user', async (t) => {
  const names = ['usage-events-info.csv', 'Slope.CSV', 'other.csv', 'notes.txt', '.x.csv', 'misinfo.csv'];
  const { folder, files } = setUp(t, Object.fromEntries(names.map((name) => [`data/${name}`, 'x'])));
  mkdirSync(join(folder, 'data/folder.csv'));
  const found = await findDefaultCsv(folder, ['info', 'slope'], files);
  assert.deepEqual(Object.fromEntries(found), {
    info: ['./data/misinfo.csv', './data/other.csv', './data/usage-events-info.csv'],
    slope: ['./data/Slope.CSV'],
  });
});

async function ask(t: TestContext, request: Partial<FileRequest>, content = CSV) {
  const { files } = setUp(t, { 'x.csv': content });
  const file = await files.open('x.csv');
  assert.ok(typeof file === 'object');
  const whole = {
    method: 'GET',
    range: undefined,
    ifRange: undefined,
    ifNoneMatch: undefined,
    acceptEncoding: undefined,
  };
  const answer = await answerFile(file, { ...whole, ...request });
  return { answer, bytes: await bytesOf(answer), tag: file.tag };
}

async function bytesOf({ body }: FileAnswer): Promise<Buffer> {
  return Buffer.from(await new Response(body).arrayBuffer());
}

test('a file is sent whole with its length, type and tag', async (t) => {
  const { answer, bytes, tag } = await ask(t, {});
  assert.equal(bytes.toString(), CSV);
  const { 'content-length': length, 'content-type': type, etag } = answer.headers;
  assert.deepEqual(
    [answer.status, length, type, etag],
    [200, String(CSV.length), 'text/csv; charset=utf-8', `"${tag}"`],
  );
});

const RANGES: Readonly<Record<string, readonly [status: number, range: string | undefined, text: string]>> = {
  'bytes=0-3': [206, 'bytes 0-3/10', '0123'],
  'bytes=4-': [206, 'bytes 4-9/10', '456789'],
  'bytes=-3': [206, 'bytes 7-9/10', '789'],
  'bytes=-30': [206, 'bytes 0-9/10', '0123456789'],
  'bytes=8-30': [206, 'bytes 8-9/10', '89'],
  'bytes=10-': [416, 'bytes */10', ''],
  'bytes=-0': [416, 'bytes */10', ''],
  'bytes=5-4': [200, undefined, '0123456789'],
  'bytes=0-1,4-5': [200, undefined, '0123456789'],
  'lines=0-1': [200, undefined, '0123456789'],
};
for (const [range, [status, contentRange, text]] of Object.entries(RANGES)) {
  test(`Range: ${range} of ten bytes is ${status}`, async (t) => {
    const { answer, bytes } = await ask(t, { range }, '0123456789');
    assert.deepEqual([answer.status, answer.headers['content-range'], bytes.toString()], [status, contentRange, text]);
  });
}

test('If-Range with another tag returns the whole file', async (t) => {
  assert.equal((await ask(t, { range: 'bytes=0-3', ifRange: '"other"' })).answer.status, 200);
});

test('text is compressed for clients that accept it, with a separate tag', async (t) => {
  const br = await ask(t, { acceptEncoding: 'gzip, deflate, br' });
  assert.deepEqual([br.answer.headers['content-encoding'], br.answer.headers.etag], ['br', `"${br.tag}-br"`]);
  assert.equal(brotliDecompressSync(br.bytes).toString(), CSV);
  const gzip = await ask(t, { acceptEncoding: 'gzip, br;q=0' });
  assert.equal(gunzipSync(gzip.bytes).toString(), CSV);
  const short = await ask(t, { acceptEncoding: 'br' }, 'short');
  assert.equal(short.answer.headers['content-encoding'], undefined);
  const part = await ask(t, { acceptEncoding: 'br', range: 'bytes=0-3' });
  assert.deepEqual([part.answer.status, part.bytes.toString()], [206, 'Date']);
});

test('a known tag is answered without the file, and a HEAD without a body', async (t) => {
  const { files } = setUp(t, { 'x.csv': CSV });
  const known = await files.open('x.csv');
  assert.ok(typeof known === 'object');
  const request = { range: undefined, ifRange: undefined, acceptEncoding: undefined };
  const unchanged = await answerFile(known, { ...request, method: 'GET', ifNoneMatch: `"a", W/"${known.tag}"` });
  assert.deepEqual([unchanged.status, unchanged.body], [304, null]);
  const head = await ask(t, { method: 'HEAD' });
  assert.deepEqual([head.answer.body, head.answer.headers['content-length']], [null, String(CSV.length)]);
});
