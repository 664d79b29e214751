import type { ServerResponse } from 'node:http';
import { Connection, Session } from 'better-sse';
import type { CancelTimer, Clock } from './clock.ts';
import { type Frame, frameComment } from './sse-frame.ts';

/** One open stream. Methods do nothing once it is closed. */
export interface StreamClient {
  /** For its request and its `close` event; nobody but the fan-out writes to it. */
  readonly outgoing: ServerResponse;
  /** What `open` was told; `''` when the client starts afresh. */
  readonly lastEventId: string;
  readonly isOpen: boolean;
  /** Sends to this client alone, in order with what goes to all. */
  send(frame: Frame): void;
  /** Ends the stream cleanly, after what has been sent before. */
  end(): void;
}

export interface FanoutOptions {
  readonly clock: Clock;
  /** Time between two heartbeats, in milliseconds; 0 sends none. */
  readonly heartbeatMs: number;
  /** What a heartbeat is; a bare comment (`:` and a blank line) unless given. */
  readonly heartbeat?: Frame;
  /**
   * How many bytes a client may leave unread before it is cut; 1 MiB unless given. What is sent within one turn of the
   * event loop to a client within the limit is let through whole, however big: a snapshot, or a burst.
   */
  readonly maxBufferedBytes?: number;
  /** After how many milliseconds a stream is ended, so that clients spread over servers again; 0, the default, is never. */
  readonly maxConnectionMs?: number;
  /** Numbers from 0 up to 1: each stream lasts up to a tenth less than `maxConnectionMs`. Without it, exactly that. */
  readonly random?: () => number;
  /** Told of each client that was cut because it did not read. */
  readonly onDrop?: (client: StreamClient) => void;
}

export interface OpenOptions {
  /** Beside, or instead of, the stream's own. What Hono's `c.header` was told does not reach a stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent before anything else. */
  readonly snapshot?: Frame | readonly Frame[];
  /** The request's `Last-Event-ID`. */
  readonly lastEventId?: string | undefined;
}

const DEFAULT_MAX_BUFFERED_BYTES = 2 ** 20;
/** How long a stream that was ended may take to write out what is left. */
const END_GRACE_MS = 10_000;
const LIFETIME_SPREAD = 0.1;
/** For each duration that was ever asked for, Node keeps a list until it has passed, cancelled or not: so not too many. */
const LIFETIME_STEPS = 1000;
const BARE_HEARTBEAT = frameComment();
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** One event stream and everybody who listens to it over HTTP/1.1. */
export class Fanout {
  readonly #clock: Clock;
  readonly #options: FanoutOptions;
  readonly #clients = new Set<ClientConnection>();
  readonly #keeper: Keeper;
  readonly #stopHeartbeat: CancelTimer;
  /** Those whose end is on its way. */
  readonly #ending = new Set<ClientConnection>();
  #dropped = 0;
  #closed: Promise<void> | undefined;
  #resolveClosed = () => {};

  constructor(options: FanoutOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#keeper = {
      maxBufferedBytes: options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES,
      forget: (client) => this.#forget(client),
      drop: (client) => this.#drop(client),
      end: (client) => this.#end(client),
    };
    const heartbeat = options.heartbeat ?? BARE_HEARTBEAT;
    this.#stopHeartbeat =
      options.heartbeatMs > 0 ? this.#clock.every(options.heartbeatMs, () => this.send(heartbeat)) : () => {};
  }

  /** How many clients listen. */
  get size(): number {
    return this.#clients.size;
  }

  /** How many clients were cut so far because they did not read. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Answers a request with the stream: status 200 at once, the snapshot, then all that is sent from this call on. The
   * route returns RESPONSE_ALREADY_SENT. After `close` the answer is an empty stream, so that the client asks elsewhere.
   */
  open(outgoing: ServerResponse, { headers, snapshot = [], lastEventId }: OpenOptions = {}): StreamClient {
    const client = new ClientConnection(outgoing, lastEventId, this.#keeper);
    // Its request may have waited for something, and a response that has closed closes no second time.
    if (!client.isOpen) return client;
    outgoing.socket?.setNoDelay(true);
    outgoing.writeHead(200, headers ? { ...STREAM_HEADERS, ...lowerCaseNames(headers) } : STREAM_HEADERS);
    if (this.#closed) {
      client.end();
      return client;
    }
    this.#clients.add(client);
    this.#limitLifetime(client);
    const frames = [snapshot].flat();
    for (const frame of frames) client.send(frame);
    if (frames.length === 0) outgoing.flushHeaders();
    flattenHead(outgoing);
    return client;
  }

  /** Sends to every client; never waits for one. */
  send(frame: Frame): void {
    for (const client of this.#clients) client.send(frame);
  }

  /**
   * Ends every stream cleanly, and the heartbeats. Resolves when the last client has everything or is gone, after 10 s
   * at the latest; a server that closes before cuts those who read slowly. Idempotent.
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
    if (this.#clients.delete(client)) client.cancelTimer?.();
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
    const { socket } = client.outgoing;
    this.#ending.add(client);
    client.cancelTimer = this.#clock.after(END_GRACE_MS, () => {
      client.cut();
      this.#forget(client);
    });
    // Kept open for another request, it would bring the client back here, and hold up a server that closes.
    client.outgoing.end(() => socket?.destroySoon());
  }
}

/**
 * Node keeps the head of an answer until its end, as the tree of pieces that it was put together from: 0.7 KiB for each
 * idle stream. Looking at a character has V8 put the pieces into one string.
 */
function flattenHead(outgoing: ServerResponse): void {
  const { _header: head } = outgoing as ServerResponse & { readonly _header?: unknown };
  if (typeof head === 'string') head.charCodeAt(0);
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** What a client needs of its fan-out: one object for all of them. */
interface Keeper {
  readonly maxBufferedBytes: number;
  forget(client: ClientConnection): void;
  drop(client: ClientConnection): void;
  end(client: ClientConnection): void;
}

const SESSION_OPTIONS = { keepAlive: null, retry: null };
const SHARED_URL = new URL('http://localhost/');

/**
 * A better-sse connection over a bare response, without the Request, Response, AbortController and closures of the
 * built-in ones: they would cost each client 5 KB.
 */
class ClientConnection extends Connection implements StreamClient {
  readonly outgoing: ServerResponse;
  readonly request: Request;
  cancelTimer: CancelTimer | undefined;
  readonly #keeper: Keeper;
  readonly #session: Session;
  #allowedBytes: number;
  #caughtUp = true;

  constructor(outgoing: ServerResponse, lastEventId: string | undefined, keeper: Keeper) {
    super();
    this.outgoing = outgoing;
    this.request = new RequestStub(outgoing, lastEventId) as unknown as Request;
    this.#keeper = keeper;
    this.#allowedBytes = keeper.maxBufferedBytes;
    this.#session = new Session(this, SESSION_OPTIONS);
  }

  get url(): URL {
    return SHARED_URL;
  }

  get response(): Response {
    return new Response(null, { headers: STREAM_HEADERS });
  }

  get lastEventId(): string {
    return this.#session.lastId;
  }

  get isOpen(): boolean {
    const { outgoing } = this;
    if (outgoing.writableEnded || outgoing.destroyed) return false;
    // A pipelined request waits for the socket, and is not told when that closes.
    return outgoing.socket !== null || !outgoing.req.socket.destroyed;
  }

  send(frame: Frame): void {
    if (!this.isOpen) this.#keeper.forget(this);
    else if (this.#isBehind(frame.bytes.length)) this.#keeper.drop(this);
    else void this.#session.batch(frame);
  }

  end(): void {
    if (this.isOpen) this.#keeper.end(this);
    else this.#keeper.forget(this);
  }

  cut(): void {
    this.outgoing.destroy();
    this.outgoing.req.socket.destroy();
  }

  /**
   * Whether too much is unread to send `bytes` more. Node corks a socket at the first write of a turn, so what one turn
   * writes cannot have left within it: only the first write judges what earlier turns have left behind.
   */
  #isBehind(bytes: number): boolean {
    const { outgoing } = this;
    if (!outgoing.socket?.writableCorked) {
      const waitingBytes = outgoing.writableLength;
      if (waitingBytes > this.#allowedBytes) return true;
      this.#caughtUp = waitingBytes <= this.#keeper.maxBufferedBytes;
      if (this.#caughtUp) this.#allowedBytes = this.#keeper.maxBufferedBytes;
    }
    if (this.#caughtUp) this.#allowedBytes += bytes;
    return false;
  }

  /** The head has gone out with `open`; better-sse asks for it one turn later. */
  sendHead(): void {}

  /** Must not throw: better-sse calls it within promises that nobody waits for. */
  sendChunk(chunk: string): void {
    if (chunk.length > 0) this.outgoing.write(chunk);
  }

  cleanup(): void {
    this.cancelTimer?.();
    this.#keeper.forget(this);
  }
}

/** As much of a Request as a Session reads: the header to resume by, and a signal that the client has gone. */
class RequestStub {
  readonly #outgoing: ServerResponse;
  readonly #lastEventId: string | undefined;

  constructor(outgoing: ServerResponse, lastEventId: string | undefined) {
    this.#outgoing = outgoing;
    this.#lastEventId = lastEventId;
  }

  get headers(): this {
    return this;
  }

  get signal(): this {
    return this;
  }

  get(): string | null {
    return this.#lastEventId ?? null;
  }

  addEventListener(_type: 'abort', onAbort: () => void): void {
    this.#outgoing.on('close', onAbort);
  }

  removeEventListener(_type: 'abort', onAbort: () => void): void {
    this.#outgoing.off('close', onAbort);
  }
}
