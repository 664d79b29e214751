import type { Presence } from '../feed/presence.ts';
import type { StreamWatcher } from '../feed/seats.ts';
import type { Signal, Signals } from './signals.ts';

/** How often a node repeats who is online at it. */
const REPEAT_MS = 15_000;
/** A user of whom another node has not spoken for so long is not online at it any more. */
const SILENCE_MS = 40_000;
/** Users per signal; an id has at most 64 characters. */
const MAX_USERS = 50;

/** A user online at this node. */
interface OwnUser {
  readonly since: number;
  streams: number;
}

/** Presence at all nodes: each announces the users with a stream at it. */
export class SharedPresence implements StreamWatcher {
  readonly #presence: Presence;
  readonly #signals: Signals;
  readonly #now: () => number;
  readonly #own = new Map<string, OwnUser>();
  /** When another node last spoke of a user, by node and user. */
  readonly #heard = new Map<string, Map<string, number>>();
  /** Users who came or left since the last tick. */
  readonly #news = new Set<string>();
  #repeatAt: number;

  constructor(presence: Presence, signals: Signals, now: () => number) {
    this.#presence = presence;
    this.#signals = signals;
    this.#now = now;
    this.#repeatAt = now() + REPEAT_MS;
    signals.listen((signal, from) => this.#hear(signal, from));
  }

  opened(userId: string): void {
    this.#presence.opened(userId);
    const own = this.#own.get(userId) ?? { since: this.#now(), streams: 0 };
    own.streams += 1;
    this.#own.set(userId, own);
    if (own.streams === 1) this.#news.add(userId);
  }

  closed(userId: string): void {
    this.#presence.closed(userId);
    const own = this.#own.get(userId);
    if (!own) return;
    own.streams -= 1;
    if (own.streams > 0) return;
    this.#own.delete(userId);
    this.#news.add(userId);
  }

  tick(now: number): void {
    const isRepetition = now >= this.#repeatAt;
    if (isRepetition) this.#repeatAt = now + REPEAT_MS;
    this.#tellOnline(isRepetition ? [...this.#own.keys()] : [...this.#news].filter((id) => this.#own.has(id)));
    for (const users of partsOf([...this.#news].filter((id) => !this.#own.has(id))))
      this.#signals.send({ type: 'offline', users });
    this.#news.clear();
    for (const [from, users] of this.#heard) {
      for (const [userId, at] of users) if (at + SILENCE_MS <= now) this.#leave(from, userId);
    }
    this.#presence.tick(now);
  }

  #tellOnline(userIds: readonly string[]): void {
    for (const part of partsOf(userIds)) {
      const users = part.map((id) => [id, this.#own.get(id)?.since ?? this.#now()] as const);
      this.#signals.send({ type: 'online', users });
    }
  }

  #hear(signal: Signal, from: string): void {
    if (signal.type === 'hello') this.#repeatAt = this.#now();
    if (signal.type === 'offline') for (const userId of signal.users) this.#leave(from, userId);
    if (signal.type !== 'online') return;
    const users = this.#heard.get(from) ?? new Map<string, number>();
    this.#heard.set(from, users);
    for (const [userId, since] of signal.users) {
      if (!users.has(userId)) this.#presence.opened(userId, since);
      users.set(userId, this.#now());
    }
  }

  #leave(from: string, userId: string): void {
    const users = this.#heard.get(from);
    if (!users?.delete(userId)) return;
    if (users.size === 0) this.#heard.delete(from);
    this.#presence.closed(userId);
  }
}

function partsOf<T>(all: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / MAX_USERS);
  return Array.from({ length: count }, (_, index) => all.slice(index * MAX_USERS, (index + 1) * MAX_USERS));
}
