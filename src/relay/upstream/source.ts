import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Outcome, refused } from '../../kernel/outcome.ts';
import { OversizedEventError, SseReader } from '../../kernel/sse/reader.ts';
import type { EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import { hideKey, maskKey } from '../masking.ts';
import type { ConnectionError } from '../status/connection-status.ts';
import { UpstreamBackoff } from './backoff.ts';
import { applyChange, readUpstreamEvent } from './change.ts';
import { openUpstreamStream, type UpstreamFailure, type UpstreamHttp } from './stream.ts';

export interface UpstreamLimits {
  /** For the head of the response, including connecting. */
  readonly headMs: number;
  /** Between two pieces of the stream: LaunchDarkly sends a heartbeat every three minutes. */
  readonly idleMs: number;
  /** For one event, which is held in memory. */
  readonly maxEventBytes: number;
}

export interface UpstreamParts {
  readonly environment: EnvironmentOptions;
  readonly options: Pick<RelayOptions, 'streamUri'>;
  readonly clock: Clock;
  /** The log of the environment: its lines name it. */
  readonly log: Log;
  readonly http: UpstreamHttp;
  readonly random?: () => number;
  readonly limits?: Partial<UpstreamLimits>;
}

const LIMITS: UpstreamLimits = {
  headMs: 10_000,
  idleMs: 5 * 60_000,
  maxEventBytes: 64 * 2 ** 20,
};

const MAX_SHOWN_CHARS = 300;

/**
 * The stream of one environment, from LaunchDarkly or another relay; reconnects when it ends. The store keeps its data
 * during an outage.
 */
export function createUpstreamSource(sink: DataSink, parts: UpstreamParts): DataSource {
  return new UpstreamSource(sink, parts);
}

class UpstreamSource implements DataSource {
  readonly #sink: DataSink;
  readonly #parts: UpstreamParts;
  readonly #limits: UpstreamLimits;
  readonly #backoff: UpstreamBackoff;
  #attempt: Attempt | undefined;
  #running: Promise<void> | undefined;
  #cancelRetry: CancelTimer = () => {};
  #closing: Promise<void> | undefined;
  /** The last logged failure; repetitions are logged at debug. */
  #lastReason: string | undefined;
  #hasLoggedUnknown = false;

  constructor(sink: DataSink, parts: UpstreamParts) {
    this.#sink = sink;
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#backoff = new UpstreamBackoff(parts.random ?? Math.random);
  }

  start(): void {
    if (!this.#running && !this.#closing) this.#connect();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#cancelRetry();
    this.#attempt?.abort('closed');
    await this.#running;
  }

  #connect(): void {
    this.#running = this.#try().then((failure) => {
      if (!this.#closing) this.#recover(failure);
    });
  }

  /** One connection, from the request to its end. */
  async #try(): Promise<UpstreamFailure> {
    const attempt = new Attempt(this.#parts.clock);
    this.#attempt = attempt;
    this.#hasLoggedUnknown = false;
    try {
      return await this.#follow(attempt);
    } catch (error) {
      if (error instanceof OversizedEventError) return { kind: 'INVALID_DATA', reason: error.message };
      return { kind: 'NETWORK_ERROR', reason: attempt.abortedBecause ?? describe(error) };
    } finally {
      attempt.abort('over');
    }
  }

  async #follow(attempt: Attempt): Promise<UpstreamFailure> {
    const { environment, options, http } = this.#parts;
    const { headMs, idleMs, maxEventBytes } = this.#limits;
    attempt.expect(headMs, 'no response');
    const { sdkKey, filter } = environment;
    const address = { streamUri: options.streamUri, sdkKey, filter };
    const opened = await openUpstreamStream(http, address, attempt.signal);
    if (!opened.ok) return opened;
    attempt.expect(idleMs, 'no data');
    const reader = new SseReader({ maxEventBytes });
    for await (const chunk of opened.value as AsyncIterable<Uint8Array>) {
      for (const item of reader.push(chunk)) {
        if (attempt.signal.aborted) break;
        const taken = item.kind === 'event' ? this.#take(item.event, item.data) : undefined;
        if (taken?.ok === false) return { kind: 'INVALID_DATA', reason: taken.reason };
      }
      attempt.expect(idleMs, 'no data');
    }
    return { kind: 'NETWORK_ERROR', reason: attempt.abortedBecause ?? 'the stream ended' };
  }

  #take(event: string, data: string): Outcome<unknown> {
    const { clock, log } = this.#parts;
    const { store, connection } = this.#sink;
    const read = readUpstreamEvent(event, data);
    if (!read.ok) return read;
    const change = read.value;
    if (change.kind === 'ignored') this.#logUnknown(change.what);
    const applied = attemptTo(() => applyChange(store, change));
    if (!applied.ok || change.kind !== 'put') return applied;
    const wasValid = connection.state === 'VALID';
    connection.succeeded(clock.now());
    this.#backoff.succeeded(clock.now());
    this.#lastReason = undefined;
    log[wasValid ? 'debug' : 'info']('upstream has sent its data', {
      flags: Object.keys(change.data.flags).length,
      segments: Object.keys(change.data.segments).length,
    });
    return applied;
  }

  /** Only the first of each connection at info. */
  #logUnknown(what: string): void {
    const level = this.#hasLoggedUnknown ? 'debug' : 'info';
    this.#hasLoggedUnknown = true;
    this.#parts.log[level]('upstream sent an unknown event', { what: this.#show(what) });
  }

  /** Text from upstream for the log: without the key, and shortened. */
  #show(text: string): string {
    const shown = hideKey(text, this.#parts.environment.sdkKey);
    return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
  }

  #recover({ kind, reason, statusCode, isRefusal = false }: UpstreamFailure): void {
    const { clock, log, environment } = this.#parts;
    const { connection } = this.#sink;
    const now = clock.now();
    const error: ConnectionError = { kind, time: now, ...(statusCode === undefined ? {} : { statusCode }) };
    if (isRefusal) connection.refused(error);
    else connection.failed(error);
    const waitMs = Math.round(isRefusal ? this.#backoff.refused(now) : this.#backoff.failed(now));
    const text = this.#show(reason);
    const level = text === this.#lastReason ? 'debug' : isRefusal ? 'error' : 'warn';
    this.#lastReason = text;
    log[level](isRefusal ? 'upstream refuses the SDK key' : 'upstream failed', {
      ...(isRefusal ? { sdkKey: maskKey(environment.sdkKey) } : {}),
      kind,
      error: text,
      retryMs: waitMs,
    });
    this.#cancelRetry = clock.after(waitMs, () => this.#connect());
  }
}

/** A connection attempt, aborted by its owner or by a timeout. */
class Attempt {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #cancelTimer: CancelTimer = () => {};
  #reason: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get abortedBecause(): string | undefined {
    return this.#reason;
  }

  /** Aborts after `ms` unless called again before. */
  expect(ms: number, missing: string): void {
    this.#cancelTimer();
    if (!this.signal.aborted)
      this.#cancelTimer = this.#clock.after(ms, () => this.abort(`${missing} for ${ms / 1000} s`));
  }

  abort(reason: string): void {
    this.#cancelTimer();
    if (this.signal.aborted) return;
    this.#reason = reason;
    this.#controller.abort(new Error(reason));
  }
}

/** Deeply nested data overflows the stack. */
function attemptTo<T>(action: () => Outcome<T>): Outcome<T> {
  try {
    return action();
  } catch (error) {
    return refused(error instanceof RangeError ? 'the data is nested too deeply' : messageOf(error));
  }
}

/** An AggregateError, for a host with several addresses, has no message. */
function describe(error: unknown): string {
  return messageOf(error) || (systemCodeOf(error) ?? 'unknown');
}
