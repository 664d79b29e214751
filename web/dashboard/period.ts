import type { TimeSpan } from '../../src/dashboard/domain/view.ts';
import { instantOf, wallTimeIn } from './format.ts';
import type { TimeRange } from './state.ts';

const MINUTE_MS = 60_000;

/**
 * The period before (-1) or after (1) one, just as long. `span` is what the period came to, in epoch milliseconds; of a
 * custom one what was typed counts, to the end of its last minute.
 */
export function shiftPeriod(time: TimeRange, span: TimeSpan, zone: string, direction: -1 | 1): TimeRange {
  const isCustom = time.mode === 'custom';
  const from = (isCustom ? instantOf(zone, withTime(time.customFrom, '00:00')) : undefined) ?? span.from;
  const to = (isCustom ? instantOf(zone, withTime(time.customTo, '23:59')) : undefined) ?? span.to;
  const length = to - from + (isCustom ? MINUTE_MS : 0);
  const wall = (at: number) => wallTimeIn(zone, at + direction * length);
  return { ...time, mode: 'custom', customFrom: wall(from), customTo: wall(to) };
}

/** A wall time to the minute; a date alone gets the time. */
export const withTime = (wall: string, time: string): string => (wall.length === 10 ? `${wall}T${time}` : wall);
