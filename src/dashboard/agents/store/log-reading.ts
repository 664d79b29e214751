import { lstatSync } from 'node:fs';
import type { Clock } from '../../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { AgentReading } from '../../contract/agents.ts';
import { Batch } from './batch.ts';
import type { Found } from './discovery.ts';
import { type OpenLog, openLog } from './log-file.ts';
import { type FileMark, type FileState, markOf, type UsageDatabase } from './usage-database.ts';

/** Of reading between two commits; requests wait meanwhile. */
const BATCH_MS = 100;
const RETRY_MS = 2_000;

export interface LogReadingParts {
  readonly database: UsageDatabase;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each commit, and when everything is read. */
  readonly onRead: () => void;
}

interface Waiting {
  readonly found: Found;
  /** That are to be read. */
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** Reads logs that have changed, the newest first, and commits their events together with how far they are read. */
export class LogReading {
  readonly #parts: LogReadingParts;
  readonly #marks: Map<string, FileMark>;
  readonly #waiting = new Map<string, Waiting>();
  /** The paths that wait, the newest last. */
  #order: string[] = [];
  #isSorted = true;
  #open: { readonly log: OpenLog; readonly waiting: Waiting } | undefined;
  readonly #unreadable = new Set<string>();
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** Why the last commit has failed. */
  #failure: string | undefined;
  #bytes = { done: 0, waiting: 0 };
  #files = 0;
  #number = 0;
  #endPause = () => {};

  /** `marks`: how far files are read, by path, from the database. */
  constructor(parts: LogReadingParts, marks: Map<string, FileMark>) {
    this.#parts = parts;
    this.#marks = marks;
  }

  /** Grows with every commit, and with every file that cannot be read. */
  get number(): number {
    return this.#number;
  }

  get isIdle(): boolean {
    return this.#running === undefined;
  }

  /** What was read since everything was read the last time. */
  get progress(): AgentReading {
    const { done, waiting } = this.#bytes;
    const open = this.#open?.log.bytes ?? 0;
    const rest = Math.max(0, (this.#open?.waiting.bytes ?? 0) - open);
    return { bytes: done + open, totalBytes: done + open + rest + waiting, files: this.#files };
  }

  isUnreadable(path: string): boolean {
    return this.#unreadable.has(path);
  }

  /** Why nothing is stored at present. */
  get failure(): string | undefined {
    return this.#failure;
  }

  markOf(path: string): FileMark | undefined {
    return this.#marks.get(path);
  }

  /** Queues a log if it has changed since it was read. Undefined: it is gone. */
  consider(
    found: Found,
  ): { readonly size: number; readonly modifiedAt: number; readonly isChanged: boolean } | undefined {
    const stats = lstatSync(found.path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const { size, mtimeMs: modifiedAt, ino } = stats;
    const known = this.#marks.get(found.path);
    const isChanged = known?.size !== size || known.modifiedAt !== modifiedAt || known.inode !== ino;
    if (isChanged) {
      const isContinued = known?.inode === ino && found.root.logs.form === 'lines' && known.position <= size;
      this.#queue({ found, bytes: isContinued ? size - known.position : size, modifiedAt });
    }
    return { size, modifiedAt, isChanged };
  }

  /** Ends after the running commit. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#running;
    this.#open?.log.close();
    this.#open = undefined;
    this.#marks.clear();
  }

  #queue(waiting: Waiting): void {
    if (this.#isClosed) return;
    const { path } = waiting.found;
    const earlier = this.#waiting.get(path);
    this.#bytes.waiting += waiting.bytes - (earlier?.bytes ?? 0);
    this.#waiting.set(path, waiting);
    if (!earlier) {
      this.#order.push(path);
      this.#isSorted = false;
    }
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // What is found in this turn is read in one order.
    await nextTurn();
    while (!this.#isClosed && (this.#open || this.#waiting.size > 0)) {
      const batch = new Batch<Waiting>();
      await this.#read(batch);
      await this.#commit(batch);
      this.#parts.onRead();
      await nextTurn();
    }
    this.#running = undefined;
    this.#bytes = { done: 0, waiting: 0 };
    this.#files = 0;
    this.#parts.onRead();
  }

  /** Fills a batch for a tenth of a second. */
  async #read(batch: Batch<Waiting>): Promise<void> {
    const { clock } = this.#parts;
    const endsAt = clock.monotonic() + BATCH_MS;
    while (!batch.isFull && clock.monotonic() < endsAt) {
      this.#open ??= await this.#openNext();
      if (!this.#open) return;
      const { log, waiting } = this.#open;
      let state: FileState | undefined;
      try {
        if (log.readSome((event) => batch.add(event))) continue;
        state = log.state();
      } catch (error) {
        this.#cannotRead(waiting.found, error);
      }
      if (state) batch.note(waiting, state);
      this.#endFile();
    }
    if (this.#open) batch.note(this.#open.waiting, this.#open.log.state());
  }

  #endFile(): void {
    this.#bytes.done += this.#open?.log.bytes ?? 0;
    this.#files++;
    this.#open?.log.close();
    this.#open = undefined;
  }

  async #openNext(): Promise<{ readonly log: OpenLog; readonly waiting: Waiting } | undefined> {
    for (let waiting = this.#takeNext(); waiting; waiting = this.#takeNext()) {
      const { found } = waiting;
      // Another process may have read on.
      const known = await this.#parts.database.file(found.path);
      try {
        const log = openLog(found, known);
        this.#unreadable.delete(found.path);
        return { log, waiting };
      } catch (error) {
        this.#cannotRead(found, error);
      }
    }
    return undefined;
  }

  #takeNext(): Waiting | undefined {
    if (!this.#isSorted) {
      const timeOf = (path: string) => this.#waiting.get(path)?.modifiedAt ?? 0;
      this.#order.sort((a, b) => timeOf(a) - timeOf(b));
      this.#isSorted = true;
    }
    const path = this.#order.pop();
    const waiting = path === undefined ? undefined : this.#waiting.get(path);
    if (path === undefined || !waiting) return undefined;
    this.#waiting.delete(path);
    this.#bytes.waiting -= waiting.bytes;
    return waiting;
  }

  /** A file that has gone is no problem. */
  #cannotRead({ path }: Found, error: unknown): void {
    if (systemCodeOf(error) === 'ENOENT') return;
    if (this.#unreadable.size === 0) {
      const hint = 'others may follow; their number is in the status';
      this.#parts.log.warn('a log of a coding assistant cannot be read', { file: path, err: messageOf(error), hint });
    }
    this.#unreadable.add(path);
    this.#number++;
  }

  /** What cannot be stored is read again later. */
  async #commit(batch: Batch<Waiting>): Promise<void> {
    if (batch.files.size === 0) return;
    const { database, log } = this.#parts;
    try {
      await database.commit([...batch.files.values()], batch.events);
      for (const state of batch.files.values()) this.#marks.set(state.path, markOf(state));
      this.#number++;
      if (this.#failure !== undefined) log.info('the usage of coding assistants is stored again');
      this.#failure = undefined;
    } catch (error) {
      this.#open?.log.close();
      this.#open = undefined;
      for (const waiting of batch.read) this.#queue(waiting);
      this.#noteFailure(messageOf(error));
      this.#parts.onRead();
      await this.#pause(RETRY_MS);
    }
  }

  #noteFailure(err: string): void {
    if (err !== this.#failure)
      this.#parts.log.error('the usage of coding assistants could not be stored; trying again', { err });
    this.#failure = err;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** Requests that have arrived are answered. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
