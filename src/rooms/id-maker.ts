import type { Clock } from '../kernel/clock.ts';

const RANDOM_BYTES = 8;
/** Ids per call of the random source; a call costs a hundred times as much as its bytes. */
const POOLED_IDS = 512;

/**
 * Makes UUIDv7 texts, each greater than the one before, also within a millisecond and after the clock went back.
 * Source: RFC 9562, section 6.2, method 1.
 */
export function createIdMaker(clock: Clock, random: (size: number) => Uint8Array): () => string {
  let lastAt = 0;
  let counter = 0;
  const nextRandom = createPool(random);
  return () => {
    const now = clock.now();
    if (now > lastAt) {
      lastAt = now;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastAt += 1;
      counter = 0;
    }
    const tail = nextRandom();
    const variant = (8 + (Number.parseInt(tail.slice(0, 2), 16) & 3)).toString(16);
    const time = lastAt.toString(16).padStart(12, '0');
    const version = `7${counter.toString(16).padStart(3, '0')}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
  };
}

/** Random bytes in hex, each used once. */
function createPool(random: (size: number) => Uint8Array): () => string {
  let pool = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used >= pool.length) {
      pool = Buffer.from(random(RANDOM_BYTES * POOLED_IDS));
      used = 0;
    }
    used += RANDOM_BYTES;
    return pool.toString('hex', used - RANDOM_BYTES, used);
  };
}
