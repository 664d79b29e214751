const QUOTE = 34;
const LF = 10;
const CR = 13;

/** Rows and cells beyond these are ignored. */
export const MAX_CELLS = 256;

/** Follows the last byte: a quote and a line end stop the loops of a scan, so that they need no bounds check. */
export const SENTINEL_BYTES = 2;

export function placeSentinel(bytes: Uint8Array, end: number): void {
  bytes[end] = QUOTE;
  bytes[end + 1] = LF;
}

/**
 * Finds the cells of one row after another in bytes, as RFC 4180 describes them. Cells are read in place: quotes stand
 * outside [start, end), doubled ones inside remain (`isEscaped`).
 */
export class CsvScanner {
  readonly starts = new Int32Array(MAX_CELLS);
  readonly ends = new Int32Array(MAX_CELLS);
  readonly isEscaped = new Uint8Array(MAX_CELLS);
  cells = 0;
  /** Line ends within quotes of the last row. */
  innerLines = 0;
  /** Whether the last scan ended within quotes. */
  isOpen = false;
  readonly #delimiter: number;

  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  /**
   * Scans the row at `from`; the sentinel is at `end`. Returns the start of the next row, or -1 if the bytes end before
   * the row does. With `isLast` the end of the bytes ends the row, unless it is within quotes.
   */
  scan(bytes: Uint8Array, from: number, end: number, isLast: boolean): number {
    const delimiter = this.#delimiter;
    this.innerLines = 0;
    this.isOpen = false;
    let cells = 0;
    let at = from;
    for (;;) {
      let start = at;
      let stop: number;
      let escaped = 0;
      if (bytes[at] === QUOTE && at < end) {
        start = at + 1;
        stop = this.#endOfQuoted(bytes, start, end);
        if (stop < 0) return -1;
        escaped = this.#hasDoubled ? 1 : 0;
        at = stop + 1;
      } else stop = -1;
      let byte = bytes[at] as number;
      while (byte !== delimiter && byte !== LF && byte !== CR) byte = bytes[++at] as number;
      if (stop < 0) stop = Math.min(at, end);
      if (cells < MAX_CELLS) {
        this.starts[cells] = start;
        this.ends[cells] = stop;
        this.isEscaped[cells++] = escaped;
      }
      this.cells = cells;
      if (at >= end) return isLast ? end : -1;
      if (byte === delimiter) at++;
      else if (byte === LF) return at + 1;
      else if (at + 1 < end) return bytes[at + 1] === LF ? at + 2 : at + 1;
      else return isLast ? end : -1;
    }
  }

  #hasDoubled = false;

  /** The position of the closing quote; -1 if the bytes end before it. */
  #endOfQuoted(bytes: Uint8Array, start: number, end: number): number {
    this.#hasDoubled = false;
    let at = start;
    for (;;) {
      let byte = bytes[at] as number;
      while (byte !== QUOTE) {
        if (byte === LF) this.innerLines++;
        byte = bytes[++at] as number;
      }
      if (at >= end) {
        this.isOpen = true;
        return -1;
      }
      if (at + 1 >= end || bytes[at + 1] !== QUOTE) return at;
      this.#hasDoubled = true;
      at += 2;
    }
  }
}
