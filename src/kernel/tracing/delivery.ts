import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '../clock.ts';
import { waitUnlessAborted } from '../deadline.ts';
import { messageOf } from '../errors.ts';
import type { ConnectionOptions } from '../http-client/connections.ts';
import { describeFailure } from '../http-client/failure.ts';
import { HttpClient } from '../http-client/http-client.ts';

export interface DeliveryOptions {
  /** Where batches are posted. */
  readonly url: string;
  readonly connections: ConnectionOptions;
  /** Read for each batch, which fails with it. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly isCompressed: boolean;
  /** The time limit of one request. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** The time limit of one batch with all its attempts, and the wait before the second; each further one is twice as long. */
export const BATCH_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 5_000;

/** Statuses after which a batch may be sent again. Source: the specification of OTLP. */
const RETRIED = new Set([429, 502, 503, 504]);

const compress = promisify(gzip);

/** Posts batches to a collector, by OTLP over HTTP. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #contentType: string;
  readonly #http: HttpClient;
  readonly #ending = new AbortController();
  readonly #finishing = new AbortController();

  constructor(options: DeliveryOptions, contentType: string) {
    this.#options = options;
    this.#contentType = contentType;
    this.#http = new HttpClient(options.connections);
  }

  /** Rejects with the reason if the collector does not take the batch. */
  async send(message: Uint8Array): Promise<void> {
    const { clock, isCompressed } = this.#options;
    const body = isCompressed ? await compress(message) : message;
    const giveUpAt = clock.monotonic() + BATCH_LIMIT_MS;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
      const failure = await this.#post(body);
      if (failure === undefined) return;
      const isLast = !failure.isRetried || clock.monotonic() + waitMs >= giveUpAt;
      if (isLast || this.#finishing.signal.aborted || !(await this.#wait(waitMs))) throw new Error(failure.reason);
    }
  }

  /** From now on, a batch that fails is not sent again. */
  finish(): void {
    this.#finishing.abort();
  }

  /** Gives up batches under way. */
  abort(): void {
    this.finish();
    this.#ending.abort(new Error('the collector did not answer in time'));
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Undefined: the collector has taken it. */
  async #post(body: Uint8Array): Promise<{ readonly reason: string; readonly isRetried: boolean } | undefined> {
    const { url, headers: readHeaders, isCompressed, timeoutMs, clock } = this.#options;
    const attempt = new AbortController();
    const cancel = clock.after(timeoutMs, () => attempt.abort(new Error(`no answer within ${timeoutMs} ms`)));
    const signal = AbortSignal.any([attempt.signal, this.#ending.signal]);
    try {
      const headers = {
        ...(await readHeaders()),
        'content-type': this.#contentType,
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      };
      const { status, isOk } = await this.#http.send({
        method: 'POST',
        url,
        headers,
        body,
        signal,
        statusSuffices: true,
      });
      return isOk ? undefined : { reason: `the collector answered ${status}`, isRetried: RETRIED.has(status) };
    } catch (error) {
      const reason = signal.aborted ? messageOf(signal.reason) : describeFailure(error);
      return { reason, isRetried: true };
    } finally {
      cancel();
    }
  }

  /** False: the wait was ended. */
  #wait(ms: number): Promise<boolean> {
    return waitUnlessAborted(this.#options.clock, ms, this.#finishing.signal);
  }
}
