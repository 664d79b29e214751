import { readSync } from 'node:fs';

/** Bytes that are read at a time. */
const CHUNK_BYTES = 1 << 20;
/** Longer lines are skipped; the longest seen held some images of megabytes. */
export const MAX_LINE_BYTES = 64 << 20;
const LINE_END = 10;
const CARRIAGE_RETURN = 13;

/** The buffer of the file before: a new one for each of many small files would keep the garbage collection busy. */
let spare: Buffer | undefined;

/** Reads the lines of an open file from a position on, as far as they are written. */
export class Lines {
  readonly #descriptor: number;
  readonly #maxLineBytes: number;
  #buffer: Buffer;
  /** The part of the buffer that holds bytes of unfinished lines. */
  #start = 0;
  #end = 0;
  /** In the file; of the first byte that is not done with. */
  position: number;
  /** Whether the position lies in a line that is too long. */
  isInLongLine: boolean;
  /** Lines that were too long. */
  longLines = 0;

  constructor(
    descriptor: number,
    from: { readonly position: number; readonly isInLongLine: boolean },
    maxLineBytes = MAX_LINE_BYTES,
  ) {
    this.#descriptor = descriptor;
    this.position = from.position;
    this.isInLongLine = from.isInLongLine;
    this.#maxLineBytes = maxLineBytes;
    this.#buffer = spare ?? Buffer.allocUnsafe(CHUNK_BYTES);
    spare = undefined;
  }

  /** To be called when no bytes are used any more. */
  close(): void {
    if (this.#buffer.length === CHUNK_BYTES) spare = this.#buffer;
  }

  /** Of the last unfinished line, as far as it is written; valid until the next read. */
  get rest(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Takes the rest as a line of its own. */
  takeRest(): void {
    this.position += this.#end - this.#start;
    this.#start = this.#end;
  }

  /**
   * Reads on and calls `take` for each finished line, without its end; the bytes are valid only in the call. False at the end
   * of the file.
   */
  read(take: (line: Buffer) => void): boolean {
    this.#makeRoom();
    const at = this.position + this.#end - this.#start;
    const bytes = readSync(this.#descriptor, this.#buffer, this.#end, this.#buffer.length - this.#end, at);
    if (bytes === 0) return false;
    const from = this.#end;
    this.#end += bytes;
    this.#split(from, take);
    if (this.isInLongLine || this.#end - this.#start > this.#maxLineBytes) this.#skip();
    return true;
  }

  /** `from`: the first byte that was not looked at. */
  #split(from: number, take: (line: Buffer) => void): void {
    const filled = this.#buffer.subarray(0, this.#end);
    for (let end = filled.indexOf(LINE_END, from); end >= 0; end = filled.indexOf(LINE_END, this.#start)) {
      const line = filled.subarray(this.#start, end);
      this.position += end + 1 - this.#start;
      this.#start = end + 1;
      if (this.isInLongLine) this.isInLongLine = false;
      else if (line.length > this.#maxLineBytes) this.longLines++;
      else if (line.length > 0) take(line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line);
    }
  }

  #skip(): void {
    if (!this.isInLongLine) this.longLines++;
    this.isInLongLine = true;
    this.takeRest();
  }

  /** Moves the unfinished line to the front, into a buffer of at least twice its size. */
  #makeRoom(): void {
    const rest = this.rest;
    let size = CHUNK_BYTES;
    while (size < rest.length * 2) size *= 2;
    if (size !== this.#buffer.length) {
      const buffer = Buffer.allocUnsafe(size);
      rest.copy(buffer);
      this.#buffer = buffer;
    } else rest.copy(this.#buffer);
    this.#end = rest.length;
    this.#start = 0;
  }
}
