import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import { type Frame, frameComment } from '../../kernel/sse/frame.ts';
import type { Caller } from '../domain/caller.ts';
import type { FeedEntry } from './entry.ts';
import type { FeedPages } from './pages.ts';
import type { FeedListener, FeedReader } from './reader.ts';
import type { FeedTail } from './tail.ts';

/** Bytes in flight to a client after which sending waits for it. */
const STALL_BYTES = 256 * 1024;
/** Bytes in flight above which ephemeral events are dropped. */
const CROWDED_BYTES = 64 * 1024;
/** What a slow client may have pending, in events and in UTF-16 units, before it is disconnected. */
const MAX_WAITING_EVENTS = 2000;
const MAX_WAITING_CHARS = 2 ** 20;
/** The cursor of a client that has received everything. */
const LIVE = -1;

const OVERFLOW = frameComment('overflow');
const HEARTBEAT = frameComment('hb');

/** What all streams read from. */
export interface FeedSource {
  readonly epoch: string;
  readonly tail: FeedTail;
  readonly pages: FeedPages;
  readonly log: Log;
  /** Listeners whose client is not reading. */
  readonly stalled: Set<StreamListener>;
  /** The messages being written in the reader's rooms, whole. */
  snapshots(reader: FeedReader): readonly Frame[];
  /** Called for each client disconnected as slow. */
  overflowed(): void;
  /** Runs it when a log that could not be read may be readable again. */
  later(action: () => void): void;
}

export interface ListenerOptions {
  readonly lastTick: number;
  /** The caller of this connection; the reader's other connections may have other tokens. */
  readonly caller: Pick<Caller, 'tokenId' | 'expiresAt'>;
  readonly types: ReadonlySet<string> | null;
  readonly ephemeral: boolean;
}

/**
 * One stream. It queues nothing: it has a position in the log, and reads on from there whenever the client has read,
 * from the shared tail or from the store; with everything sent it is live. It becomes live in the very turn in which
 * the log's end is reached, so nothing between the two is lost or doubled.
 */
export class StreamListener implements FeedListener {
  readonly reader: FeedReader;
  readonly tokenId: string | null;
  readonly expiresAt: number | null;
  /** The tick after which the client is asked to reconnect, perhaps to another server. */
  readonly lastTick: number;
  readonly #source: FeedSource;
  readonly #client: StreamClient;
  readonly #types: ReadonlySet<string> | null;
  readonly #ephemeral: boolean;
  /** Every event up to here was sent, or is not visible to the reader. */
  #cursor: number;
  #isStalled = false;
  #hasMissed = true;
  /** What has arrived since `#countsFrom` and was not sent. */
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

  /** Sends the events after the cursor, then live ones. */
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
    if (!this.#wantsEphemeral(type)) return;
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

  /** Sends an ephemeral event of the server itself, which no client may miss. */
  announce(type: string, frame: Frame): void {
    if (this.#wantsEphemeral(type)) this.#client.send(frame);
  }

  /** Writes frames outside the log: heartbeats, or the last frame. */
  send(frame: Frame): void {
    this.#client.send(frame);
  }

  beat(): void {
    if (!this.#isStalled) this.#client.send(HEARTBEAT);
  }

  /**
   * Called every second: disconnects a client with too much pending now and a second ago, since one burst may fill any
   * connection. It reconnects with the last id that it has read, and has lost nothing.
   */
  dropIfSlow(): void {
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
      if (error instanceof StorageAwayError) return this.#source.later(() => this.begin());
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
    if (!this.#wantsEphemeral('message.snapshot')) return;
    for (const frame of this.#source.snapshots(this.reader)) this.#client.send(frame);
  }

  /** Waits until the client has read what is in flight. What follows `head` arrived since. */
  #stall(head: number): void {
    const { stalled } = this.#source;
    this.#isStalled = true;
    stalled.add(this);
    // A client reading history is not behind in newer events as long as it makes progress.
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

  #wantsEphemeral(type: string): boolean {
    return this.#ephemeral && (!this.#types || this.#types.has(type));
  }

  #isFull(): boolean {
    return this.#client.waitingBytes > STALL_BYTES;
  }

  #count(entry: FeedEntry): void {
    this.#waitingEvents += 1;
    this.#waitingChars += entry.data.length;
  }
}
