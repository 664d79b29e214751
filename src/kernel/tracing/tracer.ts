/** Undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanOptions {
  /** `internal` unless given. */
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: Attributes;
  /** Begins a new trace, whatever the current span is. */
  readonly isRoot?: boolean;
  /** The header of a request whose sender's span is the parent; without it, the current span is. */
  readonly traceparent?: string | undefined;
}

/** A piece of work with a beginning and an end. Attributes and errors are sent to the collector: they hold no secret. */
export interface Span {
  /** The value of the header by which a request says that it belongs to this span. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  event(name: string): void;
  /** Marks the work as failed. */
  fail(error: string): void;
  end(): void;
}

export interface Tracer {
  /** Begins a span: a child of the current one, or a new trace. */
  start(name: string, options?: SpanOptions): Span;
  /** Runs an action and all that it awaits with this span as the current one. */
  within<T>(span: Span, action: () => T): T;
}

/** Asked at each use: a reload may turn tracing on and off. */
export interface Traces {
  /** Undefined while tracing is off. */
  readonly tracer: Tracer | undefined;
}

export const NO_TRACES: Traces = { tracer: undefined };

/** Runs an action within a span, which ends with it; a throw or rejection marks it as failed. */
export function inSpan<T>(tracer: Tracer, span: Span, action: () => T): T {
  const failed = (error: unknown): never => {
    // An error's text may quote what was being worked on.
    span.fail('failed unexpectedly');
    span.end();
    throw error;
  };
  const done = <R>(result: R): R => {
    span.end();
    return result;
  };
  let result: T;
  try {
    result = tracer.within(span, action);
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? (result.then(done, failed) as T) : done(result);
}

/** As `inSpan`, with a new span, or without any while tracing is off. `options` is called only when it is on. */
export function traced<T>(
  { tracer }: Traces,
  name: string,
  options: () => SpanOptions,
  action: (span: Span | undefined) => T,
): T {
  if (!tracer) return action(undefined);
  const span = tracer.start(name, options());
  return inSpan(tracer, span, () => action(span));
}
