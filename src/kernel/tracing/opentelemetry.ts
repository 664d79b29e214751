// Loaded only when a configuration asks for traces.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes as ApiAttributes,
  type Span as ApiSpan,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { Collector, type CollectorOptions } from './collector.ts';
import { BATCH_LIMIT_MS } from './delivery.ts';
import type { Attributes, Span, SpanOptions, Tracer } from './tracer.ts';

export interface TracerOptions extends CollectorOptions {
  /** The share of the traces that begin here and are sampled, from 0 to 1; others follow their parent. */
  readonly samplingFraction: number;
  readonly serviceName: string;
  readonly serviceVersion: string;
}

export interface OpenTracer extends Tracer {
  /** Sends what has ended; gives up after `limitMs`. */
  close(limitMs: number): Promise<void>;
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** Ended spans wait for a batch, at most 2048 of them; later ones are dropped until the collector has taken some. */
export function openTracer(options: TracerOptions): OpenTracer {
  const collector = new Collector(options);
  // Longer than the collector's own limit, or batches would be sent beside each other.
  const processor = new BatchSpanProcessor({ exporter: collector, exportTimeoutMillis: BATCH_LIMIT_MS + 10_000 });
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.samplingFraction) }),
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.serviceVersion,
      'process.runtime.name': 'nodejs',
      'process.runtime.version': process.versions.node,
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.name': 'opentelemetry',
    }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('opsdeck', options.serviceVersion);
  const current = new AsyncLocalStorage<Context>();
  return {
    start: (name, { kind = 'internal', attributes = {}, isRoot = false, traceparent }: SpanOptions = {}) => {
      const context = remoteContext(traceparent) ?? (isRoot ? undefined : current.getStore()) ?? ROOT_CONTEXT;
      return new OpenSpan(tracer.startSpan(name, { kind: KINDS[kind], attributes: toApi(attributes) }, context));
    },
    within: (span, action) => current.run(trace.setSpan(ROOT_CONTEXT, (span as OpenSpan).span), action),
    async close(limitMs) {
      const cancel = options.clock.after(limitMs, () => collector.abort());
      try {
        await provider.shutdown();
      } finally {
        cancel();
      }
    },
  };
}

function remoteContext(traceparent: string | undefined): Context | undefined {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : undefined;
}

const toApi = (attributes: Attributes) => attributes as ApiAttributes;

class OpenSpan implements Span {
  readonly span: ApiSpan;
  #hasFailed = false;

  constructor(span: ApiSpan) {
    this.span = span;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(toApi(attributes));
  }

  event(name: string): void {
    this.span.addEvent(name);
  }

  fail(error: string): void {
    // The first error says most.
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.span.addEvent('exception', { 'exception.message': error });
  }

  end(): void {
    this.span.end();
  }
}
