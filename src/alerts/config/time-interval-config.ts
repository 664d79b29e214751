import { type InclusiveRange, isLocation, type MinuteRange, type TimeInterval } from '../domain/time-interval.ts';
import type { ConfigNode } from './config-node.ts';
import { type Kind, list, located, object, optional, text, withDefault } from './kind.ts';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** One member, or two joined by a colon; `check` returns the problem of the range. */
function range(
  read: (word: string) => number | string,
  check: (range: InclusiveRange) => string | undefined,
  print: (member: number) => string = String,
): Kind<InclusiveRange> {
  return {
    read(node) {
      const written = node.text().toLowerCase();
      const words = written.split(':');
      if (words.length > 2) throw node.fault(`couldn't parse range ${written}, invalid format`);
      const [begin, end = begin] = words.map((word) => memberOf(node, read(word)));
      const value = { begin: begin as number, end: end as number };
      const wrong = check(value);
      if (wrong !== undefined) throw node.fault(wrong);
      return value;
    },
    print: ({ begin, end }) => (begin === end ? print(begin) : `${print(begin)}:${print(end)}`),
  };
}

function memberOf(node: ConfigNode, member: number | string): number {
  if (typeof member === 'string') throw node.fault(member);
  return member;
}

function readNumber(word: string): number | string {
  return /^[+-]?\d{1,15}$/.test(word) ? Number(word) : `${JSON.stringify(word)} is not a whole number`;
}

const weekdayRange = range(
  (word) => {
    const day = WEEKDAYS.indexOf(word);
    return day < 0 ? `${word} is not a valid weekday` : day;
  },
  ({ begin, end }) => (begin > end ? 'start day cannot be before end day' : undefined),
  (day) => WEEKDAYS[day] as string,
);

const dayOfMonthRange = range(readNumber, ({ begin, end }) => {
  for (const day of [begin, end]) {
    if (day === 0 || Math.abs(day) > 31) return `${day} is not a valid day of the month: out of range`;
  }
  if (begin < 0 && end > 0) return 'end day must be negative if start day is negative';
  // Counted from the end of the shortest month.
  const inFebruary = (day: number) => (day < 0 ? 28 + day : day);
  return inFebruary(begin) > inFebruary(end) ? `end day ${end} is always before start day ${begin}` : undefined;
});

const monthRange = range(
  (word) => {
    const month = MONTHS.indexOf(word) + 1;
    if (month > 0) return month;
    const number = readNumber(word);
    return typeof number === 'string' ? `${word} is not a valid month` : number;
  },
  ({ begin, end }) => {
    for (const month of [begin, end]) if (month < 1 || month > 12) return `${month} is not a valid month`;
    return begin > end ? `end month ${MONTHS[end - 1]} is before start month ${MONTHS[begin - 1]}` : undefined;
  },
);

const yearRange = range(readNumber, ({ begin, end }) =>
  begin > end ? `end year ${end} is before start year ${begin}` : undefined,
);

const timeFields = object({ start_time: withDefault(text, ''), end_time: withDefault(text, '') });

const timeRange: Kind<MinuteRange> = {
  read(node) {
    const { startTime, endTime } = timeFields.read(node);
    if (startTime === '' || endTime === '') throw node.fault('both start and end times must be provided');
    const startMinute = readMinutes(node, startTime);
    const endMinute = readMinutes(node, endTime);
    if (startMinute >= endMinute) throw node.fault('start time cannot be equal or greater than end time');
    return { startMinute, endMinute };
  },
  print: ({ startMinute, endMinute }) => ({ start_time: printMinutes(startMinute), end_time: printMinutes(endMinute) }),
};

function readMinutes(node: ConfigNode, time: string): number {
  const match = /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(time);
  if (!match) throw node.fault(`couldn't parse timestamp ${time}, invalid format`);
  return match[1] === undefined ? 24 * 60 : Number(match[1]) * 60 + Number(match[2]);
}

function printMinutes(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

const location: Kind<string> = {
  read(node) {
    const name = node.text();
    if (!isLocation(name)) throw node.fault(`unknown time zone ${node.written()}`);
    return name === '' ? 'UTC' : name;
  },
  print: (name) => name,
};

const intervalFields = {
  times: optional(list(timeRange)),
  weekdays: optional(list(weekdayRange)),
  days_of_month: optional(list(dayOfMonthRange)),
  months: optional(list(monthRange)),
  years: optional(list(yearRange)),
  location: optional(location),
};

const timeInterval: Kind<TimeInterval> = object(intervalFields);

/** An interval with its required name; `what` names it in errors. */
function namedInterval(what: string) {
  const fields = {
    name: withDefault(text, ''),
    time_intervals: withDefault(list(timeInterval), []),
  };
  return located(object(fields, ({ name }) => (name === '' ? `missing name in ${what}` : undefined)));
}

/** `time_intervals` of the file. */
export const timeIntervals = list(namedInterval('time interval'));

/** `mute_time_intervals` of the file, the old name for the same. */
export const muteTimeIntervals = list(namedInterval('mute time interval'));
