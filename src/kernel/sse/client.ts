import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { CancelTimer } from '../clock.ts';
import { takeWhenOver } from './answer-over.ts';
import type { Frame } from './frame.ts';
import { takeSocket } from './stream-socket.ts';

/** One open stream. Methods do nothing once it is closed. */
export interface StreamClient {
  /** What `open` was told; `''` when the client starts afresh. */
  readonly lastEventId: string;
  readonly isOpen: boolean;
  /** How many bytes were sent and have not left yet. */
  readonly waitingBytes: number;
  /** Sends to this client alone, in order with what goes to all. */
  send(frame: Frame): void;
  /** Ends the stream cleanly, after what has been sent before. */
  end(): void;
  /** Calls `action` once when all that was sent has left, in the next turn at the earliest; never once it is closed. */
  whenRead(action: () => void): void;
  /** Calls `action` once when the stream is over, written out or cut, or its client gone; never if it is already. */
  whenOver(action: () => void): void;
}

/** What a client needs of its fan-out: one object for all of them. */
export interface Keeper {
  readonly maxBufferedBytes: number;
  forget(client: ClientConnection): void;
  drop(client: ClientConnection): void;
  end(client: ClientConnection): void;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Those who were written to in this turn of the event loop: what one turn writes to a client leaves at once. */
const corked: ClientConnection[] = [];

function uncorkAll(): void {
  for (const client of corked.splice(0)) client.uncork();
}

function ignoreError(): void {}

/**
 * A client behind its answer at first, and as soon as the head and what came with it have left behind nothing but its
 * connection: an idle stream then holds no request, no answer and no parser.
 */
export class ClientConnection implements StreamClient {
  readonly lastEventId: string;
  cancelTimer: CancelTimer | undefined;
  readonly #keeper: Keeper;
  /** Whether events go out as chunks of HTTP/1.1; otherwise the stream ends where the connection does. */
  #isChunked = false;
  /** The answer, as long as it is there. */
  #outgoing: ServerResponse | undefined;
  /** What takes bytes as they are to stand on the wire. */
  #sink: ServerResponse | Socket;
  #allowedBytes: number;
  #caughtUp = true;
  #isOver = false;
  #tell: (() => void) | undefined;

  constructor(outgoing: ServerResponse, lastEventId: string, keeper: Keeper) {
    this.lastEventId = lastEventId;
    this.#keeper = keeper;
    this.#allowedBytes = keeper.maxBufferedBytes;
    this.#outgoing = outgoing;
    this.#sink = outgoing;
    outgoing.on('close', () => {
      if (this.#outgoing) this.#over();
    });
  }

  get isOpen(): boolean {
    return isOpen(this.#sink);
  }

  get waitingBytes(): number {
    return this.#sink.writableLength;
  }

  /** Writes the head of the answer, before anything else. */
  begin(headers: Readonly<Record<string, string>>): void {
    const outgoing = this.#outgoing;
    if (!outgoing) return;
    outgoing.socket?.setNoDelay(true);
    this.#cork();
    outgoing.writeHead(200, headers).flushHeaders();
    this.#isChunked = outgoing.chunkedEncoding;
    // What is written from here on has its size in it.
    outgoing.chunkedEncoding = false;
    setImmediate(() => this.#leaveAnswer());
  }

  send(frame: Frame): void {
    const bytes = this.#isChunked ? frame.chunk : frame.bytes;
    if (!this.isOpen) this.#over();
    else if (this.#isBehind(bytes.length)) this.#keeper.drop(this);
    else if (frame.bytes.length > 0) this.#write(bytes);
  }

  end(): void {
    if (this.isOpen) this.#keeper.end(this);
    else this.#over();
  }

  whenRead(action: () => void): void {
    if (this.#sink.writableNeedDrain) this.#sink.once('drain', action);
    else setImmediate(action);
  }

  whenOver(action: () => void): void {
    const before = this.#tell;
    if (!before) this.#tell = action;
    else
      this.#tell = () => {
        before();
        action();
      };
  }

  /** Lets go of the answer if that can be; it is tried again with each write. */
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

  /** Writes the end, and closes the connection after it: kept, it would bring the client's next request here. */
  finish(): void {
    const sink = this.#sink;
    const connection = sink instanceof Socket ? sink : sink.socket;
    const close = () => connection?.destroySoon();
    if (this.#isChunked) sink.end(LAST_CHUNK, close);
    else sink.end(close);
  }

  cut(): void {
    this.#sink.destroy();
    // An answer that waits for another one has no connection yet, but its request has.
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
   * Whether too much is unread to send `bytes` more. What one turn writes cannot have left within it: only its first write
   * judges what earlier turns have left behind.
   */
  #isBehind(bytes: number): boolean {
    const sink = this.#sink;
    if (!sink.writableCorked) {
      const waitingBytes = sink.writableLength;
      if (waitingBytes > this.#allowedBytes) return true;
      this.#caughtUp = waitingBytes <= this.#keeper.maxBufferedBytes;
      if (this.#caughtUp) this.#allowedBytes = this.#keeper.maxBufferedBytes;
    }
    if (this.#caughtUp) this.#allowedBytes += bytes;
    return false;
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#keeper.forget(this);
    this.#tell?.();
    this.#tell = undefined;
  }
}

function isOpen(sink: ServerResponse | Socket): boolean {
  if (sink.writableEnded || sink.destroyed) return false;
  // A pipelined request waits for the connection, and is not told when that closes.
  return sink instanceof Socket || sink.socket !== null || !sink.req.socket.destroyed;
}
