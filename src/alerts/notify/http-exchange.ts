import type { Dispatcher } from 'undici';
import { HttpSetupError } from './http-error.ts';
import type { HttpAnswer } from './notifier.ts';

/** What is kept of an answer: enough for any error text. */
const MOST_BYTES = 64 * 1024;

const UTF8 = new TextDecoder();

/**
 * Sends one request and reads its answer; any status from 200 to 599 is one. Rejects with whatever went wrong on the way,
 * or with the reason of the signal as soon as that is aborted.
 */
export function exchangeOver(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, statusSuffices = false }: ExchangeRules,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange({ signal, statusSuffices, resolve, reject }));
  });
}

/** As in HttpRequest. */
export interface ExchangeRules {
  readonly signal: AbortSignal;
  readonly statusSuffices?: boolean | undefined;
}

interface ExchangeParts {
  readonly signal: AbortSignal;
  readonly statusSuffices: boolean;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads an answer as it comes in. undici's own ways of doing so make streams and an object of all headers of it, which
 * costs more than the request. Its methods are those that undici calls directly.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #statusSuffices: boolean;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #onAbort = () => this.#giveUp();
  #abort: ((reason: Error) => void) | undefined;
  #status = 0;
  #headers: readonly Buffer[] = [];
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor({ signal, statusSuffices, resolve, reject }: ExchangeParts) {
    this.#signal = signal;
    this.#statusSuffices = statusSuffices;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    // It had to wait for a connection.
    if (this.#signal.aborted) abort(this.#signal.reason);
  }

  /** Also called for what comes before the answer, such as 103 Early Hints. */
  onHeaders(status: number, headers: Buffer[]): boolean {
    this.#status = status;
    this.#headers = headers;
    return true;
  }

  /** The connection is cut when there is enough: the rest is of no interest. */
  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= MOST_BYTES) {
      this.onComplete();
      this.#abort?.(new Error('enough of the answer was read'));
    }
    return true;
  }

  onComplete(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    const status = this.#status;
    if (status < 200 || status > 599) this.#reject(new HttpSetupError(`the answer has the status ${status}`));
    else this.#answer();
  }

  onError(error: Error): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#breakOff(error);
  }

  #giveUp(): void {
    this.#abort?.(this.#signal.reason);
    this.#breakOff(this.#signal.reason);
  }

  /** What the service has taken, it must not be told again because the rest of its answer is missing. */
  #breakOff(reason: unknown): void {
    if (this.#statusSuffices && this.#status >= 200 && this.#status < 300) this.#answer();
    else this.#reject(reason);
  }

  #answer(): void {
    this.#resolve({ status: this.#status, headers: readable(this.#headers), text: this.#text() });
  }

  #text(): string {
    return this.#size === 0 ? '' : UTF8.decode(Buffer.concat(this.#chunks).subarray(0, MOST_BYTES));
  }
}

/** Headers as they came, names and values in turn: hardly any of them is ever asked for. */
function readable(pairs: readonly Buffer[]): HttpAnswer['headers'] {
  return {
    get(name) {
      const values: string[] = [];
      for (let index = 0; index < pairs.length; index += 2) {
        if (pairs[index]?.toString('latin1').toLowerCase() === name)
          values.push(pairs[index + 1]?.toString('latin1') ?? '');
      }
      return values.length === 0 ? null : values.join(', ');
    },
  };
}
