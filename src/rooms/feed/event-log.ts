import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { printCursor, printReset } from '../contract/feed.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import type { FeedEntry } from './entry.ts';
import type { FeedListener, FeedReader, ReaderTraits } from './reader.ts';
import type { RoomFeed, Start } from './room-feed.ts';

/** Limit of one answer's data together, in UTF-16 units; a single event may be longer. */
const MAX_CHARS = 2 ** 20;

export interface LogRequest extends ReaderTraits {
  readonly types: ReadonlySet<string> | null;
  readonly start: Start;
  readonly limit: number;
  /** How long to wait for a first event, in milliseconds. */
  readonly waitMs: number;
  /** Registers a callback for when the client disconnects. */
  readonly onGone: (gone: () => void) => void;
}

/** The log for clients that cannot keep a stream open: the same events and ids, as JSON. */
export class EventLog {
  readonly #feed: RoomFeed;
  readonly #clock: Clock;

  constructor(feed: RoomFeed, clock: Clock) {
    this.#feed = feed;
    this.#clock = clock;
  }

  /**
   * The answer's JSON: `{events: [{id, event, data}], cursor, epoch}`. At once if there are events, else after the
   * first one.
   */
  async read(request: LogRequest): Promise<Outcome<string>> {
    const feed = this.#feed;
    const refusal = feed.seats.reserve(request.caller);
    if (refusal) return refusal;
    const { after, reset } = request.start;
    const reader = feed.readers.join(request);
    const listener = new LogListener(feed, reader, request);
    feed.readers.listen(reader, listener);
    request.onGone(() => listener.end());
    try {
      const isThere = await listener.collect();
      if (!isThere && reset === null && request.waitMs > 0) await listener.wait(this.#clock, request.waitMs);
    } finally {
      feed.readers.leave(reader, listener);
      feed.seats.release(request.caller);
    }
    const events = listener.entries.map((entry) => printEntry(feed.epoch, entry));
    const resetId = printCursor(feed.epoch, after);
    if (reset) events.unshift(`{"id":"${resetId}","event":"reset","data":${printReset(reset, after)}}`);
    const cursor = printCursor(feed.epoch, listener.cursor);
    return accepted(`{"events":[${events.join(',')}],"cursor":"${cursor}","epoch":"${feed.epoch}"}`);
  }
}

function printEntry(epoch: string, { pos, type, data }: FeedEntry): string {
  return `{"id":"${printCursor(epoch, pos)}","event":"${type}","data":${data}}`;
}

/** An answer being built. */
class LogListener implements FeedListener {
  readonly tokenId: string | null;
  readonly expiresAt: number | null;
  readonly entries: FeedEntry[] = [];
  /** Every event up to here is in the answer, or not visible to its reader. */
  cursor: number;
  readonly #feed: RoomFeed;
  readonly #reader: FeedReader;
  readonly #request: LogRequest;
  #chars = 0;
  #isWaiting = false;
  #isOver = false;
  #wake = () => {};

  constructor(feed: RoomFeed, reader: FeedReader, request: LogRequest) {
    this.tokenId = request.caller.tokenId;
    this.expiresAt = request.caller.expiresAt;
    this.cursor = request.start.after;
    this.#feed = feed;
    this.#reader = reader;
    this.#request = request;
  }

  /** Reads up to the log's end or the answer's limit; returns whether there was anything. */
  async collect(): Promise<boolean> {
    const { tail, pages } = this.#feed.source;
    while (!this.#isOver && !this.#isFull && this.cursor < tail.head) {
      if (this.cursor >= tail.from) {
        this.#add(tail.at(this.cursor + 1));
        continue;
      }
      const { entries, through } = await pages.read(this.cursor, tail.head, () => [...this.#reader.rooms.keys()]);
      for (const entry of entries) if (entry.pos > this.cursor && !this.#isFull) this.#add(entry);
      if (!this.#isFull) this.cursor = Math.max(this.cursor, through);
    }
    this.#isWaiting = true;
    return this.entries.length > 0;
  }

  /** Resolves after the first turn with an event, at the timeout, or when the client disconnects. */
  wait(clock: Clock, waitMs: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      let cancel: CancelTimer = () => {};
      this.#wake = () => {
        this.#wake = () => {};
        cancel();
        this.cursor = this.#isFull ? this.cursor : this.#feed.pos;
        this.#isWaiting = false;
        resolve();
      };
      cancel = clock.after(waitMs, () => this.#wake());
    });
  }

  take(entry: FeedEntry): void {
    if (!this.#isWaiting || this.#isFull) return;
    const isFirst = this.entries.length === 0;
    this.#add(entry);
    if (isFirst && this.entries.length > 0) setImmediate(() => this.#wake());
  }

  hear(): void {}

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  get #isFull(): boolean {
    return this.entries.length >= this.#request.limit || this.#chars > MAX_CHARS;
  }

  #add(entry: FeedEntry | undefined): void {
    if (!entry) throw new Error(`the log has no position ${this.cursor + 1}`);
    this.cursor = entry.pos;
    const { types } = this.#request;
    if (!this.#reader.mayGet(entry) || (types && !types.has(entry.type))) return;
    this.entries.push(entry);
    this.#chars += entry.data.length;
  }
}
