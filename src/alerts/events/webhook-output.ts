import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { waitUnlessAborted } from '../../kernel/deadline.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { EventRecorderConfig } from '../config/telemetry-config.ts';
import type { OpenHttpClient } from '../integrations/http/client.ts';
import type { EventOutput } from './output.ts';

export interface WebhookOutputParts {
  readonly openHttp: (config: WebhookConfig['httpConfig']) => OpenHttpClient;
  readonly dropped: (output: string, count: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export type WebhookConfig = EventRecorderConfig['webhookOutputs'][number];

/** Events that wait for a request; later ones are dropped. */
const MAX_WAITING = 1024;
const MAX_BACKOFF_MS = 30_000;
/** How long the last requests may take; Alertmanager gives them 30 seconds. */
const CLOSE_LIMIT_MS = 5_000;

/** Posts events, each on its own or as arrays; a few requests at once, each repeated after a failure. */
export class WebhookOutput implements EventOutput {
  readonly name: string;
  readonly isLines = false;
  readonly #config: ReturnType<typeof withDefaults>;
  readonly #parts: WebhookOutputParts;
  readonly #http: OpenHttpClient;
  readonly #ending = new AbortController();
  #waiting: string[] = [];
  #requests = 0;
  #isDue = false;
  #cancelFlush: CancelTimer | undefined;
  #idle: (() => void) | undefined;

  constructor(config: WebhookConfig, parts: WebhookOutputParts) {
    this.#config = withDefaults(config);
    this.#parts = parts;
    this.#http = parts.openHttp(config.httpConfig);
    // The path may be a secret.
    this.name = `webhook:${new URL(this.#config.url).origin}`;
  }

  async send(events: readonly string[]): Promise<void> {
    const room = MAX_WAITING - this.#waiting.length;
    this.#drop(events.length - room, 'events are dropped, as too many wait for the webhook');
    this.#waiting.push(...events.slice(0, room));
    this.#pump();
  }

  async close(): Promise<void> {
    this.#isDue = true;
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    const cancel = this.#parts.clock.after(CLOSE_LIMIT_MS, () => {
      this.#drop(this.#waiting.splice(0).length, 'events are dropped, as the webhook is too slow for the stop');
      this.#ending.abort(new Error('the server stops'));
    });
    this.#pump();
    await idle;
    cancel();
    await this.#http.close();
  }

  #drop(count: number, why: string): void {
    if (count <= 0) return;
    this.#parts.dropped(this.name, count);
    this.#parts.log.warn(why, { output: this.name, events: count });
  }

  /** Begins as many requests as may run. */
  #pump(): void {
    while (this.#requests < this.#config.workers && this.#waiting.length > 0) {
      const body = this.#take();
      if (body === undefined) break;
      this.#requests++;
      void this.#deliver(body).then(() => {
        this.#requests--;
        this.#pump();
      });
    }
    if (this.#requests === 0 && this.#waiting.length === 0) this.#idle?.();
  }

  /** The next body; undefined while a batch is not full and not due. */
  #take(): string | undefined {
    const { batch, maxEvents, maxBytes, flushMs } = this.#config;
    if (!batch) return this.#waiting.shift();
    let bytes = 2;
    let count = 0;
    for (const event of this.#waiting) {
      bytes += Buffer.byteLength(event) + 1;
      if (count === maxEvents || (count > 0 && bytes > maxBytes)) break;
      count++;
    }
    const isFull = count === maxEvents || count < this.#waiting.length || bytes >= maxBytes;
    if (!isFull && !this.#isDue) {
      this.#cancelFlush ??= this.#parts.clock.after(flushMs, () => this.#flush());
      return undefined;
    }
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    return `[${this.#waiting.splice(0, count).join(',')}]`;
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    const isClosing = this.#isDue;
    this.#isDue = true;
    this.#pump();
    this.#isDue = isClosing;
  }

  async #deliver(body: string): Promise<void> {
    const { maxRetries, backoffMs } = this.#config;
    const { log } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      const err = await this.#post(body);
      if (err === undefined) return;
      log.warn('events could not be posted', { output: this.name, attempt, err });
      if (attempt >= maxRetries || !(await this.#wait(Math.min(backoffMs * 2 ** (attempt - 1), MAX_BACKOFF_MS)))) break;
    }
    log.error('events are dropped, as the webhook does not take them', { output: this.name });
  }

  /** Why it failed. */
  async #post(body: string): Promise<string | undefined> {
    const { url, timeoutMs } = this.#config;
    const attempt = new AbortController();
    const late = new DOMException('the webhook does not answer', 'TimeoutError');
    const cancel = this.#parts.clock.after(timeoutMs, () => attempt.abort(late));
    const signal = AbortSignal.any([attempt.signal, this.#ending.signal]);
    try {
      const headers = { 'content-type': 'application/json' };
      const { status } = await this.#http.send({ method: 'POST', url, headers, body, signal, statusSuffices: true });
      return status >= 200 && status < 300 ? undefined : `status ${status}`;
    } catch (error) {
      return messageOf(error);
    } finally {
      cancel();
    }
  }

  /** False: the output is closing and has no more time. */
  #wait(ms: number): Promise<boolean> {
    return waitUnlessAborted(this.#parts.clock, ms, this.#ending.signal);
  }
}

/** Alertmanager's defaults; 0 means the default, too. */
function withDefaults(config: WebhookConfig) {
  return {
    url: String(config.url),
    batch: config.batch,
    timeoutMs: config.timeout || 10_000,
    workers: Math.max(config.workers ?? 0, 0) || 4,
    maxRetries: Math.max(config.maxRetries ?? 0, 0) || 3,
    backoffMs: config.retryBackoff || 500,
    maxEvents: config.batchMaxEvents || 100,
    maxBytes: config.batchMaxBytes || 2 ** 20,
    flushMs: config.batchFlushInterval || 100,
  };
}
