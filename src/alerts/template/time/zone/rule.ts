import { calendarDayOf, daysFromEpoch, daysInMonth, isLeapYear, modulo, SECONDS_PER_DAY } from '../calendar.ts';

/** The name of a zone's time, and its offset in seconds east of UTC. */
export interface ZonePeriod {
  readonly abbreviation: string;
  readonly offset: number;
}

/** The beginning of summer or winter time, in a year of local time. */
interface Switch {
  /** `month`: the `week`-th `weekday` of a month (week 5: the last); `julian`: day 1 to 365, never 29 February; `day`: 0 to 365. */
  readonly kind: 'month' | 'julian' | 'day';
  readonly month: number;
  readonly week: number;
  readonly day: number;
  /** Seconds after midnight, possibly negative or beyond the day. */
  readonly at: number;
}

/** The rule after the last recorded transition of a zone: one period, or two that alternate every year. */
export interface ZoneRule {
  readonly standard: ZonePeriod;
  readonly summer?: { readonly period: ZonePeriod; readonly begins: Switch; readonly ends: Switch };
}

const NAME = '(?:<([^>]+)>|([A-Za-z]{3,}))';
const OFFSET = '([-+]?\\d{1,3}(?::\\d{1,2}(?::\\d{1,2})?)?)';
const RULE = new RegExp(`^${NAME}${OFFSET}(?:${NAME}${OFFSET}?(?:,([^,]+),([^,]+))?)?$`);
const SWITCH = new RegExp(`^(?:M(\\d{1,2})\\.(\\d)\\.(\\d)|J(\\d{1,3})|(\\d{1,3}))(?:/${OFFSET})?$`);

/** The default dates of summer time, which POSIX leaves open; implementations use those of the USA. */
const USUAL_SWITCHES = ['M3.2.0', 'M11.1.0'] as const;

function secondsOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[-+]/, '').split(':').map(Number);
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

function readSwitch(text: string): Switch | undefined {
  const match = SWITCH.exec(text);
  if (!match) return undefined;
  const [, month, week, weekday, julian, day, at] = match;
  const kind = month ? 'month' : julian ? 'julian' : 'day';
  return {
    kind,
    month: Number(month ?? 0),
    week: Number(week ?? 0),
    day: Number(weekday ?? julian ?? day),
    at: at ? secondsOf(at) : 7200,
  };
}

/** Reads the rule at the end of a zone file, in the notation of POSIX's TZ (`CET-1CEST,M3.5.0,M10.5.0/3`). */
export function readZoneRule(text: string): ZoneRule | undefined {
  const match = RULE.exec(text);
  if (!match) return undefined;
  const [, quoted, plain, offset, summerQuoted, summerPlain, summerOffset, beginText, endText] = match;
  const standard = { abbreviation: (quoted ?? plain) as string, offset: 0 - secondsOf(offset as string) };
  const abbreviation = summerQuoted ?? summerPlain;
  if (abbreviation === undefined) return { standard };
  const begins = readSwitch(beginText ?? USUAL_SWITCHES[0]);
  const ends = readSwitch(endText ?? USUAL_SWITCHES[1]);
  if (!begins || !ends) return undefined;
  const period = { abbreviation, offset: summerOffset ? 0 - secondsOf(summerOffset) : standard.offset + 3600 };
  return { standard, summer: { period, begins, ends } };
}

/** Seconds of local time from the start of a year to a switch. */
function secondOfYear(rule: Switch, year: number): number {
  const newYear = daysFromEpoch(year, 1, 1);
  if (rule.kind === 'day') return rule.day * SECONDS_PER_DAY + rule.at;
  if (rule.kind === 'julian') {
    const day = rule.day - 1 + (isLeapYear(year) && rule.day >= 60 ? 1 : 0);
    return day * SECONDS_PER_DAY + rule.at;
  }
  const first = daysFromEpoch(year, rule.month, 1);
  let day = modulo(rule.day - modulo(first + 4, 7), 7) + (rule.week - 1) * 7;
  if (day >= daysInMonth(rule.month, year)) day -= 7;
  return (first - newYear + day) * SECONDS_PER_DAY + rule.at;
}

/** The period of an instant, in seconds since the epoch. */
export function periodOfRule(rule: ZoneRule, unixSeconds: number): ZonePeriod {
  const { standard, summer } = rule;
  if (!summer) return standard;
  const { year } = calendarDayOf(Math.floor(unixSeconds / SECONDS_PER_DAY));
  const second = unixSeconds - daysFromEpoch(year, 1, 1) * SECONDS_PER_DAY;
  const begin = secondOfYear(summer.begins, year) - standard.offset;
  const end = secondOfYear(summer.ends, year) - summer.period.offset;
  const isSummer = begin < end ? second >= begin && second < end : second >= begin || second < end;
  return isSummer ? summer.period : standard;
}
