import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../kernel/clock.ts';
import { systemCodeOf } from '../../../kernel/errors.ts';
import { makePrivateFolder } from '../../../kernel/storage/private-file.ts';
import type { ByteRange } from '../../domain/file/range.ts';
import { StorageFullError } from '../../store/store.ts';
import { type FileContents, MAX_UPLOAD_MS, type ReceivedBytes, type UsedContents, YOUNG_MS } from './contents.ts';
import { digestUpload, diskFull, writeAll } from './upload.ts';

export interface FolderOptions {
  /** Several nodes use the folder: what they are writing now is left alone, by its age. */
  readonly sharedBy?: Pick<Clock, 'now'>;
}

/** Bytes in a folder, used by this part alone; on a full disk rejects with a StorageFullError. */
export class FolderContents implements FileContents {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #clock: Pick<Clock, 'now'> | undefined;

  constructor(folder: string, { sharedBy }: FolderOptions = {}) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
    this.#clock = sharedBy;
    if (existsSync(folder)) makePrivateFolder(folder);
  }

  async clean(): Promise<void> {
    if (!this.#clock) return rm(this.#incoming, { recursive: true, force: true });
    for (const name of await namesIn(this.#incoming)) {
      const path = join(this.#incoming, name);
      if (!(await this.#isYounger(path, MAX_UPLOAD_MS))) await rm(path, { force: true });
    }
  }

  async receive(id: string, chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReceivedBytes> {
    makePrivateFolder(this.#folder);
    makePrivateFolder(this.#incoming);
    const path = join(this.#incoming, id);
    try {
      const handle = await open(path, 'wx', 0o600);
      try {
        const digested = await digestUpload(chunks, maxBytes, (chunk) => writeAll(handle, chunk));
        await handle.sync();
        const { sha256 } = digested;
        return { ...digested, place: () => this.#place(path, sha256), discard: () => rm(path, { force: true }) };
      } finally {
        await handle.close();
      }
    } catch (error) {
      await rm(path, { force: true });
      throw asFull(error);
    }
  }

  async #place(path: string, sha256: string): Promise<boolean> {
    const target = this.#pathOf(sha256);
    const shelf = join(this.#folder, sha256.slice(0, 2));
    try {
      const isNewShelf = (await mkdir(shelf, { recursive: true, mode: 0o700 })) !== undefined;
      const isNew = !(await exists(target));
      await rename(path, target);
      await syncFolder(shelf);
      if (isNewShelf) await syncFolder(this.#folder);
      return isNew;
    } catch (error) {
      throw asFull(error);
    }
  }

  async read(sha256: string, range?: ByteRange): Promise<Readable | undefined> {
    try {
      const handle = await open(this.#pathOf(sha256));
      return handle.createReadStream(range ?? {});
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(sha256: string): Promise<void> {
    const path = this.#pathOf(sha256);
    if (!(await this.#isYounger(path, YOUNG_MS))) await rm(path, { force: true });
  }

  async sweep(before: number, usedOf: UsedContents): Promise<void> {
    for (const name of await namesIn(this.#incoming)) await removeOlder(join(this.#incoming, name), before);
    const unused: string[] = [];
    let count = 0;
    for (const shelf of await namesIn(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(shelf)) continue;
      const hashes = (await namesIn(join(this.#folder, shelf))).filter((name) => /^[0-9a-f]{64}$/.test(name));
      const used = new Set(hashes.length > 0 ? await usedOf(hashes) : []);
      count += hashes.length;
      unused.push(...hashes.filter((sha256) => !used.has(sha256)));
    }
    // Without a single known file, the folder may be that of another database.
    if (unused.length === count) return;
    // Bytes placed since then are young.
    for (const sha256 of unused) await removeOlder(this.#pathOf(sha256), before);
  }

  /** Only asked of a shared folder. */
  async #isYounger(path: string, ms: number): Promise<boolean> {
    if (!this.#clock) return false;
    try {
      return (await stat(path)).mtimeMs > this.#clock.now() - ms;
    } catch {
      return false;
    }
  }

  #pathOf(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }
}

const asFull = (error: unknown): unknown =>
  diskFull(error) ? new StorageFullError('the disk is full', { cause: error }) : error;

async function namesIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}

async function removeOlder(path: string, before: number): Promise<void> {
  try {
    if ((await stat(path)).mtimeMs < before) await rm(path);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await (await open(path)).close();
    return true;
  } catch {
    return false;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch {
    // Some network file systems cannot.
  } finally {
    await handle.close();
  }
}
