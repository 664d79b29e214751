import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import type { ItemKind } from '../flag-store.ts';
import { whenUpstreamFails } from '../restoring.ts';
import type { ConnectionError } from '../status/connection-status.ts';
import { MIN_CACHE_TTL_MS } from './options.ts';
import type { NewerItem, PersistentStore } from './persistent-store.ts';
import { applyNewer, restoreData, takeNewer } from './stored-data.ts';

export interface StoredSourceParts {
  readonly store: PersistentStore;
  /** Whether data in the store are served until the source delivers. */
  readonly isRestored: boolean;
  /** Whether what the source delivers always counts, as with a file or an archive. */
  readonly isLocal: boolean;
  /** Age at which the store is read again; 0: a second; negative: never. */
  readonly cacheTtlMs: number;
  readonly clock: Clock;
  /** The log of the environment: its lines name it. */
  readonly log: Log;
}

/** State of the last operation of the store, and the time of its last change in epoch milliseconds. */
export interface StoreState {
  readonly state: 'VALID' | 'INTERRUPTED';
  readonly stateSince: number;
}

/** Interval of the checks whether the store is available and has kept the data. */
const CHECK_EVERY_MS = 5000;
const RETRY_MS = 500;
/** For a store that is available but refuses to write, such as one that is full. */
const MAX_RETRY_MS = 5000;

/**
 * Writes the data of a source to a persistent store, and serves those of the store after a start until the source delivers.
 * Answers are made from memory alone, so that a failing store delays none.
 */
export class StoredSource implements DataSource {
  readonly #source: DataSource;
  readonly #sink: DataSink;
  readonly #parts: StoredSourceParts;
  #unsubscribe: () => void = () => {};
  #cancelChecks: CancelTimer = () => {};
  #stopWaiting: () => void = () => {};
  #cancelRetry: CancelTimer | undefined;
  #retryMs = RETRY_MS;
  #state: StoreState;
  #failure: string | undefined;
  /** The error that this source has reported to the connection, while the store fails. */
  #reported: ConnectionError | undefined;
  #hasDelivered = false;
  /** Whether data in the store may be served although the source has not delivered. */
  #mayRestore = false;
  /** Whether a change comes from the store itself. */
  #isTaking = false;
  #mustRead = false;
  #mustReplace = false;
  readonly #changed = new Map<string, readonly [kind: ItemKind, key: string]>();
  #readAt: number;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(source: DataSource, sink: DataSink, parts: StoredSourceParts) {
    this.#source = source;
    this.#sink = sink;
    this.#parts = parts;
    const now = parts.clock.now();
    this.#state = { state: 'VALID', stateSince: now };
    this.#readAt = now;
  }

  get state(): StoreState {
    return this.#state;
  }

  /** Whether the store has everything that the source has delivered. */
  get isSaved(): boolean {
    return !this.#isUnwritten;
  }

  start(): void {
    if (this.#closing) return;
    const change = (kind: ItemKind, key: string) => this.#change(kind, key);
    this.#unsubscribe = this.#sink.store.subscribe({
      replaced: () => this.#deliver(),
      changed: change,
      removed: change,
    });
    const { clock, cacheTtlMs, isRestored } = this.#parts;
    const everyMs = cacheTtlMs < 0 ? CHECK_EVERY_MS : Math.min(Math.max(cacheTtlMs, MIN_CACHE_TTL_MS), CHECK_EVERY_MS);
    this.#cancelChecks = clock.every(everyMs, () => this.#look());
    if (isRestored) this.#stopWaiting = whenUpstreamFails(this.#sink.connection, clock, () => this.#restore());
    this.#source.start();
  }

  #restore(): void {
    if (this.#hasDelivered) return;
    this.#mayRestore = true;
    this.#mustRead = true;
    this.#work();
  }

  use(environment: EnvironmentOptions): void {
    const isElsewhere = this.#parts.store.use(environment);
    if (isElsewhere && this.#hasDelivered) {
      this.#mustReplace = true;
      this.#work();
    }
    this.#source.use(environment);
  }

  refresh(): void {
    this.#source.refresh?.();
  }

  /** Closes the source and writes what is not yet in the store. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#source.close();
    this.#unsubscribe();
    this.#stopWaiting();
    this.#cancelChecks();
    this.#cancelRetry?.();
    await this.#running;
    if (this.#isUnwritten)
      await this.#attempt(async () => {
        while (this.#isUnwritten) await this.#write();
      });
  }

  get #isUnwritten(): boolean {
    return this.#mustReplace || this.#changed.size > 0;
  }

  #deliver(): void {
    if (this.#isTaking) return;
    this.#hasDelivered = true;
    this.#mustReplace = true;
    this.#work();
  }

  #change(kind: ItemKind, key: string): void {
    // A patch before the first put is not a complete set of data.
    if (this.#isTaking || !this.#sink.store.isInitialised) return;
    this.#changed.set(`${kind} ${key}`, [kind, key]);
    this.#work();
  }

  /** Reads the store again when it is time, or only looks whether it is there. */
  #look(): void {
    const { clock, cacheTtlMs, isLocal } = this.#parts;
    if (this.#running || this.#cancelRetry) return;
    const isDue = cacheTtlMs >= 0 && clock.now() - this.#readAt >= Math.max(cacheTtlMs, MIN_CACHE_TTL_MS);
    if (isDue && !isLocal && (this.#hasDelivered || this.#mayRestore)) this.#mustRead = true;
    this.#work(() => this.#check());
  }

  /** Reads and writes what is due, except during the pause after a failure. */
  #work(first: () => Promise<void> = async () => {}): void {
    if (this.#running || this.#cancelRetry || this.#closing) return;
    this.#running = this.#attempt(async () => {
      await first();
      while (!this.#closing && (this.#mustRead || this.#isUnwritten)) {
        if (this.#mustRead) await this.#read();
        else await this.#write();
      }
    }).finally(() => {
      this.#running = undefined;
    });
  }

  async #attempt(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      this.#recover();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A store that was emptied gets the data again. */
  async #check(): Promise<void> {
    if (await this.#parts.store.isInitialised()) return;
    if (this.#hasDelivered) this.#mustReplace = true;
  }

  async #read(): Promise<void> {
    const { store, clock, log, isLocal } = this.#parts;
    const data = await store.read(this.#sink.store);
    this.#readAt = clock.now();
    if (!this.#hasDelivered) {
      const isFirst = !this.#sink.store.isInitialised;
      const restored = this.#take(() => restoreData(data, this.#sink.store));
      if (!restored.ok) throw new Error(restored.reason);
      if (isFirst && restored.value) log.info('serving the data of the persistent store until upstream delivers');
    } else if (!isLocal && store.sharesVersions(data)) {
      const takesUnknown = this.#sink.connection.state !== 'VALID';
      const broken = this.#take(() => takeNewer(data, this.#sink.store, takesUnknown));
      if (broken.length > 0) {
        log.warn('items of the persistent store cannot be decoded and are written again', { keys: broken.join(', ') });
        this.#mustReplace = true;
      }
    }
    this.#mustRead = false;
  }

  /** Writes all data, or one change. */
  async #write(): Promise<void> {
    const { store } = this.#parts;
    const memory = this.#sink.store;
    const [change] = this.#changed;
    try {
      let newer: readonly NewerItem[] = [];
      if (this.#mustReplace) {
        this.#mustReplace = false;
        this.#changed.clear();
        newer = await store.replace(memory);
      } else if (change) {
        const [id, [kind, key]] = change;
        this.#changed.delete(id);
        newer = await store.upsert(memory, kind, key);
      }
      this.#take(() => applyNewer(newer, memory));
    } catch (error) {
      this.#mustReplace = true;
      throw error;
    }
  }

  #take<T>(action: () => T): T {
    this.#isTaking = true;
    try {
      return action();
    } finally {
      this.#isTaking = false;
    }
  }

  #fail(error: unknown): void {
    const { clock, log } = this.#parts;
    const now = clock.now();
    const failure = messageOf(error);
    log[failure === this.#failure ? 'debug' : 'error']('the persistent store fails', { error: failure });
    this.#failure = failure;
    if (this.#state.state === 'VALID') this.#state = { state: 'INTERRUPTED', stateSince: now };
    if (this.#isUnwritten && this.#sink.connection.state === 'VALID') {
      this.#reported = { kind: 'STORE_ERROR', time: now };
      this.#sink.connection.failed(this.#reported);
    }
    if (this.#closing) return;
    this.#cancelRetry = clock.after(this.#retryMs, () => this.#retry());
  }

  /** Waits until the store is available, then does everything that has failed. */
  #retry(): void {
    this.#cancelRetry = undefined;
    // Changes may have been lost.
    if (this.#hasDelivered) this.#mustReplace = true;
    else this.#mustRead = this.#mayRestore;
    const nextMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    this.#retryMs = RETRY_MS;
    this.#work(async () => {
      await this.#check();
      // It is available, so that what fails now is a large write.
      this.#retryMs = nextMs;
    });
  }

  #recover(): void {
    this.#retryMs = RETRY_MS;
    if (this.#failure === undefined) return;
    const { clock, log } = this.#parts;
    const { connection } = this.#sink;
    this.#failure = undefined;
    this.#state = { state: 'VALID', stateSince: clock.now() };
    log.info('the persistent store is available again');
    // Unless upstream has failed since then.
    if (this.#reported && connection.lastError === this.#reported) connection.succeeded(clock.now());
    this.#reported = undefined;
  }
}
