import { Batches } from '../../kernel/batches.ts';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { ChangeListener } from '../../kernel/postgres/change-listener.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { RunPiece } from '../copilot/run/pieces.ts';
import type { EphemeralEvent } from '../feed/live.ts';

/** What nodes send each other without storing it. It may be lost, or come twice. */
export type Signal =
  | { readonly type: 'event'; readonly event: EphemeralEvent }
  | { readonly type: 'piece'; readonly piece: RunPiece }
  /** Users with a stream, and since when; users whose last one has closed. */
  | { readonly type: 'online'; readonly users: readonly (readonly [id: string, since: number])[] }
  | { readonly type: 'offline'; readonly users: readonly string[] }
  /** Of a node that has just started: the others say who is online. */
  | { readonly type: 'hello' };

/** `from`: the incarnation of another node. */
export type SignalListener = (signal: Signal, from: string) => void;

export interface Signals {
  send(signal: Signal): void;
  /** Calls the listener at each signal of another node. */
  listen(listener: SignalListener): void;
}

/** What is woken when something was committed. */
export interface WokenLog {
  /** The number of the last commit that is known. */
  readonly version: number;
  /** Learns what was committed before this call. Rejects with a StorageAwayError. */
  refresh(): Promise<void>;
  /** Learns a commit. Rejects with a StorageAwayError. */
  reach(commits: number): Promise<void>;
}

export interface SharedSignalsParts {
  readonly postgres: Postgres;
  /** The UUID of this process. */
  readonly incarnation: string;
  readonly clock: Clock;
  readonly log: Log;
}

const CHANNEL = 'opsdeck_rooms';
/** PostgreSQL refuses 8,000 bytes and more. */
const MAX_BYTES = 7_999;
/** Signals per statement. */
const MAX_BATCH = 100;
/** At most one notification of commits in this time. */
const ANNOUNCE_MS = 5;
const POLL_MS = 1_000;
/** Where notifications do not arrive. */
const POOLER_POLL_MS = 200;

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS t (payload)';

/** Signals of all nodes, as notifications of PostgreSQL; they also announce commits, for which each node polls as well. */
export class SharedSignals implements Signals {
  readonly #parts: SharedSignalsParts;
  readonly #listeners: SignalListener[] = [];
  readonly #sending: Batches<string, undefined>;
  #listener: ChangeListener | undefined;
  #woken: WokenLog | undefined;
  #cancelPoll: CancelTimer = () => {};
  #cancelAnnouncement: CancelTimer | undefined;
  #unsubscribe = () => {};
  #announcedAt = Number.NEGATIVE_INFINITY;
  #hasGreeted = false;
  #isClosed = false;

  constructor(parts: SharedSignalsParts) {
    this.#parts = parts;
    this.#sending = new Batches((payloads) => this.#sendAll(payloads), MAX_BATCH);
  }

  /** Begins to listen and to poll. To be called when the log has been loaded. */
  start(woken: WokenLog): void {
    const { postgres, clock } = this.#parts;
    this.#woken = woken;
    const listener = new ChangeListener({
      postgres,
      clock,
      channel: CHANNEL,
      wake: () => {
        this.#greet();
        this.#wake();
      },
      hear: (payload) => this.#hear(payload),
    });
    this.#listener = listener;
    listener.start();
    this.#unsubscribe = postgres.subscribe((isUp) => {
      if (isUp) this.#wake();
    });
    this.#poll(listener);
  }

  send(signal: Signal): void {
    const payload = JSON.stringify({ ...signal, from: this.#parts.incarnation });
    if (Buffer.byteLength(payload) <= MAX_BYTES) this.#notify(payload);
  }

  listen(listener: SignalListener): void {
    this.#listeners.push(listener);
  }

  /** Wakes the other nodes, after a commit and outside its transaction. */
  announce(): void {
    const { clock } = this.#parts;
    if (this.#cancelAnnouncement) return;
    const waitMs = this.#announcedAt + ANNOUNCE_MS - clock.monotonic();
    if (waitMs <= 0) this.#announceNow();
    else this.#cancelAnnouncement = clock.after(waitMs, () => this.#announceNow());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelPoll();
    this.#unsubscribe();
    await this.#listener?.close();
  }

  /** With the number of the commit, so that nodes which know it, as this one does, need not ask. */
  #announceNow(): void {
    this.#cancelAnnouncement = undefined;
    this.#announcedAt = this.#parts.clock.monotonic();
    this.#notify(String(this.#woken?.version ?? ''));
  }

  #notify(payload: string): void {
    const { postgres, log } = this.#parts;
    if (this.#isClosed || !postgres.isUp) return;
    this.#sending.add(payload).catch((error) => {
      if (error instanceof StorageAwayError) return;
      log.warn('other nodes could not be notified', { err: messageOf(error) });
    });
  }

  async #sendAll(payloads: readonly string[]): Promise<readonly undefined[]> {
    await this.#parts.postgres.query(NOTIFY, [CHANNEL, payloads]);
    return payloads.map(() => undefined);
  }

  /** Answers to it are heard now. */
  #greet(): void {
    if (!this.#hasGreeted) this.send({ type: 'hello' });
    this.#hasGreeted = true;
  }

  #hear(payload: string): void {
    if (!payload.startsWith('{')) {
      const commits = Number(payload);
      if (this.#woken && commits > this.#woken.version) this.#wake(commits);
      return;
    }
    const { from, ...signal } = JSON.parse(payload) as Signal & { readonly from: string };
    if (from === this.#parts.incarnation) return;
    for (const listener of this.#listeners) {
      try {
        listener(signal as Signal, from);
      } catch (error) {
        this.#parts.log.error('a signal of another node could not be taken', { err: messageOf(error) });
      }
    }
  }

  #wake(commits?: number): void {
    if (this.#isClosed || !this.#woken) return;
    const woken = commits === undefined ? this.#woken.refresh() : this.#woken.reach(commits);
    woken.catch((error) => {
      if (error instanceof StorageAwayError) return;
      this.#parts.log.error('the log cannot be read', { err: messageOf(error) });
    });
  }

  #poll(listener: ChangeListener): void {
    this.#cancelPoll = this.#parts.clock.after(listener.isHearing ? POLL_MS : POOLER_POLL_MS, () => {
      this.#wake();
      this.#poll(listener);
    });
  }
}
