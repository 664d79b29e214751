import { h } from '../../shared/dom.ts';
import { locale, t } from '../text/text.ts';
import { printMoments } from './utc-moments.ts';

const HOURS = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const TIME = new Intl.DateTimeFormat(locale, HOURS);
const DAY = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
/** With the zone, as every other text leaves it out. */
const FULL = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });
const SHORT = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const MOMENT = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', ...HOURS });

const unit = (name: string, minimumIntegerDigits = 1) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'narrow', minimumIntegerDigits });
const DAYS = unit('day');
const HOUR = unit('hour');
const MINUTE = unit('minute');
const MINUTE_2 = unit('minute', 2);
const SECOND = unit('second');
const SECOND_2 = unit('second', 2);

const DAY_MS = 86_400_000;

export const printTime = (at: number): string => TIME.format(at);
export const printFull = (at: number): string => FULL.format(at);

/** The number of the day, in the time zone of the browser. */
export function dayOf(at: number): number {
  const day = new Date(at);
  return day.getFullYear() * 10_000 + (day.getMonth() + 1) * 100 + day.getDate();
}

/** A text of the server with its moments in the time zone of the browser. */
export const withLocalTimes = (text: string): string => printMoments(text, (at) => MOMENT.format(at));

export function printDay(at: number, now: number): string {
  if (dayOf(at) === dayOf(now)) return t('day.today');
  if (dayOf(at) === dayOf(now - DAY_MS)) return t('day.yesterday');
  return new Date(at).getFullYear() === new Date(now).getFullYear()
    ? DAY.format(at)
    : `${DAY.format(at)} ${new Date(at).getFullYear()}`;
}

/** The age of an instant: `now`, `12m`, `3h`, `2d`, then the day. */
export function printAge(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return t('age.now');
  if (minutes < 60) return MINUTE.format(minutes);
  if (minutes < 24 * 60) return HOUR.format(Math.floor(minutes / 60));
  if (minutes < 7 * 24 * 60) return DAYS.format(Math.floor(minutes / (24 * 60)));
  return SHORT.format(at);
}

/** The age of an RFC 3339 instant as an element, with day and zone in its title. */
export function timeAgo(instant: string, now: number): HTMLTimeElement {
  const at = Date.parse(instant);
  return h('time', { datetime: instant, title: printFull(at) }, printAge(at, now));
}

/** A length of time in its two largest units: `1h 05m`, `3m 20s`. */
export function printLength(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  if (d > 0) return `${DAYS.format(d)} ${HOUR.format(h)}`;
  if (h > 0) return `${HOUR.format(h)} ${MINUTE_2.format(m)}`;
  return m > 0 ? `${MINUTE.format(m)} ${SECOND_2.format(s)}` : SECOND.format(s);
}

export function printSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 ** 2).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}
