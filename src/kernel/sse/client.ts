import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2';
import { Socket } from 'node:net';
import type { CancelTimer } from '../clock.ts';
import { takeWhenOver } from './answer-over.ts';
import type { Frame } from './frame.ts';
import { takeSocket } from './stream-socket.ts';

/** One open stream. Methods do nothing once it is closed. */
export interface StreamClient {
  /** As passed to `open`; `''` for a new client. */
  readonly lastEventId: string;
  readonly isOpen: boolean;
  /** Bytes that are sent but not yet passed to the operating system. */
  readonly waitingBytes: number;
  /** Sends to this client alone, in order with the events for all. */
  send(frame: Frame): void;
  /** Ends the stream cleanly, after everything sent before. */
  end(): void;
  /** Calls `action` once when everything sent has left, in the next turn at the earliest; never after the close. */
  whenRead(action: () => void): void;
  /** Calls `action` once when the stream ends: written out, cut, or its client gone. Never if it has ended already. */
  whenOver(action: () => void): void;
}

/** The fan-out of a client; one object for all clients. */
export interface ClientOwner {
  readonly maxBufferedBytes: number;
  forget(client: ClientConnection): void;
  drop(client: ClientConnection): void;
  end(client: ClientConnection): void;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Clients with writes in this turn of the event loop, which are sent together. */
const corked: ClientConnection[] = [];

function uncorkAll(): void {
  for (const client of corked.splice(0)) client.uncork();
}

function ignoreError(): void {}

/** A code of HTTP/2: the stream is no longer needed. */
const CANCEL = 8;

/**
 * A client that at first has an answer and, once its head and first bytes have left, only its connection: an idle stream
 * then keeps no request, no answer and no parser. One of HTTP/2 has its stream of the connection.
 */
export class ClientConnection implements StreamClient {
  readonly lastEventId: string;
  cancelTimer: CancelTimer | undefined;
  readonly #owner: ClientOwner;
  /** Whether events are sent as chunks of HTTP/1.1; otherwise the end of the connection ends the stream. */
  #isChunked = false;
  /** The answer of HTTP/1.1, until the connection is taken from it. */
  #outgoing: ServerResponse | undefined;
  /** Takes bytes as they are sent on the wire. */
  #sink: ServerResponse | Socket | ServerHttp2Stream;
  #allowedBytes: number;
  #caughtUp = true;
  #isOver = false;
  #written: (() => void) | undefined;

  constructor(outgoing: ServerResponse, lastEventId: string, owner: ClientOwner) {
    this.lastEventId = lastEventId;
    this.#owner = owner;
    this.#allowedBytes = owner.maxBufferedBytes;
    const isHttp2 = outgoing.req.httpVersionMajor === 2;
    this.#outgoing = isHttp2 ? undefined : outgoing;
    this.#sink = isHttp2 ? (outgoing as unknown as Http2ServerResponse).stream : outgoing;
    outgoing.on('close', () => {
      if (this.#outgoing || isHttp2) this.#over();
    });
  }

  get isOpen(): boolean {
    return isOpen(this.#sink);
  }

  get waitingBytes(): number {
    return this.#sink.writableLength;
  }

  /** Writes the head of the answer, before anything else. */
  begin(outgoing: ServerResponse, headers: Readonly<Record<string, string>>): void {
    this.#cork();
    if (!this.#outgoing) {
      const { connection: _, ...others } = headers;
      return void outgoing.writeHead(200, others);
    }
    outgoing.socket?.setNoDelay(true);
    outgoing.writeHead(200, headers).flushHeaders();
    this.#isChunked = outgoing.chunkedEncoding;
    // From here on the size of each chunk is written with it.
    outgoing.chunkedEncoding = false;
    setImmediate(() => this.#leaveAnswer());
  }

  send(frame: Frame): void {
    const bytes = this.#isChunked ? frame.chunk : frame.bytes;
    if (!this.isOpen) this.#over();
    else if (this.#isBehind(bytes.length)) this.#owner.drop(this);
    else if (frame.bytes.length > 0) this.#write(bytes);
  }

  end(): void {
    if (this.isOpen) this.#owner.end(this);
    else this.#over();
  }

  whenRead(action: () => void): void {
    if (this.#sink.writableNeedDrain) this.#sink.once('drain', action);
    else setImmediate(action);
  }

  whenOver(action: () => void): void {
    const before = this.#written;
    if (!before) this.#written = action;
    else
      this.#written = () => {
        before();
        action();
      };
  }

  /** Takes the connection from the answer if that is possible; each write tries again. */
  #leaveAnswer(): void {
    const outgoing = this.#outgoing;
    if (!outgoing || outgoing.writableEnded) return;
    const socket = takeSocket(outgoing);
    if (!socket) return;
    this.#outgoing = undefined;
    this.#sink = socket;
    for (const action of takeWhenOver(outgoing)) this.whenOver(action);
    socket.on('error', ignoreError);
    socket.on('close', () => this.#over());
  }

  /** Writes the end and closes a connection of HTTP/1.1: otherwise the client's next request would come here. */
  finish(): void {
    const sink = this.#sink;
    if (isStream(sink)) return void sink.end();
    const connection = sink instanceof Socket ? sink : sink.socket;
    const close = () => connection?.destroySoon();
    if (this.#isChunked) sink.end(LAST_CHUNK, close);
    else sink.end(close);
  }

  cut(): void {
    if (isStream(this.#sink)) return void this.#sink.close(CANCEL);
    this.#sink.destroy();
    // An answer that waits for an earlier one has no connection yet, but its request has.
    this.#outgoing?.req.socket.destroy();
  }

  uncork(): void {
    this.#sink.uncork();
  }

  #write(bytes: Buffer): void {
    this.#cork();
    if (this.#outgoing) this.#sink.write(bytes, () => this.#leaveAnswer());
    else this.#sink.write(bytes);
  }

  #cork(): void {
    if (this.#sink.writableCorked) return;
    this.#sink.cork();
    if (corked.push(this) === 1) process.nextTick(uncorkAll);
  }

  /**
   * Whether too much is unread to send `bytes` more. Writes of one turn cannot leave within it, so only its first write
   * checks the bytes of earlier turns.
   */
  #isBehind(bytes: number): boolean {
    const sink = this.#sink;
    if (!sink.writableCorked) {
      const waitingBytes = sink.writableLength;
      if (waitingBytes > this.#allowedBytes) return true;
      this.#caughtUp = waitingBytes <= this.#owner.maxBufferedBytes;
      if (this.#caughtUp) this.#allowedBytes = this.#owner.maxBufferedBytes;
    }
    if (this.#caughtUp) this.#allowedBytes += bytes;
    return false;
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#owner.forget(this);
    this.#written?.();
    this.#written = undefined;
  }
}

function isOpen(sink: ServerResponse | Socket | ServerHttp2Stream): boolean {
  if (sink.writableEnded || sink.destroyed) return false;
  if (isStream(sink)) return !sink.closed;
  // A pipelined request waits for the connection, but gets no event when that closes.
  return sink instanceof Socket || sink.socket !== null || !sink.req.socket.destroyed;
}

function isStream(sink: ServerResponse | Socket | ServerHttp2Stream): sink is ServerHttp2Stream {
  return 'rstCode' in sink;
}
