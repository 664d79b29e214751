import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { HttpClientError } from './failure.ts';

/** Headers by names in small letters; several values are joined by commas. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

export interface AnswerRules {
  /** Maximum bytes of the body that are read; 64 KiB unless given. */
  readonly maxBytes?: number | undefined;
  /** The body is not needed: a status of 2xx counts as soon as it comes, even if the body breaks off. */
  readonly statusSuffices?: boolean | undefined;
}

/** An answer with its body, up to the limit. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Buffer;
  /** Whether these bytes are the whole body. */
  readonly isWhole: boolean;

  constructor(status: number, headers: AnswerHeaders, bytes: Buffer, isWhole = true) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.isWhole = isWhole;
  }

  get isOk(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Read as UTF-8. */
  get text(): string {
    return this.bytes.length === 0 ? '' : UTF8.decode(this.bytes);
  }
}

const UTF8 = new TextDecoder();
const MAX_BYTES = 64 * 1024;
const NO_BYTES = Buffer.alloc(0);

/**
 * Sends one request and reads its answer. Rejects with the error of the connection, or with the reason of the signal as soon
 * as that is aborted.
 */
export function exchangeOver(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
  rules: AnswerRules = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(signal, rules, resolve, reject));
  });
}

/** undici's own `request` makes streams and a chain of listeners, which cost more than a small request itself. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #maxBytes: number;
  readonly #statusSuffices: boolean;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort = () => this.#giveUp();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    signal: AbortSignal | undefined,
    { maxBytes = MAX_BYTES, statusSuffices = false }: AnswerRules,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#statusSuffices = statusSuffices;
    this.#resolve = resolve;
    this.#reject = reject;
    signal?.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request has waited for a connection.
    if (this.#signal?.aborted) controller.abort(this.#signal.reason);
  }

  /** Also called for interim answers, such as 103 Early Hints. */
  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#maxBytes) return;
    this.#end(false);
    controller.abort(new Error('enough of the answer was read'));
  }

  onResponseEnd(): void {
    this.#end(true);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#breakOff(error);
  }

  #giveUp(): void {
    this.#controller?.abort(this.#signal?.reason);
    this.#breakOff(this.#signal?.reason);
  }

  /** A request that was accepted must not be sent again because the rest of its answer is missing. */
  #breakOff(reason: unknown): void {
    if (this.#statusSuffices && this.#status >= 200 && this.#status < 300) this.#end(false);
    else this.#reject(reason);
  }

  #end(isWhole: boolean): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    try {
      requireKnown(this.#status);
      this.#resolve(new HttpAnswer(this.#status, readable(this.#headers), this.#bytes(), isWhole));
    } catch (error) {
      this.#reject(error);
    }
  }

  #bytes(): Buffer {
    const [first = NO_BYTES] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#size) : first;
    return this.#size > this.#maxBytes ? bytes.subarray(0, this.#maxBytes) : bytes;
  }
}

export function requireKnown(status: number): void {
  if (status < 200 || status > 599) throw new HttpClientError(`the answer has the status ${status}`);
}

export function readable(headers: IncomingHttpHeaders): AnswerHeaders {
  return {
    get(name) {
      const value = headers[name];
      return typeof value === 'object' ? value.join(', ') : (value ?? null);
    },
  };
}
