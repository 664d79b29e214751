import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Linux's file system in memory, where an fsync costs nothing. */
const MEMORY_DISK = '/dev/shm';
const MIN_FREE_BYTES = 4 * 2 ** 30;

/** Puts the temporary folders of this process and its children in memory, if there is room; removed when it ends. */
export function useMemoryDisk(): void {
  if (freeBytes(MEMORY_DISK) < MIN_FREE_BYTES) return;
  const folder = mkdtempSync(join(MEMORY_DISK, 'opsdeck-tests-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
