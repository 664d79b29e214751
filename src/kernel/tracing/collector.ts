import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { Delivery, type DeliveryOptions } from './delivery.ts';

export interface CollectorOptions extends DeliveryOptions {
  readonly log: Log;
}

/** Sends spans to a collector; batches that it does not take are dropped and reported in the log. */
export class Collector implements SpanExporter {
  readonly #log: Log;
  readonly #delivery: Delivery;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: CollectorOptions) {
    this.#log = options.log;
    this.#delivery = new Delivery(options, 'application/x-protobuf');
  }

  export(spans: ReadableSpan[], report: (result: ExportResult) => void): void {
    const sending = this.#delivery
      .send(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array())
      .catch((error) => {
        const err = messageOf(error);
        this.#log.error('spans could not be sent to the collector', { spans: spans.length, err });
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
    await this.#delivery.close();
  }

  /** Gives up batches under way. */
  abort(): void {
    this.#delivery.abort();
  }
}
