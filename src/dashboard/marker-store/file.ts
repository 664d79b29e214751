import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCodeOf } from '../../kernel/errors.ts';

// Replaces a file so that readers, also after a power cut, find either the old or the new one whole.

/** An older draft was left by a killed process. */
const DEAD_DRAFT_MS = 60_000;

/** The file to replace: the target if the path is a link, so that the link remains. */
export async function resolveFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    return path;
  }
}

export async function linkAt(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() ? path : undefined;
}

/** Replaces a file and keeps the previous one as `.bak`. Resolves when the new one is on disk. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const draft = draftName(path);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await keepBackup(path);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Removes the drafts of killed writers. */
export async function removeDrafts(path: string, now: number): Promise<void> {
  const folder = dirname(path);
  const prefix = `.${basename(path)}.`;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix) && one.endsWith('.tmp'))) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && now - found.mtimeMs > DEAD_DRAFT_MS) await rm(join(folder, name), { force: true });
  }
}

function draftName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
}

/** The rename is atomic; `.bak` is a hard link, or a copy if the file system has none. */
async function keepBackup(path: string): Promise<void> {
  const draft = draftName(path);
  try {
    await link(path, draft).catch((error: unknown) => {
      if (systemCodeOf(error) === 'ENOENT') throw error;
      return copyFile(path, draft, constants.COPYFILE_EXCL);
    });
    await rename(draft, `${path}.bak`);
  } catch (error) {
    // The first file has nothing before it.
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  } finally {
    // A rename does nothing where both names are the same file: after a kill, or with two writers.
    await rm(draft, { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Some systems cannot open a folder to sync it.
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
  } finally {
    await handle?.close();
  }
}
