import { t } from '../text.ts';

const UNITS = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** Parses a typed duration (`2h`, `1d 12h`, `1.5h`, `90 min`) into milliseconds; undefined for anything else. */
export function parseSpan(text: string): number | undefined {
  const compact = text.toLowerCase().replace(/\s+/g, '');
  if (!/^(\d+(\.\d+)?(w|d|h|min|m|s))+$/.test(compact)) return undefined;
  let sum = 0;
  for (const [, digits, unit] of compact.matchAll(/([\d.]+)(w|d|h|min|m|s)/g)) {
    const ms = UNITS.find(([name]) => name === unit?.charAt(0))?.[1] ?? 0;
    sum += Number(digits) * ms;
  }
  return Math.round(sum);
}

function partsOf(ms: number): string[] {
  let rest = Math.max(0, Math.floor(ms / 1000) * 1000);
  const parts: string[] = [];
  for (const [name, unitMs] of UNITS) {
    if (name === 'w') continue;
    const count = Math.floor(rest / unitMs);
    if (count > 0) parts.push(`${count}${name}`);
    rest -= count * unitMs;
  }
  return parts;
}

/** Formats a duration in full, to the second: `1d 2h 30m`, `0s`. */
export function formatSpan(ms: number): string {
  return partsOf(ms).join(' ') || '0s';
}

/** Formats a duration briefly, in its two largest adjacent units: `3d 4h`, `14m`, `42s`. */
export function formatAge(ms: number): string {
  const minutes = ms >= 3_600_000 ? Math.floor(ms / 60_000) * 60_000 : ms;
  const hours = minutes >= 86_400_000 ? Math.floor(minutes / 3_600_000) * 3_600_000 : minutes;
  const shown = hours >= 60_000 && hours < 3_600_000 ? Math.floor(hours / 60_000) * 60_000 : hours;
  return formatSpan(shown);
}

/** Writes an instant against now: `in 2h 5m`, `3d 4h ago`, `now`. */
export function formatDistance(at: number, now: number): string {
  if (Math.abs(at - now) < 1000) return t('time.now');
  const span = formatAge(Math.abs(at - now));
  return at > now ? t('time.in', { span }) : t('time.ago', { span });
}

const two = (number: number): string => String(number).padStart(2, '0');

function dayOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Writes an instant in local time: `2026-01-03 12:04:05`. */
export function formatInstant(at: number): string {
  const date = new Date(at);
  return `${dayOf(date)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Formats an instant briefly in local time: today `12:04:05`, otherwise `2026-01-03 12:04`. */
export function formatInstantShort(at: number, now: number): string {
  const text = formatInstant(at);
  return dayOf(new Date(at)) === dayOf(new Date(now)) ? text.slice(11) : text.slice(0, 16);
}

/** The value of a `datetime-local` field for an instant, to the minute, in local time. */
export function toFieldValue(at: number): string {
  return formatInstant(at).slice(0, 16).replace(' ', 'T');
}

/** The instant of a `datetime-local` field; undefined while it is incomplete. */
export function fromFieldValue(value: string): number | undefined {
  if (!/^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined;
  const at = new Date(value).getTime();
  return Number.isNaN(at) ? undefined : at;
}
