import type { Language } from '../../shared/language.ts';

const MINUTE_MS = 60_000;

/** Formats numbers, money and instants in a language and a time zone. */
export interface Format {
  readonly locale: string;
  readonly zone: string;
  /** `1,234`. */
  count(value: number): string;
  /** `6.14M`; show the exact value in a title. */
  compact(value: number): string;
  /** Cents as US dollars; four decimals below one cent. */
  money(cents: number): string;
  /** 0 to 1 as per cent. */
  percent(share: number): string;
  /** A number with at most `digits` decimals. */
  decimal(value: number, digits: number): string;
  /** `12 Jun 2026, 14:03`. */
  dateTime(at: number): string;
  /** `12 Jun, 14:03`. */
  shortDateTime(at: number): string;
  time(at: number): string;
  /** A calendar date `YYYY-MM-DD` as `Fri 12 Jun 2026`. */
  day(dayKey: string): string;
  /** `CEST`, `UTC+2`. */
  zoneName(at: number): string;
  /** `2 min ago`. */
  ago(at: number, now: number): string;
  bytes(value: number): string;
}

/** The locale for a language that fits the browser's preferences best. */
export function localeOf(language: Language, wishes: readonly string[]): string {
  return (
    wishes.find((wish) => wish === language || wish.startsWith(`${language}-`)) ??
    (language === 'en' ? 'en-GB' : 'de-DE')
  );
}

export function createFormat(locale: string, zone: string): Format {
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
  const count = number({ maximumFractionDigits: 0 });
  // British English writes 6.14m, which reads as metres.
  const compactLocale = locale.startsWith('en') ? 'en-US' : locale;
  const compact = new Intl.NumberFormat(compactLocale, { notation: 'compact', maximumSignificantDigits: 3 });
  const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  const money = number(dollars);
  const fineMoney = number({ ...dollars, minimumFractionDigits: 4, maximumFractionDigits: 4 });
  const percent = number({ style: 'percent', maximumFractionDigits: 1 });
  const short = date({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const long = date({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  const time = date({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const zoneName = date({ timeZoneName: 'short' });
  const day = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return {
    locale,
    zone,
    count: (value) => count.format(value),
    compact: (value) => (Math.abs(value) < 10_000 ? count.format(value) : compact.format(value)),
    money: (cents) => (cents !== 0 && Math.abs(cents) < 1 ? fineMoney : money).format(cents / 100),
    percent: (share) => percent.format(share),
    decimal: (value, digits) => number({ maximumFractionDigits: digits }).format(value),
    dateTime: (at) => long.format(at),
    shortDateTime: (at) => short.format(at),
    time: (at) => time.format(at),
    day: (dayKey) => day.format(Date.parse(`${dayKey}T00:00:00Z`)),
    zoneName: (at) => zoneName.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone,
    ago: (at, now) => ago(locale, at, now),
    bytes: (value) => number({ style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }).format(value / 1e6),
  };
}

function ago(locale: string, at: number, now: number): string {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
  const minutes = Math.round((at - now) / MINUTE_MS);
  if (Math.abs(minutes) < 60) return words.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 48 ? words.format(hours, 'hour') : words.format(Math.round(hours / 24), 'day');
}

/** The calendar date of an instant, `YYYY-MM-DD`, in a zone. */
export function dateIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    at,
  );
}

/** The wall time of an instant in a zone to the minute, as a `datetime-local` field takes it. */
export function wallTimeIn(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`;
}

/**
 * The instant of a wall time `YYYY-MM-DDTHH:MM` in a zone; the earlier of two, and for a skipped time the instant after
 * the change. Undefined for other texts.
 */
export function instantOf(zone: string, wall: string): number | undefined {
  const asUtc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(wall) ? Date.parse(`${wall}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return undefined;
  const offsetAt = (at: number) => Date.parse(`${wallTimeIn(zone, at)}:00Z`) - Math.floor(at / MINUTE_MS) * MINUTE_MS;
  const day = 86_400_000;
  const candidates = [offsetAt(asUtc - day), offsetAt(asUtc + day)].map((offset) => asUtc - offset);
  const exact = candidates.filter((at) => wallTimeIn(zone, at) === wall);
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
}
