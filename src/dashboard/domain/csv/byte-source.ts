import { placeSentinel, SENTINEL_BYTES } from './scanner.ts';

/**
 * Collects chunks of a file as UTF-8: removes the byte order mark, decodes UTF-16 with a mark, and keeps what the
 * reader has not consumed. `bytes` from `from` to `end` are unread, followed by the scanner's sentinel.
 */
export class ByteSource {
  bytes = new Uint8Array(1 << 16);
  from = 0;
  end = 0;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #isEncodingKnown = false;
  readonly #encoder = new TextEncoder();

  push(chunk: Uint8Array): void {
    if (!this.#isEncodingKnown) {
      this.#add(chunk);
      if (this.end - this.from >= 3) this.#detectEncoding();
    } else this.#add(this.#decoder ? this.#encoder.encode(this.#decoder.decode(chunk, { stream: true })) : chunk);
    placeSentinel(this.bytes, this.end);
  }

  finish(): void {
    if (!this.#isEncodingKnown) this.#detectEncoding();
    if (this.#decoder) this.#add(this.#encoder.encode(this.#decoder.decode()));
    placeSentinel(this.bytes, this.end);
  }

  #add(chunk: Uint8Array): void {
    const kept = this.end - this.from;
    const needed = kept + chunk.length + SENTINEL_BYTES;
    if (needed > this.bytes.length) {
      const larger = new Uint8Array(needed + (needed >> 2));
      larger.set(this.bytes.subarray(this.from, this.end));
      this.bytes = larger;
    } else this.bytes.copyWithin(0, this.from, this.end);
    this.bytes.set(chunk, kept);
    this.from = 0;
    this.end = kept + chunk.length;
  }

  #detectEncoding(): void {
    this.#isEncodingKnown = true;
    const [first, second, third] = this.bytes.subarray(this.from, this.end);
    if (first === 0xef && second === 0xbb && third === 0xbf) this.from += 3;
    else if (first === 0xff && second === 0xfe) this.#decode('utf-16le');
    else if (first === 0xfe && second === 0xff) this.#decode('utf-16be');
  }

  #decode(encoding: string): void {
    this.#decoder = new TextDecoder(encoding);
    const read = this.bytes.slice(this.from, this.end);
    this.from = 0;
    this.end = 0;
    this.#add(this.#encoder.encode(this.#decoder.decode(read, { stream: true })));
  }
}
