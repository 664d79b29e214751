import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import { type Frame, frameComment } from '../../kernel/sse/frame.ts';
import type { Caller } from '../domain/caller.ts';
import type { FeedEntry } from './feed-entry.ts';
import type { FeedPages } from './feed-pages.ts';
import type { FeedListener, FeedReader } from './feed-reader.ts';
import type { FeedTail } from './feed-tail.ts';

/** So many bytes may be on their way to a client; after that it is waited until it has read them. */
const STALL_BYTES = 256 * 1024;
/** With so many on their way, what is told only once is left out. */
const CROWDED_BYTES = 64 * 1024;
/** What may come for a client that does not read, in events and in UTF-16 units, before it is told to come back. */
const MAX_WAITING_EVENTS = 2000;
const MAX_WAITING_CHARS = 2 ** 20;
/** The cursor of a client that has everything. */
const LIVE = -1;

const OVERFLOW = frameComment('overflow');
const HEARTBEAT = frameComment('hb');

/** What every stream reads from. */
export interface FeedSource {
  readonly epoch: string;
  readonly tail: FeedTail;
  readonly pages: FeedPages;
  readonly log: Log;
  /** Those that do not read now. */
  readonly stalled: Set<StreamListener>;
  /** The messages that are being written in the reader's rooms, whole. */
  snapshots(reader: FeedReader): readonly Frame[];
  /** Told of each that was sent away because it does not read. */
  overflowed(): void;
}

export interface ListenerOptions {
  readonly lastTick: number;
  /** Of his reader's callers the one of this connection: by what token he came is his alone. */
  readonly caller: Pick<Caller, 'tokenId' | 'expiresAt'>;
  readonly types: ReadonlySet<string> | null;
  readonly ephemeral: boolean;
}

/**
 * One stream. It keeps nothing of what it is to send: it has a place in the log, and reads on from there whenever the
 * client has read, out of the tail that all share or out of the store; with everything sent it is live. That nothing is
 * lost or doubled between the two follows from becoming live in the very turn in which the log's end is reached.
 */
export class StreamListener implements FeedListener {
  readonly reader: FeedReader;
  readonly tokenId: string | null;
  readonly expiresAt: number | null;
  /** The tick of the clock after which it is to come back, perhaps to another server. */
  readonly lastTick: number;
  readonly #source: FeedSource;
  readonly #client: StreamClient;
  readonly #types: ReadonlySet<string> | null;
  readonly #ephemeral: boolean;
  /** Up to here everything was sent, or is not his. */
  #cursor: number;
  #isStalled = false;
  #hasMissed = true;
  /** What has come for it since `#countsFrom` and was not sent. */
  #waitingEvents = 0;
  #waitingChars = 0;
  #countsFrom = 0;
  #isLate = false;

  constructor(source: FeedSource, client: StreamClient, reader: FeedReader, options: ListenerOptions, cursor: number) {
    const { caller } = options;
    this.lastTick = options.lastTick;
    this.#source = source;
    this.#client = client;
    this.reader = reader;
    this.tokenId = caller.tokenId;
    this.expiresAt = caller.expiresAt;
    this.#types = options.types;
    this.#ephemeral = options.ephemeral;
    this.#cursor = cursor;
  }

  /** Sends what follows the cursor, then what comes. */
  begin(): void {
    void this.#catchUp();
  }

  take(entry: FeedEntry): void {
    if (this.#types && !this.#types.has(entry.type)) return;
    if (this.#cursor !== LIVE) {
      if (this.#isStalled) this.#count(entry);
      return;
    }
    if (this.#isFull()) {
      this.#cursor = entry.pos - 1;
      this.#stall(this.#cursor);
      this.#count(entry);
    } else this.#client.send(entry.frame(this.#source.epoch));
  }

  hear(type: string, frame: () => Frame): void {
    if (!this.#ephemeral || (this.#types && !this.#types.has(type))) return;
    const isLive = this.#cursor === LIVE;
    if (isLive && this.#client.waitingBytes <= CROWDED_BYTES) {
      this.#client.send(frame());
      return;
    }
    this.#hasMissed = true;
    if (!isLive) return;
    this.#cursor = this.#source.tail.head;
    this.#stall(this.#cursor);
  }

  /** Whatever is sent beside the log: to all of them, or before an end. */
  send(frame: Frame): void {
    this.#client.send(frame);
  }

  beat(): void {
    if (!this.#isStalled) this.#client.send(HEARTBEAT);
  }

  /**
   * Asked every second: sends it away when too much waits, and did so a second ago, for one burst fills any line. It
   * comes back with the last id that it has read, and has lost nothing.
   */
  judge(): void {
    const isOver = this.#waitingEvents > MAX_WAITING_EVENTS || this.#waitingChars > MAX_WAITING_CHARS;
    const wasLate = this.#isLate;
    this.#isLate = isOver;
    if (!isOver || !wasLate) return;
    this.#source.stalled.delete(this);
    this.#source.overflowed();
    this.#client.send(OVERFLOW);
    this.end();
  }

  end(): void {
    this.#client.end();
  }

  async #catchUp(): Promise<void> {
    const { tail, pages, log } = this.#source;
    try {
      while (this.#client.isOpen) {
        if (this.#isFull()) return this.#stall(tail.head);
        if (this.#cursor >= tail.head) return this.#goLive();
        if (this.#cursor >= tail.from) this.#sendNext(tail.at(this.#cursor + 1));
        else this.#sendPage(await pages.read(this.#cursor, tail.head, () => [...this.reader.rooms.keys()]));
      }
    } catch (error) {
      log.error('a stream could not read the log; its client is sent away', { err: messageOf(error) });
      this.end();
    }
  }

  #sendPage({ entries, through }: { readonly entries: readonly FeedEntry[]; readonly through: number }): void {
    for (const entry of entries) {
      if (entry.pos <= this.#cursor) continue;
      if (this.#isFull()) return;
      this.#sendNext(entry);
    }
    this.#cursor = Math.max(this.#cursor, through);
  }

  #sendNext(entry: FeedEntry | undefined): void {
    if (!entry) throw new Error(`the log has no position ${this.#cursor + 1}`);
    this.#cursor = entry.pos;
    if (!this.reader.mayGet(entry) || (this.#types && !this.#types.has(entry.type))) return;
    if (entry.pos > this.#countsFrom && this.#waitingEvents > 0) {
      this.#waitingEvents -= 1;
      this.#waitingChars -= entry.data.length;
    }
    this.#client.send(entry.frame(this.#source.epoch));
  }

  #goLive(): void {
    this.#cursor = LIVE;
    this.#waitingEvents = 0;
    this.#waitingChars = 0;
    this.#isLate = false;
    if (!this.#hasMissed) return;
    this.#hasMissed = false;
    if (!this.#ephemeral || (this.#types && !this.#types.has('message.snapshot'))) return;
    for (const frame of this.#source.snapshots(this.reader)) this.#client.send(frame);
  }

  /** Waits until the client has read what is on its way. What follows `head` is what came since. */
  #stall(head: number): void {
    const { stalled } = this.#source;
    this.#isStalled = true;
    stalled.add(this);
    // Whoever reads what was there before he came is not behind in what comes since, as long as he goes on.
    if (this.#waitingEvents === 0 || this.#cursor < this.#countsFrom) {
      this.#waitingEvents = 0;
      this.#waitingChars = 0;
      this.#countsFrom = head;
    }
    const goOn = () => {
      this.#isStalled = false;
      stalled.delete(this);
      void this.#catchUp();
    };
    this.#client.whenRead(goOn);
  }

  #isFull(): boolean {
    return this.#client.waitingBytes > STALL_BYTES;
  }

  #count(entry: FeedEntry): void {
    this.#waitingEvents += 1;
    this.#waitingChars += entry.data.length;
  }
}
