import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { HANG_MS } from './eventually.ts';
import { type Cleanup, childrenOf, needsReal } from './processes.ts';

const run = promisify(execFile);

/** A PostgreSQL of its own, whose superuser is `opsdeck`. */
export interface RunningPostgres {
  /** Of the database `postgres`, with user and password. */
  readonly url: string;
  readonly port: number;
  readonly password: string;
  /** Creates a database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Runs SQL as superuser, in the database of `url` or in that of another URL. */
  psql(sql: string, url?: string): Promise<readonly Record<string, unknown>[]>;
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

/** Ended, and removed, when the process of the tests exits. */
const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.once('exit', () => {
  for (const server of running) killAll(server);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

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

/** PostgreSQL and PgBouncer refuse to run as root; undefined: the current user is good enough. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (!uid || !gid) throw new Error('there is no user postgres: apt-get install postgresql');
  return { uid: Number(uid), gid: Number(gid) };
}

/** A command line that runs as a user who is not root, and on Linux ends with this process. */
export function asOrdinaryUser(command: string, args: readonly string[]): readonly [string, readonly string[]] {
  if (process.platform !== 'linux') return [command, args];
  const user = ordinaryUser();
  const identity = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  return ['setpriv', ['--pdeathsig=KILL', ...identity, '--', command, ...args]];
}

/** A temporary folder of that user, removed at the end of this process. */
export function ordinaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-pg-'));
  folders.add(folder);
  const user = ordinaryUser();
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
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

/** Environment variable with the template of a test run, as JSON. */
const TEMPLATE = 'OPSDECK_TEST_POSTGRES';

let template: Promise<Template> | undefined;

/** Makes the template of all processes of a test run, if PostgreSQL is installed; removed when this process ends. */
export async function sharePostgresTemplate(): Promise<void> {
  const binaries = binaryFolder();
  if (binaries) process.env[TEMPLATE] = JSON.stringify(await makeTemplate(binaries));
}

/** An initialised cluster, made once, of which each server gets a copy. */
async function makeTemplate(binaries: string): Promise<Template> {
  const shared = process.env[TEMPLATE];
  if (shared) return JSON.parse(shared) as Template;
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
  const port = await freePort();
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, ...settings };
  const args = ['-D', join(folder, 'data'), '-p', String(port)];
  for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`);
  const url = `postgres://opsdeck:${password}@127.0.0.1:${port}/postgres`;
  let server = await launch(join(binaries, 'postgres'), args);
  const postgres: RunningPostgres = {
    url,
    port,
    password,
    createDatabase: async (name) => {
      await postgres.psql(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
      return url.replace(/postgres$/, name);
    },
    psql: (sql, target = url) => runSql(sql, target),
    useTls: async ({ cert, key }) => {
      await postgres.psql(`ALTER SYSTEM SET ssl_cert_file = ${pg.escapeLiteral(postgres.addFile('tls.crt', cert))}`);
      await postgres.psql(`ALTER SYSTEM SET ssl_key_file = ${pg.escapeLiteral(postgres.addFile('tls.key', key))}`);
      await postgres.psql('ALTER SYSTEM SET ssl = on');
      await postgres.psql('SELECT pg_reload_conf()');
    },
    addFile: (name, text) => addFile(folder, name, text),
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

function addFile(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  const user = ordinaryUser();
  if (user) chownSync(path, user.uid, user.gid);
  return path;
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

/** After a kill the kernel may still be ending a process that holds the shared memory: then it is tried again. */
async function launch(command: string, args: readonly string[]): Promise<ChildProcess> {
  const givenUpAt = performance.now() + HANG_MS;
  for (;;) {
    const server = spawn(...asOrdinaryUser(command, args), { stdio: ['ignore', 'ignore', 'pipe'] });
    running.add(server);
    server.once('close', () => running.delete(server));
    const stderr = await untilReady(server);
    if (stderr === undefined) return server;
    const isTransient = /shared memory block|lock file .* already exists/.test(stderr);
    if (!isTransient || performance.now() > givenUpAt) throw new Error(`postgres ${args.join(' ')}: ended\n${stderr}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Undefined when it accepts connections, or its log when it has ended. */
function untilReady(server: ChildProcess): Promise<string | undefined> {
  return new Promise((done, fail) => {
    let stderr = '';
    server.once('error', fail);
    server.once('close', () => done(stderr));
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-20_000);
      if (text.includes('ready to accept connections')) done(undefined);
    });
  });
}

const isRunning = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;

function signal(pids: readonly (number | undefined)[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid !== undefined) process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

/** The postmaster first: it starts no more processes then. */
function pauseAll(server: ChildProcess): readonly number[] {
  if (!isRunning(server) || server.pid === undefined) return [];
  signal([server.pid], 'SIGSTOP');
  const children = childrenOf(server.pid);
  signal(children, 'SIGSTOP');
  return [...children, server.pid];
}

function resumeAll(server: ChildProcess): void {
  if (isRunning(server) && server.pid !== undefined) signal([...childrenOf(server.pid), server.pid], 'SIGCONT');
}

function killAll(server: ChildProcess): void {
  signal(pauseAll(server), 'SIGKILL');
}

async function end(server: ChildProcess, how: 'kill' | 'stop'): Promise<void> {
  if (!isRunning(server)) return;
  const closed = new Promise((done) => server.once('close', done));
  if (how === 'kill') {
    killAll(server);
  } else {
    resumeAll(server);
    server.kill('SIGINT');
  }
  await closed;
}
