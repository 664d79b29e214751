import { closeSync, constants, fdatasync, fstatSync, fsyncSync, lstatSync, openSync, statSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { openPrivateFile } from './private-file.ts';

// The files of a database, as the operating system sees them.

/** A file, and the inode that it had when it was opened. */
export interface PlacedFile {
  readonly path: string;
  readonly inode: number;
}

/** SQLite's log of changes. */
export interface ChangeLog extends PlacedFile {
  readonly descriptor: number;
}

/** Opens or makes the file, since SQLite does not say why it cannot. */
export function makeFile(path: string): PlacedFile {
  const descriptor = openPrivateFile(path, constants.O_RDWR | constants.O_CREAT);
  try {
    return { path, inode: fstatSync(descriptor).ino };
  } finally {
    closeSync(descriptor);
  }
}

/** Throws if a file is there that is not private. SQLite makes it with mode 0600, but uses the one that it finds. */
export function checkFile(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })) closeSync(openPrivateFile(path, constants.O_RDWR));
}

/** Whether the path still leads to the file that was opened. */
export function isInPlace({ path, inode }: PlacedFile): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino === inode;
  } catch (error) {
    return systemCodeOf(error) !== 'ENOTDIR';
  }
}

export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch {
    // Some network file systems cannot.
  } finally {
    closeSync(descriptor);
  }
}

export function openLog(path: string): ChangeLog {
  const descriptor = openPrivateFile(path, constants.O_RDWR);
  return { path, descriptor, inode: fstatSync(descriptor).ino };
}

export function syncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(descriptor, (error) => (error ? reject(error) : resolve())));
}
