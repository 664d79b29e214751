import type { ChartFormat, DateForm } from './terms.ts';

const DATE_FORMS: Readonly<Record<DateForm, Intl.DateTimeFormatOptions>> = {
  second: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  minute: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  time: { hour: '2-digit', minute: '2-digit' },
  zonedTime: { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  dayOfMonth: { day: 'numeric', month: 'short' },
  month: { month: 'long', year: 'numeric' },
  shortMonth: { month: 'short' },
};

/** 2024-01-01, a Monday. */
const SOME_MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** Formats numbers and instants of charts for a locale (BCP 47). */
export function chartFormat(locale: string): ChartFormat {
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
  const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
  // British compact numbers end in `m`, which reads as milli.
  const compactLocale = locale.startsWith('en') ? 'en-US' : locale;
  const count = number({ maximumFractionDigits: 0 });
  const compact = new Intl.NumberFormat(compactLocale, { notation: 'compact', maximumSignificantDigits: 3 });
  const usd = number(dollars);
  const usdFine = number({ ...dollars, minimumFractionDigits: 4, maximumFractionDigits: 4 });
  const usdWhole = number({ ...dollars, maximumFractionDigits: 0, minimumFractionDigits: 0 });
  const percent = number({ style: 'percent', maximumFractionDigits: 1 });
  const decimal = number({ maximumFractionDigits: 1 });
  const weekdays = {
    long: new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }),
    short: new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' }),
  };
  const dates = dateFormats(locale);
  return {
    count: (value) => count.format(value),
    compact: (value) => (Math.abs(value) < 10_000 ? decimal : compact).format(value),
    usd: (cents) => (cents !== 0 && Math.abs(cents) < 1 ? usdFine : usd).format(cents / 100),
    usdAxis: (cents, stepCents) =>
      (stepCents % 100 === 0 ? usdWhole : stepCents < 1 ? usdFine : usd).format(cents / 100),
    percent: (ratio) => percent.format(ratio),
    decimal: (value) => decimal.format(value),
    weekday: (day, form) => weekdays[form].format(SOME_MONDAY + day * DAY_MS),
    date: (at, zone, form) => dates(zone, form).format(at),
    dateRange: (from, to, zone, form) => dates(zone, form).formatRange(from, to),
  };
}

/** Creating a DateTimeFormat costs a hundred times its use: each is created once. */
function dateFormats(locale: string): (zone: string, form: DateForm) => Intl.DateTimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (zone, form) => {
    const key = `${form} ${zone}`;
    const known = made.get(key);
    if (known) return known;
    const fresh = new Intl.DateTimeFormat(locale, { ...DATE_FORMS[form], timeZone: zone, hourCycle: 'h23' });
    made.set(key, fresh);
    return fresh;
  };
}
