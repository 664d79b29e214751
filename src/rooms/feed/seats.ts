import type { Caller } from '../domain/caller.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';

export interface StreamSeatsParts {
  readonly maxPerUser: number;
  readonly maxStreams: number;
  /** Notified when a user's stream opens or closes. */
  readonly watcher?: StreamWatcher;
}

export interface StreamWatcher {
  opened(userId: string): void;
  closed(userId: string): void;
  /** Every second. */
  tick(now: number): void;
}

/** The limits of open streams, per user and in all. */
export class StreamSeats {
  readonly #parts: StreamSeatsParts;
  readonly #takenBy = new Map<string, number>();
  #taken = 0;
  #isClosed = false;

  constructor(parts: StreamSeatsParts) {
    this.#parts = parts;
  }

  /** Open streams, including those that wait to read the log. */
  get taken(): number {
    return this.#taken;
  }

  /** Why no further stream may be opened; after `undefined`, `release` must follow. */
  reserve({ user }: Caller): Refusal | undefined {
    const refusal = this.#refusal(user.id);
    if (refusal) return refusal;
    this.#taken += 1;
    this.#takenBy.set(user.id, (this.#takenBy.get(user.id) ?? 0) + 1);
    this.#parts.watcher?.opened(user.id);
    return undefined;
  }

  release({ user }: Caller): void {
    this.#taken -= 1;
    const left = (this.#takenBy.get(user.id) ?? 1) - 1;
    if (left === 0) this.#takenBy.delete(user.id);
    else this.#takenBy.set(user.id, left);
    this.#parts.watcher?.closed(user.id);
  }

  /** Refuses further streams. */
  close(): void {
    this.#isClosed = true;
  }

  #refusal(userId: string): Refusal | undefined {
    const { maxPerUser, maxStreams } = this.#parts;
    if (this.#isClosed) return refuse('shutting_down', 'the server is shutting down; try again', { retryAfterS: 1 });
    if ((this.#takenBy.get(userId) ?? 0) >= maxPerUser)
      return refuse('rate_limited', `${maxPerUser} streams are open already; close one`, { retryAfterS: 5 });
    if (this.#taken < maxStreams) return undefined;
    return refuse('rate_limited', 'the server has as many streams open as it may have', { retryAfterS: 30 });
  }
}
