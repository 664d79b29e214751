import { lstatSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { AgentLogs } from '../logs/log.ts';
import { type Found, findRoots, nameOf, type Root, search, type Visitor, visit } from './discovery.ts';
import type { LogReading } from './log-reading.ts';

/** Hints of the operating system are gathered for this time. */
const GATHER_MS = 100;
/** New root folders are looked for, and it is decided whether to search, in this interval. */
const TICK_MS = 1_000;
/** Between two searches if the system reports changes: it may lose some. They take at most half a percent of the time. */
const WATCHED_MS = 30_000;
const WATCHED_SHARE = 200;
/** Between two searches if it does not, as in some containers and network folders. At most two percent of the time. */
const BLIND_MS = 1_000;
const BLIND_SHARE = 50;
/** A change that the search finds this long after it was made was not reported. */
const LATE_MS = 1_500;
/** Folders that are watched; some systems have a limit for all processes. */
const MAX_WATCHED = 4_000;

export interface FolderWatcher {
  close(): void;
}

/** Reports changed names in a folder; null: some. `onEnd`: nothing is reported any more. Throws if the system cannot. */
export type WatchFolder = (path: string, onHint: (name: string | null) => void, onEnd: () => void) => FolderWatcher;

export interface FollowerParts {
  readonly agents: readonly { readonly logs: AgentLogs; readonly folders: readonly string[] }[];
  readonly reading: LogReading;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each search, and in each tick. */
  readonly onTick: () => void;
  readonly watchFolder?: WatchFolder;
}

/** A log as it was last seen. */
export interface SeenLog {
  readonly root: Root;
  /** In bytes. */
  readonly size: number;
  /** Of the search that has seen it last. */
  readonly number: number;
}

/** Finds the logs of agents, and those that change: by hints of the operating system, and by searching now and then. */
export class LogFollower {
  readonly #parts: FollowerParts & { readonly watchFolder: WatchFolder };
  #roots: readonly Root[] = [];
  readonly #logs = new Map<string, SeenLog>();
  /** Links that lead out of their root. */
  readonly #links = new Set<string>();
  readonly #unreadable = new Set<string>();
  #hasWarned = false;
  readonly #watched = new Map<string, { readonly watcher: FolderWatcher; number: number }>();
  /** Folders that the last search has seen. */
  #folders = 0;
  #number = 0;
  #follows = 0;
  /** Paths that the system has reported, with their root. */
  readonly #hints = new Map<string, Root>();
  #cancelGather: CancelTimer | undefined;
  readonly #cancelTick: CancelTimer;
  #nextSearchAt = 0;
  /** Whether changes are not reported. */
  #isBlind = false;
  /** Whether everything was read when the last search began. */
  #wasIdle = false;

  constructor(parts: FollowerParts) {
    this.#parts = { watchFolder, ...parts };
    this.#search();
    this.#cancelTick = parts.clock.every(TICK_MS, () => this.#tick());
  }

  get roots(): readonly Root[] {
    return this.#roots;
  }

  /** By path. */
  get logs(): ReadonlyMap<string, SeenLog> {
    return this.#logs;
  }

  /** Grows when something may have changed. */
  get number(): number {
    return this.#number + this.#follows;
  }

  get links(): Iterable<string> {
    return this.#links;
  }

  /** Folders that cannot be read. */
  get unreadable(): Iterable<string> {
    return this.#unreadable;
  }

  close(): void {
    this.#cancelTick();
    this.#cancelGather?.();
    for (const path of this.#watched.keys()) this.#unwatch(path);
    this.#logs.clear();
  }

  #tick(): void {
    const { clock, agents, onTick } = this.#parts;
    const roots = findRoots(agents);
    const isKnown = roots.length === this.#roots.length && roots.every(({ path }, n) => path === this.#roots[n]?.path);
    if (!isKnown || clock.monotonic() >= this.#nextSearchAt) this.#search();
    onTick();
  }

  #search(): void {
    const { clock, agents } = this.#parts;
    const startedAt = clock.monotonic();
    this.#number++;
    this.#roots = findRoots(agents);
    this.#links.clear();
    this.#unreadable.clear();
    this.#folders = 0;
    this.#wasIdle = this.#parts.reading.isIdle;
    for (const root of this.#roots)
      search(
        root,
        '',
        this.#visitor(root, (found, modifiedAt) => this.#judge(found, modifiedAt)),
      );
    for (const [path, { number }] of this.#logs) if (number !== this.#number) this.#logs.delete(path);
    for (const [path, { number }] of this.#watched) if (number !== this.#number) this.#unwatch(path);
    const tookMs = clock.monotonic() - startedAt;
    const isPolling = this.#isBlind || this.#watched.size < this.#folders;
    const pauseMs = isPolling ? Math.max(BLIND_MS, tookMs * BLIND_SHARE) : Math.max(WATCHED_MS, tookMs * WATCHED_SHARE);
    this.#nextSearchAt = startedAt + pauseMs;
  }

  /** `onChange` is called for a known log that has changed. */
  #visitor(root: Root, onChange: (found: Found, modifiedAt: number) => void): Visitor {
    return {
      folder: (path) => this.#watch(path, root),
      log: (found) => {
        const { path } = found;
        const seen = this.#parts.reading.consider(found);
        if (!seen) return void this.#logs.delete(path);
        if (seen.isChanged && this.#logs.has(path)) onChange(found, seen.modifiedAt);
        this.#logs.set(path, { root, size: seen.size, number: this.#number });
      },
      linkOut: (path) => this.#links.add(path),
      unreadable: (path, error) => {
        if (this.#unreadable.size === 0 && !this.#hasWarned)
          this.#parts.log.warn('a folder of a coding assistant cannot be read', {
            folder: path,
            err: messageOf(error),
          });
        this.#hasWarned = true;
        this.#unreadable.add(path);
      },
    };
  }

  /** A change that was made a while ago, and was not reported. */
  #judge({ path }: Found, modifiedAt: number): void {
    const { reading, clock } = this.#parts;
    if (this.#wasIdle && !reading.isUnreadable(path) && clock.now() - modifiedAt > LATE_MS) this.#isBlind = true;
  }

  #watch(path: string, root: Root): void {
    this.#folders++;
    const known = this.#watched.get(path);
    if (known) known.number = this.#number;
    else if (this.#watched.size < MAX_WATCHED) {
      try {
        const onHint = (name: string | null) => this.#hint(name === null ? path : join(path, name), root);
        const watcher = this.#parts.watchFolder(path, onHint, () => this.#unwatch(path));
        this.#watched.set(path, { watcher, number: this.#number });
      } catch {
        // It is searched more often instead.
      }
    }
  }

  #unwatch(path: string): void {
    this.#watched.get(path)?.watcher.close();
    this.#watched.delete(path);
  }

  /** A folder that is reported itself may be another one of this name now. */
  #unwatchBelow(path: string): void {
    for (const watched of this.#watched.keys())
      if (watched === path || watched.startsWith(path + sep)) this.#unwatch(watched);
  }

  #hint(path: string, root: Root): void {
    this.#hints.set(path, root);
    this.#cancelGather ??= this.#parts.clock.after(GATHER_MS, () => this.#follow());
  }

  /** Looks at what was reported. */
  #follow(): void {
    this.#cancelGather = undefined;
    this.#follows++;
    const hints = [...this.#hints];
    this.#hints.clear();
    for (const [path, root] of hints) {
      if (this.#watched.has(path)) this.#unwatchBelow(path);
      const visitor = this.#visitor(root, () => {});
      const name = nameOf({ root, path });
      try {
        const entry = lstatSync(path, { throwIfNoEntry: false });
        if (!entry) this.#logs.delete(path);
        else if (name === '') search(root, '', visitor);
        else visit(root, name, entry, visitor);
      } catch (error) {
        visitor.unreadable(path, error);
      }
    }
    this.#parts.onTick();
  }
}

function watchFolder(path: string, onHint: (name: string | null) => void, onEnd: () => void): FolderWatcher {
  const watcher = watch(path, { persistent: false }, (_, name) => onHint(name));
  watcher.on('error', onEnd);
  return watcher;
}
