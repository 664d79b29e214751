import { Readable } from 'node:stream';
import type { HttpRequest, HttpStream } from '../../../kernel/http-client/http-client.ts';
import { eventually } from '../../../testing/eventually.ts';

interface Answer {
  readonly resolve: (response: HttpStream) => void;
  readonly reject: (error: unknown) => void;
}

/** A request that waits for its response from the test. */
export class PendingRequest {
  readonly url: string;
  readonly request: HttpRequest;
  readonly #answer: Answer;
  #body: Readable | undefined;

  constructor(request: HttpRequest, answer: Answer) {
    this.url = String(request.url);
    this.request = request;
    this.#answer = answer;
    request.signal?.addEventListener('abort', () => this.fail(request.signal?.reason));
  }

  /** Whether the caller has aborted the request or stopped reading. */
  get isCancelled(): boolean {
    return this.#body?.destroyed === true || this.request.signal?.aborted === true;
  }

  /** Fails the request or, after the head of the response, its body. */
  fail(error: unknown): void {
    this.#body?.destroy(error as Error);
    this.#answer.reject(error);
  }

  respond(status: number, headers: Readonly<Record<string, string>> = {}): void {
    const body = new Readable({ read() {} });
    this.#body = body.on('error', () => {});
    this.#answer.resolve({ status, headers: new Headers(headers), body });
  }

  /** Answers with an event stream and sends these texts over it. */
  stream(...texts: readonly string[]): this {
    this.respond(200, { 'content-type': 'text/event-stream' });
    for (const text of texts) this.send(text);
    return this;
  }

  send(text: string): void {
    this.#body?.push(text);
  }

  end(): void {
    this.#body?.push(null);
  }
}

/** Replaces HttpClient: the test answers each request. */
export class FakeHttp {
  readonly asked: PendingRequest[] = [];
  #taken = 0;

  open(request: HttpRequest): Promise<HttpStream> {
    return new Promise((resolve, reject) => {
      this.asked.push(new PendingRequest(request, { resolve, reject }));
    });
  }

  /** Resolves with the next request. */
  async next(): Promise<PendingRequest> {
    const index = this.#taken++;
    return eventually(`request ${index + 1}`, () => this.asked[index], { everyMs: 1 });
  }
}

/** Runs some turns of the event loop. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
}
