/** The items of a stream, in its order. */
export type SseItem = SseEvent | SseComment | SseRetry;

export interface SseEvent {
  readonly kind: 'event';
  /** `message` unless the stream names another. */
  readonly event: string;
  readonly data: string;
  /** The last id of the stream, perhaps of an earlier event; `''` if there was none. */
  readonly id: string;
}

/** Usually a heartbeat. */
export interface SseComment {
  readonly kind: 'comment';
  readonly text: string;
}

/** The time after the end of the stream at which it asks for a reconnection. */
export interface SseRetry {
  readonly kind: 'retry';
  readonly retryMs: number;
}

export interface SseReaderOptions {
  /** Maximum bytes of one event, line ends included, before the reader gives up; 64 MiB unless given. */
  readonly maxEventBytes?: number;
  /** The last id of an earlier connection to the same stream. */
  readonly lastEventId?: string;
}

/** An event is larger than the reader's limit; the stream cannot be read on. */
export class OversizedEventError extends Error {
  override readonly name = 'OversizedEventError';

  constructor(maxEventBytes: number) {
    super(`an event of the stream is bigger than ${maxEventBytes} bytes`);
  }
}

const DEFAULT_MAX_EVENT_BYTES = 64 * 2 ** 20;
/** Line buffers up to this size are kept for the next line; larger ones are freed. */
const KEPT_LINE_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const NOTHING = Buffer.alloc(0);

/**
 * Reads an event stream from chunks of bytes that may be cut anywhere. An event that is cut off by the end is dropped.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class SseReader {
  readonly #maxEventBytes: number;
  /** The beginning of an incomplete line: the first `#lineLength` bytes of a buffer that doubles. */
  #line: Buffer = NOTHING;
  #lineLength = 0;
  #isFirstLine = true;
  #skipLineFeed = false;
  #event = '';
  #data: string | undefined;
  #id: string;
  #eventBytes = 0;
  #lastEventId: string;
  #items: SseItem[] = [];
  #failure: OversizedEventError | undefined;

  constructor({ maxEventBytes = DEFAULT_MAX_EVENT_BYTES, lastEventId = '' }: SseReaderOptions = {}) {
    this.#maxEventBytes = maxEventBytes;
    this.#id = lastEventId;
    this.#lastEventId = lastEventId;
  }

  /** The `Last-Event-ID` that continues after the last whole event. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /**
   * Takes the next bytes, of which it keeps none, and returns the items that they complete. Throws an OversizedEventError,
   * from then on, when an event exceeds the limit.
   */
  push(chunk: Uint8Array): SseItem[] {
    if (this.#failure) throw this.#failure;
    this.#items = [];
    this.#readLines(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    return this.#items;
  }

  #readLines(bytes: Buffer): void {
    let start = 0;
    if (this.#skipLineFeed && bytes.length > 0) {
      this.#skipLineFeed = false;
      if (bytes[0] === LF) start = 1;
    }
    let nextLf = indexOf(bytes, LF, start);
    let nextCr = indexOf(bytes, CR, start);
    while (start < bytes.length) {
      const end = Math.min(nextLf, nextCr);
      if (end === Number.POSITIVE_INFINITY) {
        this.#keep(bytes.subarray(start));
        return;
      }
      this.#endLine(bytes.subarray(start, end));
      start = end + 1;
      if (end === nextCr) {
        if (start === bytes.length) this.#skipLineFeed = true;
        else if (bytes[start] === LF) start += 1;
        nextCr = indexOf(bytes, CR, start);
      }
      if (nextLf < start) nextLf = indexOf(bytes, LF, start);
    }
  }

  /** Keeps the beginning of a line. */
  #keep(piece: Buffer): void {
    const length = this.#lineLength + piece.length;
    this.#limit(length);
    if (length > this.#line.length) {
      const bigger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#line.length, 256));
      this.#line.copy(bigger, 0, 0, this.#lineLength);
      this.#line = bigger;
    }
    piece.copy(this.#line, this.#lineLength);
    this.#lineLength = length;
  }

  #endLine(rest: Buffer): void {
    let line = rest;
    if (this.#lineLength > 0) {
      this.#keep(rest);
      line = this.#line.subarray(0, this.#lineLength);
      this.#lineLength = 0;
      if (this.#line.length > KEPT_LINE_BYTES) this.#line = NOTHING;
    }
    if (this.#isFirstLine) line = withoutByteOrderMark(line);
    this.#isFirstLine = false;
    if (line.length === 0) this.#dispatch();
    else this.#readLine(line);
  }

  #readLine(line: Buffer): void {
    this.#limit(line.length);
    const colon = line.indexOf(COLON);
    if (colon === 0) {
      this.#items.push({ kind: 'comment', text: line.toString('utf8', 1) });
      return;
    }
    this.#eventBytes += line.length + 1;
    const nameEnd = colon === -1 ? line.length : colon;
    const valueStart = line[nameEnd + 1] === SPACE ? nameEnd + 2 : nameEnd + 1;
    this.#readField(line.toString('utf8', 0, nameEnd), line.toString('utf8', valueStart));
  }

  #readField(field: string, value: string): void {
    switch (field) {
      case 'data':
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
        break;
      case 'event':
        this.#event = value;
        break;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        break;
      case 'retry':
        if (/^[0-9]+$/.test(value))
          this.#items.push({ kind: 'retry', retryMs: Math.min(Number(value), Number.MAX_SAFE_INTEGER) });
        break;
    }
  }

  #dispatch(): void {
    this.#lastEventId = this.#id;
    if (this.#data !== undefined) {
      this.#items.push({ kind: 'event', event: this.#event || 'message', data: this.#data, id: this.#id });
    }
    this.#event = '';
    this.#data = undefined;
    this.#eventBytes = 0;
  }

  #limit(lineBytes: number): void {
    if (this.#eventBytes + lineBytes <= this.#maxEventBytes) return;
    this.#failure = new OversizedEventError(this.#maxEventBytes);
    this.#line = NOTHING;
    this.#data = undefined;
    throw this.#failure;
  }
}

function indexOf(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from);
  return index === -1 ? Number.POSITIVE_INFINITY : index;
}

function withoutByteOrderMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}
