import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CancelTimer, Clock } from '../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { readPrivateFile, statFolder } from '../kernel/storage/private-file.ts';

export interface RecordingFileParts {
  /** Created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Recording {
  readonly json: unknown;
  /** Epoch milliseconds. */
  readonly recordedAt: number;
}

/** Changes within this time are written together. */
const WRITE_AFTER_MS = 2000;
/** For example for a full disk. */
const RETRY_AFTER_MS = 60_000;
/** Age at which temporary files of other processes are removed. */
const ABANDONED_MS = 60 * 60_000;

/** A private JSON file that is replaced as a whole, a moment after a change. */
export class RecordingFile {
  readonly path: string;
  readonly #parts: RecordingFileParts;
  /** The content to be written; undefined if there is no change. */
  #text: (() => string) | undefined;
  #cancelTimer: CancelTimer | undefined;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #lastFailure: string | undefined;

  /** The name of the file is a hash of `identity`, which may hold a key. */
  constructor(identity: readonly string[], parts: RecordingFileParts) {
    const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    this.path = join(parts.folder, `${hash.slice(0, 32)}.json`);
    this.#parts = parts;
  }

  /** Undefined without a recording. Rejects if the file cannot be read. */
  async read(): Promise<Recording | undefined> {
    try {
      statFolder(dirname(this.path));
      const { mtimeMs } = await stat(this.path);
      return { json: JSON.parse(readPrivateFile(this.path).toString()), recordedAt: mtimeMs };
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw error instanceof SyntaxError ? new Error('it is not JSON') : error;
    }
  }

  /** Writes this text soon, which is made then. Failures are logged, and tried again. */
  write(text: () => string): void {
    this.#text = text;
    this.#writeAfter(WRITE_AFTER_MS);
  }

  /** Writes what is not yet written. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#cancelTimer?.();
    await this.#writing;
    await this.#write();
  }

  #writeAfter(ms: number): void {
    if (this.#closing || this.#writing) return;
    this.#cancelTimer ??= this.#parts.clock.after(ms, () => {
      this.#cancelTimer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#text) this.#writeAfter(this.#lastFailure === undefined ? WRITE_AFTER_MS : RETRY_AFTER_MS);
      });
    });
  }

  async #write(): Promise<void> {
    const { log, folder, clock } = this.#parts;
    const text = this.#text;
    if (!text) return;
    this.#text = undefined;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      statFolder(folder);
      await removeAbandoned(this.path, clock.now());
      await writeAtomically(this.path, text());
      this.#lastFailure = undefined;
    } catch (error) {
      this.#text ??= text;
      const failure = systemCodeOf(error) ?? messageOf(error);
      const level = failure === this.#lastFailure ? 'debug' : 'error';
      log[level]('the data cannot be recorded', { folder, error: failure });
      this.#lastFailure = failure;
    }
  }
}

const TEMPORARY = '.tmp';

/** A crash leaves either the old or the new file. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}${TEMPORARY}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(dirname(file));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes temporary files of killed processes; those of a running relay are younger. */
async function removeAbandoned(file: string, now: number): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!path.startsWith(`${file}.`) || !path.endsWith(TEMPORARY)) continue;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs >= ABANDONED_MS) await rm(path, { force: true });
  }
}
