import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { HANG_MS } from './eventually.ts';

/** Whoever ends what was started: a test's context, or the {@link Janitor} of a bench. */
export interface Cleanup {
  after(action: () => unknown): void;
}

/** Ends what a bench started, the last first. */
export class Janitor implements Cleanup {
  readonly #actions: (() => unknown)[] = [];

  after(action: () => unknown): void {
    this.#actions.push(action);
  }

  async clean(): Promise<void> {
    for (let action = this.#actions.pop(); action; action = this.#actions.pop()) await action();
  }
}

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface RunningServer {
  /** Such as `http://127.0.0.1:40321`, without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  /** Sends the signal (SIGTERM unless told) and waits for the end; after {@link HANG_MS} it kills. */
  stop(signal?: NodeJS.Signals): Promise<ExitStatus>;
  /** All that the process has written to stderr so far. */
  stderr(): string;
}

export interface ServerLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Tells the address (`host:port`) as soon as stderr shows that the server listens. */
  readonly addressIn: (stderr: string) => string | undefined;
}

const MINIMAL_ALERTMANAGER_CONFIG = `
route: {receiver: default, group_by: [alertname, cluster], group_wait: 1h, group_interval: 1h, repeat_interval: 24h}
receivers: [{name: default}]
`;

/** A test runs its `after` actions in the order of registration; here what came last must end first. */
const janitors = new WeakMap<Cleanup, Janitor>();

function finallyDo(t: Cleanup, action: () => unknown): void {
  let janitor = janitors.get(t);
  if (!janitor) {
    const fresh = new Janitor();
    janitors.set(t, fresh);
    t.after(() => fresh.clean());
    janitor = fresh;
  }
  janitor.after(action);
}

/** Whatever still runs when the tests' process ends (a failed hook, Ctrl-C) ends with it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

function isInstalled(binary: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Whether a program of somebody else's is on PATH. If not, the test is skipped with the command that installs it;
 * under OPSDECK_REQUIRE_REAL=1 it fails instead.
 */
export function needsReal(t: TestContext, binary: string, debianPackage: string): boolean {
  if (isInstalled(binary)) return true;
  const reason = `${binary} is not installed: apt-get install ${debianPackage}`;
  if (process.env.OPSDECK_REQUIRE_REAL === '1') throw new Error(reason);
  t.skip(reason);
  return false;
}

/** An empty folder below the system's temporary one, removed in the end. */
export function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-'));
  finallyDo(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function ended(child: ChildProcess): Promise<ExitStatus> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done({ code: child.exitCode, signal: child.signalCode });
    else child.once('close', (code, signal) => done({ code, signal }));
  });
}

/** Signals a server and whatever it has started: npx does not hand a signal on. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}

async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<ExitStatus> {
  signalGroup(child, signal);
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), HANG_MS);
  const status = await ended(child);
  clearTimeout(timer);
  return status;
}

/** Starts a server and waits until it listens; it is stopped in the end. Throws with its stderr if it does not come up. */
export async function startServer(t: Cleanup, launch: ServerLaunch): Promise<RunningServer> {
  const { command, cwd } = launch;
  const child = spawn(command, launch.args, {
    cwd,
    env: { ...process.env, HOME: cwd, ...launch.env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let stderr = '';
  finallyDo(t, () => stopChild(child, 'SIGTERM'));
  const address = await new Promise<string>((done, fail) => {
    const refuse = (why: string) => fail(new Error(`${command} ${launch.args.join(' ')}: ${why}\n${stderr}`));
    const timer = setTimeout(() => refuse(`does not listen after ${HANG_MS} ms`), HANG_MS);
    child.once('error', (error) => refuse(error.message));
    child.once('close', (code, signal) => refuse(`ended with ${code ?? signal}`));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      const found = launch.addressIn(stderr);
      if (!found) return;
      clearTimeout(timer);
      done(found);
    });
  });
  return {
    url: `http://${address}`,
    pid: child.pid ?? -1,
    stop: (signal = 'SIGTERM') => stopChild(child, signal),
    stderr: () => stderr,
  };
}

/** The address in the `Listening on` line, as Alertmanager, Prometheus and opsdeck log it. */
export function listeningAddress(stderr: string): string | undefined {
  return /^.*Listening on.*\baddress=(\S+).*\n/m.exec(stderr)?.[1];
}

/** Writes a configuration file (one receiver `default`, long waits, unless told) and returns its path. */
export function configFile(t: Cleanup, text = MINIMAL_ALERTMANAGER_CONFIG): string {
  const path = join(temporaryFolder(t), 'alertmanager.yml');
  writeFileSync(path, text);
  return path;
}

const has = (args: readonly string[], flag: string) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));

/** The real Alertmanager: Debian's on PATH, unless OPSDECK_ALERTMANAGER names another one. */
export const ALERTMANAGER = process.env.OPSDECK_ALERTMANAGER ?? 'prometheus-alertmanager';

/** Starts the real Alertmanager, alone (no cluster) and on a port of its own choice, with one receiver and long waits. */
export function startAlertmanager(
  t: Cleanup,
  options: { config?: string; args?: string[] } = {},
): Promise<RunningServer> {
  const folder = temporaryFolder(t);
  const args = [...(options.args ?? [])];
  if (!has(args, '--config.file')) args.push(`--config.file=${configFile(t, options.config)}`);
  if (!has(args, '--storage.path')) args.push(`--storage.path=${join(folder, 'data')}`);
  if (!has(args, '--web.listen-address')) args.push('--web.listen-address=127.0.0.1:0');
  if (!has(args, '--cluster.listen-address')) args.push('--cluster.listen-address=');
  return startServer(t, { command: ALERTMANAGER, args, cwd: folder, addressIn: listeningAddress });
}

/** The built executable; tests run from the root of the repository, after the build. */
export function executablePath(): string {
  return resolve('dist/opsdeck.js');
}

/**
 * Starts the built `opsdeck alerts serve` in an empty folder, with a storage path and a port of its own unless `args`
 * name them; `executable` is the command of another build.
 */
export function startOpsdeck(
  t: Cleanup,
  args: readonly string[] = [],
  [command = process.execPath, ...before]: readonly string[] = [process.execPath, executablePath()],
): Promise<RunningServer> {
  const folder = temporaryFolder(t);
  const all = [...before, 'alerts', 'serve', ...args];
  if (!has(args, '--web.listen-address')) all.push('--web.listen-address', '127.0.0.1:0');
  if (!has(args, '--storage.path')) all.push('--storage.path', join(folder, 'data'));
  return startServer(t, { command, args: all, cwd: folder, addressIn: listeningAddress });
}

/** What a process holds in memory now, and the most it ever held, in bytes; undefined where there is no /proc. */
export function memoryOf(pid: number): { rss: number; peak: number } | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
  const bytesOf = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { rss: bytesOf('VmRSS'), peak: bytesOf('VmHWM') };
}

/** The processes that a process has started; none where there is no /proc. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

export interface ProcessOptions {
  readonly cwd?: string;
  /** Added to the environment of this process; undefined takes a variable away. */
  readonly env?: NodeJS.ProcessEnv;
  /** What the process reads from its standard input. */
  readonly input?: string;
}

/** Runs a command to its end. `code` is 128 + 9 if it had to be killed, after {@link HANG_MS}; throws only if it cannot be started. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      timeout: HANG_MS,
      killSignal: 'SIGKILL',
      detached: true,
    });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // A command that reads nothing may be gone before its input is written.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.once('error', fail);
    child.once('close', (code) => {
      running.delete(child);
      done({ code: code ?? 128 + 9, stdout, stderr });
    });
  });
}
