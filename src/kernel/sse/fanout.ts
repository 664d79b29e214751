import type { ServerResponse } from 'node:http';
import type { CancelTimer, Clock } from '../clock.ts';
import { ClientConnection, type ClientOwner, type StreamClient } from './client.ts';
import { type Frame, frameComment } from './frame.ts';

export interface FanoutOptions {
  readonly clock: Clock;
  /** Time between two heartbeats, in milliseconds; 0 sends none. */
  readonly heartbeatMs: number;
  /** The text of a heartbeat; an empty comment (`:` and a blank line) unless given. */
  readonly heartbeat?: Frame;
  /**
   * Unread bytes of a client beyond which it is cut; 1 MiB unless given. Everything sent in one turn of the event loop to a
   * client within the limit passes, however large: a snapshot, or a burst.
   */
  readonly maxBufferedBytes?: number;
  /** Milliseconds after which a stream is ended, so that clients spread over servers again; 0, the default: never. */
  readonly maxConnectionMs?: number;
  /** Numbers from 0 up to 1: each stream lasts up to a tenth less than `maxConnectionMs`. Without it, exactly that. */
  readonly random?: () => number;
  /** Called for each client that is cut because it does not read. */
  readonly onDrop?: (client: StreamClient) => void;
}

export interface OpenOptions {
  /** Beside, or instead of, the stream's own headers. Those of Hono's `c.header` do not reach a stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent before anything else. */
  readonly snapshot?: Frame | readonly Frame[];
  /** The request's `Last-Event-ID`. */
  readonly lastEventId?: string | undefined;
}

const DEFAULT_MAX_BUFFERED_BYTES = 2 ** 20;
/** The time in which an ended stream must be written out. */
const END_GRACE_MS = 10_000;
const LIFETIME_SPREAD = 0.1;
/** The number of different lifetimes: Node keeps a list for each duration until it has passed, even if all its timers are cancelled. */
const LIFETIME_STEPS = 1000;
const BARE_HEARTBEAT = frameComment();
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** One event stream and its clients. */
export class Fanout {
  readonly #clock: Clock;
  readonly #options: FanoutOptions;
  readonly #clients = new Set<ClientConnection>();
  readonly #owner: ClientOwner;
  readonly #stopHeartbeat: CancelTimer;
  /** Clients whose end is being written. */
  readonly #ending = new Set<ClientConnection>();
  #dropped = 0;
  #closed: Promise<void> | undefined;
  #resolveClosed = () => {};

  constructor(options: FanoutOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#owner = {
      maxBufferedBytes: options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES,
      forget: (client) => this.#forget(client),
      drop: (client) => this.#drop(client),
      end: (client) => this.#end(client),
    };
    const heartbeat = options.heartbeat ?? BARE_HEARTBEAT;
    this.#stopHeartbeat =
      options.heartbeatMs > 0 ? this.#clock.every(options.heartbeatMs, () => this.send(heartbeat)) : () => {};
  }

  /** The number of clients. */
  get size(): number {
    return this.#clients.size;
  }

  /** The number of clients that were cut so far because they did not read. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Answers a request with the stream: status 200 at once, the snapshot, then all events from this call on. The route
   * returns RESPONSE_ALREADY_SENT. After `close` the answer is an empty stream, so that the client reconnects elsewhere.
   */
  open(outgoing: ServerResponse, { headers, snapshot = [], lastEventId }: OpenOptions = {}): StreamClient {
    const client = new ClientConnection(outgoing, lastEventId ?? '', this.#owner);
    // The response may have closed while its request waited; then there is no second `close` event.
    if (!client.isOpen) return client;
    client.begin(outgoing, headers ? { ...STREAM_HEADERS, ...lowerCaseNames(headers) } : STREAM_HEADERS);
    if (this.#closed) {
      client.end();
      return client;
    }
    this.#clients.add(client);
    this.#limitLifetime(client);
    const frames = [snapshot].flat();
    for (const frame of frames) client.send(frame);
    return client;
  }

  /** Sends to every client; never waits for one. */
  send(frame: Frame): void {
    for (const client of this.#clients) client.send(frame);
  }

  /**
   * Ends every stream cleanly, and the heartbeats. Resolves when the last client has everything or is gone, after 10 s at
   * the latest; a server that closes earlier cuts slow readers. Idempotent.
   */
  close(): Promise<void> {
    if (this.#closed) return this.#closed;
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#stopHeartbeat();
    for (const client of this.#clients) client.end();
    if (this.#ending.size === 0) this.#resolveClosed();
    return this.#closed;
  }

  #limitLifetime(client: ClientConnection): void {
    const { maxConnectionMs = 0, random } = this.#options;
    if (maxConnectionMs <= 0) return;
    const step = Math.floor((random?.() ?? 0) * LIFETIME_STEPS);
    const lifetimeMs = maxConnectionMs * (1 - (LIFETIME_SPREAD * step) / LIFETIME_STEPS);
    client.cancelTimer = this.#clock.after(Math.ceil(lifetimeMs), () => client.end());
  }

  #forget(client: ClientConnection): void {
    client.cancelTimer?.();
    this.#clients.delete(client);
    if (this.#ending.delete(client) && this.#ending.size === 0) this.#resolveClosed();
  }

  #drop(client: ClientConnection): void {
    this.#forget(client);
    this.#dropped += 1;
    client.cut();
    this.#options.onDrop?.(client);
  }

  #end(client: ClientConnection): void {
    this.#forget(client);
    this.#ending.add(client);
    client.cancelTimer = this.#clock.after(END_GRACE_MS, () => {
      client.cut();
      this.#forget(client);
    });
    client.finish();
  }
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
