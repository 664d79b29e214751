import type { HttpRequest } from '../kernel/http-fetch.ts';
import { eventually } from './eventually.ts';

interface Answer {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
}

/** A request that somebody waits for, and what its answer consists of. */
export class AskedRequest {
  readonly url: string;
  readonly request: HttpRequest;
  readonly #answer: Answer;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isCancelled = false;

  constructor(url: string, request: HttpRequest, answer: Answer) {
    this.url = url;
    this.request = request;
    this.#answer = answer;
    request.signal?.addEventListener('abort', () => this.fail(request.signal?.reason));
  }

  /** Whether whoever asked has given up, or does not read to the end. */
  get isCancelled(): boolean {
    return this.#isCancelled || this.request.signal?.aborted === true;
  }

  /** Fails before the answer or, once that has begun, in the middle of its body. */
  fail(error: unknown): void {
    if (this.#body && !this.#isCancelled) this.#body.error(error);
    this.#answer.reject(error);
  }

  respond(status: number, headers: Record<string, string> = {}): void {
    this.#answer.resolve(new Response(null, { status, headers }));
  }

  /** Answers with an event stream and sends these texts over it. */
  stream(...texts: readonly string[]): this {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      cancel: () => {
        this.#isCancelled = true;
      },
    });
    this.#answer.resolve(new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } }));
    for (const text of texts) this.send(text);
    return this;
  }

  send(text: string): void {
    this.#body?.enqueue(Buffer.from(text));
  }

  end(): void {
    this.#body?.close();
  }
}

/** Stands in for an HttpFetch: nothing is answered until the test answers it. */
export class FakeHttp {
  readonly asked: AskedRequest[] = [];
  #taken = 0;

  fetch(url: string | URL, request: HttpRequest = {}): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.asked.push(new AskedRequest(String(url), request, { resolve, reject }));
    });
  }

  /** The next request, as soon as it is there. */
  async next(): Promise<AskedRequest> {
    const index = this.#taken++;
    return eventually(`request ${index + 1}`, () => this.asked[index], { everyMs: 1 });
  }
}

/** Lets everything happen that needs no more than the event loop. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
}
