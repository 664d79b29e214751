import type { Clock } from '../clock.ts';

/** How long a node may be silent before another takes what it holds. */
export const LEASE_MS = 4_000;
/** Between two renewals. */
export const RENEW_MS = 1_000;
/** What must be left of a lease before something is done under it. */
const MARGIN_MS = 1_000;

/** In milliseconds. The monotonic clock stands still while a machine is suspended, and the wall clock may be set. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Now, by a clock of this machine: a lease is measured without PostgreSQL. */
export function momentOf(clock: Clock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** Whether a lease granted or renewed after `since` holds for a while. False after the process was suspended. */
export function isFresh(since: Moment, clock: Clock): boolean {
  const { monotonic, wall } = momentOf(clock);
  return Math.max(monotonic - since.monotonic, wall - since.wall) < LEASE_MS - MARGIN_MS;
}
