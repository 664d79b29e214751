import { type Clock, monotonicSeconds } from '../../../kernel/clock.ts';
import { Distribution, REQUEST_BOUNDS_S } from '../../../kernel/metrics/distribution.ts';
import { WRITE_RETRY_MS, WriteBehind } from '../../../kernel/storage/write-behind.ts';
import type { LoggedNotification } from '../../domain/deduplication.ts';
import type { LogEntry, NotificationStorage } from './storage.ts';

/** One query in this many is timed, for all of them: reading the clock takes longer than the query. */
const TIMED_ONE_IN = 64;

/** The key of an entry: group, receiver and integration. `index`: its place in the receiver's list of its kind. */
export interface LogKey {
  readonly groupKey: string;
  readonly receiver: string;
  readonly integration: string;
  readonly index: number;
}

/** A group key never contains a line feed: its label values are quoted. */
export function printLogKey({ groupKey, receiver, integration, index }: LogKey): string {
  return `${groupKey}\n${integration}/${index}/${receiver}`;
}

function groupKeyOf(logKey: string): string {
  return logKey.slice(0, logKey.indexOf('\n'));
}

/** The last notification of every group to every integration, stored, so that a restart repeats none. */
export class NotificationLog {
  readonly #storage: NotificationStorage;
  readonly #entries = new Map<string, LogEntry>();
  readonly #busy = new Map<string, Promise<unknown>>();
  /** Counts and times look-ups. */
  readonly queries = new Distribution(REQUEST_BOUNDS_S);
  #lastQuerySeconds = 0;

  /** Entries whose write failed. */
  #unwritten = new Set<string>();
  readonly #behind: WriteBehind;

  constructor(storage: NotificationStorage, clock: Clock) {
    this.#storage = storage;
    this.#behind = new WriteBehind({
      clock,
      delayMs: WRITE_RETRY_MS,
      retryMs: WRITE_RETRY_MS,
      isPending: () => this.#unwritten.size > 0,
      write: () => this.#writeAgain(),
      ...storage.report,
    });
  }

  get size(): number {
    return this.#entries.size;
  }

  async load(): Promise<number> {
    for (const entry of await this.#storage.loadLog()) this.#entries.set(entry.key, entry);
    return this.#entries.size;
  }

  /** With expired entries that are not yet collected. */
  find(key: string): LoggedNotification | undefined {
    if (this.queries.count % TIMED_ONE_IN === 0) return this.#findTimed(key);
    this.queries.add(this.#lastQuerySeconds);
    return this.#entries.get(key);
  }

  #findTimed(key: string): LoggedNotification | undefined {
    const startedAt = monotonicSeconds();
    const entry = this.#entries.get(key);
    this.#lastQuerySeconds = monotonicSeconds() - startedAt;
    this.queries.add(this.#lastQuerySeconds);
    return entry;
  }

  /** Whether a notification is being sent for the key. */
  isBusy(key: string): boolean {
    return this.#busy.has(key);
  }

  /** Runs `send` after any earlier one with the same key. */
  async exclusively<T>(key: string, send: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(key);
    const running = before ? before.then(send, send) : send();
    this.#busy.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#busy.get(key) === running) this.#busy.delete(key);
    }
  }

  /** In force at once; returns the entry to be stored. */
  set(key: string, notification: LoggedNotification, expiresAt: number): LogEntry {
    // Field by field: V8 makes a hidden class of its own for each spread that more fields follow.
    const { at, firing, resolved, receiverData } = notification;
    const entry = { key, at, firing, resolved, receiverData, expiresAt };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Takes over an entry of another node, unless this node has a younger one. */
  receive(entry: LogEntry): void {
    const known = this.#entries.get(entry.key);
    if (!known || known.at <= entry.at) this.#entries.set(entry.key, entry);
  }

  /** Writes the entries that are not among the stored ones, or are younger. */
  writeMissing(stored: readonly LogEntry[]): void {
    const times = new Map(stored.map(({ key, at }) => [key, at]));
    for (const { key, at } of this.#entries.values()) if ((times.get(key) ?? 0) < at) this.writeLater(key);
  }

  /** The entry could not be written: it is retried until it is on disk. */
  writeLater(key: string): void {
    this.#unwritten.add(key);
    this.#behind.soon();
  }

  /** Writes the failed entries again; rejects when that fails. */
  flush(): Promise<void> {
    return this.#behind.flush();
  }

  async #writeAgain(): Promise<void> {
    const keys = this.#unwritten;
    if (keys.size === 0) return;
    this.#unwritten = new Set();
    const entries = [...keys].flatMap((key) => this.#entries.get(key) ?? []);
    try {
      await this.#storage.writeLog(entries);
    } catch (error) {
      for (const key of keys) this.#unwritten.add(key);
      throw error;
    }
  }

  /**
   * Deletes expired entries, except those of existing groups: their resolved notifications must still be sent, and a later
   * notification must not reuse an idempotency key. Returns the number of deleted entries.
   */
  async collectGarbage(now: number, isAlive: (groupKey: string) => boolean): Promise<number> {
    const removed: string[] = [];
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now || isAlive(groupKeyOf(key))) continue;
      this.#entries.delete(key);
      removed.push(key);
    }
    if (removed.length > 0) await this.#storage.deleteLog(removed);
    return removed.length;
  }

  /** The size of the stored entries, in bytes. */
  countBytes(): Promise<number> {
    return this.#storage.countLogBytes();
  }
}
