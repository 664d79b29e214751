import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';

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
