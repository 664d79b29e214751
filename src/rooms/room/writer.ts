import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { printMessage } from '../contract/message-json.ts';
import type { Change, ReactionKey } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import { type Outcome, type Refusal, refuse } from '../domain/refusal.ts';
import {
  BehindError,
  type Commit,
  FencedError,
  type PreparedWrite,
  type RoomStore,
  StatementError,
  StorageFullError,
} from '../store/store.ts';
import { type BatchReads, BatchView, reactionText } from './change-view.ts';
import { type Decided, decideAll, fencesOf, type Waiting } from './decided.ts';
import type { RoomState } from './state.ts';

const MAX_BATCH = 500;
/** How often a full disk is checked. */
const LOOK_MS = 1_000;

export interface RoomWriterParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** Refuses all writes. */
  readonly readOnly: boolean;
  /** Called once, when the store has failed for good: nothing is acknowledged any more. */
  readonly failed: (error: unknown) => void;
}

/** Receives the events of all nodes once, in the log's order, before changes are answered, and their commit. */
export type CommitListener = (events: readonly Committed[], commit: Commit) => void;

const NOTHING_READ: BatchReads = { messages: new Map(), forgotten: new Set(), reacted: new Set() };
const CLOSED = refuse('shutting_down', 'the server is shutting down; try again', { retryAfterS: 1 });
const READ_ONLY = refuse('read_only', 'this server was started with --read-only');
const FAILED = refuse('storage_unavailable', 'the storage has failed; the log of the server says why', {
  retryAfterS: 5,
});
const REFUSED = refuse(
  'storage_unavailable',
  'PostgreSQL refused a statement; nothing was written, and the log of the server says why',
  { retryAfterS: 5 },
);
const LEASE_LOST = refuse('lease_lost', 'another node has taken over the job; nothing was written');
const FULL = refuse(
  'storage_full',
  'the disk of the server is full, or it may open no more files; nothing was written',
  { retryAfterS: 5 },
);

/**
 * Writes all changes to rooms. Changes wait while a commit is in progress; the next one takes all of them. Memory,
 * listeners and answers follow when the commit is on disk.
 */
export class RoomWriter {
  readonly #parts: RoomWriterParts;
  readonly #listeners: CommitListener[] = [];
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #outcome: Refusal | undefined;
  #pos: number;
  #isFull = false;
  #stopLooking: CancelTimer | undefined;

  constructor(parts: RoomWriterParts, pos: number) {
    this.#parts = parts;
    this.#pos = pos;
    if (parts.readOnly) this.#outcome = READ_ONLY;
    parts.store.follow((commit) => this.#follow(commit));
  }

  /** The last position committed and sent to listeners. */
  get pos(): number {
    return this.#pos;
  }

  /** Why writes are refused; `undefined`: they are accepted. */
  get trouble(): Refusal | undefined {
    return this.#outcome ?? (this.#isFull ? FULL : undefined);
  }

  /** Listeners are called in the order in which they were added. */
  onCommit(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /** Resolves when the change is on disk, or refused. Rejects only if `decide` or `answer` throws. */
  submit<T>(change: Change<T>): Promise<Outcome<T>> {
    if (this.#outcome) return Promise.resolve(this.#outcome);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, settle: resolve as Waiting['settle'], reject });
      this.#running ??= this.#run();
    });
  }

  /** Commits the waiting changes; later ones are refused. */
  async close(): Promise<void> {
    this.#outcome ??= CLOSED;
    this.#stopLooking?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Requests that arrived together are all read before the immediate phase of the event loop.
    await new Promise<void>((done) => setImmediate(done));
    while (this.#waiting.length > 0) {
      await this.#parts.store.turn?.();
      const batch = this.#waiting.splice(0, MAX_BATCH);
      try {
        await this.#commit(batch);
      } catch (error) {
        const refusal = storageRefusal(error);
        if (refusal) for (const { settle } of batch) settle(refusal);
        else this.#fail(error, batch);
      }
    }
    this.#running = undefined;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { state, store, clock, newId } = this.#parts;
    const { version } = store;
    const view = new BatchView(state, await this.#read(batch), { now: clock.now(), newId, printMessage });
    const { decided, rest } = decideAll(batch, view);
    this.#waiting.unshift(...rest);
    const writes: PreparedWrite[] = [];
    for (const { write } of decided) if (write) writes.push(write);
    let committed: readonly (readonly Committed[])[] = [];
    if (writes.length > 0) {
      try {
        committed = await store.append(writes, version, fencesOf(decided));
        this.#isFull = false;
      } catch (error) {
        if (error instanceof BehindError) this.#waiting.unshift(...decided.map(({ waiting }) => waiting));
        else if (error instanceof FencedError) this.#refuseFenced(decided, error);
        else this.#refuse(decided, error);
        return;
      }
    }
    let written = 0;
    for (const { waiting, decision, write } of decided) {
      const events = write ? (committed[written++] ?? []) : [];
      settle(waiting, () => decision.answer(events));
    }
  }

  /** Decisions without writes may depend on the failed ones, so all are refused. */
  #refuse(decided: readonly Decided[], error: unknown): void {
    const refusal = storageRefusal(error);
    if (!refusal) throw error;
    if (refusal === FULL) {
      this.#isFull = true;
      this.#lookLater();
    }
    for (const { waiting } of decided) waiting.settle(refusal);
  }

  /** The others are decided again. */
  #refuseFenced(decided: readonly Decided[], { lost }: FencedError): void {
    const rest: Waiting[] = [];
    for (const { waiting } of decided) {
      if (waiting.change.fences?.some(({ id }) => lost.includes(id))) waiting.settle(LEASE_LOST);
      else rest.push(waiting);
    }
    this.#waiting.unshift(...rest);
  }

  /** Balancers send nothing to an unhealthy server, so recovery must not depend on requests. */
  #lookLater(): void {
    if (this.#outcome) return;
    this.#stopLooking ??= this.#parts.clock.after(LOOK_MS, () => {
      this.#stopLooking = undefined;
      if (this.#isFull) void this.#look();
    });
  }

  async #look(): Promise<void> {
    try {
      await this.#parts.store.checkRoom();
      this.#isFull = false;
    } catch (error) {
      // The next commit reports other failures.
      if (error instanceof StorageFullError) this.#lookLater();
    }
  }

  async #read(batch: readonly Waiting[]): Promise<BatchReads> {
    const { store } = this.#parts;
    const ids = new Set<string>();
    const keys: ReactionKey[] = [];
    for (const { change } of batch) {
      for (const id of change.messages ?? []) ids.add(id);
      if (change.reactions) keys.push(...change.reactions);
    }
    if (ids.size === 0 && keys.length === 0) return NOTHING_READ;
    const messages = ids.size === 0 ? [] : await store.messages([...ids]);
    for (const { message } of messages) ids.delete(message.id);
    const forgotten = ids.size === 0 ? [] : await store.forgotten([...ids]);
    const reacted = keys.length === 0 ? [] : await store.reacted(keys);
    return {
      messages: new Map(messages.map((stored) => [stored.message.id, stored])),
      forgotten: new Set(forgotten),
      reacted: new Set(reacted.map(reactionText)),
    };
  }

  #follow(commit: Commit): void {
    const { state } = this.#parts;
    const { events, records, removal, restart } = commit;
    if (restart) state.replace(restart);
    state.applyRecords(records);
    state.applyEvents(events);
    for (const [roomId, head] of removal?.heads ?? []) state.setHead(roomId, head);
    this.#pos = restart?.pos ?? events.at(-1)?.pos ?? this.#pos;
    for (const listener of this.#listeners) {
      try {
        listener(events, commit);
      } catch (error) {
        // It is committed: a failing listener changes nothing about that.
        this.#parts.log.error('a listener to commits failed', { err: messageOf(error) });
      }
    }
  }

  #fail(error: unknown, batch: readonly Waiting[]): void {
    this.#outcome = FAILED;
    this.#parts.log.error('the storage failed; nothing is acknowledged any more', { err: messageOf(error) });
    for (const { settle } of [...batch, ...this.#waiting.splice(0)]) settle(FAILED);
    this.#parts.failed(error);
  }
}

/** The refusal after an error of the storage that ends only what was being written. */
export function storageRefusal(error: unknown): Refusal | undefined {
  if (error instanceof StorageFullError) return FULL;
  if (error instanceof StorageAwayError) return refuseAway(error);
  return error instanceof StatementError ? REFUSED : undefined;
}

/** A refusal while PostgreSQL is away. */
export function refuseAway({ reason, isUncertain }: StorageAwayError): Refusal {
  const doubt = isUncertain ? '; the change may have been written, and repeating it under the same id is safe' : '';
  return refuse('storage_unavailable', `PostgreSQL is away (${reason})${doubt}; try again in a moment`, {
    retryAfterS: 2,
  });
}

function settle(waiting: Waiting, answer: () => unknown): void {
  try {
    waiting.settle({ ok: true, value: answer() });
  } catch (error) {
    waiting.reject(error);
  }
}
