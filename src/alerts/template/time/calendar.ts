export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const WEEKDAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

export const SECONDS_PER_DAY = 86_400;

/** Days before each month of a year without 29 February. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const;

/** The days of 400 years of the Gregorian calendar, after which it repeats. */
const DAYS_PER_ERA = 146_097;

/** 1970-01-01, counted in days from 0000-03-01. */
const EPOCH_FROM_MARCH_0 = 719_468;

/** A day of the proleptic Gregorian calendar; months count from 1, `yearDay` from 1. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly yearDay: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** The days of a month of 1 to 12. */
export function daysInMonth(month: number, year: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return (DAYS_BEFORE[month] as number) - (DAYS_BEFORE[month - 1] as number);
}

/** The days of the year before a month of 1 to 12. */
export function daysBeforeMonth(month: number, year: number): number {
  return (DAYS_BEFORE[month - 1] as number) + (month > 2 && isLeapYear(year) ? 1 : 0);
}

/** The remainder with the sign of the divisor. */
export const modulo = (value: number, divisor: number): number => value - Math.floor(value / divisor) * divisor;

/** Days from 1970-01-01 to a day; months beyond 1 to 12 and days beyond the month count on, as in Go's time.Date. */
export function daysFromEpoch(year: number, month: number, day: number): number {
  const monthIndex = modulo(month - 1, 12);
  const realYear = year + Math.floor((month - 1) / 12);
  const marchYear = monthIndex < 2 ? realYear - 1 : realYear;
  const marchMonth = modulo(monthIndex - 2, 12);
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfMarchYear = Math.floor((153 * marchMonth + 2) / 5);
  return marchYear * 365 + leapDays + dayOfMarchYear + (day - 1) - EPOCH_FROM_MARCH_0;
}

/** The day that lies `days` after 1970-01-01. */
export function calendarDayOf(days: number): CalendarDay {
  const sinceMarch0 = days + EPOCH_FROM_MARCH_0;
  const era = Math.floor(sinceMarch0 / DAYS_PER_ERA);
  const dayOfEra = sinceMarch0 - era * DAYS_PER_ERA;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfMarchYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfMarchYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  const day = dayOfMarchYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  return { year, month, day, yearDay: daysBeforeMonth(month, year) + day, weekday: modulo(days + 4, 7) };
}

/** The year and number of the ISO 8601 week in which a day lies. */
export function isoWeekOf(day: CalendarDay): readonly [year: number, week: number] {
  const thursday = calendarDayOf(daysFromEpoch(day.year, day.month, day.day) + 3 - modulo(day.weekday + 6, 7));
  return [thursday.year, Math.floor((thursday.yearDay - 1) / 7) + 1];
}
