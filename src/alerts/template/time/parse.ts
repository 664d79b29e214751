import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { GoTime, type GoZone } from '../value.ts';
import {
  daysBeforeMonth,
  daysFromEpoch,
  daysInMonth,
  isLeapYear,
  MONTH_NAMES,
  SECONDS_PER_DAY,
  WEEKDAY_NAMES,
} from './calendar.ts';
import { type LayoutElement, type LayoutPart, layoutParts } from './layout.ts';
import { readFraction, readOffset, readZoneName } from './parse-zone.ts';
import { FixedZone, UTC_ZONE } from './zone/zone.ts';

/** The parts of a time read so far; a month, day or day of the year of -1 is absent. */
export interface Reading {
  /** The rest of the text. */
  rest: string;
  year: number;
  month: number;
  day: number;
  yearDay: number;
  hour: number;
  minute: number;
  second: number;
  nanoseconds: number;
  half: 'am' | 'pm' | undefined;
  zone: GoZone | undefined;
  /** Seconds east of UTC. */
  offset: number | undefined;
  zoneName: string;
}

/** `bad`: the text does not match; `range`: the part that is out of range. */
export type Problem = 'bad' | { readonly range: string } | undefined;

type Reader = (reading: Reading) => Problem;

/** Go's quoting in these errors: bytes that are not printable ASCII in hexadecimal. */
function quote(text: string): string {
  const escaped = text.replace(/["\\]|[^ -\x7f]/gu, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`;
    return [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `"${escaped}"`;
}

/** Takes one or two digits; with `fixed`, two. */
function takeNumber(reading: Reading, fixed: boolean): number | undefined {
  const match = (fixed ? /^\d\d/ : /^\d\d?/).exec(reading.rest);
  if (!match) return undefined;
  reading.rest = reading.rest.slice(match[0].length);
  return Number(match[0]);
}

const lowered = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function takeName(reading: Reading, names: readonly string[]): number {
  const place = names.findIndex((name) => lowered(reading.rest.slice(0, name.length)) === lowered(name));
  if (place >= 0) reading.rest = reading.rest.slice((names[place] as string).length);
  return place;
}

type Field = 'month' | 'day' | 'hour' | 'minute' | 'second';

function number(field: Field, fixed: boolean, least: number, most: number): Reader {
  return (reading) => {
    const read = takeNumber(reading, fixed);
    if (read === undefined) return 'bad';
    reading[field] = read;
    return read < least || read > most ? { range: field } : undefined;
  };
}

function monthName(names: readonly string[]): Reader {
  return (reading) => {
    reading.month = takeName(reading, names) + 1;
    return reading.month === 0 ? 'bad' : undefined;
  };
}

function weekdayName(names: readonly string[]): Reader {
  return (reading) => (takeName(reading, names) < 0 ? 'bad' : undefined);
}

const dropSpaces = (reading: Reading, most: number) => {
  for (let i = 0; i < most && reading.rest.startsWith(' '); i++) reading.rest = reading.rest.slice(1);
};

const anyDay = number('day', false, 0, 99);

function readYearDay(reading: Reading, fixed: boolean): Problem {
  const match = (fixed ? /^\d{3}/ : /^\d{1,3}/).exec(reading.rest);
  if (!match) return 'bad';
  reading.yearDay = Number(match[0]);
  reading.rest = reading.rest.slice(match[0].length);
  return undefined;
}

function readYear(reading: Reading, digits: 2 | 4): Problem {
  const text = reading.rest.slice(0, digits);
  if (text.length < digits || !(digits === 2 ? /^[-+\d]\d$/ : /^\d{4}$/).test(text)) return 'bad';
  const read = Number(text);
  reading.year = digits === 4 ? read : read + (read >= 69 ? 1900 : 2000);
  reading.rest = reading.rest.slice(digits);
  return undefined;
}

function halfOfDay(am: string, pm: string): Reader {
  return (reading) => {
    const text = reading.rest.slice(0, 2);
    if (text !== am && text !== pm) return 'bad';
    reading.half = text === am ? 'am' : 'pm';
    reading.rest = reading.rest.slice(2);
    return undefined;
  };
}

const SHORT_MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3));
const SHORT_WEEKDAYS = WEEKDAY_NAMES.map((name) => name.slice(0, 3));

type OffsetElement = Extract<LayoutElement, `${'Z' | '-'}${string}`>;
type PlainElement = Exclude<LayoutElement, OffsetElement>;

const READERS: Readonly<Record<PlainElement, Reader>> = {
  '2006': (reading) => readYear(reading, 4),
  '06': (reading) => readYear(reading, 2),
  January: monthName(MONTH_NAMES),
  Jan: monthName(SHORT_MONTHS),
  '1': number('month', false, 1, 12),
  '01': number('month', true, 1, 12),
  Monday: weekdayName(WEEKDAY_NAMES),
  Mon: weekdayName(SHORT_WEEKDAYS),
  '2': anyDay,
  _2: (reading) => {
    dropSpaces(reading, 1);
    return anyDay(reading);
  },
  '02': number('day', true, 0, 99),
  __2: (reading) => {
    dropSpaces(reading, 2);
    return readYearDay(reading, false);
  },
  '002': (reading) => readYearDay(reading, true),
  '15': number('hour', false, 0, 23),
  '3': number('hour', false, 0, 12),
  '03': number('hour', true, 0, 12),
  '4': number('minute', false, 0, 59),
  '04': number('minute', true, 0, 59),
  '5': number('second', false, 0, 59),
  '05': number('second', true, 0, 59),
  PM: halfOfDay('AM', 'PM'),
  pm: halfOfDay('am', 'pm'),
  MST: readZoneName,
};

function readElement(reading: Reading, parts: readonly LayoutPart[], index: number): Problem {
  const part = parts[index] as LayoutPart;
  if (part.kind === 'fraction') return readFraction(reading, part.trims ? undefined : part.digits);
  const element = part.text as LayoutElement;
  if (!(element in READERS)) return readOffset(reading, element);
  const problem = READERS[element as PlainElement](reading);
  if (problem || (element !== '5' && element !== '05') || !/^[.,]\d/.test(reading.rest)) return problem;
  // A fraction may follow the seconds even if the layout has none.
  const next = parts.slice(index + 1).find((later) => later.kind !== 'literal');
  return next?.kind === 'fraction' ? undefined : readFraction(reading, undefined);
}

/** Takes a literal, whose spaces match any number of spaces; false if the text differs. */
function skip(reading: Reading, literal: string): boolean {
  for (const piece of literal.match(/ +|[^ ]/gu) ?? []) {
    if (piece.startsWith(' ')) {
      if (reading.rest !== '' && !reading.rest.startsWith(' ')) return false;
      reading.rest = reading.rest.replace(/^ +/, '');
    } else if (reading.rest.startsWith(piece)) {
      reading.rest = reading.rest.slice(piece.length);
    } else {
      return false;
    }
  }
  return true;
}

/** Converts a day of the year to month and day; returns the problem if it does not fit. */
function placeYearDay(reading: Reading): string | undefined {
  const { year, yearDay } = reading;
  if (yearDay < 1 || yearDay > (isLeapYear(year) ? 366 : 365)) return 'day-of-year out of range';
  let month = 12;
  while (daysBeforeMonth(month, year) >= yearDay) month--;
  const day = yearDay - daysBeforeMonth(month, year);
  if (reading.month >= 0 && reading.month !== month) return 'day-of-year does not match month';
  if (reading.day >= 0 && reading.day !== day) return 'day-of-year does not match day';
  reading.month = month;
  reading.day = day;
  return undefined;
}

function placeDay(reading: Reading): string | undefined {
  if (reading.yearDay >= 0) {
    const problem = placeYearDay(reading);
    if (problem) return problem;
  }
  if (reading.month < 0) reading.month = 1;
  if (reading.day < 0) reading.day = 1;
  return reading.day < 1 || reading.day > daysInMonth(reading.month, reading.year) ? 'day out of range' : undefined;
}

function timeOf(reading: Reading): GoTime {
  let hour = reading.hour;
  if (reading.half === 'pm' && hour < 12) hour += 12;
  else if (reading.half === 'am' && hour === 12) hour = 0;
  const days = daysFromEpoch(reading.year, reading.month, reading.day);
  const seconds = days * SECONDS_PER_DAY + hour * 3600 + reading.minute * 60 + reading.second;
  const { zone, offset, zoneName } = reading;
  if (zone) return new GoTime(seconds, reading.nanoseconds, zone);
  if (offset !== undefined) {
    const isUtc = offset === 0 && (zoneName === '' || zoneName === 'UTC');
    return new GoTime(seconds - offset, reading.nanoseconds, isUtc ? UTC_ZONE : new FixedZone(zoneName, offset));
  }
  if (zoneName === '') return new GoTime(seconds, reading.nanoseconds, UTC_ZONE);
  // A name has no offset, except GMT+3; Go then changes the clock, not the instant.
  const hours = /^GMT[-+]\d+$/.test(zoneName) ? Number(zoneName.slice(3)) : 0;
  return new GoTime(seconds, reading.nanoseconds, new FixedZone(zoneName, hours * 3600));
}

const newReading = (text: string): Reading => ({
  rest: text,
  year: 0,
  month: -1,
  day: -1,
  yearDay: -1,
  hour: 0,
  minute: 0,
  second: 0,
  nanoseconds: 0,
  half: undefined,
  zone: undefined,
  offset: undefined,
  zoneName: '',
});

/** Reads a time as Go's time.ParseInLocation does with UTC; the refusals are Go's. */
export function parseGoTime(layout: string, text: string): Outcome<GoTime> {
  const reading = newReading(text);
  const fault = (what: string) => refused(`parsing time ${quote(text)}: ${what}`);
  const mismatch = (value: string, element: string) =>
    refused(`parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(value)} as ${quote(element)}`);
  const parts = layoutParts(layout);
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'literal') {
      if (!skip(reading, part.text)) return mismatch(reading.rest, part.text);
      continue;
    }
    const held = reading.rest;
    const problem = readElement(reading, parts, index);
    if (problem === 'bad') return mismatch(held, part.text);
    if (problem) return fault(`${problem.range} out of range`);
  }
  if (reading.rest !== '') return fault(`extra text: ${quote(reading.rest)}`);
  const problem = placeDay(reading);
  return problem ? fault(problem) : accepted(timeOf(reading));
}
