import { type OnlineUser, printPresence } from '../contract/feed.ts';
import type { StateView } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import { memberKey } from '../domain/member/member.ts';
import type { Announcer } from './live.ts';
import type { StreamWatcher } from './seats.ts';

/** A user who reconnects within this time was never away. */
const LIFE_MS = 60_000;
/** Larger rooms get no presence events; presence can still be queried. */
const MAX_ANNOUNCED_MEMBERS = 200;

interface Seen {
  readonly since: number;
  streams: number;
}

/** Users with an open stream, or one within the last minute. */
export class Presence implements StreamWatcher {
  readonly #state: StateView;
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();
  /** Users whose last stream has closed, and when; the oldest first. */
  readonly #leaving = new Map<string, number>();
  readonly #inRoom = new Map<string, Set<string>>();
  /** By room, users who came (`true`) or left since the last tick. */
  readonly #news = new Map<string, Map<string, boolean>>();
  #announcer: Announcer | undefined;

  constructor(state: StateView, now: () => number) {
    this.#state = state;
    this.#now = now;
  }

  /** Starts presence events, at most once a second per room. */
  announceBy(announcer: Announcer): void {
    this.#announcer = announcer;
  }

  /** In order of arrival. */
  online(roomId: string): readonly OnlineUser[] {
    return [...(this.#inRoom.get(roomId) ?? [])]
      .map((userId) => this.#online(userId))
      .sort((a, b) => a.since - b.since || (a.userId < b.userId ? -1 : 1));
  }

  onlineCount(roomId: string): number {
    return this.#inRoom.get(roomId)?.size ?? 0;
  }

  opened(userId: string, since = this.#now()): void {
    const seen = this.#seen.get(userId);
    this.#leaving.delete(userId);
    if (seen) {
      seen.streams += 1;
      return;
    }
    this.#seen.set(userId, { since, streams: 1 });
    for (const roomId of this.#state.roomIdsOf(userId)) this.#enter(roomId, userId);
  }

  closed(userId: string): void {
    const seen = this.#seen.get(userId);
    if (!seen) return;
    seen.streams -= 1;
    if (seen.streams === 0) this.#leaving.set(userId, this.#now());
  }

  tick(now: number): void {
    for (const [userId, leftAt] of this.#leaving) {
      if (leftAt + LIFE_MS > now) break;
      this.#leaving.delete(userId);
      this.#seen.delete(userId);
      for (const roomId of this.#state.roomIdsOf(userId)) this.#exit(roomId, userId);
    }
    for (const [roomId, users] of this.#news) this.#announce(roomId, users);
    this.#news.clear();
  }

  /** A listener to commits. */
  follow(committed: readonly Committed[]): void {
    for (const { event } of committed) {
      if (event.type === 'room.created')
        for (const { userId } of this.#state.membersOf(event.roomId)) this.#move(event.roomId, userId);
      else if (event.type === 'room.deleted') this.#inRoom.delete(event.roomId);
      else if (event.type === 'member.joined' || event.type === 'member.left' || event.type === 'member.banned')
        this.#move(event.roomId, event.member.userId);
    }
  }

  #move(roomId: string, userId: string): void {
    const isMember = this.#state.get('member', memberKey(roomId, userId)) !== undefined;
    if (isMember && this.#seen.has(userId)) this.#enter(roomId, userId);
    else this.#exit(roomId, userId);
  }

  #enter(roomId: string, userId: string): void {
    const users = this.#inRoom.get(roomId) ?? new Set();
    if (users.has(userId)) return;
    this.#inRoom.set(roomId, users.add(userId));
    this.#note(roomId, userId, true);
  }

  #exit(roomId: string, userId: string): void {
    const users = this.#inRoom.get(roomId);
    if (!users?.delete(userId)) return;
    if (users.size === 0) this.#inRoom.delete(roomId);
    this.#note(roomId, userId, false);
  }

  #note(roomId: string, userId: string, isOnline: boolean): void {
    if (this.#state.memberCount(roomId) > MAX_ANNOUNCED_MEMBERS) return;
    const users = this.#news.get(roomId) ?? new Map<string, boolean>();
    this.#news.set(roomId, users.set(userId, isOnline));
  }

  #announce(roomId: string, users: ReadonlyMap<string, boolean>): void {
    const online: OnlineUser[] = [];
    const offline: string[] = [];
    for (const [userId, isOnline] of users) {
      if (isOnline) online.push(this.#online(userId));
      else offline.push(userId);
    }
    this.#announcer?.announce({ type: 'presence', roomId, data: printPresence(roomId, online, offline) });
  }

  #online(userId: string): OnlineUser {
    return { userId, since: this.#seen.get(userId)?.since ?? this.#now() };
  }
}
