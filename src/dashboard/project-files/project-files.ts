import type { BigIntStats } from 'node:fs';
import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Log } from '../../kernel/log.ts';
import { type OpenFolder, openByNames } from './path.ts';
import { contentTypeOf, isDashboardData, isServable, MARKER_PATH } from './rules.ts';

/** An open file; the receiver closes it. */
export interface ProjectFile {
  readonly handle: FileHandle;
  /** Bytes. */
  readonly size: number;
  /** Changes with the content; without quotes. */
  readonly tag: string;
  readonly contentType: string;
  /** Whether it is worth compressing. */
  readonly isText: boolean;
}

export interface ProjectFilesOptions {
  readonly folder: string;
  /** Files that contain one of these are not served. */
  readonly secrets: readonly string[];
  /** Folders and files of servers, in the project or not. */
  readonly withheld: readonly string[];
  readonly log: Pick<Log, 'warn'>;
}

const TEXT = /^text\/|json|svg/;
const SCAN_BYTES = 1 << 20;
const OTHERS_READ = 0o4n;
const OTHERS_ENTER = 0o1n;
/** Files in the state folder of a server; the socket exists while it runs. */
const STATE_NAMES = ['rooms.sqlite', 'alerts.db', 'owner.sock'];
const MAX_WARNED = 1000;

/** The files of the project folder that the dashboard serves. */
export class ProjectFiles {
  readonly #folder: string;
  readonly #secrets: readonly Buffer[];
  readonly #withheld: readonly string[];
  readonly #log: Pick<Log, 'warn'>;
  readonly #warned = new Set<string>();
  /** Whether a secret was found, by path and tag. */
  readonly #scanned = new Map<string, { readonly tag: string; readonly hasSecret: boolean }>();

  constructor({ folder, secrets, withheld, log }: ProjectFilesOptions) {
    this.#folder = folder;
    this.#secrets = secrets.map((secret) => Buffer.from(secret));
    this.#withheld = withheld;
    this.#log = log;
  }

  /**
   * Opens the file of a path below the folder, such as `data/usage.csv`. `private`: other users of this machine cannot
   * read it, so clients of the port may not either.
   */
  async open(path: string): Promise<ProjectFile | 'private' | undefined> {
    const found = isServable(path) ? await this.#locate(path) : undefined;
    if (found === undefined) return undefined;
    let isPrivate = false;
    const withheld = await this.#findWithheld();
    const handle = await openByNames(found.root, found.path.split('/'), async (folder, depth) => {
      const stats = await folder.handle.stat({ bigint: true });
      isPrivate ||= depth > 0 && (stats.mode & OTHERS_ENTER) === 0n;
      return isDashboardData(found.path) || !(withheld.has(identityOf(stats)) || (await holdsState(folder)));
    });
    if (!handle) return undefined;
    const file = await this.#describe(found.path, handle, { isPrivate, withheld }).catch(() => undefined);
    if (typeof file !== 'object') await handle.close();
    return file;
  }

  /** The real path, if it is in the folder and servable by its own name. */
  async #locate(path: string): Promise<{ readonly root: string; readonly path: string } | undefined> {
    try {
      const root = await realpath(this.#folder);
      const real = relative(root, await realpath(join(root, path)))
        .split(sep)
        .join('/');
      return isServable(real) ? { root, path: real } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Looked up for each request: they may be created or moved meanwhile. */
  async #findWithheld(): Promise<ReadonlySet<string>> {
    const found = await Promise.all(this.#withheld.map((path) => stat(path, { bigint: true }).catch(() => {})));
    return new Set(found.flatMap((stats) => (stats ? [identityOf(stats)] : [])));
  }

  /** Checks the open file, not its name. */
  async #describe(
    path: string,
    handle: FileHandle,
    { isPrivate, withheld }: { readonly isPrivate: boolean; readonly withheld: ReadonlySet<string> },
  ): Promise<ProjectFile | 'private' | undefined> {
    const stats = await handle.stat({ bigint: true });
    const contentType = contentTypeOf(path);
    if (!stats.isFile() || contentType === undefined || withheld.has(identityOf(stats))) return undefined;
    // The markers are public to all clients through the API.
    if (path !== MARKER_PATH && (isPrivate || (stats.mode & OTHERS_READ) === 0n)) {
      this.#warn(path);
      return 'private';
    }
    const tag = `${stats.size.toString(36)}-${stats.mtimeNs.toString(36)}-${stats.ino.toString(36)}`;
    if (await this.#holdsSecret(path, tag, handle)) return undefined;
    return { handle, size: Number(stats.size), tag, contentType, isText: TEXT.test(contentType) };
  }

  /** Logs once why a file is not served. */
  #warn(path: string): void {
    if (this.#warned.has(path) || this.#warned.size >= MAX_WARNED) return;
    this.#warned.add(path);
    const hint = 'chmod o+r the file, and o+x its folders up to the project';
    this.#log.warn('not served: other users of this machine cannot read it', { file: join(this.#folder, path), hint });
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

/** Identifies a folder regardless of its name. */
function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

async function holdsState(folder: OpenFolder): Promise<boolean> {
  const found = await Promise.all(STATE_NAMES.map((name) => stat(folder.pathOf(name)).catch(() => undefined)));
  return found.some(Boolean);
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
    // A secret may span two reads.
    kept = Math.min(overlap, seen.length);
    seen.copy(buffer, 0, seen.length - kept);
  }
}
