import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Cleanup, temporaryFolder } from './processes.ts';

/** Mounts a disk of this size; undefined if the user may not mount. */
export function mountSmallDisk(cleanup: Cleanup, sizeMiB: number): string | undefined {
  const place = join(temporaryFolder(cleanup), 'disk');
  mkdirSync(place);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', place], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  cleanup.after(() => execFileSync('umount', ['-l', place], { stdio: 'ignore' }));
  return place;
}

/** Uses up the free space of a disk by appending to this file. */
export function fillDisk(file: string): void {
  const piece = Buffer.alloc(4096);
  for (;;) {
    try {
      appendFileSync(file, piece);
    } catch {
      return;
    }
  }
}
