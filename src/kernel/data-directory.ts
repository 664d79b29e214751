import { mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, relative, resolve } from 'node:path';
import type { Clock } from './clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from './errors.ts';

const SOCKET_NAME = 'owner.sock';
const TAKEOVER_NAME = 'owner.takeover';
/** A takeover lasts milliseconds; one that is older was cut short by a kill. */
const STALE_TAKEOVER_MS = 5_000;
const TAKEOVER_RETRY_MS = 20;
/** The kernel's limit for the path of a Unix socket is 108 bytes with its final NUL, 104 on BSD and macOS. */
const LONGEST_SOCKET_PATH = 103;

/** A directory that belongs to this process alone until it is released. */
export interface DataDirectory {
  readonly path: string;
  /** Idempotent. Does not wait for anything: the operating system releases a killed owner in the same way. */
  release(): void;
}

/**
 * Makes the directory and takes it for this process, or throws a CommandError: the code `unreachable` (3) when another
 * process owns it, `failed` (1) when it cannot be made or written.
 *
 * The owner listens on a Unix socket in it, which ends with its process however that dies, unlike a pid file. Whoever
 * finds a socket that nobody answers has found a stale one; looking and taking over stand under a short lock, so that
 * of two processes that start together after a crash only one wins.
 */
export async function ownDataDirectory(path: string, clock: Clock): Promise<DataDirectory> {
  const absolute = resolve(path);
  try {
    mkdirSync(absolute, { recursive: true, mode: 0o750 });
  } catch (error) {
    throw cannotUse(absolute, error);
  }
  const unlock = await lockTakeover(absolute, clock);
  try {
    const socketPath = shortSocketPath(absolute);
    if (await answers(socketPath)) {
      throw new CommandError(
        `the data directory ${absolute} is in use by another opsdeck process; stop that one, or choose another directory`,
        ExitCode.unreachable,
      );
    }
    rmSync(join(absolute, SOCKET_NAME), { force: true });
    const server = await listenOn(socketPath).catch((error) => {
      throw cannotUse(absolute, error);
    });
    let released = false;
    return {
      path: absolute,
      release() {
        if (released) return;
        released = true;
        server.close();
      },
    };
  } finally {
    unlock();
  }
}

function cannotUse(path: string, error: unknown): CommandError {
  const reasons: Record<string, string> = {
    EACCES: 'this user may not write there',
    EEXIST: 'it is a file, not a directory',
    ENOTDIR: 'a part of the path is a file, not a directory',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
  };
  const reason = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new CommandError(`cannot use the data directory ${path}: ${reason}`, ExitCode.failed, { cause: error });
}

async function lockTakeover(directory: string, clock: Clock): Promise<() => void> {
  const lock = join(directory, TAKEOVER_NAME);
  for (;;) {
    try {
      mkdirSync(lock);
      return () => rmdirSync(lock);
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw cannotUse(directory, error);
    }
    try {
      if (clock.now() - statSync(lock).mtimeMs > STALE_TAKEOVER_MS) rmdirSync(lock);
    } catch {
      // The other process has just finished: try again.
    }
    await new Promise<void>((done) => clock.after(TAKEOVER_RETRY_MS, done));
  }
}

/** A path for the socket that fits the kernel's limit: as it is, from the working directory, or through an open directory. */
function shortSocketPath(directory: string): string {
  const absolute = join(directory, SOCKET_NAME);
  const candidates = [absolute, relative(process.cwd(), absolute)];
  const short = candidates.find((candidate) => Buffer.byteLength(candidate) <= LONGEST_SOCKET_PATH);
  if (short) return short;
  if (process.platform === 'linux') return `/proc/self/fd/${openSync(directory, 'r')}/${SOCKET_NAME}`;
  throw new CommandError(
    `the path of the data directory is too long for a socket in it: ${directory}`,
    ExitCode.failed,
  );
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => {
      const code = systemCodeOf(error);
      if (code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK') resolve(false);
      // EAGAIN: alive, with a full queue.
      else if (code === 'EAGAIN') resolve(true);
      else reject(cannotUse(socketPath, error));
    });
  });
}

function listenOn(socketPath: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once('error', reject);
    server.listen(socketPath, () => {
      server.unref();
      resolve(server);
    });
  });
}
