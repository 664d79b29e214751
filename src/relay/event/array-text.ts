const OPENING = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']');

const MIN_BLOCK_BYTES = 2 ** 10;
const MAX_BLOCK_BYTES = 2 ** 16;

/** The growing text of a JSON array, in blocks: a buffer for each element would keep the garbage collector busy. */
export class ArrayText {
  readonly #full: Buffer[] = [];
  #block = Buffer.allocUnsafeSlow(0);
  /** Bytes of the block. */
  #used = 0;
  #length = 0;

  /** `elements`: the text of one or more, with the commas between them. Copied. */
  add(elements: Buffer): void {
    this.#write(this.#length === 0 ? OPENING : COMMA);
    this.#write(elements);
  }

  /** The whole text; nothing can be added afterwards. */
  end(): Buffer {
    if (this.#length === 0) this.#write(OPENING);
    this.#write(CLOSING);
    return Buffer.concat([...this.#full, this.#block.subarray(0, this.#used)], this.#length);
  }

  #write(bytes: Buffer): void {
    this.#length += bytes.length;
    const fitting = bytes.copy(this.#block, this.#used);
    this.#used += fitting;
    const rest = bytes.length - fitting;
    if (rest === 0) return;
    this.#full.push(this.#block);
    const size = Math.min(Math.max(this.#length, MIN_BLOCK_BYTES), MAX_BLOCK_BYTES);
    this.#block = Buffer.allocUnsafeSlow(Math.max(size, rest));
    this.#used = bytes.copy(this.#block, 0, fitting);
  }
}
