import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from './clock.ts';

/** By then a server has started, and what its start took is garbage. */
const AFTER_START_MS = 1_000;
/** In bytes. V8 has collected all garbage of a larger one by itself, and it would take longer. */
const SMALL_HEAP = 64 * 2 ** 20;

/**
 * Lets V8 give back to the system what the start has taken, and later what each busy time has. It does that by itself as
 * soon as a process has calmed down; but it watches for that only once it has collected all garbage of the heap for the
 * first time, and a small one does not make it do so. To be called when a server has started.
 */
export function giveMemoryBack(clock: Clock, smallHeap = SMALL_HEAP): void {
  clock.after(AFTER_START_MS, () => {
    // Not process.memoryUsage(): that reads a file, and throws where no more may be opened.
    if (getHeapStatistics().total_heap_size <= smallHeap) collectGarbage();
  });
}

/**
 * Has V8 collect garbage before it asks the system for more memory, which costs a few microseconds for each new alert: left
 * to itself, it takes 280 MB for 50,000 alerts that need 100. To be called when a server has started.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
  // The space of young objects, which would grow to 128 MB, keeps the size that it has.
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Takes some milliseconds for a small heap. Node hands V8's own function over only to contexts made under this flag. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  // The last resort also gives back the space of young objects, and what V8 keeps of code that has run once.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
