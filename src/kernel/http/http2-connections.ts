// Loaded at the first connection that negotiates HTTP/2.
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { CancelTimer, Clock } from '../clock.ts';

export interface Http2Options {
  /** Answers a request, as the listeners of an HTTP/1.1 server do. */
  readonly answer: (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => void;
  /** Maximum bytes of a request's head; at most 80 KiB are used. Beyond it the request is reset. */
  readonly maxHeaderBytes: number;
  /** The time in which a client must send a whole request, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
}

/** Requests at once on one connection, open event streams included. */
const MAX_STREAMS = 128;
/** The HTTP/2 library itself takes no header field beyond 64 KiB. */
const MAX_HEAD_BYTES = 80 * 1024;
/** Requests that a client may cancel: at once, and then per second. Beyond them its connection is closed. */
const RESET_BURST = 200;
const RESETS_PER_SECOND = 33;
/**
 * Of one connection, its unsent answers included; beyond it new requests are reset. Node's 10 MB are less than one large
 * answer, which would keep every other request of a proxy from being answered.
 */
const MAX_MEMORY_MB = 512;
const CHECK_MS = 5_000;
/** A connection without requests is closed after this time. */
const IDLE_MS = 75_000;
/** The time in which a client must close its side of a connection that the server has closed. */
const LINGER_MS = 1_000;
/** A client that takes nothing of an answer for this time, and reads more slowly than MIN_BYTES_PER_MS, has stalled. */
const STALLED_MS = 60_000;
const MIN_BYTES_PER_MS = 16;

interface Connection {
  readonly session: ServerHttp2Session;
  readonly streams: Set<OpenStream>;
  idleSince: number;
}

interface OpenStream {
  readonly stream: ServerHttp2Stream;
  readonly openedAt: number;
  /** Bytes that the client has not taken yet, and since when it has been the same number. */
  waitingBytes: number;
  waitingSince: number;
}

/** The HTTP/2 connections of one server, and the limits of their clients. */
export class Http2Connections {
  readonly #options: Http2Options;
  readonly #server: Http2Server;
  readonly #connections = new Map<TLSSocket, Connection>();
  readonly #stopChecking: CancelTimer;
  #isClosed = false;

  constructor(options: Http2Options) {
    this.#options = options;
    const maxHeaderListSize = Math.min(options.maxHeaderBytes, MAX_HEAD_BYTES);
    this.#server = createServer({
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize },
      streamResetBurst: RESET_BURST,
      streamResetRate: RESETS_PER_SECOND,
      maxSessionMemory: MAX_MEMORY_MB,
    }).on('request', (incoming, outgoing) => {
      // HTTP/2 has the host in a field of its own.
      if (incoming.authority) incoming.headers.host = incoming.authority;
      options.answer(incoming, outgoing);
    });
    this.#stopChecking = options.clock.every(CHECK_MS, () => this.#check());
  }

  /** Takes a secured connection whose client has chosen HTTP/2. */
  accept(socket: TLSSocket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    // Otherwise the end of its client would not end it: a server of HTTP/1.1, which has accepted it, reads on for answers.
    socket.allowHalfOpen = false;
    this.#server.once('session', (session) => this.#open(socket, session));
    this.#server.emit('connection', socket);
  }

  /** Tells every client to open no more streams; a connection is closed when its last stream has ended. */
  close(): void {
    this.#isClosed = true;
    for (const { session } of this.#connections.values()) session.close();
  }

  /** Closes every connection at once. */
  cut(): void {
    this.#isClosed = true;
    this.#stopChecking();
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #open(socket: TLSSocket, session: ServerHttp2Session): void {
    const { clock } = this.#options;
    const connection: Connection = { session, streams: new Set(), idleSince: clock.monotonic() };
    this.#connections.set(socket, connection);
    socket.on('close', () => this.#connections.delete(socket));
    // Node would wait for the client to close its side as well.
    socket.on('finish', () => clock.after(LINGER_MS, () => socket.destroy()));
    session.on('stream', (stream) => {
      const now = clock.monotonic();
      const open = { stream, openedAt: now, waitingBytes: 0, waitingSince: now };
      connection.streams.add(open);
      stream.on('close', () => {
        connection.streams.delete(open);
        connection.idleSince = clock.monotonic();
      });
    });
  }

  #check(): void {
    const now = this.#options.clock.monotonic();
    for (const [socket, { session, streams, idleSince }] of this.#connections) {
      if (streams.size === 0 && now - idleSince >= IDLE_MS) closeIdle(socket, session);
      for (const open of streams) {
        // It was reset before, and the client has not taken even that.
        if (open.stream.closed) socket.destroy();
        else this.#checkStream(open, now);
      }
    }
  }

  #checkStream(open: OpenStream, now: number): void {
    const { stream } = open;
    if (stream.writableLength !== open.waitingBytes) {
      open.waitingBytes = stream.writableLength;
      open.waitingSince = now;
    }
    const allowedMs = STALLED_MS + open.waitingBytes / MIN_BYTES_PER_MS;
    const hasStalled = open.waitingBytes > 0 && now - open.waitingSince >= allowedMs;
    const isLate = now - open.openedAt >= this.#options.requestTimeoutMs && !isSent(stream);
    if (hasStalled || isLate) stream.close(constants.NGHTTP2_CANCEL);
  }
}

function closeIdle(socket: TLSSocket, session: ServerHttp2Session): void {
  // The client has not reacted to the first close.
  if (session.closed || session.destroyed) socket.destroy();
  else session.close();
}

/** Whether the client has sent the whole request. */
function isSent(stream: ServerHttp2Stream): boolean {
  return stream.endAfterHeaders || stream.readableEnded || stream.state.remoteClose === 1;
}
