import type { CancelTimer, Clock } from './clock.ts';

/** Whether the page is visible. */
export interface Visibility {
  visible(): boolean;
  /** Calls `action` whenever the page is shown or hidden; returns how to stop. */
  watch(action: () => void): CancelTimer;
}

export interface PollerParts {
  readonly clock: Clock;
  readonly visibility: Visibility;
  /** Milliseconds from the end of one run to the start of the next; 0 turns the repetition off. */
  readonly intervalMs: () => number;
  /** One run, aborted by the signal. The next one follows even if it rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/**
 * Repeats a run while the page is visible: never two at a time, and immediately when the page is shown after a run was
 * due.
 */
export class Poller {
  readonly #parts: PollerParts;
  #running: AbortController | undefined;
  #cancelTimer: CancelTimer = () => {};
  #dueAt = 0;
  readonly #unwatch: CancelTimer;
  #stopped = false;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#unwatch = parts.visibility.watch(() => this.#arm());
  }

  /** Runs now; aborts a current run first. */
  async refresh(): Promise<void> {
    if (this.#stopped) return;
    this.#running?.abort();
    this.#cancelTimer();
    const running = new AbortController();
    this.#running = running;
    try {
      await this.#parts.run(running.signal);
    } finally {
      if (this.#running === running) this.#finish();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#running?.abort();
    this.#running = undefined;
    this.#cancelTimer();
    this.#unwatch();
  }

  #finish(): void {
    this.#running = undefined;
    this.#dueAt = this.#parts.clock.now() + this.#parts.intervalMs();
    this.#arm();
  }

  #arm(): void {
    this.#cancelTimer();
    if (this.#stopped || this.#running || this.#parts.intervalMs() === 0 || !this.#parts.visibility.visible()) return;
    const restMs = Math.max(0, this.#dueAt - this.#parts.clock.now());
    this.#cancelTimer = this.#parts.clock.after(restMs, () => void this.refresh());
  }
}
