import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';
import type { Room } from '../room/room.ts';

const CALL_ALL_MS = 60_000;

/** A limit in a room: the record to write, or when the next try is allowed. */
export type Turn = Outcome<readonly RecordChange[]>;

/** Slow mode: one message per interval and user. Bots and bridges are exempt. */
export function takePostTurn(view: StateView, caller: Caller, room: Room, now: number): Turn {
  if (room.slowModeSeconds === 0 || caller.user.kind !== 'human') return accepted([]);
  const key = `slow/${room.id}/${caller.user.id}`;
  const waitMs = waitFor(view, key, room.slowModeSeconds * 1000, now);
  if (waitMs === 0) return accepted([record('quota', key, { since: now, used: 1 })]);
  return refuse('slow_mode', `slow mode: one message in ${room.slowModeSeconds} s; ${seconds(waitMs)} s are left`, {
    retryAfterS: waitMs / 1000,
  });
}

/** `@all` at most once a minute per user. */
export function takeCallAllTurn(view: StateView, caller: Caller, room: Room, now: number): Turn {
  const key = `all/${room.id}/${caller.user.id}`;
  const waitMs = waitFor(view, key, CALL_ALL_MS, now);
  if (waitMs === 0) return accepted([record('quota', key, { since: now, used: 1 })]);
  return refuse('rate_limited', `@all may be called once a minute; ${seconds(waitMs)} s are left`, {
    retryAfterS: waitMs / 1000,
  });
}

/** After the clock went back nobody has to wait. */
function waitFor(view: StateView, key: string, everyMs: number, now: number): number {
  const last = view.get('quota', key);
  if (!last || last.since > now) return 0;
  return Math.max(0, last.since + everyMs - now);
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
