import { randomInt } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import { type Followed, Follower } from '../../terminal/follower.ts';
import { pause } from '../../terminal/pause.ts';
import { isPassing } from '../../terminal/persistence.ts';
import { logSchema } from '../../terminal/wire.ts';
import type { ReaderRecord, ReadRecord } from './checker.ts';
import type { Target } from './target.ts';

export interface ReaderOptions {
  readonly name: string;
  readonly target: Target;
  readonly clock: Clock;
  /** Ids. */
  readonly rooms: readonly string[];
  /** The cursor before the first message. */
  readonly cursor: string;
  /** Polls the log instead of a stream. */
  readonly isPolling: boolean;
  /** Cuts its connections at random. */
  readonly isRestless: boolean;
  /** Called with each message's id and time. */
  readonly heard: (id: string, at: number) => void;
}

const RETRY_MS = 50;
/** The longest connection, in milliseconds. */
const MAX_STAY_MS = 3_000;
const POLL_S = 2;
const POLL_LIMIT = 200;

/** Reads rooms over changing connections, each continuing after the last. */
export class Reader implements ReaderRecord {
  readonly name: string;
  readonly rooms: readonly string[];
  readonly reads: ReadRecord[] = [];
  /** A reset of the log is a fault here, since nothing was removed. */
  readonly faults: string[] = [];
  connections = 0;
  readonly #options: ReaderOptions;
  #cursor: string;
  readonly #last = new Map<string, number>();
  #goal: ReadonlyMap<string, number> | undefined;
  #isOver = false;
  #cut = new AbortController();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.name = options.name;
    this.rooms = options.rooms;
    this.#cursor = options.cursor;
  }

  /** Ends the reader once it has the last message of each room. */
  finishWith(goal: ReadonlyMap<string, number>): void {
    this.#goal = goal;
    this.#cut.abort();
  }

  /** Stops at once. */
  stop(): void {
    this.#isOver = true;
    this.#cut.abort();
  }

  async run(): Promise<void> {
    const { clock, isPolling, isRestless } = this.#options;
    while (!this.#isDone()) {
      this.#cut = new AbortController();
      const { signal } = this.#cut;
      const cancel = isRestless ? clock.after(randomInt(MAX_STAY_MS), () => this.#cut.abort()) : () => {};
      try {
        this.connections++;
        await (isPolling ? this.#poll(signal) : this.#stream(signal));
      } catch (error) {
        if (!signal.aborted && !isPassing(error)) throw error;
        if (!signal.aborted) await pause(clock, RETRY_MS, signal);
      } finally {
        cancel();
        this.#cut.abort();
      }
    }
  }

  #isDone(): boolean {
    if (this.#isOver) return true;
    const goal = this.#goal;
    return goal !== undefined && this.rooms.every((room) => (this.#last.get(room) ?? 0) >= (goal.get(room) ?? 0));
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const client = await this.#options.target.client();
    const rooms = this.rooms.join(',');
    const types = 'message.created';
    const follower = new Follower(client, { rooms, types, cursor: this.#cursor, ephemeral: false, signal });
    for await (const followed of follower.events()) {
      // The server may have restarted.
      if (followed.kind === 'lost') return pause(this.#options.clock, RETRY_MS, signal);
      this.#take(followed);
      if (this.#goal && this.#isDone()) return;
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const client = await this.#options.target.client();
    while (!signal.aborted && !this.#isDone()) {
      const query = new URLSearchParams({
        rooms: this.rooms.join(','),
        types: 'message.created',
        since: this.#cursor,
        wait: String(POLL_S),
        limit: String(POLL_LIMIT),
      });
      const page = client.parse(await client.send('GET', `/api/event/log?${query}`, { signal }), logSchema);
      for (const { event, id, data } of page.events) {
        if (event === 'reset') this.faults.push(`${this.name} had to begin anew (${data.reason})`);
        else if (event === 'message.created') this.#hear(data.message, id);
      }
      this.#cursor = page.cursor;
    }
  }

  #take(followed: Followed): void {
    if (followed.kind === 'reset') this.faults.push(`${this.name} had to begin anew (${followed.reason})`);
    if (followed.kind !== 'message') return;
    this.#hear(followed.message, followed.cursor);
    this.#cursor = followed.cursor;
  }

  #hear(
    { roomId, seq, id }: { readonly roomId: string; readonly seq: number; readonly id: string },
    cursor: string,
  ): void {
    this.reads.push({ room: roomId, seq, id, pos: Number(cursor.slice(cursor.lastIndexOf('-') + 1)) });
    this.#last.set(roomId, seq);
    this.#options.heard(id, performance.now());
  }
}
