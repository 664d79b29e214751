import type { CancelTimer, Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';

export interface WriteBehindOptions {
  readonly clock: Clock;
  /** The time a change may wait for others to be written with it. */
  readonly delayMs: number;
  /** The delay after a failed write, for instance on a full disk. */
  readonly retryMs: number;
  readonly isPending: () => boolean;
  /** Writes all pending changes; if it rejects, they are still pending. */
  readonly write: () => Promise<void>;
  /** Called when writes begin to fail and when the reason changes, not at each retry. */
  readonly failed: (error: unknown) => void;
  /** Called at the first success after failures. */
  readonly recovered: () => void;
}

/** A suitable `retryMs`: a full disk may have room again at any moment, and an attempt without room takes a millisecond. */
export const WRITE_RETRY_MS = 500;

/** Writes changes in memory to the disk: one write at a time, and at most one for each delay. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  #writing: Promise<void> | undefined;
  #timer: CancelTimer | undefined;
  /** The reason of the last write's failure; undefined after a success. */
  #failure: string | undefined;

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
    this.#noteSuccess();
  }

  #cancelTimer(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  async #writeOnce(): Promise<void> {
    const { write, isPending, delayMs, retryMs } = this.#options;
    let nextMs = delayMs;
    try {
      await write();
      this.#noteSuccess();
    } catch (error) {
      this.#noteFailure(error);
      nextMs = retryMs;
    }
    this.#writing = undefined;
    if (isPending()) this.soon(nextMs);
  }

  #noteFailure(error: unknown): void {
    const reason = messageOf(error);
    if (reason === this.#failure) return;
    this.#failure = reason;
    this.#options.failed(error);
  }

  #noteSuccess(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#options.recovered();
  }
}
