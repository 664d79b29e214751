import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from '../clock.ts';
import { waitUnlessAborted } from '../deadline.ts';
import { messageOf } from '../errors.ts';
import type { ConnectionOptions } from '../http-client/connections.ts';
import { describeFailure } from '../http-client/failure.ts';
import { HttpClient } from '../http-client/http-client.ts';
import type { Log } from '../log.ts';

export interface CollectorOptions {
  /** Where batches are posted. */
  readonly url: string;
  readonly connections: ConnectionOptions;
  /** Read for each batch, which fails with it. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly isCompressed: boolean;
  /** The time limit of one request. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** The time limit of one batch with all its attempts, and the wait before the second; each further one is twice as long. */
export const BATCH_LIMIT_MS = 60_000;
const FIRST_WAIT_MS = 5_000;

/** Statuses after which a batch may be sent again. Source: the specification of OTLP. */
const RETRIED = new Set([429, 502, 503, 504]);

const compress = promisify(gzip);

/** Sends spans to a collector, by OTLP over HTTP; batches that it does not take are dropped and reported in the log. */
export class Collector implements SpanExporter {
  readonly #options: CollectorOptions;
  readonly #http: HttpClient;
  readonly #underWay = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#http = new HttpClient(options.connections);
  }

  export(spans: ReadableSpan[], report: (result: ExportResult) => void): void {
    const sending = this.#send(spans)
      .catch((error) => {
        const err = messageOf(error);
        this.#options.log.error('spans could not be sent to the collector', { spans: spans.length, err });
      })
      // A failure would become an unhandled rejection in the processor.
      .then(() => report({ code: ExportResultCode.SUCCESS }));
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Waits for batches under way; `abort` ends them. */
  async shutdown(): Promise<void> {
    await this.forceFlush();
    await this.#http.close();
  }

  /** Gives up batches under way. */
  abort(): void {
    this.#ending.abort(new Error('the collector did not answer in time'));
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const { clock, isCompressed } = this.#options;
    const message = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
    const body = isCompressed ? await compress(message) : message;
    const giveUpAt = clock.monotonic() + BATCH_LIMIT_MS;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
      const failure = await this.#post(body);
      if (failure === undefined) return;
      const isLast = !failure.isRetried || clock.monotonic() + waitMs >= giveUpAt;
      if (isLast || this.#ending.signal.aborted || !(await this.#wait(waitMs))) throw new Error(failure.reason);
    }
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
        'content-type': 'application/x-protobuf',
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
    return waitUnlessAborted(this.#options.clock, ms, this.#ending.signal);
  }
}
