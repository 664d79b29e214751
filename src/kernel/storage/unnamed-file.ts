import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Opens a file for this user alone that has no name any more: the system removes it with its handle, also after a kill. */
export async function openUnnamedFile(folder: string): Promise<FileHandle> {
  const place = await mkdtemp(join(folder, 'opsdeck-'));
  try {
    return await open(join(place, 'unnamed'), 'wx+', 0o600);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
