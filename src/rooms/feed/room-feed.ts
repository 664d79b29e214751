import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { Fanout } from '../../kernel/sse/fanout.ts';
import { type Frame, frameEvent } from '../../kernel/sse/frame.ts';
import {
  printCursor,
  printHello,
  printReset,
  printSnapshot,
  printStorage,
  type ResetReason,
} from '../contract/feed.ts';
import type { Cursor } from '../contract/feed-query.ts';
import type { Caller } from '../domain/caller.ts';
import type { StateView } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { LogState, RoomStore } from '../store/store.ts';
import { entryOfCommitted } from './entry.ts';
import { type FeedSource, type ListenerOptions, StreamListener } from './listener.ts';
import type { Announcer, EphemeralEvent, StreamingMessages } from './live.ts';
import { FeedPages } from './pages.ts';
import type { FeedReader, ReaderTraits } from './reader.ts';
import { FeedReaders } from './readers.ts';
import { StreamSeats, type StreamSeatsParts } from './seats.ts';
import { FeedTail } from './tail.ts';

export const HEARTBEAT_MS = 15_000;
const TICK_MS = 1000;
/** Before a stream tries again to read the log. */
const REREAD_MS = 500;
const HEARTBEAT_SLOTS = HEARTBEAT_MS / TICK_MS;
/** The lifetime of a stream in ticks; up to a tenth less, so that streams do not end together. */
const MAX_TICKS = (4 * 3_600_000) / TICK_MS;
const LIFETIME_SPREAD = 0.1;
/** The reconnect delay of clients, spread so that they do not return together. */
const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 5000;
const HEADERS = { 'cache-control': 'no-store, no-transform' };

export interface RoomFeedParts extends StreamSeatsParts {
  readonly state: StateView;
  readonly store: Pick<RoomStore, 'readEvents'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly epoch: string;
  /** The last position of the log, and the first one kept. */
  readonly pos: number;
  readonly firstPos: number;
  readonly nodeId: string;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export interface StreamRequest extends ReaderTraits, Omit<ListenerOptions, 'caller' | 'lastTick'> {
  /** The cursor to resume at, in the log's own positions; see `resume`. */
  readonly start: Start;
}

/** Where a stream resumes, and why not at the requested cursor. */
export interface Start {
  readonly after: number;
  readonly reset: ResetReason | null;
}

/** The server-sent event streams of all clients; see feed-listener.ts for a single one. */
export class RoomFeed implements Announcer {
  readonly readers: FeedReaders;
  readonly seats: StreamSeats;
  readonly source: FeedSource & { epoch: string };
  readonly #parts: RoomFeedParts;
  readonly #fanout: Fanout;
  /** By the second of the heartbeat's round in which they get it, so that the work is spread. */
  readonly #slots: readonly Set<StreamListener>[] = Array.from({ length: HEARTBEAT_SLOTS }, () => new Set());
  readonly #stopTicking: () => void;
  #streaming: StreamingMessages = { streamingIn: () => [] };
  #firstPos: number;
  /** While the database is away. */
  #away: Frame | undefined;
  #ticks = 0;
  #overflowed = 0;
  #isClosed = false;

  constructor(parts: RoomFeedParts) {
    const { clock } = parts;
    this.#parts = parts;
    this.#firstPos = parts.firstPos;
    this.readers = new FeedReaders(parts.state);
    this.seats = new StreamSeats(parts);
    this.source = {
      epoch: parts.epoch,
      tail: new FeedTail(parts.pos),
      pages: new FeedPages(parts.store),
      log: parts.log,
      stalled: new Set(),
      snapshots: (reader) => this.#snapshots(reader),
      overflowed: () => {
        this.#overflowed += 1;
      },
      later: (action) => void clock.after(REREAD_MS, action),
    };
    this.#fanout = new Fanout({ clock, heartbeatMs: 0 });
    this.#stopTicking = clock.every(TICK_MS, () => this.#tick());
  }

  get epoch(): string {
    return this.source.epoch;
  }

  /** The last position sent. */
  get pos(): number {
    return this.source.tail.head;
  }

  /** Open streams, including those that wait to read the log. */
  get size(): number {
    return this.seats.taken;
  }

  /** Streams that were ended because their client did not read. */
  get overflowed(): number {
    return this.#overflowed + this.#fanout.dropped;
  }

  /** Streams with much pending. */
  get stalled(): number {
    return this.source.stalled.size;
  }

  /** From now on new listeners get the messages being written. */
  showStreaming(streaming: StreamingMessages): void {
    this.#streaming = streaming;
  }

  /** A listener to commits, in the log's order: sends each event to its recipients. */
  publish(committed: readonly Committed[]): void {
    const { readers } = this;
    for (const { event } of committed) readers.gain(event);
    for (const one of committed) {
      const { event } = one;
      const entry = entryOfCommitted(one);
      // The log's older events of a deleted message have changed too.
      if (event.type === 'message.deleted') this.forgetLog();
      this.source.tail.push(entry);
      readers.before(event);
      for (const reader of readers.of(entry)) {
        if (reader.mayGet(entry)) for (const listener of reader.listeners) listener.take(entry);
      }
      readers.after(event);
    }
  }

  /**
   * To be called when events were removed from the log, or changed: drops all cached events. `firstPos` is the log's
   * first position now; clients that resume before it are notified of the gap.
   */
  forgetLog(firstPos = this.#firstPos): void {
    this.#firstPos = firstPos;
    this.source.tail.forget();
    this.source.pages.forget();
  }

  /** The log is another one: clients reconnect, and learn it from the epoch of their cursors. */
  restart({ epoch, pos, firstPos }: LogState): void {
    this.source.epoch = epoch;
    this.source.tail.restart(pos);
    this.forgetLog(firstPos);
    for (const readers of this.readers.all()) for (const listener of readers.listeners) listener.end();
  }

  announce({ type, roomId, audience, seq = Number.MAX_VALUE, data }: EphemeralEvent): void {
    let framed: Frame | undefined;
    const frame = () => {
      framed ??= frameEvent({ event: type, data });
      return framed;
    };
    const readers = audience === undefined ? this.readers.inRoom(roomId) : this.readers.ofUser(audience);
    for (const { rooms, listeners, isStale } of readers) {
      if (isStale || seq <= (rooms.get(roomId) ?? Number.POSITIVE_INFINITY)) continue;
      for (const one of listeners) one.hear(type, frame);
    }
  }

  /** Tells all streams that the database is away since an instant, or (`undefined`) up again. */
  announceStorage(awaySince: number | undefined): void {
    const isAway = awaySince !== undefined;
    const data = printStorage(isAway ? 'away' : 'up', awaySince ?? this.#parts.clock.now());
    const frame = frameEvent({ event: 'storage', data });
    this.#away = isAway ? frame : undefined;
    for (const slot of this.#slots) for (const listener of slot) listener.announce('storage', frame);
  }

  /** Where a stream resumes that asked for the cursor. */
  resume(cursor: Cursor | undefined): Start {
    const { epoch } = this;
    const firstPos = this.#firstPos;
    const head = this.pos;
    if (!cursor) return { after: head, reset: null };
    if (cursor.epoch === null) return { after: firstPos - 1, reset: null };
    if (cursor.epoch !== epoch) return { after: head, reset: 'epoch' };
    if (cursor.pos > head) return { after: head, reset: 'ahead' };
    if (cursor.pos < firstPos - 1) return { after: head, reset: 'expired' };
    return { after: cursor.pos, reset: null };
  }

  /** Answers a request with a stream, or returns a refusal; `resume` must be called in the same turn. */
  open(outgoing: ServerResponse, request: StreamRequest): Refusal | undefined {
    const { caller, only, types, ephemeral, start } = request;
    const refusal = this.seats.reserve(caller);
    if (refusal) return refusal;
    const snapshot = [this.#hello()];
    if (start.reset) snapshot.push(this.frameReset(start.reset));
    const client = this.#fanout.open(outgoing, { headers: HEADERS, snapshot });
    if (!client.isOpen) {
      this.seats.release(caller);
      return undefined;
    }
    const reader = this.readers.join({ caller, only });
    const lastTick = this.#ticks + Math.ceil(MAX_TICKS * (1 - LIFETIME_SPREAD * this.#parts.random()));
    const options = { caller, types, ephemeral, lastTick };
    const listener = new StreamListener(this.source, client, reader, options, start.after);
    this.readers.listen(reader, listener);
    this.#slotOf(listener)?.add(listener);
    client.whenOver(() => this.#forget(listener, caller));
    if (this.#away) listener.announce('storage', this.#away);
    listener.begin();
    return undefined;
  }

  frameReset(reason: ResetReason): Frame {
    const { pos } = this;
    return frameEvent({ id: printCursor(this.epoch, pos), event: 'reset', data: printReset(reason, pos) });
  }

  /** Tells every stream to reconnect, and ends it; resolves when all are flushed. Idempotent. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.seats.close();
      this.#stopTicking();
      for (const listener of this.#slots.flatMap((slot) => [...slot])) {
        const retry = this.#retryMs();
        listener.send(frameEvent({ event: 'shutdown', data: `{"retryMs":${retry}}`, retry }));
      }
      for (const readers of this.readers.all()) for (const listener of readers.listeners) listener.end();
    }
    await this.#fanout.close();
  }

  #forget(listener: StreamListener, caller: Caller): void {
    this.readers.leave(listener.reader, listener);
    this.source.stalled.delete(listener);
    this.#slotOf(listener)?.delete(listener);
    this.seats.release(caller);
  }

  #slotOf({ lastTick }: StreamListener): Set<StreamListener> | undefined {
    return this.#slots[lastTick % HEARTBEAT_SLOTS];
  }

  #hello(): Frame {
    const { nodeId } = this.#parts;
    const data = printHello({
      epoch: this.epoch,
      pos: this.pos,
      firstPos: this.#firstPos,
      heartbeatMs: HEARTBEAT_MS,
      node: nodeId,
    });
    return frameEvent({ event: 'hello', data, retry: this.#retryMs() });
  }

  #retryMs(): number {
    return MIN_RETRY_MS + Math.floor(this.#parts.random() * (MAX_RETRY_MS - MIN_RETRY_MS));
  }

  #tick(): void {
    const { clock, watcher } = this.#parts;
    const now = clock.now();
    this.#ticks += 1;
    for (const listener of this.#slots[this.#ticks % HEARTBEAT_SLOTS] ?? []) {
      if (this.#ticks < listener.lastTick) listener.beat();
      else listener.end();
    }
    for (const listener of this.source.stalled) listener.dropIfSlow();
    this.readers.endStale(now);
    watcher?.tick(now);
  }

  #snapshots({ rooms }: FeedReader): readonly Frame[] {
    const frames: Frame[] = [];
    for (const [roomId, afterSeq] of rooms) {
      for (const message of this.#streaming.streamingIn(roomId).filter(({ seq }) => seq > afterSeq))
        frames.push(frameEvent({ event: 'message.snapshot', data: printSnapshot(roomId, message) }));
    }
    return frames;
  }
}
