const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * Numbers texts from 0, equal texts alike, reading their UTF-8 bytes in place: a million cells with a few hundred
 * different texts make a few hundred strings. Numbers are stable, so that columns can hold them.
 */
export class ByteDictionary {
  #pool = new Uint8Array(4096);
  /** The start of each text in the pool, and the end of the last. */
  #starts = new Uint32Array(256);
  #hashes = new Int32Array(256);
  /** Number + 1 by hash, linear probing; 0 is free. */
  #slots = new Int32Array(512);
  #size = 0;
  readonly #texts: string[] = [];

  get size(): number {
    return this.#size;
  }

  intern(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5 | 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = (this.#slots[slot] as number) - 1;
      if (id < 0) return this.#add(bytes, start, end, hash, slot);
      if (this.#hashes[id] === hash && this.#equals(id, bytes, start, end)) return id;
    }
  }

  internText(text: string): number {
    const bytes = encoder.encode(text);
    return this.intern(bytes, 0, bytes.length);
  }

  text(id: number): string {
    const known = this.#texts[id];
    if (known !== undefined) return known;
    return decoder.decode(this.#pool.subarray(this.#starts[id], this.#starts[id + 1]));
  }

  /** Every text by its number. */
  texts(): readonly string[] {
    for (let id = this.#texts.length; id < this.#size; id++) this.#texts.push(this.text(id));
    return this.#texts;
  }

  #equals(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#starts[id] as number;
    if ((this.#starts[id + 1] as number) - from !== end - start) return false;
    for (let at = start, own = from; at < end; at++, own++) {
      if (bytes[at] !== this.#pool[own]) return false;
    }
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const id = this.#size++;
    const from = this.#starts[id] as number;
    const to = from + end - start;
    if (to > this.#pool.length) this.#pool = grown(this.#pool, Math.max(to, this.#pool.length * 2));
    this.#pool.set(bytes.subarray(start, end), from);
    if (id + 2 > this.#starts.length) {
      this.#starts = grown(this.#starts, this.#starts.length * 2);
      this.#hashes = grown(this.#hashes, this.#hashes.length * 2);
    }
    this.#starts[id + 1] = to;
    this.#hashes[id] = hash;
    this.#slots[slot] = id + 1;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#size; id++) {
      let slot = (this.#hashes[id] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }
}

type Growable = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

/** A copy with room for `capacity` entries. */
export function grown<T extends Growable>(array: T, capacity: number): T {
  const larger = new (array.constructor as new (length: number) => T)(capacity);
  larger.set(array.subarray(0, Math.min(array.length, capacity)));
  return larger;
}
