import { createHash } from 'node:crypto';
import { rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { CommandError, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { readRegularFile } from '../../kernel/storage/regular-file.ts';
import { EMPTY_MARKERS, type MarkerDocument, readMarkerDocument } from '../contract/markers.ts';
import { linkAt, removeDrafts, replaceFile, resolveFile } from './file.ts';
import { withLock } from './lock.ts';

export interface MarkerSnapshot {
  readonly document: MarkerDocument;
  /** Strong, with its quotes: the same for the same content, also after a restart. */
  readonly etag: string;
}

export type MarkerChange =
  | { readonly ok: true; readonly snapshot: MarkerSnapshot }
  /** The document has changed meanwhile; the current one. */
  | { readonly ok: false; readonly snapshot: MarkerSnapshot };

export interface MarkerStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The path of the markers below the project's folder. */
export const MARKER_FILE = join('data', 'project-markers.json');

/**
 * The markers of a project, in one JSON file that other processes may change too. Writes are serialised, also between
 * processes; each replaces the whole file. An unreadable file is moved aside, never overwritten.
 */
export class MarkerStore {
  readonly #options: MarkerStoreOptions;
  #current: MarkerSnapshot = snapshotOf(EMPTY_MARKERS);
  /** Identifies the file as last read; `absent` if there was none. */
  #version = 'absent';
  #queue: Promise<unknown> = Promise.resolve();
  /** The link to the file, if it is one: the target may be outside the project. */
  readonly #link: string | undefined;
  /** Why the link's target is not changed. */
  #foreign: string | undefined;

  private constructor(options: MarkerStoreOptions, link: string | undefined) {
    this.#options = options;
    this.#link = link;
  }

  /** Throws a CommandError if the file exists and can neither be read nor moved aside. */
  static async open(options: MarkerStoreOptions): Promise<MarkerStore> {
    try {
      const path = await resolveFile(options.path);
      const store = new MarkerStore({ ...options, path }, await linkAt(options.path));
      await removeDrafts(path, options.clock.now());
      await store.#reload();
      if (store.#foreign !== undefined) throw new CommandError(store.#foreign);
      return store;
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`cannot read ${options.path}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  }

  /** The current document. */
  read(): Promise<MarkerSnapshot> {
    return this.#enqueue(async () => {
      await this.#reload();
      return this.#current;
    });
  }

  /**
   * Replaces the document if it still has one of these tags (`*` and undefined: any). Resolves when it is on disk;
   * rejects if it cannot be written, leaving the file as it was.
   */
  replace(document: MarkerDocument, etags?: readonly string[]): Promise<MarkerChange> {
    return this.#write((current) => {
      const isExpected = etags === undefined || etags.includes('*') || etags.includes(current.etag);
      return isExpected ? document : undefined;
    });
  }

  /** Changes the document atomically. */
  async update(change: (document: MarkerDocument) => MarkerDocument): Promise<MarkerSnapshot> {
    return (await this.#write(({ document }) => change(document))).snapshot;
  }

  #write(decide: (current: MarkerSnapshot) => MarkerDocument | undefined): Promise<MarkerChange> {
    const { path, clock } = this.#options;
    return this.#enqueue(() =>
      withLock(join(dirname(path), `.${basename(path)}.lock`), clock, async () => {
        await this.#reload();
        if (this.#foreign !== undefined) throw new Error(this.#foreign);
        const document = decide(this.#current);
        if (!document) return { ok: false, snapshot: this.#current };
        const next = snapshotOf(document);
        if (next.etag === this.#current.etag && this.#version !== 'absent')
          return { ok: true, snapshot: this.#current };
        await replaceFile(path, print(document));
        this.#current = next;
        this.#version = await versionOf(path);
        return { ok: true, snapshot: next };
      }),
    );
  }

  #enqueue<T>(action: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(action);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #reload(): Promise<void> {
    const { path, clock } = this.#options;
    const version = await versionOf(path);
    if (version === this.#version) return;
    this.#foreign = undefined;
    if (version === 'absent') {
      this.#current = snapshotOf(EMPTY_MARKERS);
      this.#version = version;
      return;
    }
    const read = await readDocument(path, clock.now());
    if (read.ok) {
      this.#current = snapshotOf(read.value);
      this.#version = version;
    } else if (this.#link === undefined) await this.#moveAside(read.reason);
    else this.#leaveAlone(this.#link, read.reason, version);
  }

  #leaveAlone(link: string, reason: string, version: string): void {
    const { path, log } = this.#options;
    this.#foreign = `${link} is a link to ${path}, which holds no markers (${reason}): remove the link`;
    this.#version = version;
    log.error('the markers could not be read; the file behind the link stays as it is', { file: path, err: reason });
  }

  /** The document read before stays in use if the file has become unreadable. */
  async #moveAside(reason: string): Promise<void> {
    const { path, clock, log } = this.#options;
    const aside = `${path}.corrupt-${clock.now()}`;
    await rename(path, aside);
    this.#version = 'absent';
    log.error('the markers could not be read; the file was moved aside', { file: path, movedTo: aside, err: reason });
  }
}

type DocumentRead = ReturnType<typeof readMarkerDocument>;

/** Markers without times of creation and change get the time of reading. */
async function readDocument(path: string, now: number): Promise<DocumentRead> {
  let text: string;
  try {
    text = await readRegularFile(path);
  } catch (error) {
    return { ok: false, reason: systemCodeOf(error) ?? messageOf(error) };
  }
  try {
    return readMarkerDocument(JSON.parse(text.replace(/^\ufeff/, '')), now);
  } catch {
    return { ok: false, reason: 'it is not JSON' };
  }
}

async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 'absent';
    throw error;
  }
}

function print(document: MarkerDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function snapshotOf(document: MarkerDocument): MarkerSnapshot {
  const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  return { document, etag: `"${digest.slice(0, 24)}"` };
}
