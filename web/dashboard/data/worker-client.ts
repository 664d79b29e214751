import type { Answers, FromWorker, Progress, ToWorker, WorkerRequest } from '../text/messages.ts';

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export interface AskOptions {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** The rejection of a cancelled request. */
export class Cancelled extends Error {}

/** The client of the worker that holds the events. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** `onBroken`: the worker could not be loaded, or failed. */
  constructor(worker: Worker, onBroken: (reason: string) => void) {
    this.#worker = worker;
    worker.addEventListener('message', (event: MessageEvent<FromWorker>) => this.#onMessage(event.data));
    worker.addEventListener('error', (event) => {
      // No request will be answered any more: reported once, not by each.
      this.#waiting.clear();
      onBroken(event.message || 'The worker could not be loaded.');
    });
  }

  ask<Request extends WorkerRequest>(request: Request, options: AskOptions = {}): Promise<Answers[Request['type']]> {
    this.#last += 1;
    const id = this.#last;
    options.signal?.addEventListener('abort', () => this.#post({ id, cancel: true }), { once: true });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress: options.onProgress });
      this.#post({ id, request });
    });
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #onMessage(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    if ('progress' in message) {
      waiting.onProgress?.(message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    if ('answer' in message) waiting.resolve(message.answer as never);
    else waiting.reject(message.isCancelled ? new Cancelled(message.error) : new Error(message.error));
  }
}
