import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type SseEvent, type SseItem, SseReader } from '../../kernel/sse/reader.ts';
import { HANG_MS } from '../eventually.ts';

export interface OpenSseOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How a stream was over: the server ended it, it broke off, or this side closed it. */
export type StreamEnd = 'ended' | 'broken' | 'closed';

/** Events are kept until they are asked for. */
export interface SseStream extends AsyncIterable<SseEvent> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that came so far, comments and all; what `next` has given stays in it. */
  readonly items: readonly SseItem[];
  /** All that came so far, as it came. */
  text(): string;
  /** The next event, or undefined when the stream is over; rejects after {@link HANG_MS}. */
  next(): Promise<SseEvent | undefined>;
  /** Resolves once the stream is over. */
  readonly over: Promise<StreamEnd>;
  /** Stops reading, so that what the server sends piles up; `resume` reads on. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Opens an event stream on a connection of its own; resolves when the head of the answer is there. */
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
