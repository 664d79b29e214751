import type { GoTime } from '../value.ts';
import { type CalendarDay, calendarDayOf, MONTH_NAMES, modulo, SECONDS_PER_DAY, WEEKDAY_NAMES } from './calendar.ts';
import { type LayoutElement, type LayoutPart, layoutParts } from './layout.ts';

/** The date and time of day of a time, in its own zone. */
export interface WallTime extends CalendarDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanoseconds: number;
  /** Seconds east of UTC. */
  readonly offset: number;
  readonly abbreviation: string;
}

export function wallTimeOf(time: GoTime): WallTime {
  const { offset, abbreviation } = time.zone.at(time.seconds);
  const shown = time.seconds + offset;
  const second = modulo(shown, SECONDS_PER_DAY);
  return {
    ...calendarDayOf(Math.floor(shown / SECONDS_PER_DAY)),
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
    nanoseconds: time.nanoseconds,
    offset,
    abbreviation,
  };
}

/** A whole number with zeros up to `width` digits, which a sign does not count as. */
export function padded(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
}

const twelveHours = (hour: number): number => hour % 12 || 12;

function offsetText(element: string, offset: number): string {
  if (element.startsWith('Z') && offset === 0) return 'Z';
  const minutes = Math.floor(Math.abs(offset) / 60);
  const colon = element.includes(':') ? ':' : '';
  // Go takes the sign from the whole minutes, so that 30 seconds west of UTC print as +00:00.
  let text = (offset < 0 && minutes > 0 ? '-' : '+') + padded(Math.floor(minutes / 60), 2);
  const pairs = element.replace(/[^0-9]/g, '').length / 2;
  if (pairs > 1) text += colon + padded(minutes % 60, 2);
  if (pairs > 2) text += colon + padded(secondsShown(offset, minutes), 2);
  return text;
}

const secondsShown = (offset: number, minutes: number): number =>
  offset < 0 && minutes === 0 ? offset % 60 : Math.abs(offset) % 60;

const WRITERS: Readonly<Record<LayoutElement, (wall: WallTime) => string>> = {
  January: (wall) => MONTH_NAMES[wall.month - 1] as string,
  Jan: (wall) => (MONTH_NAMES[wall.month - 1] as string).slice(0, 3),
  '1': (wall) => String(wall.month),
  '01': (wall) => padded(wall.month, 2),
  Monday: (wall) => WEEKDAY_NAMES[wall.weekday] as string,
  Mon: (wall) => (WEEKDAY_NAMES[wall.weekday] as string).slice(0, 3),
  '2': (wall) => String(wall.day),
  _2: (wall) => String(wall.day).padStart(2),
  '02': (wall) => padded(wall.day, 2),
  __2: (wall) => String(wall.yearDay).padStart(3),
  '002': (wall) => padded(wall.yearDay, 3),
  '15': (wall) => padded(wall.hour, 2),
  '3': (wall) => String(twelveHours(wall.hour)),
  '03': (wall) => padded(twelveHours(wall.hour), 2),
  '4': (wall) => String(wall.minute),
  '04': (wall) => padded(wall.minute, 2),
  '5': (wall) => String(wall.second),
  '05': (wall) => padded(wall.second, 2),
  '2006': (wall) => padded(wall.year, 4),
  '06': (wall) => padded(Math.abs(wall.year) % 100, 2),
  PM: (wall) => (wall.hour < 12 ? 'AM' : 'PM'),
  pm: (wall) => (wall.hour < 12 ? 'am' : 'pm'),
  MST: (wall) => wall.abbreviation || offsetText('-0700', wall.offset),
  Z0700: (wall) => offsetText('Z0700', wall.offset),
  Z070000: (wall) => offsetText('Z070000', wall.offset),
  Z07: (wall) => offsetText('Z07', wall.offset),
  'Z07:00': (wall) => offsetText('Z07:00', wall.offset),
  'Z07:00:00': (wall) => offsetText('Z07:00:00', wall.offset),
  '-0700': (wall) => offsetText('-0700', wall.offset),
  '-070000': (wall) => offsetText('-070000', wall.offset),
  '-07': (wall) => offsetText('-07', wall.offset),
  '-07:00': (wall) => offsetText('-07:00', wall.offset),
  '-07:00:00': (wall) => offsetText('-07:00:00', wall.offset),
};

function fractionText(part: LayoutPart & { kind: 'fraction' }, nanoseconds: number): string {
  const digits = padded(nanoseconds, 9).slice(0, part.digits);
  if (!part.trims) return part.separator + digits;
  const rest = digits.replace(/0+$/, '');
  return rest === '' ? '' : part.separator + rest;
}

/** Formats a time like Go's Time.Format, by a layout in terms of `Mon Jan 2 15:04:05 MST 2006`. */
export function formatGoTime(at: GoTime, layout: string): string {
  const wall = wallTimeOf(at);
  let text = '';
  for (const part of layoutParts(layout)) {
    if (part.kind === 'element') text += WRITERS[part.text](wall);
    else text += part.kind === 'literal' ? part.text : fractionText(part, wall.nanoseconds);
  }
  return text;
}

/** A time as templates print it. */
export const goTimeString = (at: GoTime): string => formatGoTime(at, '2006-01-02 15:04:05.999999999 -0700 MST');
