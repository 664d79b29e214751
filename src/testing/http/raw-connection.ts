import { connect, type Socket } from 'node:net';
import { HANG_MS } from '../eventually.ts';

export interface RawAnswer {
  readonly status: number;
  /** The status line and headers as received. */
  readonly head: string;
  /** Size of the body without chunk framing. */
  readonly bodyBytes: number;
  /** Empty without `keepBodies`. */
  readonly body: Buffer;
}

export interface RawOptions {
  /** Keeps the bodies; by default only their size is counted. */
  readonly keepBodies?: boolean;
  /** Timeout of an exchange; {@link HANG_MS} by default. */
  readonly deadlineMs?: number;
}

/** Parses a response incrementally: head, then a body with a length, in chunks, or none. */
class AnswerReader {
  readonly #withoutBody: boolean;
  readonly #keepBody: boolean;
  readonly #body: Buffer[] = [];
  #head = '';
  #line = '';
  #state: 'head' | 'body' | 'chunk size' | 'chunk' | 'trailer' | 'done' = 'head';
  #left = 0;
  #bodyBytes = 0;

  constructor(method: string, keepBody: boolean) {
    this.#withoutBody = method === 'HEAD';
    this.#keepBody = keepBody;
  }

  /** The answer once it is complete. */
  get answer(): RawAnswer | undefined {
    if (this.#state !== 'done') return undefined;
    const body = Buffer.concat(this.#body);
    return { status: Number(this.#head.split(' ', 2)[1]), head: this.#head, bodyBytes: this.#bodyBytes, body };
  }

  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'body' || this.#state === 'chunk') at = this.#readBody(bytes, at);
      else at = this.#readLine(bytes, at);
    }
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    if (this.#keepBody) this.#body.push(Buffer.from(bytes.subarray(at, end)));
    this.#bodyBytes += end - at;
    this.#left -= end - at;
    if (this.#left === 0) this.#state = this.#state === 'body' ? 'done' : 'chunk size';
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(10, at);
    const end = newline === -1 ? bytes.length : newline + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (newline === -1) return end;
    const line = this.#line.trimEnd();
    this.#line = '';
    if (this.#state === 'head') this.#takeHeadLine(line);
    else if (this.#state === 'chunk size') this.#takeChunkSize(line);
    else if (line === '') this.#state = 'done';
    return end;
  }

  #takeHeadLine(line: string): void {
    if (line !== '') {
      this.#head += `${line}\n`;
      return;
    }
    const status = Number(this.#head.split(' ', 2)[1]);
    if (status < 200) {
      this.#head = '';
      return;
    }
    this.#left = Number(/^content-length: *(\d+)/im.exec(this.#head)?.[1] ?? 0);
    if (this.#withoutBody || status === 204 || status === 304) this.#state = 'done';
    else if (/^transfer-encoding: *chunked/im.test(this.#head)) this.#state = 'chunk size';
    else this.#state = this.#left > 0 ? 'body' : 'done';
  }

  #takeChunkSize(line: string): void {
    // The line break after a chunk.
    if (line === '') return;
    this.#left = Number.parseInt(line, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
  }
}

/** One kept-alive connection that sends bytes as they are, right or wrong, and reads one answer at a time. */
export class RawConnection {
  readonly #socket: Socket;
  readonly #options: RawOptions;
  #reader: AnswerReader | undefined;
  #settle: ((failure?: Error) => void) | undefined;
  #closed = false;

  private constructor(url: string, options: RawOptions) {
    const { hostname, port } = new URL(url);
    const buffer = Buffer.allocUnsafe(256 * 1024);
    const callback = (length: number) => {
      this.#reader?.read(buffer.subarray(0, length));
      if (this.#reader?.answer) this.#settle?.();
      return true;
    };
    this.#options = options;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback } });
    this.#socket.on('error', (error) => this.#settle?.(error));
    this.#socket.on('close', () => {
      this.#closed = true;
      this.#settle?.(new Error('the connection was closed without a whole answer'));
    });
  }

  static open(url: string, options: RawOptions = {}): Promise<RawConnection> {
    const connection = new RawConnection(url, options);
    return new Promise((done, fail) => {
      connection.#socket.once('connect', () => done(connection));
      connection.#socket.once('error', fail);
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sends one request and waits for its complete response. `method` is needed as the response to HEAD has no body. */
  exchange(method: string, bytes: string | Buffer): Promise<RawAnswer> {
    const reader = new AnswerReader(method, this.#options.keepBodies ?? false);
    const deadlineMs = this.#options.deadlineMs ?? HANG_MS;
    this.#reader = reader;
    return new Promise((done, fail) => {
      const timer = setTimeout(() => this.#settle?.(new Error(`no whole answer within ${deadlineMs} ms`)), deadlineMs);
      this.#settle = (failure) => {
        clearTimeout(timer);
        this.#settle = undefined;
        this.#reader = undefined;
        const answer = reader.answer;
        if (answer) done(answer);
        else fail(failure);
      };
      this.#socket.write(bytes);
      if (this.#closed) this.#settle(new Error('the connection is closed'));
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
