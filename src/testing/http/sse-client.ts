import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type SseEvent, type SseItem, SseReader } from '../../kernel/sse/reader.ts';
import { HANG_MS } from '../eventually.ts';

export interface OpenSseOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a stream ended: by the server, by a broken connection, or by this client. */
export type StreamEnd = 'ended' | 'broken' | 'closed';

/** Events are queued until `next`. */
export interface SseStream extends AsyncIterable<SseEvent> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received so far, including comments and events already returned by `next`. */
  readonly items: readonly SseItem[];
  /** The raw text received so far. */
  text(): string;
  /** The next event, or undefined at the end of the stream; rejects after {@link HANG_MS}. */
  next(): Promise<SseEvent | undefined>;
  /** Resolves at the end of the stream. */
  readonly over: Promise<StreamEnd>;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens an event stream on a new connection; resolves with the head of the response. */
export function openSse(url: string, { method = 'GET', headers = {}, body }: OpenSseOptions = {}): Promise<SseStream> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent: false,
      headers: { accept: 'text/event-stream', connection: 'keep-alive', ...headers },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      outgoing.off('error', reject).on('error', () => {});
      resolve(new ClientStream(outgoing, response));
    });
    outgoing.end(body);
  });
}

class ClientStream implements SseStream {
  readonly items: SseItem[] = [];
  readonly over: Promise<StreamEnd>;
  readonly #outgoing: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #chunks: Buffer[] = [];
  readonly #unread: SseEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #isOver = false;
  #isClosed = false;

  constructor(outgoing: ClientRequest, response: IncomingMessage) {
    this.#outgoing = outgoing;
    this.#response = response;
    const reader = new SseReader();
    response.on('error', () => {});
    response.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      const items = reader.push(chunk);
      this.items.push(...items);
      this.#unread.push(...items.filter((item) => item.kind === 'event'));
      this.#wake();
    });
    this.over = new Promise((resolve) => {
      response.once('close', () => {
        this.#isOver = true;
        this.#wake();
        resolve(this.#isClosed ? 'closed' : response.complete ? 'ended' : 'broken');
      });
    });
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.#response.headers;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  async next(): Promise<SseEvent | undefined> {
    while (this.#unread.length === 0 && !this.#isOver) await this.#somethingNew();
    return this.#unread.shift();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<SseEvent> {
    for (let event = await this.next(); event; event = await this.next()) yield event;
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#outgoing.destroy();
  }

  #somethingNew(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no event within ${HANG_MS} ms`)), HANG_MS);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #wake(): void {
    if (this.#unread.length === 0 && !this.#isOver) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
