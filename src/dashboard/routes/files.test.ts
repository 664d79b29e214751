import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import { startTestDashboard, writeFiles } from '../testing/app.ts';

// The files of a working folder that are served to clients of the port.

const SECRET = 'not for those who reach the port';

/** The entries that `opsdeck up` once kept below its working folder, and other entries of such folders. */
const PRIVATE_FILES = [
  'data/rooms/rooms.sqlite',
  'data/rooms/rooms.journal.000001',
  'data/rooms/files/0f/notes.txt',
  'data/rooms/files/0f/export.csv',
  'data/rooms/export.json',
  'data/alerts/alerts.db',
  'data/alerts/notifications.sent',
  'data/alerts/silences.json',
  'data/notes.txt',
  'data/page.html',
  'data/2026/usage.csv',
  'data/project-markers.json.bak',
  'data/project-markers.json.corrupt-1',
  'alertmanager.yml',
  'config.yaml',
  'relay.conf',
  'settings.ini',
  'pyproject.toml',
  'prod.env',
  '.env',
  '.ENV',
  '.git/config',
  '.ssh/notes.txt',
  'deep/.cache/page.html',
  'id_rsa',
  'id_ed25519.txt',
  'server.key',
  'server.pem',
  'usage.db',
  'usage.sqlite-wal',
  'server.log',
  'main.py',
  'main.ts',
  'Makefile',
  'secrets.json',
  'config.env.json',
  'usage.ndjson',
  'archive.zip',
  'page.html.bak',
];

const WEB_CONTENT: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'old.HTM': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'lib/app.mjs': 'text/javascript; charset=utf-8',
  'lib/app.mjs.map': 'application/json',
  'package.json': 'application/json',
  'totals.csv': 'text/csv; charset=utf-8',
  'Logo.SVG': 'image/svg+xml',
  'logo.png': 'image/png',
  'photo.jpg': 'image/jpeg',
  'photo.jpeg': 'image/jpeg',
  'move.gif': 'image/gif',
  'photo.webp': 'image/webp',
  'photo.avif': 'image/avif',
  'favicon.ico': 'image/x-icon',
  'text.woff': 'font/woff',
  'text.woff2': 'font/woff2',
  'text.ttf': 'font/ttf',
  'text.otf': 'font/otf',
  'notes.txt': 'text/plain; charset=utf-8',
  'README.md': 'text/markdown; charset=utf-8',
  'data/usage.csv': 'text/csv; charset=utf-8',
  'data/USAGE.CSV': 'text/csv; charset=utf-8',
  'data/project-markers.json': 'application/json',
  'data/sample/usage.csv': 'text/csv; charset=utf-8',
  'data/sample/markers.json': 'application/json',
};

const fill = (paths: readonly string[], text = SECRET) => Object.fromEntries(paths.map((path) => [path, text]));

async function startWith(
  t: Cleanup,
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
) {
  const { client, folder, log, get } = await startTestDashboard(t, { variables });
  writeFiles(folder, files);
  return { client, folder, log, get };
}

test('state of servers, keys and configuration are not served', async (t) => {
  const { client } = await startWith(t, fill(PRIVATE_FILES));
  for (const path of PRIVATE_FILES) {
    const { status, body } = await client.get(`/${path}`);
    assert.equal(status, 404, path);
    assert.doesNotMatch(body, /not for those/, path);
  }
});

test('no spelling of a path leads to an unserved file', async (t) => {
  const { client } = await startWith(t, {
    ...fill(['.env', 'alertmanager.yml', 'data/rooms/export.json', 'data/rooms/x.csv', 'DATA/rooms.json']),
    'data/x.csv': 'x',
  });
  const paths = [
    '/%2eenv',
    '/%2E%65nv',
    '/.ENV',
    '/.env/',
    '/.env.',
    '/.env%20',
    '/.env%00',
    '/.env%00.csv',
    '/.env%23.csv',
    '/.env?x.csv',
    '/.env;x.csv',
    '/%252eenv',
    '/x/../.env',
    '/data/..%2f.env',
    '/data/%2e%2e/.env',
    '/data/%2e%2e%2f.env',
    '/data/..%5c.env',
    '/data%5c..%5c.env',
    '/data/%252e%252e%252f.env',
    '//.env',
    '/./.env',
    '/alertmanager.yml?.html',
    '/alertmanager.yml%3f.html',
    '/alertmanager.yml%23.html',
    '/alertmanager.yml%00.html',
    '/alertmanager.yml/.html',
    '/alertmanager.yml/x.html',
    '/alertmanager.yml.',
    '/alertmanager.yml%20',
    '/alertmanager.yml::$DATA.html',
    '/ALERTMANAGER.YML',
    '/data/Rooms/export.json',
    '/Data/rooms/export.json',
    '/data/rooms/export.json',
    '/data/rooms%2fexport.json',
    '/data%2frooms%2fexport.json',
    '/data/./rooms/export.json',
    '/data//rooms/export.json',
    '/x/../data/rooms/export.json',
    '/data/sample/../rooms/export.json',
    '/data/sample%2f..%2frooms/export.json',
    '/data/rooms/x.csv',
    '/data/rooms%5cx.csv',
    '/DATA/rooms.json',
    '/data/x.csv/',
    '/data/x.csv%00',
    '/data/x.csv.',
    '/data/x.csv%2f..%2frooms%2fexport.json',
  ];
  for (const path of paths) {
    const { status, body } = await client.get(path);
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    assert.doesNotMatch(body, /not for those/, path);
  }
});

test('web content is served, each with its type', async (t) => {
  const { client } = await startWith(t, fill(Object.keys(WEB_CONTENT), '{"markers":[]}'));
  for (const [path, type] of Object.entries(WEB_CONTENT)) {
    const { status, headers } = await client.get(`/${path}`);
    assert.deepEqual([status, headers['content-type']], [200, type], path);
  }
});

test('files that other users cannot read are not served: log and page say why', async (t) => {
  const { client, folder, log, get } = await startWith(
    t,
    fill(['data/usage-events-info.csv', 'notes.txt', 'private/page.html', 'private/deep/page.html', 'open/page.html']),
  );
  for (const path of ['data/usage-events-info.csv', 'notes.txt']) chmodSync(join(folder, path), 0o640);
  chmodSync(join(folder, 'private'), 0o750);
  for (const path of ['/notes.txt', '/private/page.html', '/private/deep/page.html'])
    assert.equal((await client.get(path)).status, 404, path);
  assert.equal((await client.get('/open/page.html')).status, 200);
  const users = (await get('/api/users')).json.users as { readonly defaultCsvPaths: readonly string[] }[];
  assert.deepEqual(users[0]?.defaultCsvPaths, ['./data/usage-events-info.csv']);
  const csv = await client.get('/data/usage-events-info.csv');
  assert.equal(csv.status, 403);
  const { code, hint } = JSON.parse(csv.body) as { readonly code: string; readonly hint: string };
  assert.equal(code, 'file_not_public');
  assert.match(hint, /chmod o\+r/);
  assert.doesNotMatch(csv.body, /not for those/);
  await client.get('/data/usage-events-info.csv');
  const warned = log()
    .split('\n')
    .filter((line) => /level=WARN/.test(line) && /usage-events-info\.csv/.test(line) && /chmod o\+r/.test(line));
  assert.equal(warned.length, 1);
  chmodSync(join(folder, 'data/usage-events-info.csv'), 0o644);
  assert.equal((await client.get('/data/usage-events-info.csv')).status, 200);
});

test('the markers stay readable at their path, although their file is private', async (t) => {
  const { client } = await startWith(t, {});
  const document = { version: 1, markers: [{ id: 'a', user: 'info', start: '2026-05-04T09:00:00Z' }] };
  const body = JSON.stringify(document);
  assert.equal((await client.send({ method: 'PUT', path: '/api/markers', body })).status, 200);
  const { status, body: stored } = await client.get('/data/project-markers.json');
  assert.equal(status, 200);
  assert.equal((JSON.parse(stored) as typeof document).markers[0]?.id, 'a');
});

test('the state of a server is recognised at any place in the project', async (t) => {
  const { client, folder } = await startWith(t, {
    ...fill(['state/rooms/rooms.sqlite', 'state/rooms/files/notes.txt', 'state/rooms/export.json']),
    ...fill(['state/alerts/alerts.db', 'state/alerts/list.json', 'running/owner.sock', 'running/list.json']),
    'state/page.html': 'x',
  });
  for (const path of [
    '/state/rooms/files/notes.txt',
    '/state/rooms/export.json',
    '/state/alerts/list.json',
    '/running/list.json',
  ])
    assert.equal((await client.get(path)).status, 404, path);
  assert.equal((await client.get('/state/page.html')).status, 200);
  // A project that is itself the data directory of a server keeps its own data, and nothing else.
  writeFiles(folder, { 'alerts.db': 'x', 'data/usage.csv': 'x', 'page.html': 'x' });
  assert.deepEqual([(await client.get('/page.html')).status, (await client.get('/data/usage.csv')).status], [404, 200]);
});

test('the data directory named by the environment is not served, by no link and under no name', async (t) => {
  const elsewhere = temporaryFolder(t);
  const variables = { OPSDECK_DATA_DIR: join(elsewhere, 'chat') };
  const { client, folder } = await startWith(t, {}, variables);
  // The variable leads to a folder of the project by another way.
  writeFiles(folder, { 'talk/list.json': SECRET });
  symlinkSync(join(folder, 'talk'), join(elsewhere, 'chat'));
  symlinkSync('talk', join(folder, 'alias'));
  for (const path of ['/talk/list.json', '/alias/list.json']) assert.equal((await client.get(path)).status, 404, path);
});

test('a link out of the project, or to an unserved file in it, leads nowhere', async (t) => {
  const outside = temporaryFolder(t);
  writeFiles(outside, fill(['secret.txt', 'folder/secret.csv']));
  const { client, folder } = await startWith(t, { ...fill(['.env', 'notes.yml']), 'data/real.csv': 'x' });
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'data/out.csv'));
  symlinkSync(join(outside, 'folder'), join(folder, 'folder'));
  symlinkSync('../.env', join(folder, 'data/env.csv'));
  symlinkSync('notes.yml', join(folder, 'notes.txt'));
  symlinkSync('data/real.csv', join(folder, 'real.csv'));
  for (const path of ['/data/out.csv', '/folder/secret.csv', '/data/env.csv', '/notes.txt'])
    assert.equal((await client.get(path)).status, 404, path);
  assert.equal((await client.get('/real.csv')).status, 200);
});
