import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/** What V8 compiles well: work in bursts by Maglev, after some hundred calls of a function; long work by TurboFan, to faster code. */
export type Work = 'bursts' | 'long';

/**
 * Leaves V8 with one optimizing compiler: two take 6 MB more, and Maglev alone is earlier in a burst. With `bursts` TurboFan joins
 * when work becomes long. Holds for all threads and functions, compiled ones included.
 */
export function compileFor(work: Work, longWork: Pick<LongWork, 'isReached'> = new LongWork()): void {
  if (work === 'long') {
    setFlagsFromString('--no-maglev');
    return;
  }
  setFlagsFromString('--no-turbofan');
  // Otherwise the code that Maglev makes does not count its calls, and would never be compiled again.
  setFlagsFromString('--force-emit-interrupt-budget-checks');
  // Long work makes garbage: no timer has to watch for it.
  const observer = new PerformanceObserver(() => {
    const { user, system } = process.cpuUsage();
    if (!longWork.isReached(performance.now(), (user + system) / 1_000)) return;
    observer.disconnect();
    setFlagsFromString('--turbofan');
  });
  observer.observe({ entryTypes: ['gc'] });
}

/**
 * V8 compiles WebAssembly once and does not optimize it. undici's parser of answers is one large function: to optimize it takes
 * 140 ms of a core and 23 MB, in the middle of a burst, and made no request measurably faster. Holds for all threads.
 */
export function leaveWebAssemblyUnoptimized(): void {
  setFlagsFromString('--no-wasm-tier-up');
  // With this alone V8 would optimize everything at once.
  setFlagsFromString('--no-wasm-dynamic-tiering');
}

const WINDOW_MS = 60_000;
/** Of processor time. 10,000 groups at once, or as many posted silences, take a quarter to a half of it. */
const LONG_MS = 20_000;

/** Work is long once it has taken 20 s of processor time within a minute. */
export class LongWork {
  #startedAt = 0;
  #usedBefore = 0;

  /** By the time since the start of the process and the processor time it has used so far, both in milliseconds. */
  isReached(now: number, used: number): boolean {
    if (now - this.#startedAt < WINDOW_MS) return used - this.#usedBefore >= LONG_MS;
    this.#startedAt = now;
    this.#usedBefore = used;
    return false;
  }
}
