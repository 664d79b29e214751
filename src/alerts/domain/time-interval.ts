/** From `begin` to `end`, both included. */
export interface InclusiveRange {
  readonly begin: number;
  readonly end: number;
}

/** Minutes since midnight; the end is not included. 1440 is the end of the day. */
export interface MinuteRange {
  readonly startMinute: number;
  readonly endMinute: number;
}

/** A recurring time: all given fields must match, each by at least one of its ranges. */
export interface TimeInterval {
  readonly times?: readonly MinuteRange[] | undefined;
  /** 0 is Sunday. */
  readonly weekdays?: readonly InclusiveRange[] | undefined;
  /** 1 to 31, or -1 to -31 counted from the end of the month. */
  readonly daysOfMonth?: readonly InclusiveRange[] | undefined;
  /** 1 to 12 */
  readonly months?: readonly InclusiveRange[] | undefined;
  readonly years?: readonly InclusiveRange[] | undefined;
  /** A name of the IANA time zone database, or `Local` for the server's zone; UTC by default. */
  readonly location?: string | undefined;
}

export interface NamedTimeInterval {
  readonly name: string;
  /** One of them is enough. */
  readonly intervals: readonly TimeInterval[];
}

/** A local date and time. */
interface WallTime {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly minuteOfDay: number;
}

/** Whether an instant (epoch milliseconds) lies inside the interval, in local time of its location. */
export function isInside(interval: TimeInterval, at: number): boolean {
  const { times, weekdays, daysOfMonth, months, years } = interval;
  const { year, month, day, minuteOfDay } = wallTimeAt(interval.location ?? 'UTC', at);
  if (times && !times.some(({ startMinute, endMinute }) => minuteOfDay >= startMinute && minuteOfDay < endMinute)) {
    return false;
  }
  if (daysOfMonth && !isDayOfMonth(daysOfMonth, day, daysIn(year, month))) return false;
  if (months && !contains(months, month)) return false;
  if (weekdays && !contains(weekdays, weekdayOf(year, month, day))) return false;
  return !years || contains(years, year);
}

/** Whether a location is known: a name of the IANA time zone database, `UTC`, `Local`, or empty, which is UTC. */
export function isLocation(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true;
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch {
    return false;
  }
}

function contains(ranges: readonly InclusiveRange[], value: number): boolean {
  return ranges.some(({ begin, end }) => value >= begin && value <= end);
}

function isDayOfMonth(ranges: readonly InclusiveRange[], day: number, days: number): boolean {
  const fromStart = (counted: number) => (counted < 0 ? days + counted + 1 : counted);
  return ranges.some(({ begin, end }) => day >= fromStart(begin) && day <= fromStart(end));
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

function wallTimeAt(location: string, at: number): WallTime {
  if (location === '' || location === 'UTC') return wallTimeOf(at);
  if (location === 'Local') {
    const date = new Date(at);
    return {
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      minuteOfDay: date.getHours() * 60 + date.getMinutes(),
    };
  }
  return clockOf(location)(at);
}

function wallTimeOf(at: number): WallTime {
  const date = new Date(at);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    minuteOfDay: date.getUTCHours() * 60 + date.getUTCMinutes(),
  };
}

type ZoneClock = (at: number) => WallTime;

/** Caches: formatters and formatting are slow, and a flush needs the same second repeatedly. */
const clocks = new Map<string, ZoneClock>();

/** Throws a RangeError for an unknown zone. */
function clockOf(location: string): ZoneClock {
  let clock = clocks.get(location);
  if (!clock) {
    clock = createClock(location);
    clocks.set(location, clock);
  }
  return clock;
}

function createClock(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  let second = Number.NaN;
  let shown: WallTime = wallTimeOf(0);
  return (at) => {
    const asked = Math.floor(at / 1000);
    if (asked !== second) {
      shown = readParts(format.formatToParts(asked * 1000));
      second = asked;
    }
    return shown;
  };
}

function readParts(parts: readonly Intl.DateTimeFormatPart[]): WallTime {
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    minuteOfDay: part('hour') * 60 + part('minute'),
  };
}
