import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from './clock.ts';
import { compileFor, type Work } from './compiler.ts';
import { ownProgram } from './threads/thread.ts';

/** By then a server has started, and the memory of its start is garbage. */
const AFTER_START_MS = 1_000;
/** In bytes. V8 collects the garbage of a larger heap by itself, and it would take longer. */
const SMALL_HEAP = 64 * 2 ** 20;

/**
 * Lets V8 return memory to the system after the start, and later after each busy time. V8 does so by itself when a process
 * becomes idle, but only after its first full garbage collection, which a small heap does not cause. To be called when a
 * server has started.
 */
export function giveMemoryBack(clock: Clock, smallHeap = SMALL_HEAP): void {
  clock.after(AFTER_START_MS, () => giveMemoryBackNow(smallHeap));
}

/** The same at once, for a thread: not in two threads at a time, as both would change the flags of V8. */
export function giveMemoryBackNow(smallHeap = SMALL_HEAP): void {
  // Moves the program out of the heap, as for a thread.
  ownProgram?.();
  // Not process.memoryUsage(): it reads a file, and throws when no descriptor is free.
  if (getHeapStatistics().total_heap_size <= smallHeap) collectGarbage();
}

/**
 * Makes V8 collect garbage before it asks the system for more memory, which costs a few microseconds for each new alert.
 * Otherwise it takes 280 MB for 50,000 alerts that need 100. Holds for all threads. To be called when a server has started.
 */
export function keepHeapSmall(work: Work): void {
  setFlagsFromString('--optimize-for-size');
  boundYoungSpace();
  compileFor(work);
}

/**
 * The space of young objects is doubled while it is smaller than this. It would grow to 128 MB; with the 1 MB of the start, a burst
 * would spend a quarter of its processor time on collecting them.
 */
const YOUNG_SPACE_BYTES = 8 * 2 ** 20;

/** V8 reads its own limit only before the program starts; so the factor of growth depends on the size after each collection. */
function boundYoungSpace(): void {
  let mayGrow = true;
  const observer = new PerformanceObserver(() => {
    const isSmall = youngSpaceSize() < YOUNG_SPACE_BYTES;
    if (isSmall === mayGrow) return;
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}

const youngSpaceSize = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;

/** Takes some milliseconds for a small heap. Only contexts made under this flag have V8's function. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  // The last resort also gives back the space of young objects, and what V8 keeps of code that has run once.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
