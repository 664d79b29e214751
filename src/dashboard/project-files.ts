import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { isServable } from './project-files-law.ts';

/** A file that is open for an answer; whoever gets it closes it. */
export interface ProjectFile {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
  /** Changes with the content; without quotes. */
  readonly tag: string;
  readonly contentType: string;
  /** Whether compressing it is worth it. */
  readonly isText: boolean;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.ndjson': 'application/x-ndjson',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tsv': 'text/tab-separated-values; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const TEXT = /^text\/|json|svg/;
const SCAN_BYTES = 1 << 20;

/** The files of the project folder that anybody who may use the dashboard may read. */
export class ProjectFiles {
  readonly #folder: string;
  readonly #secrets: readonly Buffer[];
  /** Whether a secret was found, by path and tag. */
  readonly #scanned = new Map<string, { readonly tag: string; readonly hasSecret: boolean }>();

  /** No file that holds one of the secrets is handed out. */
  constructor(folder: string, secrets: readonly string[]) {
    this.#folder = folder;
    this.#secrets = secrets.map((secret) => Buffer.from(secret));
  }

  /** Opens the file of a path below the folder, such as `data/usage.csv`; undefined if there is none to be had. */
  async open(path: string): Promise<ProjectFile | undefined> {
    if (!isServable(path)) return undefined;
    const found = await this.#locate(path);
    if (found === undefined) return undefined;
    // Without waiting for whoever might write into a pipe.
    const handle = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {});
    if (!handle) return undefined;
    const file = await this.#describe(found, handle).catch(() => undefined);
    if (!file) await handle.close();
    return file;
  }

  /** Whether there is such a file to be had. */
  async has(path: string): Promise<boolean> {
    const file = await this.open(path);
    await file?.handle.close();
    return file !== undefined;
  }

  /** Where the path leads in truth, if that is in the folder and may be served by its own name too. */
  async #locate(path: string): Promise<string | undefined> {
    try {
      const root = await realpath(this.#folder);
      const real = await realpath(join(root, path));
      const inside = relative(root, real);
      return isServable(inside.split(sep).join('/')) ? real : undefined;
    } catch {
      return undefined;
    }
  }

  async #describe(path: string, handle: FileHandle): Promise<ProjectFile | undefined> {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return undefined;
    const tag = `${stats.size.toString(36)}-${stats.mtimeNs.toString(36)}-${stats.ino.toString(36)}`;
    if (await this.#holdsSecret(path, tag, handle)) return undefined;
    const contentType = CONTENT_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    return { handle, size: Number(stats.size), tag, contentType, isText: TEXT.test(contentType) };
  }

  async #holdsSecret(path: string, tag: string, handle: FileHandle): Promise<boolean> {
    if (this.#secrets.length === 0) return false;
    const known = this.#scanned.get(path);
    if (known?.tag === tag) return known.hasSecret;
    const hasSecret = await contains(handle, this.#secrets);
    this.#scanned.set(path, { tag, hasSecret });
    return hasSecret;
  }
}

async function contains(handle: FileHandle, secrets: readonly Buffer[]): Promise<boolean> {
  const overlap = Math.max(...secrets.map(({ length }) => length)) - 1;
  const buffer = Buffer.allocUnsafe(SCAN_BYTES + overlap);
  let kept = 0;
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, kept, SCAN_BYTES, position);
    if (bytesRead === 0) return false;
    const seen = buffer.subarray(0, kept + bytesRead);
    if (secrets.some((secret) => seen.includes(secret))) return true;
    position += bytesRead;
    // A secret may lie across two reads.
    kept = Math.min(overlap, seen.length);
    seen.copy(buffer, 0, seen.length - kept);
  }
}
