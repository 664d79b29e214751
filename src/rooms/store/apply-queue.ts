import type { Clock } from '../../kernel/clock.ts';
import type { JournalRecord } from '../../kernel/journal-record.ts';
import type { Removed, RoomEngine } from './room-engine.ts';
import { StorageFullError } from './room-store.ts';

/** Records wait for others that long, unless somebody wants to read: many together are put in cheaper. */
const GATHER_MS = 100;
/** So many bytes are handed over at once, and so many do not wait for others. */
const PORTION_BYTES = 2 ** 20;
/** Whoever appends waits while so many wait. */
const MOST_BYTES = 16 * 2 ** 20;
const RETRY_MS = 1_000;

export interface ApplyQueueParts {
  readonly engine: Pick<RoomEngine, 'apply'>;
  readonly clock: Clock;
  /** The last record that is durable: none beyond it is handed over. */
  readonly durable: () => number;
  readonly failed: (error: unknown) => void;
}

interface Waiter {
  readonly serial: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A record on its way into the engine. */
interface Queued extends JournalRecord {
  /** Of a removal: is told what it has come to. */
  readonly removed?: (removed: Removed) => void;
}

/** Hands what the journal holds to the engine, portion by portion, in its order. */
export class ApplyQueue {
  readonly #parts: ApplyQueueParts;
  /** Not in the engine, as far as is known. */
  #records: Queued[] = [];
  #bytes = 0;
  #applied: number;
  #waiters: Waiter[] = [];
  #isRunning = false;
  #cancelTimer: (() => void) | undefined;
  #isStuck = false;
  #isClosed = false;
  #failure: unknown;

  constructor(parts: ApplyQueueParts, applied: number) {
    this.#parts = parts;
    this.#applied = applied;
  }

  /** The engine had no room at the last try. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** The last record that the engine has. */
  get applied(): number {
    return this.#applied;
  }

  /** In the order of the serials, durable or not. */
  push(record: Queued): void {
    this.#records.push(record);
    this.#bytes += record.payload.length;
  }

  /** What was pushed has become durable. */
  wake(): void {
    const first = this.#records[0]?.serial ?? Infinity;
    if (this.#isRunning || this.#isStuck || this.#isClosed || first > this.#parts.durable()) return;
    if (this.#waiters.length > 0 || this.#bytes > PORTION_BYTES) this.#run();
    else this.#runIn(GATHER_MS);
  }

  /** Resolves when the engine has all that is durable now; rejects with a StorageFullError when it cannot take it. */
  caughtUp(): Promise<void> {
    return this.#reach(this.#parts.durable());
  }

  /** Resolves when the engine has all that was pushed, durable or not; rejects as caughtUp. */
  emptied(): Promise<void> {
    return this.#reach(this.#records.at(-1)?.serial ?? 0);
  }

  /** Resolves when more may be pushed; rejects as caughtUp. */
  ready(): Promise<void> {
    if (this.#isStuck) return this.caughtUp();
    return this.#bytes < MOST_BYTES ? Promise.resolve() : this.#reach(this.#records[0]?.serial ?? 0);
  }

  /** Hands over the rest; answers whether the engine has all. */
  async close(): Promise<boolean> {
    const isAll = await this.emptied().then(
      () => true,
      () => false,
    );
    this.#isClosed = true;
    this.#cancelTimer?.();
    return isAll;
  }

  #reach(serial: number): Promise<void> {
    if (serial <= this.#applied) return Promise.resolve();
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const reached = new Promise<void>((resolve, reject) => this.#waiters.push({ serial, resolve, reject }));
    this.#run();
    return reached;
  }

  #runIn(ms: number): void {
    this.#cancelTimer ??= this.#parts.clock.after(ms, () => this.#run());
  }

  #run(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#applyAll().then(
      () => {
        this.#isRunning = false;
        if (this.#isStuck && !this.#isClosed) this.#runIn(RETRY_MS);
        else this.wake();
      },
      (error) => {
        this.#failure = error;
        this.#refuse(error);
        this.#parts.failed(error);
      },
    );
  }

  /** As long as somebody waits. */
  async #applyAll(): Promise<void> {
    do {
      const portion = this.#nextPortion();
      const last = portion.at(-1);
      if (!last) return;
      const waiting = this.#waiters.length;
      try {
        const removed = await this.#parts.engine.apply(portion.map(({ serial, payload }) => ({ serial, payload })));
        if (removed) last.removed?.(removed);
      } catch (error) {
        if (!(error instanceof StorageFullError)) throw error;
        this.#isStuck = true;
        // Whoever came during the try may have room by now.
        this.#refuse(error, waiting);
        if (this.#waiters.length === 0) return;
        continue;
      }
      this.#isStuck = false;
      this.#records.splice(0, portion.length);
      for (const { payload } of portion) this.#bytes -= payload.length;
      this.#applied = last.serial;
      const reached = this.#waiters.filter(({ serial }) => serial <= this.#applied);
      this.#waiters = this.#waiters.filter(({ serial }) => serial > this.#applied);
      for (const { resolve } of reached) resolve();
    } while (this.#waiters.length > 0 || this.#bytes > PORTION_BYTES);
  }

  /** What is durable, so many bytes of it; a removal goes alone, for its answer. */
  #nextPortion(): readonly Queued[] {
    const durable = this.#parts.durable();
    const [first] = this.#records;
    if (!first || first.serial > durable) return [];
    let count = 1;
    let bytes = first.payload.length;
    for (let next = this.#records[1]; next && !first.removed; next = this.#records[count]) {
      bytes += next.payload.length;
      if (next.serial > durable || next.removed || bytes > PORTION_BYTES) break;
      count++;
    }
    return this.#records.slice(0, count);
  }

  /** So many of those who wait; all. */
  #refuse(error: unknown, count = this.#waiters.length): void {
    for (const { reject } of this.#waiters.splice(0, count)) reject(error);
  }
}
