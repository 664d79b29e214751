import { parseFlagDuration } from '../../../kernel/duration.ts';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { readDateTime } from '../../contract/instant.ts';

/**
 * Reads the time of a flag, in epoch milliseconds: ISO 8601 (local time without an offset), `HH:MM` of today, or a
 * duration before now. Throws for wrong usage.
 */
export function readTimeFlag(text: string, flag: string, now: number): number {
  const trimmed = text.trim();
  const at = readClockTime(trimmed, now) ?? readDated(trimmed) ?? readAgo(trimmed, now);
  if (at !== undefined) return at;
  throw new CommandError(
    `${flag}: write a time such as 14:30, 2026-05-04T14:30, 2026-05-04T14:30:00Z, or 45m for 45 minutes ago`,
    ExitCode.usage,
  );
}

function readClockTime(text: string, now: number): number | undefined {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : new Date(now).setHours(Number(hours), Number(minutes), 0, 0);
}

function readDated(text: string): number | undefined {
  if (/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) && /\d:\d/.test(text)) return readDateTime(text);
  // Checks the calendar in UTC, then reads in the machine's zone.
  return readDateTime(text) === undefined ? undefined : new Date(text.replace(' ', 'T')).getTime();
}

function readAgo(text: string, now: number): number | undefined {
  const ms = parseFlagDuration(text);
  return ms === undefined || ms < 0 ? undefined : now - ms;
}

/** Local time to the minute; other texts are returned as they are. */
export function printTime(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
