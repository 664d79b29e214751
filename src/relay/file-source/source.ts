import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import { type FlagData, ITEM_KINDS, type ItemKind } from '../flag-store.ts';
import { findFlagFiles, loadFlags } from './files.ts';
import type { FileItem } from './flag-file.ts';
import { SAMPLE_FLAGS } from './sample.ts';

export interface FileSourceOptions {
  /** A file, a folder of files, or {@link SAMPLE_FLAGS}. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Replaces reading from the file system. */
  readonly read?: (path: string) => string;
}

/** Polling interval, for systems that do not report changes (network file systems, containers). */
const CHECK_EVERY_MS = 400;
/** A changed file is read after this time without further changes. */
const SETTLE_MS = 50;

/**
 * Serves flags of files and follows their changes: each changed flag gets a version above its last one. Broken files change
 * nothing; the log reports the mistakes.
 */
export function createFileSource(sink: DataSink, options: FileSourceOptions): DataSource {
  return new FileSource(sink, options);
}

class FileSource implements DataSource {
  readonly #sink: DataSink;
  readonly #options: FileSourceOptions;
  /** The JSON of each item as last read, without its version. */
  #texts: Readonly<Record<ItemKind, ReadonlyMap<string, string>>> | undefined;
  /** State of the files when last read. */
  #readState = '';
  /** State of the files when last checked. */
  #checkedState = '';
  #lastProblem = '';
  #watcher: FSWatcher | undefined;
  #cancelCheck: CancelTimer = () => {};
  #cancelSettle: CancelTimer = () => {};
  #isClosed = false;

  constructor(sink: DataSink, options: FileSourceOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  start(): void {
    this.#load();
    if (this.#options.path === SAMPLE_FLAGS) return;
    this.#watch();
    this.#cancelCheck = this.#options.clock.every(CHECK_EVERY_MS, () => {
      this.#watch();
      this.#check();
    });
  }

  /** A file needs no key. */
  use(): void {}

  refresh(): void {
    if (!this.#isClosed) this.#load();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelCheck();
    this.#cancelSettle();
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Watches the folder, as editors replace the file and its own watcher would see nothing. */
  #watch(): void {
    if (this.#watcher) return;
    const { path } = this.#options;
    const isFolder = isDirectory(path);
    const forget = () => {
      this.#watcher?.close();
      this.#watcher = undefined;
    };
    try {
      this.#watcher = watch(isFolder ? path : dirname(path), { persistent: false }, (_, name) => {
        if (isFolder || name === null || name === basename(path)) this.#soon();
      });
      this.#watcher.on('error', forget);
    } catch {
      // Polling finds changes as well.
    }
  }

  #soon(): void {
    if (this.#isClosed) return;
    this.#cancelSettle();
    this.#cancelSettle = this.#options.clock.after(SETTLE_MS, () => this.#check());
  }

  /** Reads the files after a change, once they are stable. */
  #check(): void {
    const state = this.#state();
    if (state === this.#readState) return;
    const isSettled = state === this.#checkedState;
    this.#checkedState = state;
    if (isSettled) this.#load();
    else this.#soon();
  }

  #state(): string {
    const { path } = this.#options;
    try {
      return path === SAMPLE_FLAGS ? '' : findFlagFiles(path).state;
    } catch (error) {
      return messageOf(error);
    }
  }

  #load(): void {
    const { path, read, log } = this.#options;
    // Taken before reading, so that a change meanwhile is detected.
    this.#readState = this.#checkedState = this.#state();
    const loaded = loadFlags(path, read);
    const reason = loaded.ok ? this.#take(loaded.value) : loaded.reason;
    if (reason !== undefined) this.#fail(reason);
    else if (this.#lastProblem !== '') {
      this.#lastProblem = '';
      log.info('The flags can be read again', { path });
    }
  }

  #fail(reason: string): void {
    const { clock, log, path } = this.#options;
    this.#sink.connection.failed({ kind: 'INVALID_DATA', time: clock.now() });
    if (reason === this.#lastProblem) return;
    this.#lastProblem = reason;
    const served = this.#texts ? 'the last valid ones stay in use' : 'there are no flags to serve';
    for (const line of reason.split('\n')) log.error(`The flags cannot be read, ${served}`, { path, reason: line });
  }

  /** Returns the reason if the store refuses. */
  #take(items: readonly FileItem[]): string | undefined {
    const { store, connection } = this.#sink;
    const { clock, log, path } = this.#options;
    const changes = this.#texts ? this.#change(items, this.#texts) : undefined;
    if (!changes) {
      const replaced = store.replace(dataOf(items));
      if (!replaced.ok) return replaced.reason;
    }
    this.#texts = textsOf(items);
    connection.succeeded(clock.now());
    const flags = items.filter(({ kind }) => kind === 'flags').length;
    if (!changes) log.info('Serving flags of files', { path, flags, segments: items.length - flags });
    else if (changes.length > 0) log.info('The flags have changed', { path, changed: changes.join(', ') });
    return undefined;
  }

  /** Stores the changed items and returns their keys. Segments come first, as flags may refer to new ones. */
  #change(
    items: readonly FileItem[],
    before: Readonly<Record<ItemKind, ReadonlyMap<string, string>>>,
  ): readonly string[] {
    const { store } = this.#sink;
    const changes: string[] = [];
    const ordered = [...items].sort((a, b) => ITEM_KINDS.indexOf(b.kind) - ITEM_KINDS.indexOf(a.kind));
    for (const { kind, key, json } of ordered) {
      if (before[kind].get(key) === JSON.stringify(json)) continue;
      const version = Math.max(versionOf(json), (store.version(kind, key) ?? 0) + 1);
      // Never refused: the item has been validated already.
      store.upsert(kind, key, { ...json, version });
      changes.push(key);
    }
    const present = textsOf(items);
    for (const kind of ITEM_KINDS) {
      for (const key of before[kind].keys()) {
        if (present[kind].has(key)) continue;
        store.remove(kind, key, (store.version(kind, key) ?? 0) + 1);
        changes.push(key);
      }
    }
    return changes;
  }
}

function isDirectory(path: string): boolean {
  try {
    return findFlagFiles(path).paths[0] !== path;
  } catch {
    return false;
  }
}

function versionOf({ version }: FileItem['json']): number {
  return typeof version === 'number' && version >= 1 ? Math.trunc(version) : 1;
}

function textsOf(items: readonly FileItem[]): Readonly<Record<ItemKind, ReadonlyMap<string, string>>> {
  const texts = { flags: new Map<string, string>(), segments: new Map<string, string>() };
  for (const { kind, key, json } of items) texts[kind].set(key, JSON.stringify(json));
  return texts;
}

/** The data of files in the form of LaunchDarkly. */
export function dataOf(items: readonly FileItem[]): FlagData {
  const of = (wanted: ItemKind) =>
    Object.fromEntries(
      items.filter(({ kind }) => kind === wanted).map(({ key, json }) => [key, { ...json, version: versionOf(json) }]),
    );
  return { flags: of('flags'), segments: of('segments') };
}
