import type { CancelTimer, Clock } from '../../shared/clock.ts';
import { addressOf } from '../root.ts';
import { SseParser, type StreamEvent } from './sse-parser.ts';

/** How the line is: `waiting` counts down to the next attempt. */
export type LineState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'offline' };

export interface EventStreamParts {
  readonly clock: Clock;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where to begin. */
  readonly cursor: string;
  readonly take: (event: StreamEvent) => void;
  readonly line: (state: LineState) => void;
  readonly signedOut: () => void;
  readonly random: () => number;
  readonly isOnline: () => boolean;
}

/** The server beats every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 15_000;
/** A line that has held so long was a good one: the next attempt comes at once. */
const STEADY_MS = 5000;

/** One stream that is opened again whenever it ends, after the last event that was taken. By fetch: EventSource sends no headers. */
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

  /** The id of the last event that was taken, or where it was told to begin. */
  get cursor(): string {
    return this.#cursor;
  }

  /** Opens it anew, at once, after a given place. */
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
    const { clock, path, headers, line, isOnline } = this.#parts;
    const abort = new AbortController();
    this.#abort = abort;
    line(isOnline() ? { kind: 'connecting' } : { kind: 'offline' });
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
        line({ kind: 'live' });
        await this.#read(response.body, parser, abort);
      }
    } catch {
      // The line broke: what follows is the same as for an end.
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
    const { clock, line, random, isOnline } = this.#parts;
    this.#failures += 1;
    const first = this.#failures === 1 ? Math.min(wishMs ?? FIRST_WAIT_MS, FIRST_WAIT_MS) : FIRST_WAIT_MS;
    const most = Math.min(MAX_WAIT_MS, first * 2 ** (this.#failures - 1));
    const ms = most * (0.6 + 0.4 * random());
    line(isOnline() ? { kind: 'waiting', until: clock.now() + ms } : { kind: 'offline' });
    this.#cancelTimer = clock.after(ms, () => void this.#open());
  }
}
