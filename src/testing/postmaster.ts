import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { HANG_MS } from './eventually.ts';
import { asOrdinaryUser } from './ordinary-user.ts';
import { childrenOf } from './processes.ts';

// The processes of a PostgreSQL.

/** Killed when the process of the tests exits. */
const running = new Set<ChildProcess>();
// Before their folders are removed.
process.prependOnceListener('exit', () => {
  for (const server of running) killAll(server);
});

/**
 * Starts the command as an ordinary user, and resolves when it accepts connections. After a kill the kernel may still be ending a
 * process that holds the shared memory: then it is tried again.
 */
export async function launch(command: string, args: readonly string[]): Promise<ChildProcess> {
  const givenUpAt = performance.now() + HANG_MS;
  for (;;) {
    const server = spawn(...asOrdinaryUser(command, args), { stdio: ['ignore', 'ignore', 'pipe'] });
    running.add(server);
    server.once('close', () => running.delete(server));
    const stderr = await untilReady(server);
    if (stderr === undefined) {
      // A server that no test ends must not keep this process alive.
      setReferenced(server, false);
      return server;
    }
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
      if (/ready to accept (read-only )?connections/.test(text)) done(undefined);
    });
  });
}

function setReferenced(server: ChildProcess, isReferenced: boolean): void {
  for (const handle of [server, server.stderr as Socket]) isReferenced ? handle.ref() : handle.unref();
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
export function pauseAll(server: ChildProcess): readonly number[] {
  if (!isRunning(server) || server.pid === undefined) return [];
  signal([server.pid], 'SIGSTOP');
  const children = childrenOf(server.pid);
  signal(children, 'SIGSTOP');
  return [...children, server.pid];
}

export function resumeAll(server: ChildProcess): void {
  if (isRunning(server) && server.pid !== undefined) signal([...childrenOf(server.pid), server.pid], 'SIGCONT');
}

function killAll(server: ChildProcess): void {
  signal(pauseAll(server), 'SIGKILL');
}

export async function end(server: ChildProcess, how: 'kill' | 'stop'): Promise<void> {
  if (!isRunning(server)) return;
  setReferenced(server, true);
  const closed = new Promise((done) => server.once('close', done));
  if (how === 'kill') {
    killAll(server);
  } else {
    resumeAll(server);
    server.kill('SIGINT');
  }
  await closed;
}
