import type { TimeSpan } from '../../../src/dashboard/domain/view.ts';
import type { TimeRange } from '../data/state.ts';
import { instantOf, wallTimeIn } from '../text/format.ts';

const MINUTE_MS = 60_000;

/**
 * The previous (-1) or next (1) period of equal length, without a common minute: typed times extend to the end of their
 * last minute. `span` is the resolved period in epoch milliseconds; a custom period is shifted by the typed wall times,
 * so that the day before a day of 23 hours is a whole one.
 */
export function shiftPeriod(time: TimeRange, span: TimeSpan, zone: string, direction: -1 | 1): TimeRange {
  const [first, last] = minutesOf(time, span, zone, direction);
  const move = direction * (last - first + MINUTE_MS);
  return { ...time, mode: 'custom', customFrom: wallOf(first + move), customTo: wallOf(last + move) };
}

/** The wall times of the first and last minute, in milliseconds as if they were UTC. */
function minutesOf(time: TimeRange, span: TimeSpan, zone: string, direction: -1 | 1): readonly [number, number] {
  const shown = (at: number) => readWall(wallTimeIn(zone, at));
  if (time.mode === 'custom') {
    const typed = [withTime(time.customFrom, '00:00'), withTime(time.customTo, '23:59')].map((wall) =>
      instantOf(zone, wall) === undefined ? undefined : readWall(wall),
    );
    const [from = shown(span.from), to = shown(span.to)] = typed;
    return from <= to ? [from, to] : [to, from];
  }
  // It may end within a minute: the partial minute on the side of the move counts.
  const length = Math.max(MINUTE_MS, Math.ceil((span.to - span.from) / MINUTE_MS) * MINUTE_MS);
  const [from, to] = [shown(span.from), shown(span.to)];
  return direction < 0 ? [from, from + length - MINUTE_MS] : [to - length + MINUTE_MS, to];
}

const readWall = (wall: string): number => Date.parse(`${wall}:00Z`);
const wallOf = (at: number): string => new Date(at).toISOString().slice(0, 16);

/** A wall time to the minute; `time` is added to a date alone. */
export const withTime = (wall: string, time: string): string => (wall.length === 10 ? `${wall}T${time}` : wall);
