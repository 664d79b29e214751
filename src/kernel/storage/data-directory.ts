import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../errors.ts';
import { openness, refuseForeign, statFolder } from './private-file.ts';

const OWNER_NAME = 'owner.sock';
const CANDIDATE_NAME = /^owner-[0-9a-f]{8}\.sock$/;
/** The time in which an owner must send its process id: it may be busy, or stopped. */
const PID_WAIT_MS = 2_000;
/** The time a candidate waits for the others to give way, which takes milliseconds. */
const RIVAL_RETRY_MS = 20;
const RIVAL_RETRIES = 250;
/** The kernel's limit for the path of a Unix socket is 108 bytes with its final NUL, 104 on BSD and macOS. */
const MAX_SOCKET_PATH = 103;

/** A directory that belongs to this process alone until it is released. */
export interface DataDirectory {
  readonly path: string;
  /** Idempotent. Does not wait for anything: the operating system releases a killed owner in the same way. */
  release(): void;
}

/**
 * Makes the directory and takes it for this process, or throws a CommandError: with the code `unreachable` (3) if another
 * process owns it, `failed` (1) if it cannot be made or written.
 *
 * The owner listens on a Unix socket in it, which ends with its process in any case, unlike a pid file. Of processes that
 * start together, after a crash or not, exactly one wins: see {@link elect}.
 *
 * `warn` is called for an existing directory that other users may enter. One that another user has planted is refused.
 */
export async function ownDataDirectory(
  path: string,
  clock: Clock,
  warn: (message: string) => void = () => {},
): Promise<DataDirectory> {
  const absolute = resolve(path);
  const number = Math.floor(Math.random() * 2 ** 32);
  const name = `owner-${number.toString(16).padStart(8, '0')}.sock`;
  let reach: Reach | undefined;
  let server: Server | undefined;
  try {
    makeDirectory(absolute);
    const problem = openness(absolute, statFolder(absolute));
    if (problem) warn(`the data directory ${absolute} ${problem}`);
    reach = reachSockets(absolute);
    server = await listenOn(reach.pathOf(name));
    await elect(absolute, name, reach, clock);
    chmodSync(join(absolute, OWNER_NAME), 0o600);
    // Not before: while it waits for others, nothing else may keep the process alive.
    server.unref();
    return ownedDirectory(absolute, server);
  } catch (error) {
    server?.close();
    throw error instanceof CommandError ? error : cannotUse(absolute, error);
  } finally {
    reach?.close();
  }
}

function ownedDirectory(path: string, server: Server): DataDirectory {
  let released = false;
  return {
    path,
    release() {
      if (released) return;
      released = true;
      try {
        // The name is removed before the socket closes: afterwards it may be the next owner's.
        unlinkSync(join(path, OWNER_NAME));
      } catch {
        // A name that stays is as harmless as after a kill.
      }
      server.close();
    },
  };
}

/** Not mkdir's own `recursive`, which tries for ever below /proc. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    makeDirectory(path);
  }
}

function cannotUse(path: string, error: unknown): CommandError {
  const reasons: Record<string, string> = {
    EACCES: 'this user may not write there',
    EEXIST: 'it, or a part of its path, is a file',
    ENOTDIR: 'it, or a part of its path, is a file',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
  };
  const reason = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new CommandError(`cannot use the data directory ${path}: ${reason}`, ExitCode.failed, { cause: error });
}

/**
 * Makes the candidate that listens under `name` the owner, or throws. Each candidate has a socket of its own and listens
 * before it looks for others, so of any two at least one sees the other. A candidate that finds the owner, or a candidate
 * of a smaller name, gives up; one that finds a greater name waits for it to give up or to become the owner. The last
 * candidate renames its socket to the owner's, which replaces one that a kill may have left. Nothing that could be alive is
 * ever removed: a candidate's name, once closed, is never used again.
 */
async function elect(directory: string, name: string, reach: Reach, clock: Clock): Promise<void> {
  for (let retries = 0; ; retries++) {
    const rivals = await findRivals(directory, name, reach);
    // Only now: a rival of a moment ago may be the owner.
    const owned = await answers(directory, OWNER_NAME, reach);
    if (!owned && rivals.length === 0) return renameSync(join(directory, name), join(directory, OWNER_NAME));
    if (owned) throw inUse(directory, await askForPid(reach.pathOf(OWNER_NAME), clock));
    if (retries === RIVAL_RETRIES || rivals.some((rival) => rival < name)) throw inUse(directory, undefined);
    await new Promise<void>((done) => clock.after(RIVAL_RETRY_MS, done));
  }
}

async function findRivals(directory: string, name: string, reach: Reach): Promise<readonly string[]> {
  const rivals: string[] = [];
  for (const other of readdirSync(directory)) {
    if (other === name || !CANDIDATE_NAME.test(other)) continue;
    if (await answers(directory, other, reach)) rivals.push(other);
    else rmSync(join(directory, other), { force: true });
  }
  return rivals;
}

function inUse(directory: string, pid: number | undefined): CommandError {
  const that = pid === undefined ? 'that one' : `that one (pid ${pid})`;
  return new CommandError(
    `the data directory ${directory} is in use by another opsdeck process; stop ${that}, or choose another directory`,
    ExitCode.unreachable,
  );
}

/** The path to the sockets of a directory. */
interface Reach {
  pathOf(name: string): string;
  close(): void;
}

/** A path that fits the kernel's limit: as it is, from the working directory, or through an open directory. */
function reachSockets(directory: string): Reach {
  const fits = (path: string) => Buffer.byteLength(join(path, 'owner-00000000.sock')) <= MAX_SOCKET_PATH;
  // The working directory may be gone, so it is read only if it helps.
  const short = fits(directory) ? directory : relative(process.cwd(), directory);
  if (fits(short)) return { pathOf: (name) => join(short, name), close() {} };
  if (process.platform !== 'linux') throw new Error('its path is too long for a socket in it');
  const descriptor = openSync(directory, 'r');
  return { pathOf: (name) => `/proc/self/fd/${descriptor}/${name}`, close: () => closeSync(descriptor) };
}

/** Whether a process listens there. One of another user is neither the owner nor a rival, and is refused. */
async function answers(directory: string, name: string, reach: Reach): Promise<boolean> {
  const path = join(directory, name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isSocket()) return false;
  refuseForeign(path, found, statSync(directory), 'a socket');
  return isHeard(reach.pathOf(name));
}

function isHeard(socketPath: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => {
      const code = systemCodeOf(error);
      // ECONNRESET: gone while this connection waited for it.
      if (['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTSOCK'].includes(code ?? '')) resolve(false);
      // EAGAIN: alive, with a full queue.
      else if (code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

/** The process id of an owner; `undefined` if it does not come in time. */
function askForPid(socketPath: string, clock: Clock): Promise<number | undefined> {
  return new Promise((resolve) => {
    const owner = connect(socketPath).setEncoding('utf8');
    const cancel = clock.after(PID_WAIT_MS, () => owner.destroy());
    let said = '';
    owner.on('data', (text: string) => {
      said += text;
    });
    owner.on('error', () => {});
    owner.once('close', () => {
      cancel();
      resolve(/^\d{1,10}$/.test(said) ? Number(said) : undefined);
    });
  });
}

/** Sends its process id to every connection. */
function listenOn(socketPath: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => {
      // Most connections only check whether a process listens, and close.
      connection.on('error', () => {});
      connection.end(String(process.pid), () => connection.destroy());
    });
    // The listener stays: a connection that cannot be accepted must not end the process.
    server.on('error', reject);
    server.listen(socketPath, () => resolve(server));
  });
}
