import type { Json } from './json.ts';

/** Unix time in whole milliseconds, plus nanoseconds (0 to 999,999). */
export interface Timestamp {
  readonly ms: number;
  readonly nanos: number;
}

/** As ld-relay: ignores everything after a `Z`, and after an offset if a NUL or non-ASCII character follows. */
const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2})(?:$|[\0\x80-\uffff]))/;

/** Beyond it the int64 nanoseconds of ld-relay (Go) overflow and wrap. */
const LAST_MS = Math.floor(2 ** 63 / 1e6);

function fromNumber(value: number): Timestamp {
  const ms = Math.trunc(value) + 0;
  if (Math.abs(ms) <= LAST_MS) return { ms, nanos: 0 };
  if (Math.abs(ms) >= 2 ** 63) return { ms: 0, nanos: 0 };
  const nanos = BigInt.asIntN(64, BigInt(ms) * 1_000_000n);
  const rest = ((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return { ms: Number((nanos - rest) / 1_000_000n), nanos: Number(rest) };
}

function fromText(text: string): Timestamp | undefined {
  const fields = RFC3339.exec(text);
  if (!fields) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.slice(1, 7).map(Number);
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = fields.slice(7);
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  if (Number(offsetMinutes) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const nanos = Number(fraction.padEnd(9, '0'));
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return { ms: date.getTime() - offset + Math.floor(nanos / 1e6), nanos: nanos % 1e6 };
}

/** Reads an RFC 3339 text with an offset, or a number of milliseconds since 1970; undefined for anything else. */
export function parseTimestamp(value: Json): Timestamp | undefined {
  if (typeof value === 'number') return fromNumber(value);
  return typeof value === 'string' ? fromText(value) : undefined;
}

/** Negative if `a` is earlier, positive if later. */
export const compareTimestamps = (a: Timestamp, b: Timestamp): number => a.ms - b.ms || a.nanos - b.nanos;
