import type { CancelTimer, Clock } from '../clock.ts';

export interface WriteBehindOptions {
  readonly clock: Clock;
  /** The time a change may wait for others to be written with it. */
  readonly delayMs: number;
  /** The delay after a failed write, for instance on a full disk. */
  readonly retryMs: number;
  readonly isPending: () => boolean;
  /** Writes all pending changes; if it rejects, they are still pending. */
  readonly write: () => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Writes changes in memory to the disk: one write at a time, and at most one for each delay. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  #writing: Promise<void> | undefined;
  #timer: CancelTimer | undefined;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
  }

  /** Schedules a write, since a change is pending. */
  soon(delayMs = this.#options.delayMs): void {
    if (this.#timer || this.#writing) return;
    this.#timer = this.#options.clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#writing = this.#writeOnce();
    });
  }

  /** Resolves when all pending changes are written; rejects if they cannot be. */
  async flush(): Promise<void> {
    this.#cancelTimer();
    await this.#writing;
    // A write that has just ended may have scheduled the next one.
    this.#cancelTimer();
    await this.#options.write();
  }

  #cancelTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  async #writeOnce(): Promise<void> {
    const { write, failed, isPending, delayMs, retryMs } = this.#options;
    let nextMs = delayMs;
    try {
      await write();
    } catch (error) {
      failed(error);
      nextMs = retryMs;
    }
    this.#writing = undefined;
    if (isPending()) this.soon(nextMs);
  }
}
