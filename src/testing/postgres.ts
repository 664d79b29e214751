import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually, HANG_MS } from './eventually.ts';
import { addPrivateFile, asOrdinaryUser, ordinaryFolder, removeFolder } from './ordinary-user.ts';
import { end, launch, pauseAll, resumeAll } from './postmaster.ts';
import { type Cleanup, needsReal } from './processes.ts';

const run = promisify(execFile);

/** A database in a PostgreSQL whose superuser is `opsdeck`. */
export interface TestDatabase {
  /** With user and password. */
  readonly url: string;
  readonly port: number;
  readonly password: string;
  /** Creates another database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Runs SQL as superuser, in the database of `url` or in that of another URL. */
  psql(sql: string, url?: string): Promise<readonly Record<string, unknown>[]>;
}

/** A PostgreSQL of its own, with the database `postgres`. */
export interface RunningPostgres extends TestDatabase {
  /** Of the process whose children serve the connections; another one after `start`. */
  readonly pid: number;
  /** Switches TLS on. */
  useTls(pair: { readonly cert: string; readonly key: string }): Promise<void>;
  /** Writes a file into its folder and returns its path. */
  addFile(name: string, text: string): string;
  /** Kills all its processes at once, as a power cut does. */
  kill(): Promise<void>;
  /** Stops it in order, without waiting for clients. */
  stop(): Promise<void>;
  /** Starts it again after `kill` or `stop`, on the same port with the same data, and waits until it is ready. */
  start(): Promise<void>;
  /** Stops all its processes with SIGSTOP: connections hang. */
  pause(): void;
  resume(): void;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

export interface PostgresLaunch {
  /** Settings, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The newest of Debian's folders of binaries, or that on PATH. */
function binaryFolder(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = readFolder(root).sort((a, b) => Number(b) - Number(a));
  const candidates = [
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return candidates.find((folder) => readFolder(folder).includes('initdb'));
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Whether PostgreSQL is installed; otherwise the test is skipped, or fails with OPSDECK_REQUIRE_REAL=1. */
export function needsPostgres(t: TestContext): boolean {
  return binaryFolder() !== undefined || needsReal(t, 'postgres', 'postgresql');
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

interface Template {
  readonly folder: string;
  readonly password: string;
}

/** What the processes of a test run share; `url` is that of a running server. */
interface Shared extends Template {
  readonly url: string;
}

/** Environment variable with {@link Shared}, as JSON. */
const SHARED = 'OPSDECK_TEST_POSTGRES';
/** Of a server with many clients that need not outlive it. */
const SHARED_SETTINGS = { max_connections: '500', fsync: 'off', autovacuum: 'off', max_wal_size: '128MB' };

const inherited = process.env[SHARED] === undefined ? undefined : (JSON.parse(process.env[SHARED]) as Shared);
let template: Promise<Template> | undefined = inherited && Promise.resolve(inherited);
let sharedUrl: Promise<string> | undefined = inherited && Promise.resolve(inherited.url);
let databases = 0;

/** Starts the server of {@link openTestDatabase} for all processes of a test run, if PostgreSQL is installed. */
export async function sharePostgres(): Promise<void> {
  if (!binaryFolder()) return;
  const url = await startShared();
  process.env[SHARED] = JSON.stringify({ ...(await template), url });
}

/** Ends with this process. */
async function startShared(): Promise<string> {
  return (await startPostgres(undefined, { settings: SHARED_SETTINGS })).url;
}

/**
 * A database of its own in the server of the test run, for a test that neither stops nor configures PostgreSQL. Other tests
 * use that server too: a test names the roles that it creates after itself, and finds its sessions by
 * `datname = current_database()`. Only after {@link needsPostgres}.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  sharedUrl ??= startShared();
  const server = new URL(await sharedUrl);
  const name = `test_${process.pid}_${++databases}`;
  const url = await createDatabase(server.href, name);
  return {
    url,
    port: Number(server.port),
    password: server.password,
    createDatabase: (other) => createDatabase(url, `${name}_${other}`),
    psql: (sql, target = url) => runSql(sql, target),
  };
}

/** In the server of a database. */
async function createDatabase(url: string, name: string): Promise<string> {
  await runSql(`CREATE DATABASE ${pg.escapeIdentifier(name)}`, url);
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** An initialised cluster, made once, of which each server gets a copy. */
async function makeTemplate(binaries: string): Promise<Template> {
  const folder = ordinaryFolder();
  const password = `pw-${randomBytes(12).toString('hex')}`;
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const options = ['--no-sync', '-A', 'scram-sha-256', '-U', 'opsdeck', '-E', 'UTF8', '--locale=C'];
  const args = [...options, `--pwfile=${passwordFile}`, '-D', join(folder, 'data')];
  await run(...asOrdinaryUser(join(binaries, 'initdb'), args));
  return { folder, password };
}

/** Starts a PostgreSQL on a free port, ended after the test. Only after {@link needsPostgres}. */
export async function startPostgres(t?: Cleanup, { settings = {} }: PostgresLaunch = {}): Promise<RunningPostgres> {
  const binaries = binaryFolder();
  if (!binaries) throw new Error('postgres is not installed: apt-get install postgresql');
  template ??= makeTemplate(binaries);
  const { folder: original, password } = await template;
  const folder = ordinaryFolder();
  await run('cp', ['-a', join(original, 'data'), folder]);
  return serve(t, { binaries, folder, password, settings });
}

/** A server that follows the log of another one, and is read-only until it is promoted. */
export interface StandbyPostgres extends RunningPostgres {
  /** Resolves when it has all that the other server has committed so far. */
  catchUp(): Promise<void>;
  /** From now on it misses what the other server commits. */
  detach(): Promise<void>;
  /** Makes it a server of its own. */
  promote(): Promise<void>;
}

/** Starts a standby of a running server, ended after the test. */
export async function startStandby(t: Cleanup, primary: RunningPostgres): Promise<StandbyPostgres> {
  const binaries = binaryFolder() ?? '';
  const folder = ordinaryFolder();
  const args = ['--pgdata', join(folder, 'data'), '--dbname', primary.url, '--checkpoint=fast', '--no-sync'];
  await run(...asOrdinaryUser(join(binaries, 'pg_basebackup'), [...args, '--write-recovery-conf']));
  const server = await serve(t, { binaries, folder, password: primary.password, settings: {} });
  const until = (what: string, sql: string) =>
    eventually(what, async () => Object.values((await server.psql(sql))[0] ?? {})[0] === true);
  return Object.assign(server, {
    async catchUp() {
      const [{ lsn } = {}] = await primary.psql('SELECT pg_current_wal_lsn() AS lsn');
      await until('the standby', `SELECT pg_last_wal_replay_lsn() >= ${pg.escapeLiteral(String(lsn))}::pg_lsn`);
    },
    async detach() {
      await server.psql("ALTER SYSTEM SET primary_conninfo = ''");
      await server.psql('SELECT pg_reload_conf()');
      await until('the end of its replication', 'SELECT count(*) = 0 FROM pg_stat_wal_receiver');
    },
    async promote() {
      await server.psql('SELECT pg_promote()');
    },
  });
}

interface Serving {
  readonly binaries: string;
  /** Its data are in `data`. */
  readonly folder: string;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function serve(
  t: Cleanup | undefined,
  { binaries, folder, password, settings }: Serving,
): Promise<RunningPostgres> {
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    // In the data folder: elsewhere a kill would leave it behind.
    dynamic_shared_memory_type: 'mmap',
    ...settings,
  };
  const args = ['-D', join(folder, 'data'), '-p', String(port)];
  for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`);
  const url = `postgres://opsdeck:${password}@127.0.0.1:${port}/postgres`;
  let server = await launch(join(binaries, 'postgres'), args);
  const postgres: RunningPostgres = {
    get pid() {
      return server.pid ?? -1;
    },
    url,
    port,
    password,
    createDatabase: (name) => createDatabase(url, name),
    psql: (sql, target = url) => runSql(sql, target),
    useTls: async ({ cert, key }) => {
      await postgres.psql(`ALTER SYSTEM SET ssl_cert_file = ${pg.escapeLiteral(postgres.addFile('tls.crt', cert))}`);
      await postgres.psql(`ALTER SYSTEM SET ssl_key_file = ${pg.escapeLiteral(postgres.addFile('tls.key', key))}`);
      await postgres.psql('ALTER SYSTEM SET ssl = on');
      await postgres.psql('SELECT pg_reload_conf()');
    },
    addFile: (name, text) => addPrivateFile(folder, name, text),
    kill: () => end(server, 'kill'),
    stop: () => end(server, 'stop'),
    start: async () => {
      server = await launch(join(binaries, 'postgres'), args);
    },
    pause: () => void pauseAll(server),
    resume: () => resumeAll(server),
    close: async () => {
      await end(server, 'kill');
      removeFolder(folder);
    },
  };
  t?.after(() => postgres.close());
  return postgres;
}

async function runSql(sql: string, connectionString: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: HANG_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
