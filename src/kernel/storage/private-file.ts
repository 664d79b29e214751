import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CommandError, ExitCode, systemCodeOf } from '../errors.ts';

// State is for this user alone: other users of the machine can neither read nor replace it.

const { O_CREAT, O_DIRECTORY = 0, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

const PIPE = 'it is a pipe or a socket';

/**
 * Opens a file of state with flags of `fs.constants`, with O_CREAT as mode 0600; other users lose their access to it. A file,
 * link or pipe that another user has put in its place is refused with a CommandError. Never waits.
 */
export function openPrivateFile(path: string, flags: number): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
  } catch (error) {
    if (systemCodeOf(error) === 'ENXIO') throw refusal(path, PIPE);
    // For a link the code is ELOOP, on some systems EACCES.
    if ((flags & O_EXCL) !== 0 || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw error;
    return openPrivateFile(targetOf(path), flags);
  }
  try {
    checkFile(path, descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

/** Creates a file, in place of an existing one. */
export function createPrivateFile(path: string): number {
  rmSync(path, { force: true });
  return openPrivateFile(path, O_RDWR | O_CREAT | O_EXCL);
}

/** Creates a file of these bytes, or of this text in Latin-1. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  const descriptor = createPrivateFile(path);
  try {
    writeFileSync(descriptor, content, 'latin1');
  } finally {
    closeSync(descriptor);
  }
}

export function readPrivateFile(path: string): Buffer {
  const descriptor = openPrivateFile(path, O_RDONLY);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a folder for opsdeck alone in an existing one; other users lose their access to it. */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    const stats = statFolder(path);
    if (stats.isDirectory() && isOwn(stats) && (stats.mode & OTHERS) !== 0) narrowFolder(path);
  }
}

/**
 * The folder at a path, which may be the user's own link. Refuses a link that another user has made, and a folder that
 * another user may have made.
 */
export function statFolder(path: string): Stats {
  const link = lstatSync(path);
  const parent = statSync(dirname(path));
  if (link.isSymbolicLink()) refuseForeign(path, link, parent, 'a link');
  const stats = statSync(path);
  // If only the owner of the parent can make folders there, it was made on purpose.
  if ((parent.mode & OTHERS_WRITE) !== 0 && !link.isSymbolicLink()) refuseForeign(path, stats, parent, 'a folder');
  return stats;
}

/** How an existing folder is open to other users, as the end of a warning; `undefined`: it is not. */
export function openness(path: string, stats: Stats): string | undefined {
  if (!isOwn(stats) && stats.uid !== 0)
    return `belongs to another user (uid ${stats.uid}), who can read and replace everything in it: give it to the user of this process with chown, or choose another directory`;
  if ((stats.mode & OTHERS_WRITE) !== 0) return `is open to other users, who can replace its files: chmod 700 ${path}`;
  return (stats.mode & OTHERS) === 0 ? undefined : `is open to other users: chmod 700 ${path}`;
}

/** Refuses a socket, or another file of a data directory, that another user has put there. */
export function refuseForeign(path: string, stats: Stats, folder: Stats, kind: string): void {
  if (isOwn(stats) || stats.uid === 0 || stats.uid === folder.uid) return;
  throw refusal(path, `it is ${kind} of another user (uid ${stats.uid})`);
}

function refusal(path: string, why: string): CommandError {
  return new CommandError(
    `refused to use ${path}: ${why}; remove it, or give it to the user of this process with chown if it is known to be right`,
    ExitCode.failed,
  );
}

/** The target of a link of this user. */
function targetOf(path: string): string {
  refuseForeign(path, lstatSync(path), statSync(dirname(path)), 'a link');
  return realpathSync(path);
}

function checkFile(path: string, descriptor: number): void {
  const stats = fstatSync(descriptor);
  if (stats.isFIFO() || stats.isSocket()) throw refusal(path, PIPE);
  if (!stats.isFile()) return;
  const folder = statSync(dirname(path));
  refuseForeign(path, stats, folder, 'a file');
  // Another user who can write in the folder may have linked a file of this user there.
  if (stats.nlink > 1 && (folder.mode & OTHERS_WRITE) !== 0) throw refusal(path, 'the file has other names, too');
  if (isOwn(stats) && (stats.mode & OTHERS) !== 0) narrow(descriptor, FILE_MODE);
}

/** The folder itself; not the target of a link, which may have other uses. */
function narrowFolder(path: string): void {
  if (lstatSync(path).isSymbolicLink()) return;
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  narrow(descriptor, FOLDER_MODE);
  closeSync(descriptor);
}

function narrow(descriptor: number, mode: number): void {
  try {
    fchmodSync(descriptor, mode);
  } catch {
    // Some file systems have no modes.
  }
}

/** On a system without user ids, every file is the user's own. */
function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}
