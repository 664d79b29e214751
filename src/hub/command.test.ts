import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writeFiles } from '../dashboard/testing/app.ts';
import type { DeckReport } from '../kernel/deck/report.ts';
import { eventually } from '../testing/eventually.ts';
import { PlainClient } from '../testing/http/client.ts';
import { type HttpSink, startHttpSink } from '../testing/http/sink.ts';
import { needsPostgres, openTestDatabase } from '../testing/postgres.ts';
import {
  type Cleanup,
  executablePath,
  Janitor,
  listeningAddress,
  OPSDECK,
  type RunningServer,
  runProcess,
  startOpsdeck,
  startServer,
  temporaryFolder,
} from '../testing/processes.ts';
import type { HubEntry } from './contract.ts';

/** Its standard output is in up.txt. */
const startUp = (t: Cleanup, folder: string, flags: readonly string[] = []) =>
  startServer(t, {
    command: 'sh',
    args: [
      ...['-c', 'exec "$@" >up.txt', 'sh', ...OPSDECK],
      'up',
      '--hub-address',
      '127.0.0.1:0',
      '--alerts-address',
      '127.0.0.1:0',
      '--relay-address',
      '127.0.0.1:0',
      '--dashboard-address',
      '127.0.0.1:0',
      '--rooms-address',
      '127.0.0.1:0',
      ...flags,
    ],
    cwd: folder,
    addressIn: (stderr) => /Hub is listening" address=(\S+)\n/.exec(stderr)?.[1],
  });

interface Entry {
  readonly name: string;
  readonly url: string;
}

const serversOf = async (url: string) => (await (await fetch(`${url}/servers.json`)).json()) as Entry[];

interface Up {
  readonly up: RunningServer;
  readonly folder: string;
  readonly servers: readonly Entry[];
}

async function assertEveryServer({ up, folder, servers }: Up): Promise<void> {
  assert.match(await (await fetch(up.url)).text(), /<!doctype html>/i);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['alerts', 'relay', 'dashboard', 'rooms'],
  );
  assert.equal(servers[0]?.url, `http://${listeningAddress(up.stderr())}/`);
  const [alerts, relay, dashboard, rooms] = servers.map(({ url }) => url);
  assert.equal(
    readFileSync(join(folder, 'up.txt'), 'utf8'),
    `opsdeck is up: ${up.url}/\n  Alerts  ${alerts}\n  Flags   ${relay}\n  Usage   ${dashboard}\n  Rooms   ${rooms}\n`,
  );
  const status = await fetch(`${servers[0]?.url}api/v2/status`);
  assert.equal(status.status, 200);
  assert.match(await (await fetch(servers[1]?.url ?? '')).text(), /<title>Flags/);
  const relayStatus = (await (await fetch(`${relay}status`)).json()) as { status: string };
  assert.equal(relayStatus.status, 'healthy');
  assert.equal((await fetch(servers[2]?.url ?? '')).status, 200);
  const health = (await (await fetch(`${rooms}health`)).json()) as { status: string };
  assert.equal(health.status, 'healthy');
}

const PAGE = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };

async function assertClosed(t: TestContext, { up, servers }: Up): Promise<void> {
  const clients = new Map(servers.map(({ name, url }) => [name, new PlainClient(t, url)]));
  clients.set('hub', new PlainClient(t, up.url));
  const paths: Readonly<Record<string, readonly string[]>> = {
    hub: ['/', '/servers.json', '/-/healthy'],
    alerts: ['/', '/api/v2/alerts', '/api/v2/status', '/alerts', '/metrics', '/-/healthy', '/nowhere'],
    relay: ['/status', '/sdk/latest-all', '/sdk/evalx/local/contexts/eyJrZXkiOiJhIn0', '/ping/local', '/metrics'],
    dashboard: ['/', '/health', '/api/users', '/data/x.csv'],
    rooms: ['/', '/health', '/api/room', '/metrics', '/openapi.json'],
  };
  for (const [name, client] of clients)
    for (const path of paths[name] ?? []) {
      for (const host of ['evil.example', 'localhost.evil.example:9093', '192.0.2.1']) {
        const headers = { Host: host, Authorization: 'sdk-local' };
        assert.equal((await client.send({ method: 'GET', path, headers })).status, 403, `${name} ${path} as ${host}`);
      }
    }
  const alerts = clients.get('alerts') as PlainClient;
  const silence = {
    matchers: [{ name: 'alertname', value: '.+', isRegex: true }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2099-01-01T00:00:00Z',
    createdBy: 'evil',
    comment: 'quiet',
  };
  const posts: readonly (readonly [path: string, body: string])[] = [
    ['/-/reload', ''],
    ['/api/v2/silences', JSON.stringify(silence)],
    ['/silences', JSON.stringify(silence)],
    ['/api/v2/alerts', '[{"labels":{"alertname":"fake"}}]'],
  ];
  for (const [path, body] of posts)
    for (const headers of [PAGE, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }, { Host: 'evil.example' }]) {
      const typed = { ...headers, 'Content-Type': 'application/json' };
      assert.equal((await alerts.send({ method: 'POST', path, headers: typed, body })).status, 403, path);
    }
  for (const method of ['GET', 'POST', 'DELETE']) {
    const headers = { ...PAGE, 'Access-Control-Request-Method': method };
    const asked = await alerts.send({ method: 'OPTIONS', path: '/api/v2/silences', headers });
    assert.equal(asked.headers['access-control-allow-origin'], undefined);
    assert.equal(asked.headers['access-control-allow-methods'], undefined);
  }
  const read = await alerts.send({ method: 'GET', path: '/api/v2/status', headers: PAGE });
  assert.equal(read.headers['access-control-allow-origin'], undefined);
  assert.deepEqual(JSON.parse((await alerts.get('/api/v2/silences')).body), []);
  assert.deepEqual(JSON.parse((await alerts.get('/api/v2/alerts')).body), []);
}

async function assertOpen(t: TestContext, { up, servers }: Up, sink: HttpSink): Promise<void> {
  const alerts = new PlainClient(t, servers.find(({ name }) => name === 'alerts')?.url ?? '');
  assert.equal((await alerts.post('/api/v2/alerts', [{ labels: { alertname: 'a' } }])).status, 200);
  const [notification] = await sink.received(1);
  const sent = notification?.json as { readonly externalURL: string } | undefined;
  assert.equal(`${sent?.externalURL}/`, servers.find(({ name }) => name === 'alerts')?.url);
  assert.equal((await alerts.send({ method: 'POST', path: '/-/reload' })).status, 200);
  for (const url of [up.url, ...servers.map(({ url }) => url)]) {
    const { origin, port } = new URL(url);
    for (const page of [origin, `http://localhost:${port}`]) {
      const headers = { Origin: page, 'Sec-Fetch-Site': 'same-site' };
      const list = await alerts.send({ method: 'GET', path: '/api/v2/alerts', headers });
      assert.deepEqual([list.status, list.headers['access-control-allow-origin']], [200, page]);
      assert.equal((await alerts.send({ method: 'POST', path: '/-/reload', headers })).status, 200, page);
    }
  }
}

test('up', async (t) => {
  const folder = temporaryFolder(t);
  const sink = await startHttpSink(t);
  writeFiles(folder, {
    'alertmanager.yml': `route: {receiver: x, group_wait: 0s}\nreceivers: [{name: x, webhook_configs: [{url: "${sink.url}"}]}]\n`,
  });
  const up = await startUp(t, folder);
  const all = { up, folder, servers: await serversOf(up.url) };
  await t.test('starts every server in one process, with a page that links to them', () => assertEveryServer(all));
  await t.test('lets a page of another site neither read nor change anything', (t) => assertClosed(t, all));
  await t.test(
    'lets its pages, and clients other than pages, use the alert server; links of notifications lead to it',
    (t) => assertOpen(t, all, sink),
  );
  await t.test('ends in order', async () => {
    assert.deepEqual(await up.stop('SIGTERM'), { code: 0, signal: null });
  });
});

test('every example of the hub works on a fresh start, and the numbers follow', async (t) => {
  const folder = temporaryFolder(t);
  const up = await startUp(t, folder);
  const entries = async () => (await (await fetch(`${up.url}/servers.json`)).json()) as readonly HubEntry[];
  const examples = (await entries()).map(({ example }) => example);
  assert.equal(examples.length, 4);
  const shell = `opsdeck() { "${process.execPath}" "${executablePath()}" "$@"; }`;
  const runs = examples.map((example) =>
    runProcess('bash', ['-c', `set -eo pipefail\n${shell}\n${example}`], { cwd: folder, env: { HOME: folder } }),
  );
  for (const [index, { code, stderr }] of (await Promise.all(runs)).entries())
    assert.equal(code, 0, `${examples[index]}\n${stderr}`);
  const summaries = (await entries()).map(({ state, summary }) => ({ state, ...summary }));
  assert.deepEqual(summaries, [
    { state: 'ready', kind: 'alerts', severities: { critical: 1 }, suppressed: 0, failing: [], faults: [] },
    { state: 'ready', kind: 'relay', flags: 5, on: 5, sources: [{ environment: 'local', state: 'VALID' }] },
    { state: 'ready', kind: 'dashboard', month: null, hasLive: false, budgetCents: 7_000 },
    { state: 'ready', kind: 'rooms', rooms: 1, firing: 0, mentions: 0 },
  ]);
  const deck = (await (await fetch(new URL('deck.json', (await entries())[1]?.url))).json()) as DeckReport;
  assert.equal(deck.hub, `${up.url}/`);
  assert.deepEqual(
    deck.servers.map(({ name, state }) => `${name} ${state}`),
    ['alerts ready', 'relay ready', 'dashboard ready', 'rooms ready'],
  );
});

test('with --storage-url alerts and rooms of up lie in PostgreSQL, beside those of other servers', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const { url, password } = await openTestDatabase();
  const folder = temporaryFolder(janitor);
  const up = await startUp(janitor, folder, ['--storage-url', url]);
  const [alerts = '', , , rooms = ''] = (await serversOf(up.url)).map(({ url }) => url);
  const other = await startOpsdeck(janitor, ['--storage.url', url]);
  const matchers = [{ name: 'a', value: 'b', isRegex: false }];
  const silence = { matchers, startsAt: new Date(), endsAt: '2096-01-01T00:00:00Z', createdBy: 'mira', comment: 'c' };
  const posted = await new PlainClient(janitor, other.url).post('/api/v2/silences', silence);
  const { silenceID } = JSON.parse(posted.body) as { silenceID: string };
  await eventually('the silence', async () => (await fetch(`${alerts}api/v2/silence/${silenceID}`)).status === 200);
  const { store } = (await (await fetch(`${rooms}health`)).json()) as { store: { kind: string } };
  assert.equal(store.kind, 'postgres');
  for (const name of ['alerts', 'rooms']) assert.ok(!existsSync(join(folder, 'data', name)), name);
  assert.ok(!up.stderr().includes(password));
  if (process.platform === 'linux')
    assert.equal(readFileSync(`/proc/${up.pid}/cmdline`, 'utf8').replace(/\0+$/, ''), 'opsdeck up');
});

test("up ends with 1 after a failure of the rooms' storage, as the rooms alone do", async (t) => {
  const folder = temporaryFolder(t);
  const up = await startUp(t, folder);
  const rooms = (await serversOf(up.url)).find(({ name }) => name === 'rooms')?.url ?? '';
  const post = (path: string, body: object) =>
    fetch(rooms + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { id } = (await (await post('api/room', { name: 'ci' })).json()) as { id: string };
  rmSync(join(folder, 'data', 'rooms'), { recursive: true });
  assert.equal((await post('api/message', { roomId: id, body: 'lost' })).status, 503);
  assert.deepEqual(await up.end(), { code: 1, signal: null });
  assert.match(up.stderr(), /^opsdeck: the storage of the rooms failed; the log says why$/m);
});

test('up listens on this machine alone, its dashboard shows a separate folder, and a taken port stops one server alone', async (t) => {
  const folder = temporaryFolder(t);
  const taken = await startHttpSink(t);
  writeFiles(folder, { 'data/usage-events-info.csv': 'Date\n', 'page.html': 'x', '.env': 'USAGE_USERS=mira\n' });
  const { code, stdout } = await runProcess(process.execPath, [executablePath(), 'up', '--help']);
  assert.equal(code, 0);
  assert.match(stdout, /--alerts-address[^-]*?\(default:\s+127\.0\.0\.1:9093\)/);
  const up = await startUp(t, folder, ['--relay-address', new URL(taken.url).host]);
  // A warning names the new place of usage that lay in the working folder.
  assert.match(up.stderr(), /level=WARN .*--project \./);
  const dashboard = new PlainClient(t, (await serversOf(up.url)).find(({ name }) => name === 'dashboard')?.url ?? '');
  for (const path of ['/page.html', '/data/usage-events-info.csv', '/alertmanager.yml', '/data/rooms/rooms.sqlite-wal'])
    assert.equal((await dashboard.get(path)).status, 404, path);
  assert.doesNotMatch((await dashboard.get('/api/users')).body, /mira/);
  assert.equal(statSync(join(folder, 'data/dashboard')).mode & 0o077, 0);
  writeFiles(join(folder, 'data/dashboard'), { 'data/usage-events-info.csv': 'Date\n' });
  assert.equal((await dashboard.get('/data/usage-events-info.csv')).status, 200);
  assert.deepEqual(
    (await serversOf(up.url)).map(({ name }) => name),
    ['alerts', 'dashboard', 'rooms'],
  );
  assert.match(
    up.stderr(),
    /^opsdeck: the relay server is not started: cannot listen on 127\.0\.0\.1:\d+: the port is taken.* \(--relay-address\)$/m,
  );
});

test('with --project and --data-dir no server’s state is shown, at any place in the project', async (t) => {
  const folder = temporaryFolder(t);
  writeFiles(folder, {
    'page.html': 'x',
    'flags.json': '{"flagValues":{"a":true}}',
    'data/usage-events-info.csv': 'Date\n',
  });
  const up = await startUp(t, folder, ['--project', '.', '--data-dir', 'state', '--flags', 'flags.json']);
  const servers = await serversOf(up.url);
  const clientOf = (name: string) => new PlainClient(t, servers.find((server) => server.name === name)?.url ?? '');
  const dashboard = clientOf('dashboard');
  assert.equal((await dashboard.get('/page.html')).status, 200);
  assert.equal((await dashboard.get('/data/usage-events-info.csv')).status, 200);
  assert.equal((await clientOf('rooms').post('/api/room', { name: 'private' })).status, 201);
  // Commands of the rooms ask the other servers.
  for (const [line, answer] of [
    ['/flag a', /is \*\*on\*\*/],
    ['/usage', /no session token/],
    ['/status', /0 active alerts/],
  ] as const) {
    const said = await clientOf('rooms').post('/api/room/private/message', { body: line });
    assert.equal(said.status, 201, said.body);
    assert.match(said.body, answer);
  }
  // The files that the servers write there now, and possible ones.
  writeFiles(folder, { 'state/rooms/files/x.txt': 'x', 'state/rooms/export.json': '[]', 'state/alerts/x.json': '{}' });
  const state = readdirSync(join(folder, 'state'), { recursive: true, encoding: 'utf8' });
  assert.ok(state.includes('rooms/rooms.sqlite-wal') && state.includes('alerts/alerts.db'));
  for (const path of [...state.map((one) => `/state/${one}`), '/flags.json', '/state/../state/rooms/export.json'])
    assert.equal((await dashboard.get(path)).status, 404, path);
});

test('up refuses rooms without sign-in behind a proxy', async (t) => {
  const env = { OPSDECK_ROOMS_AUTH: 'none', OPSDECK_ROOMS_BASE_URL: 'https://chat.example.com' };
  const addresses = ['hub', 'alerts', 'relay', 'dashboard', 'rooms'].flatMap((name) => [
    `--${name}-address`,
    '127.0.0.1:0',
  ]);
  const args = [executablePath(), 'up', ...addresses];
  const { code, stderr } = await runProcess(process.execPath, args, { env, cwd: temporaryFolder(t) });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /--auth none lets .* --base-url https:\/\/chat\.example\.com .* --auth token/);
});
