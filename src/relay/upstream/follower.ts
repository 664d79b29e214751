import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { OversizedEventError, SseReader } from '../../kernel/sse/reader.ts';
import { hideKey, maskKey } from '../masking.ts';
import type { ConnectionError, ConnectionStatus } from '../status/connection-status.ts';
import { UpstreamBackoff } from './backoff.ts';
import { openUpstreamStream, type UpstreamFailure, type UpstreamHttp } from './stream.ts';

export interface FollowerLimits {
  /** For the head of the response, including connecting. */
  readonly headMs: number;
  /** Between two pieces of the stream: LaunchDarkly sends a heartbeat every three minutes. */
  readonly idleMs: number;
  /** For one event, which is held in memory. */
  readonly maxEventBytes: number;
}

/** What an event was: complete data, a change, unknown, or a request to reconnect. */
export type Taken =
  | { readonly kind: 'data' | 'change' | 'reconnect' }
  | { readonly kind: 'ignored'; readonly what: string };

/** Where a follower reports success and failure. */
export type FollowedConnection = Pick<ConnectionStatus, 'succeeded' | 'failed' | 'refused'>;

export interface FollowedStream {
  readonly url: URL;
  /** For the header Authorization. */
  readonly key: string;
  /** For the log. */
  readonly words: { readonly failed: string; readonly refused: string; readonly keyField: string };
  readonly connection: FollowedConnection;
  /** Takes an event; a refusal ends the connection. */
  take(event: string, data: string): Outcome<Taken>;
}

export interface FollowerParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly http: UpstreamHttp;
  readonly random?: (() => number) | undefined;
  readonly limits?: Partial<FollowerLimits> | undefined;
}

const LIMITS: FollowerLimits = {
  headMs: 10_000,
  idleMs: 5 * 60_000,
  maxEventBytes: 64 * 2 ** 20,
};

const MAX_SHOWN_CHARS = 300;

/** Follows an event stream of LaunchDarkly or another relay; reconnects when it ends, slowly after a refusal. */
export class StreamFollower {
  readonly #stream: FollowedStream;
  readonly #parts: FollowerParts;
  readonly #limits: FollowerLimits;
  readonly #backoff: UpstreamBackoff;
  #attempt: Attempt | undefined;
  #running: Promise<void> | undefined;
  #cancelRetry: CancelTimer = () => {};
  /** Whether it waits after a refusal. */
  #isRefused = false;
  #closing: Promise<void> | undefined;
  /** The last logged failure; repetitions are logged at debug. */
  #lastReason: string | undefined;
  #hasLoggedUnknown = false;

  constructor(stream: FollowedStream, parts: FollowerParts) {
    this.#stream = stream;
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#backoff = new UpstreamBackoff(parts.random ?? Math.random);
  }

  get key(): string {
    return this.#stream.key;
  }

  start(): void {
    if (!this.#running && !this.#closing) this.#connect();
  }

  /** Connects again at once if the key was refused, which is otherwise tried every few minutes. */
  refresh(): void {
    if (!this.#isRefused || this.#closing) return;
    this.#cancelRetry();
    this.#connect();
  }

  /** Reports nothing afterwards. Idempotent. */
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
    this.#isRefused = false;
    this.#running = this.#try().then((failure) => {
      if (this.#closing) return;
      if (failure === 'reconnect') this.#connectAfter(this.#backoff.failed(this.#parts.clock.now()));
      else this.#recover(failure);
    });
  }

  #connectAfter(ms: number): void {
    this.#cancelRetry = this.#parts.clock.after(ms, () => this.#connect());
  }

  /** One connection, from the request to its end. */
  async #try(): Promise<UpstreamFailure | 'reconnect'> {
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

  async #follow(attempt: Attempt): Promise<UpstreamFailure | 'reconnect'> {
    const { headMs, idleMs, maxEventBytes } = this.#limits;
    attempt.expect(headMs, 'no response');
    const opened = await openUpstreamStream(this.#parts.http, this.#stream, attempt.signal);
    if (!opened.ok) return opened;
    attempt.expect(idleMs, 'no data');
    const reader = new SseReader({ maxEventBytes });
    for await (const chunk of opened.value as AsyncIterable<Uint8Array>) {
      for (const item of reader.push(chunk)) {
        if (attempt.signal.aborted) break;
        const taken = item.kind === 'event' ? this.#take(item.event, item.data) : undefined;
        if (taken?.ok === false) return { kind: 'INVALID_DATA', reason: taken.reason };
        if (taken?.value === 'reconnect') return 'reconnect';
      }
      attempt.expect(idleMs, 'no data');
    }
    return { kind: 'NETWORK_ERROR', reason: attempt.abortedBecause ?? 'the stream ended' };
  }

  #take(event: string, data: string): Outcome<Taken['kind']> {
    const taken = attemptTo(() => this.#stream.take(event, data));
    if (!taken.ok) return taken;
    if (taken.value.kind === 'ignored') this.#logUnknown(taken.value.what);
    if (taken.value.kind === 'data') {
      const now = this.#parts.clock.now();
      this.#stream.connection.succeeded(now);
      this.#backoff.succeeded(now);
      this.#lastReason = undefined;
    }
    return accepted(taken.value.kind);
  }

  /** Only the first of each connection at info. */
  #logUnknown(what: string): void {
    const level = this.#hasLoggedUnknown ? 'debug' : 'info';
    this.#hasLoggedUnknown = true;
    this.#parts.log[level]('upstream sent an unknown event', { what: this.#show(what) });
  }

  /** Text from upstream for the log: without the key, and shortened. */
  #show(text: string): string {
    const shown = hideKey(text, this.#stream.key);
    return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
  }

  #recover({ kind, reason, statusCode, isRefusal = false }: UpstreamFailure): void {
    const { clock, log } = this.#parts;
    const { connection, key, words } = this.#stream;
    const now = clock.now();
    const error: ConnectionError = { kind, time: now, ...(statusCode === undefined ? {} : { statusCode }) };
    const waitMs = Math.round(isRefusal ? this.#backoff.refused(now) : this.#backoff.failed(now));
    const text = this.#show(reason);
    const level = text === this.#lastReason ? 'debug' : isRefusal ? 'error' : 'warn';
    this.#lastReason = text;
    this.#isRefused = isRefusal;
    log[level](isRefusal ? words.refused : words.failed, {
      ...(isRefusal ? { [words.keyField]: maskKey(key) } : {}),
      kind,
      error: text,
      retryMs: waitMs,
    });
    this.#isRefused = isRefusal;
    this.#connectAfter(waitMs);
    if (isRefusal) connection.refused(error);
    else connection.failed(error);
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
