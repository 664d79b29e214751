/** A text as a range of bytes, which are never changed. May be empty. */
export interface TextPlace {
  bytes: Buffer;
  start: number;
  end: number;
}

const NOTHING = Buffer.alloc(0);
const COMMA = 0x2c;

/** An empty text; a new object each time, because its range is set later. */
export function emptyPlace(): TextPlace {
  return { bytes: NOTHING, start: 0, end: 0 };
}

/** Elements of a JSON array, taken from a buffer; adjacent elements are taken as one range. */
export class Excerpt {
  readonly #pieces: TextPlace[] = [];
  #last: TextPlace | undefined;
  #size = 0;

  add({ bytes, start, end }: TextPlace): void {
    if (start === end) return;
    const last = this.#last;
    this.#size += end - start + (last ? 1 : 0);
    if (last?.bytes === bytes && start === last.end + 1) last.end = end;
    else {
      this.#last = { bytes, start, end };
      this.#pieces.push(this.#last);
    }
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** The elements joined by commas: the buffer itself if all of it was taken, otherwise a copy. */
  join(): Buffer {
    const [first] = this.#pieces;
    if (!first) return NOTHING;
    const isWhole = this.#pieces.length === 1 && first.end - first.start === first.bytes.length;
    return isWhole ? first.bytes : this.joinWithin('', '');
  }

  /** The elements joined by commas, between these texts. */
  joinWithin(before: string, after: string): Buffer {
    const joined = Buffer.allocUnsafe(Buffer.byteLength(before) + this.#size + Buffer.byteLength(after));
    let used = joined.write(before);
    for (const [index, { bytes, start, end }] of this.#pieces.entries()) {
      if (index > 0) joined[used++] = COMMA;
      used += bytes.copy(joined, used, start, end);
    }
    joined.write(after, used);
    return joined;
  }
}
