/** A file of an earlier visit. */
export interface KeptFile {
  readonly name: string;
  readonly user: string;
  readonly file: File;
}

const FOLDER = 'usage-files';

/**
 * Copies of dropped and chosen files in the browser's own file storage, in the order in which they came. Where the
 * browser has none (no HTTPS, a private window), nothing is kept.
 */
export class KeptFiles {
  #last = 0;

  async list(): Promise<readonly KeptFile[]> {
    const folder = await this.#open();
    if (!folder) return [];
    const found: (KeptFile & { readonly nth: number })[] = [];
    for await (const handle of folder.values()) {
      const [nth = '', user = '', name = ''] = handle.name.split(' ').map(decodeURIComponent);
      if (handle.kind === 'file') found.push({ nth: Number(nth), user, name, file: await handle.getFile() });
    }
    found.sort((one, other) => one.nth - other.nth);
    this.#last = found.at(-1)?.nth ?? 0;
    return found;
  }

  /** False: not kept, because the storage is full or missing. */
  async keep(name: string, user: string, file: Blob): Promise<boolean> {
    const folder = await this.#open();
    if (!folder) return false;
    this.#last += 1;
    const stored = `${this.#last} ${encodeURIComponent(user)} ${encodeURIComponent(name)}`;
    try {
      const handle = await folder.getFileHandle(stored, { create: true });
      const writable = await handle.createWritable();
      await writable.write(file);
      await writable.close();
      return true;
    } catch {
      await folder.removeEntry(stored).catch(() => {});
      return false;
    }
  }

  async forget(): Promise<void> {
    const root = await navigator.storage?.getDirectory?.().catch(() => undefined);
    await root?.removeEntry(FOLDER, { recursive: true }).catch(() => {});
  }

  async #open(): Promise<FileSystemDirectoryHandle | undefined> {
    try {
      const root = await navigator.storage.getDirectory();
      return await root.getDirectoryHandle(FOLDER, { create: true });
    } catch {
      return undefined;
    }
  }
}
