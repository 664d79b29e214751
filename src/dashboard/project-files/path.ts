import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Non-blocking, for pipes. */
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** An open folder, independent of its name. */
export interface OpenFolder {
  readonly handle: FileHandle;
  /** A path to an entry of the folder. */
  pathOf(name: string): string;
}

/**
 * Opens a file by its names below a folder. Each folder is opened relative to the previous one and no link is followed,
 * so that none can be exchanged meanwhile. `mayPass` is called for each.
 */
export async function openByNames(
  root: string,
  names: readonly string[],
  mayPass: (folder: OpenFolder, depth: number) => Promise<boolean>,
): Promise<FileHandle | undefined> {
  let path = root;
  let folder: OpenFolder | undefined;
  try {
    for (const [depth, name] of names.entries()) {
      const entered = openFolder(await open(path, FOLDER), path);
      await folder?.handle.close();
      folder = entered;
      if (!(await mayPass(folder, depth))) return undefined;
      path = folder.pathOf(name);
    }
    return await open(path, FILE);
  } catch {
    return undefined;
  } finally {
    await folder?.handle.close();
  }
}

/** Only Linux can open a file relative to an open folder. */
function openFolder(handle: FileHandle, path: string): OpenFolder {
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  return { handle, pathOf: (name) => join(base, name) };
}
