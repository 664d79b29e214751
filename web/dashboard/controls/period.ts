import type { TimeSpan } from '../../../src/dashboard/domain/view.ts';
import type { TimeRange } from '../data/state.ts';
import { instantOf, wallTimeIn } from '../text/format.ts';

const MINUTE_MS = 60_000;

/**
 * The period before (-1) or after (1) one, just as long and without a minute in common: what is typed reaches to the end
 * of its last minute. `span` is what the period came to, in epoch milliseconds; of a custom one what was typed counts, by
 * the clocks of the zone: the day before a day of 23 hours is a whole one.
 */
export function shiftPeriod(time: TimeRange, span: TimeSpan, zone: string, direction: -1 | 1): TimeRange {
  const [first, last] = minutesOf(time, span, zone, direction);
  const move = direction * (last - first + MINUTE_MS);
  return { ...time, mode: 'custom', customFrom: wallOf(first + move), customTo: wallOf(last + move) };
}

/** The first and the last minute, as clocks show them, in milliseconds as if they were UTC. */
function minutesOf(time: TimeRange, span: TimeSpan, zone: string, direction: -1 | 1): readonly [number, number] {
  const shown = (at: number) => readWall(wallTimeIn(zone, at));
  if (time.mode === 'custom') {
    const typed = [withTime(time.customFrom, '00:00'), withTime(time.customTo, '23:59')].map((wall) =>
      instantOf(zone, wall) === undefined ? undefined : readWall(wall),
    );
    const [from = shown(span.from), to = shown(span.to)] = typed;
    return from <= to ? [from, to] : [to, from];
  }
  // It ends at some second: of the minutes that it has only a part of, that on the side of the move is its own.
  const length = Math.max(MINUTE_MS, Math.ceil((span.to - span.from) / MINUTE_MS) * MINUTE_MS);
  const [from, to] = [shown(span.from), shown(span.to)];
  return direction < 0 ? [from, from + length - MINUTE_MS] : [to - length + MINUTE_MS, to];
}

const readWall = (wall: string): number => Date.parse(`${wall}:00Z`);
const wallOf = (at: number): string => new Date(at).toISOString().slice(0, 16);

/** A wall time to the minute; a date alone gets the time. */
export const withTime = (wall: string, time: string): string => (wall.length === 10 ? `${wall}T${time}` : wall);
