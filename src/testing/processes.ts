import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { HANG_MS } from './eventually.ts';

/** Runs actions at the end: the context of a test, or the {@link Janitor} of a bench. */
export interface Cleanup {
  after(action: () => unknown): void;
}

/** Runs the cleanup actions of a bench in reverse order. */
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
  /** Sends a signal (default SIGTERM) and waits for the exit; kills the process after {@link HANG_MS}. */
  stop(signal?: NodeJS.Signals): Promise<ExitStatus>;
  /** Waits for a server that ends by itself; kills the process after {@link HANG_MS}. */
  end(): Promise<ExitStatus>;
  /** The output to stderr so far. */
  stderr(): string;
}

export interface ServerLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Finds the address (`host:port`) in stderr when the server listens. */
  readonly addressIn: (stderr: string) => string | undefined;
}

const MINIMAL_ALERTMANAGER_CONFIG = `
route: {receiver: default, group_by: [alertname, cluster], group_wait: 1h, group_interval: 1h, repeat_interval: 24h}
receivers: [{name: default}]
`;

/** Tests run `after` actions in order of registration; here the last must run first. */
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

/** Killed when the process of the tests exits, for example after a failed hook or Ctrl-C. */
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
 * Whether an external program is on PATH. Otherwise the test is skipped with the command that installs it; with
 * OPSDECK_REQUIRE_REAL=1 it fails.
 */
export function needsReal(t: TestContext, binary: string, debianPackage: string): boolean {
  if (isInstalled(binary)) return true;
  const reason = `${binary} is not installed: apt-get install ${debianPackage}`;
  if (process.env.OPSDECK_REQUIRE_REAL === '1') throw new Error(reason);
  t.skip(reason);
  return false;
}

/** An empty temporary folder, removed after the test. */
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

/** Signals a server and its child processes, as npx does not forward signals. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
}

function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<ExitStatus> {
  signalGroup(child, signal);
  return endOf(child);
}

async function endOf(child: ChildProcess): Promise<ExitStatus> {
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), HANG_MS);
  const status = await ended(child);
  clearTimeout(timer);
  return status;
}

/** Starts a server, waits until it listens, and stops it after the test. Throws with its stderr if it does not start. */
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
    const refuse = (why: string) => {
      clearTimeout(timer);
      fail(new Error(`${command} ${launch.args.join(' ')}: ${why}\n${stderr}`));
    };
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
    end: () => endOf(child),
    stderr: () => stderr,
  };
}

/** The address in the `Listening on` line of Alertmanager, Prometheus or opsdeck. */
export function listeningAddress(stderr: string): string | undefined {
  return /^.*Listening on.*\baddress=(\S+).*\n/m.exec(stderr)?.[1];
}

/** Writes an Alertmanager configuration (default: one receiver `default`, long waits) and returns its path. */
export function configFile(t: Cleanup, text = MINIMAL_ALERTMANAGER_CONFIG): string {
  const path = join(temporaryFolder(t), 'alertmanager.yml');
  writeFileSync(path, text);
  return path;
}

const has = (args: readonly string[], flag: string) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));

/** The real Alertmanager: OPSDECK_ALERTMANAGER, or Debian's on PATH. */
export const ALERTMANAGER = process.env.OPSDECK_ALERTMANAGER ?? 'prometheus-alertmanager';

/** Starts the real Alertmanager without a cluster on a free port, by default with one receiver and long waits. */
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

/** The built executable. Tests run in the root of the repository. */
export function executablePath(): string {
  return resolve('dist/opsdeck.js');
}

/** The executable with Node inside that is tested in the place of {@link executablePath}, if any. */
export const BINARY = process.env.OPSDECK_BINARY === undefined ? undefined : resolve(process.env.OPSDECK_BINARY);

/** The command that runs the built program: its arguments follow. */
export const OPSDECK: readonly [string, ...string[]] =
  BINARY === undefined ? [process.execPath, executablePath()] : [BINARY];

/**
 * Starts the built `opsdeck alerts serve` in an empty folder, by default with its own storage path and port. The last argument
 * is the command of another build.
 */
export function startOpsdeck(
  t: Cleanup,
  args: readonly string[] = [],
  [command = '', ...before]: readonly string[] = OPSDECK,
): Promise<RunningServer> {
  const folder = temporaryFolder(t);
  const all = [...before, 'alerts', 'serve', ...args];
  if (!has(args, '--web.listen-address')) all.push('--web.listen-address', '127.0.0.1:0');
  if (!has(args, '--storage.path')) all.push('--storage.path', join(folder, 'data'));
  return startServer(t, { command, args: all, cwd: folder, addressIn: listeningAddress });
}

/** Current and peak memory of a process in bytes; undefined without /proc. */
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

/** The child processes of a process; empty without /proc. */
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
  /** Added to the environment of this process; undefined removes a variable. */
  readonly env?: NodeJS.ProcessEnv;
  /** Standard input. */
  readonly input?: string;
}

/** Runs a command. `code` is 128 + 9 if it was killed after {@link HANG_MS}. Rejects only if it cannot be started. */
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
    // The command may exit without reading its input.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.once('error', fail);
    child.once('close', (code) => {
      running.delete(child);
      done({ code: code ?? 128 + 9, stdout, stderr });
    });
  });
}
