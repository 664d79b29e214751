import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AUTHORITY, SERVER } from '../../kernel/testdata/tls-certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { freePort, needsPostgres, openTestDatabase, startPostgres } from '../../testing/postgres.ts';
import {
  type Cleanup,
  executablePath,
  Janitor,
  listeningAddress,
  runProcess,
  startOpsdeck,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';
import type { ServerStatus } from '../contract/wire.ts';

// The built server at its start on a database.

function createJanitor(t: Cleanup): Janitor {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  return janitor;
}

const serve = (folder: string, ...args: string[]) =>
  runProcess(process.execPath, [executablePath(), 'alerts', 'serve', '--web.listen-address', '127.0.0.1:0', ...args], {
    cwd: folder,
  });

test('a start that cannot succeed ends with one sentence and its own code, without the password', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = createJanitor(t);
  const postgres = await startPostgres(janitor);
  const { url, password } = postgres;
  await postgres.createDatabase('frozen');
  await postgres.psql('ALTER DATABASE frozen SET default_transaction_read_only = on');
  await postgres.psql(`CREATE ROLE reader LOGIN PASSWORD '${password}'`);
  const newer = await postgres.createDatabase('newer');
  await postgres.psql(
    `CREATE SCHEMA opsdeck; CREATE TABLE opsdeck.schema_version (component text PRIMARY KEY, version int, min_reader int);
     INSERT INTO opsdeck.schema_version VALUES ('alerts', 99, 99)`,
    newer,
  );
  const nowhere = url.replace(String(postgres.port), String(await freePort()));
  const cases: readonly (readonly [url: string, code: number, sentence: RegExp])[] = [
    [nowhere, 3, /^PostgreSQL at \S+ cannot be reached \(.*ECONNREFUSED.*\): start it, or correct the storage URL$/],
    [url.replace(password, `${password}x`), 1, /^PostgreSQL at \S+ refuses the password of user opsdeck: correct it/],
    [url.replace(/postgres$/, 'absent'), 1, /^PostgreSQL at \S+ has no such database: .* CREATE DATABASE "absent"$/],
    [
      url.replace('//opsdeck:', '//reader:'),
      1,
      /^PostgreSQL at \S+ gives user reader too few rights .*: GRANT CONNECT, /,
    ],
    [url.replace(/postgres$/, 'frozen'), 1, /^PostgreSQL at \S+ is read-only: name the address of the primary/],
    [newer, 1, /^the database was written by a newer opsdeck \(schema alerts 99, this one knows \d+\): start that/],
    [url.replace('postgres:', 'http:'), 2, /^--storage\.url: the storage URL must be postgres:/],
    [`${url}?sslmode=sometimes`, 2, /^--storage\.url: sslmode in the storage URL must be one of /],
  ];
  const folder = temporaryFolder(janitor);
  await Promise.all(
    cases.map(async ([wrong, code, sentence]) => {
      const ended = await serve(folder, '--storage.url', wrong, '--storage.wait', '300ms');
      const shown = `${ended.stdout}${ended.stderr}`;
      assert.equal(ended.code, code, shown);
      assert.match(/^opsdeck: (.*)\n$/m.exec(ended.stderr)?.[1] ?? shown, sentence);
      assert.ok(!shown.includes(password), shown);
      assert.doesNotMatch(shown, /^\s+at /m);
    }),
  );
});

test('nodes that make the tables at the same moment all start, and know each other', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = createJanitor(t);
  const { url } = await openTestDatabase();
  const nodes = await Promise.all(
    ['a', 'b', 'c'].map((name) => startOpsdeck(janitor, ['--storage.url', url, '--cluster.peer-name', name])),
  );
  for (const node of nodes) {
    const client = new PlainClient(janitor, node.url);
    await eventually('all members', async () => {
      const { cluster } = JSON.parse((await client.get('/api/v2/status')).body) as ServerStatus;
      return cluster.status === 'ready' && cluster.peers.map(({ name }) => name).join('') === 'abc';
    });
  }
});

test('the password of the URL is in no output, argument, status, metric or error', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = createJanitor(t);
  const postgres = await startPostgres(janitor, { settings: { synchronous_commit: 'off' } });
  const { url, password } = postgres;
  const node = await startOpsdeck(janitor, ['--storage.url', url, '--log.level', 'debug']);
  const client = new PlainClient(janitor, node.url);
  const answers = async () => {
    const silence = { matchers: [{ name: 'a', value: 'b', isRegex: false }], createdBy: 'mira', comment: 'c' };
    const times = { startsAt: '2026-01-01T00:00:00Z', endsAt: '2096-01-01T00:00:00Z' };
    const posted = await client.post('/api/v2/silences', { ...silence, ...times });
    const paths = ['/api/v2/status', '/metrics', '/-/ready', '/api/v2/notifications'];
    const read = await Promise.all(paths.map((path) => client.get(path)));
    return { status: posted.status, texts: [posted, ...read].map(({ body }) => body) };
  };
  const before = await answers();
  assert.equal(before.status, 200);
  await postgres.kill();
  const after = await eventually('the outage', async () => {
    const found = await answers();
    return found.status === 503 && found.texts[3]?.includes('PostgreSQL is away') && found;
  });
  const shown = [...before.texts, ...after.texts, node.stderr()];
  if (process.platform === 'linux') {
    const line = readFileSync(`/proc/${node.pid}/cmdline`, 'utf8').replace(/\0+$/, '');
    assert.equal(line, 'opsdeck alerts serve');
    shown.push(line);
  }
  for (const text of shown) assert.ok(!text.includes(password) && !text.includes(url), text);
  assert.match(node.stderr(), /level=WARN msg="synchronous_commit is off: .*; set it to on"/);
});

test('the password comes from PGPASSWORD or the password file, and verify-full checks the certificate', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = createJanitor(t);
  const postgres = await startPostgres(janitor);
  await postgres.useTls(SERVER);
  const { url, port, password } = postgres;
  const query = `?sslmode=verify-full&sslrootcert=${postgres.addFile('authority.crt', AUTHORITY)}`;
  const bare = `${url.replace(`:${password}`, '')}${query}`;
  const start = (env: NodeJS.ProcessEnv) => {
    const args = [executablePath(), 'alerts', 'serve', '--web.listen-address', '127.0.0.1:0'];
    const cwd = temporaryFolder(janitor);
    return startServer(janitor, { command: process.execPath, args, cwd, env, addressIn: listeningAddress });
  };
  const file = join(temporaryFolder(janitor), 'pgpass');
  writeFileSync(file, `127.0.0.1:${port}:*:opsdeck:${password}\n`, { mode: 0o600 });
  for (const env of [{ PGPASSWORD: password }, { PGPASSFILE: file }]) {
    const node = await start({ OPSDECK_STORAGE_URL: bare, ...env });
    const client = new PlainClient(janitor, node.url);
    assert.match((await client.get('/metrics')).body, /^opsdeck_storage_up 1$/m);
  }
  const sessions = await postgres.psql(
    "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'opsdeck/%'",
  );
  assert.deepEqual(sessions, [{ ssl: true }]);
});
