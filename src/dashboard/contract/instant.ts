const DAY_MS = 86_400_000;
/** 2000-01-01 and 2100-01-01: dates beyond are mistakes. */
const EARLIEST = 946_684_800_000;
const LATEST = 4_102_444_800_000;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Reads an instant as epoch milliseconds: milliseconds or (ten digits) seconds since the epoch, ISO 8601 (UTC without
 * an offset), or a date, which is the first or the last millisecond of the day in UTC. Undefined for other values.
 */
export function readInstant(value: string | number, edge: 'start' | 'end'): number | undefined {
  const at = typeof value === 'number' ? readEpoch(String(value)) : readText(value.trim(), edge);
  return at !== undefined && at >= EARLIEST && at <= LATEST ? at : undefined;
}

function readText(text: string, edge: 'start' | 'end'): number | undefined {
  if (/^\d+$/.test(text)) return readEpoch(text);
  const day = readDay(text);
  if (day !== undefined) return edge === 'start' ? day : day + DAY_MS - 1;
  return readDateTime(text);
}

function readEpoch(digits: string): number | undefined {
  if (/^\d{10}$/.test(digits)) return Number(digits) * 1000;
  return /^\d{11,14}$/.test(digits) ? Number(digits) : undefined;
}

function readDay(text: string): number | undefined {
  if (!DATE.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  // `Date` reads 30 February as a day in March.
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? at : undefined;
}

/** Epoch milliseconds of an ISO 8601 date with a time of day; UTC without an offset. */
export function readDateTime(text: string): number | undefined {
  const [, date = '', hours, minutes, seconds = '00', fraction = '', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  const day = readDay(date);
  if (day === undefined) return undefined;
  const [, sign = '+', zoneHours = '0', zoneMinutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const clock = ((Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds)) * 1000;
  return day + clock + Math.trunc(Number(`0.${fraction || '0'}`) * 1000);
}
