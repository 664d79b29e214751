import type { CancelTimer, Clock } from '../../shared/clock.ts';
import { addressOf } from '../root.ts';
import { SseParser, type StreamEvent } from './sse-parser.ts';

/** The state of the connection; `waiting` counts down to the next attempt. */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'offline' };

export interface EventStreamParts {
  readonly clock: Clock;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The position after which the stream begins. */
  readonly cursor: string;
  readonly take: (event: StreamEvent) => void;
  readonly connection: (state: ConnectionState) => void;
  readonly signedOut: () => void;
  readonly random: () => number;
  readonly isOnline: () => boolean;
}

/** The server sends a heartbeat every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
/** After a connection of this length the first retry is quick again. */
const STEADY_MS = 5000;

/** A stream that is reopened whenever it ends, after the last event taken. Uses fetch: EventSource sends no headers. */
export class EventStream {
  readonly #parts: EventStreamParts;
  #cursor: string;
  #abort: AbortController | undefined;
  #cancelTimer: CancelTimer = () => {};
  #failures = 0;
  #isStopped = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#cursor = parts.cursor;
  }

  /** The id of the last event taken, or the beginning. */
  get cursor(): string {
    return this.#cursor;
  }

  /** Reopens the stream at once, after a given position. */
  restart(cursor: string = this.#cursor): void {
    this.#cursor = cursor;
    this.#failures = 0;
    this.#abort?.abort();
    this.#cancelTimer();
    if (!this.#isStopped) void this.#open();
  }

  start(): void {
    void this.#open();
  }

  stop(): void {
    this.#isStopped = true;
    this.#abort?.abort();
    this.#cancelTimer();
  }

  async #open(): Promise<void> {
    const { clock, path, headers, connection, isOnline } = this.#parts;
    const abort = new AbortController();
    this.#abort = abort;
    connection(isOnline() ? { kind: 'connecting' } : { kind: 'offline' });
    let openedAt: number | undefined;
    const parser = new SseParser();
    try {
      const guard = clock.after(SILENCE_MS, () => abort.abort());
      const response = await fetch(addressOf(path), {
        headers: { ...headers, Accept: 'text/event-stream', 'Last-Event-ID': this.#cursor },
        signal: abort.signal,
        cache: 'no-store',
      });
      guard();
      if (response.status === 401) {
        this.stop();
        this.#parts.signedOut();
        return;
      }
      if (response.ok && response.body) {
        openedAt = clock.now();
        connection({ kind: 'live' });
        await this.#read(response.body, parser, abort);
      }
    } catch {
      // A lost connection is handled like the end of the stream.
    }
    if (this.#abort !== abort || this.#isStopped) return;
    if (openedAt !== undefined && clock.now() - openedAt > STEADY_MS) this.#failures = 0;
    this.#wait(parser.retryMs);
  }

  async #read(body: ReadableStream<Uint8Array>, parser: SseParser, abort: AbortController): Promise<void> {
    const { clock, take } = this.#parts;
    const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
    for (;;) {
      const silence = clock.after(SILENCE_MS, () => abort.abort());
      const { done, value } = await reader.read();
      silence();
      if (done || this.#abort !== abort) return;
      for (const event of parser.push(value)) {
        if (event.id !== '') this.#cursor = event.id;
        take(event);
        if (this.#abort !== abort) return;
      }
    }
  }

  #wait(wishMs: number | undefined): void {
    const { clock, connection, random, isOnline } = this.#parts;
    this.#failures += 1;
    const first = this.#failures === 1 ? Math.min(wishMs ?? FIRST_WAIT_MS, FIRST_WAIT_MS) : FIRST_WAIT_MS;
    const most = Math.min(MAX_WAIT_MS, first * 2 ** (this.#failures - 1));
    const ms = most * (0.6 + 0.4 * random());
    connection(isOnline() ? { kind: 'waiting', until: clock.now() + ms } : { kind: 'offline' });
    this.#cancelTimer = clock.after(ms, () => void this.#open());
  }
}
