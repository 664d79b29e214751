/** Bits per id: about one in two thousand absent ids seems present. */
const BITS = 16;
const PROBES = 8;
const MIN_ROOM = 65_536;

/** A filter as plain data. */
export interface IdBits {
  readonly words: Uint32Array;
  readonly count: number;
}

/**
 * A Bloom filter: absent ids are mostly reported as absent, present ones never. Source: B. H. Bloom, Space/time
 * trade-offs in hash coding with allowable errors, 1970; two hashes for all probes: Kirsch and Mitzenmacher, 2006.
 */
export class IdFilter {
  readonly #words: Uint32Array;
  #count: number;

  constructor({ words, count }: IdBits) {
    this.#words = words;
    this.#count = count;
  }

  /** An empty filter with room for at least this number of ids. */
  static withRoom(ids: number): IdFilter {
    const bits = Math.max(MIN_ROOM, ids) * BITS;
    return new IdFilter({ words: new Uint32Array(2 ** Math.ceil(Math.log2(bits / 32))), count: 0 });
  }

  /** More ids than planned make false positives more frequent. */
  get isFull(): boolean {
    return this.#count * BITS > this.#words.length * 32;
  }

  get bits(): IdBits {
    return { words: this.#words, count: this.#count };
  }

  add(id: string): void {
    this.#count++;
    const [first, step] = hashesOf(id);
    for (let probe = 0, place = first; probe < PROBES; probe++, place = (place + step) | 0) {
      const index = (place >>> 5) & (this.#words.length - 1);
      this.#words[index] = (this.#words[index] ?? 0) | (1 << (place & 31));
    }
  }

  mayHold(id: string): boolean {
    const [first, step] = hashesOf(id);
    for (let probe = 0, place = first; probe < PROBES; probe++, place = (place + step) | 0) {
      const word = this.#words[(place >>> 5) & (this.#words.length - 1)] ?? 0;
      if ((word & (1 << (place & 31))) === 0) return false;
    }
    return true;
  }
}

function hashesOf(id: string): readonly [first: number, step: number] {
  let first = 0x811c9dc5;
  let step = 0x27d4eb2f;
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    step = Math.imul(step ^ unit, 0x5bd1e995) ^ (step >>> 13);
  }
  return [mix(first), mix(step) | 1];
}

/**
 * A finaliser in which each bit depends on all. Source: the end of MurmurHash3 by Austin Appleby, which is in the
 * public domain.
 */
function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
