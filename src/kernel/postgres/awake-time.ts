import type { CancelTimer, Clock } from '../clock.ts';

const BEAT_MS = 100;
/** The most that one beat adds: a late beat means that the process slept or was busy. */
const MAX_BEAT_MS = 200;
/** A beat this late means that the process was stopped, suspended with its machine, or collected garbage for long. */
const WAKE_MS = 1_000;

interface Timer {
  readonly dueAt: number;
  readonly action: () => void;
}

/**
 * Time that passes only while the process is awake. Deadlines of remote answers run on it: after SIGSTOP or a suspended machine
 * every timer fires at once, and the remote end would seem silent for the whole sleep.
 */
export class AwakeTime {
  readonly #clock: Clock;
  readonly #stop: CancelTimer;
  readonly #timers = new Set<Timer>();
  readonly #listeners = new Set<() => void>();
  /** Milliseconds up to the last beat. */
  #passed = 0;
  #monotonic: number;
  #wall: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#monotonic = clock.monotonic();
    this.#wall = clock.now();
    this.#stop = clock.every(BEAT_MS, () => this.#beat());
  }

  /** Milliseconds since the start, without sleep. */
  now(): number {
    return this.#passed + Math.min(this.#elapsed(), MAX_BEAT_MS);
  }

  /** Calls `action` once, `ms` of awake time from now, up to a tenth of a second late. */
  after(ms: number, action: () => void): CancelTimer {
    const timer = { dueAt: this.now() + ms, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Calls `listener` when the process has slept for more than a second, before any timer; the returned function ends that. */
  onWake(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#timers.clear();
  }

  /** A stopped process is seen by the monotonic clock, a suspended machine only by the wall clock. */
  #elapsed(): number {
    return Math.max(this.#clock.monotonic() - this.#monotonic, this.#clock.now() - this.#wall);
  }

  #beat(): void {
    const elapsed = this.#elapsed();
    this.#passed += Math.min(elapsed, MAX_BEAT_MS);
    this.#monotonic = this.#clock.monotonic();
    this.#wall = this.#clock.now();
    if (elapsed > BEAT_MS + WAKE_MS) for (const listener of this.#listeners) listener();
    for (const timer of this.#timers) {
      if (timer.dueAt > this.#passed || !this.#timers.delete(timer)) continue;
      timer.action();
    }
  }
}
